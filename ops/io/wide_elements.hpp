// Elements of a file whose type no tensor has, or has with other bytes.
#pragma once

#include <sinter/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sinter::ops {

/// Widens `n` unsigned integers of so many bytes each in place to elements of `dtype`, the last one
/// first. Returns an element that does not fit, with which it ends, if there is one.
std::optional<uint64_t> widen_unsigned(char* to, std::size_t from, ScalarType dtype, std::size_t n);
/// Makes each byte of a Bool 0 or 1, on which kernels rely.
void normalize_bools(char* to, std::size_t n);

}  // namespace sinter::ops
