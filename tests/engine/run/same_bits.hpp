// Compares values bit by bit.
#pragma once

#include <sinter/sinter.hpp>

#include <cstddef>
#include <cstring>

namespace sinter {

inline bool same_bits(const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
           std::memcmp(a.contiguous().const_data_ptr(), b.contiguous().const_data_ptr(),
                       static_cast<std::size_t>(a.numel()) * a.element_size()) == 0;
}

}  // namespace sinter
