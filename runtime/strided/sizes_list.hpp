// A list of sizes, one per dimension, without heap memory: tensors have at most 64 dimensions.
#pragma once

#include <sinter/core/array_ref.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter::inline v1 {

class sizes_list {
public:
    sizes_list() = default;
    explicit sizes_list(IntArrayRef sizes) {
        for (int64_t s : sizes) push_back(s);
    }
    void push_back(int64_t size) { values_[count_++] = size; }
    int64_t& operator[](std::size_t d) { return values_[d]; }
    std::size_t size() const { return count_; }
    operator IntArrayRef() const { return {values_, count_}; }  // NOLINT: as a vector's

private:
    std::size_t count_ = 0;
    int64_t values_[64];
};

}  // namespace sinter::inline v1
