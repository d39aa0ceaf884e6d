// NumPy's format for one array: magic bytes, a version, a Python dictionary as text, then the
// elements.
#pragma once

#include "ops/common/op_checks.hpp"

#include <string>

namespace sinter::ops {

/// A source of bytes. `read` reads all `n` bytes or returns false.
class npy_input {
public:
    virtual ~npy_input() = default;
    virtual bool read(char* to, std::size_t n) = 0;
    /// Returns the number of bytes left.
    virtual std::size_t left() = 0;
};

/// Reads an array. `op` and `name` are for errors. Big-endian elements are swapped; column-major
/// arrays keep their layout.
Tensor read_npy(const char* op, const std::string& name, npy_input& in);

/// Returns the bytes before the elements of a contiguous tensor, padded so that the elements are
/// aligned.
std::string npy_preamble(const TensorImpl& t);
/// Returns the elements of a contiguous tensor. Flushes pending work.
std::span<const char> npy_elements(const TensorImpl& t);

}  // namespace sinter::ops
