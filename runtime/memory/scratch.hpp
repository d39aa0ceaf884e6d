// Pool memory for one piece of work.
#pragma once

#include "runtime/memory/pool.hpp"

#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

/// Owns `bytes` uninitialised bytes, aligned to 64.
class scratch {
public:
    explicit scratch(int64_t bytes)
        : bytes_(static_cast<std::size_t>(bytes)),
          data_(static_cast<char*>(allocate_uncounted(bytes_))) {}
    ~scratch() { release_uncounted(data_, bytes_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    char* get() const { return data_; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(data_);
    }

private:
    std::size_t bytes_;
    char* data_;
};

}  // namespace sinter::runtime
