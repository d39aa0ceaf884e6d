// Arrays in random layouts for tests: permuted, with gaps, broadcast.
#pragma once

#include "tests/support/by_interpreter.hpp"
#include "jit/interpret/kernel_call_data.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace sinter::testing {

enum class layout { contiguous, any, broadcast };

inline int64_t count_of(const std::vector<int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// f(offset in elements of `strides`) for each element in row-major order.
template <class F>
void for_each_offset(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, F f) {
    std::vector<int64_t> at(shape.size(), 0);
    const int64_t n = count_of(shape);
    for (int64_t i = 0; i < n; i++) {
        int64_t offset = 0;
        for (std::size_t d = 0; d < shape.size(); d++) offset += at[d] * strides[d];
        f(offset);
        for (std::size_t d = shape.size(); d-- > 0;) {
            if (++at[d] < shape[d]) break;
            at[d] = 0;
        }
    }
}

class strided {
public:
    strided(ScalarType type, std::vector<int64_t> shape, layout how, std::mt19937_64& random)
        : type_(type), shape_(std::move(shape)), strides_(shape_.size(), 0) {
        const auto size = static_cast<int64_t>(elementSize(type));
        std::vector<std::size_t> order(shape_.size());
        std::iota(order.rbegin(), order.rend(), std::size_t{0});
        if (how != layout::contiguous && random() % 2)
            std::shuffle(order.begin(), order.end(), random);
        int64_t step = size;
        for (std::size_t d : order) {
            if (how == layout::broadcast && random() % 2) continue;
            if (how != layout::contiguous && random() % 4 == 0)
                step += size * static_cast<int64_t>(random() % 3);
            strides_[d] = step;
            step *= std::max<int64_t>(shape_[d], 1);
        }
        memory_.assign(static_cast<std::size_t>(step + size + 2 * guard), 0x5a);
        for_each_offset(shape_, strides_, [&](int64_t offset) {
            const uint64_t bits = kernel_ir::kernel_call_data::storage_bits(type_, random);
            std::memcpy(data() + offset, &bits, elementSize(type_));
        });
    }

    char* data() { return memory_.data() + guard; }
    const char* data() const { return memory_.data() + guard; }
    /// Returns a tensor over this memory.
    Tensor tensor() {
        std::vector<int64_t> strides;
        for (int64_t s : strides_) strides.push_back(s / static_cast<int64_t>(elementSize(type_)));
        return from_blob(data(), shape_, strides, TensorOptions(type_));
    }
    ScalarType type() const { return type_; }
    const std::vector<int64_t>& shape() const { return shape_; }

    bytes gather() const {
        bytes out;
        for_each_offset(shape_, strides_, [&](int64_t offset) {
            out.insert(out.end(), data() + offset, data() + offset + elementSize(type_));
        });
        return out;
    }

    /// Returns true if all memory outside the elements still has its initial contents.
    bool rest_untouched() const {
        bytes copy = memory_;
        for_each_offset(shape_, strides_, [&](int64_t offset) {
            std::memset(copy.data() + guard + offset, 0x5a, elementSize(type_));
        });
        return std::all_of(copy.begin(), copy.end(), [](char c) { return c == 0x5a; });
    }

private:
    static constexpr int64_t guard = 64;
    ScalarType type_;
    std::vector<int64_t> shape_;
    std::vector<int64_t> strides_;
    bytes memory_;
};

/// Returns a shape of rank 0 to 4, mostly small, sometimes with an empty or a long dimension.
inline std::vector<int64_t> random_shape(std::mt19937_64& random, int64_t longest = 1500) {
    static constexpr int64_t sizes[] = {1, 2, 3, 5, 7, 8, 16, 17, 33};
    std::vector<int64_t> shape(random() % 5);
    for (int64_t& n : shape) n = sizes[random() % 9];
    if (!shape.empty() && random() % 3 == 0) {
        shape.resize(1 + random() % 2);
        shape[random() % shape.size()] =
            1 + static_cast<int64_t>(random() % static_cast<uint64_t>(longest));
    }
    if (!shape.empty() && random() % 20 == 0) shape[random() % shape.size()] = 0;
    return shape;
}

}  // namespace sinter::testing
