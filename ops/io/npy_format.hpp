// NumPy's format for one array, wherever its bytes lie: a magic, a version, a Python dictionary as
// text, then the elements.
#pragma once

#include "ops/common/op_checks.hpp"

#include <string>

namespace sinter::front {

/// Bytes in order. Reads all that is asked for, or says no.
class npy_input {
public:
    virtual ~npy_input() = default;
    virtual bool read(char* to, std::size_t n) = 0;
    /// Bytes that are left.
    virtual std::size_t left() = 0;
};

/// The array; `op` and `name` are for errors. Big-endian elements are turned round; column-major
/// ones keep their layout.
Tensor read_npy(const char* op, const std::string& name, npy_input& in);

/// What stands in front of the elements of a contiguous tensor, padded so that they are aligned.
std::string npy_preamble(const TensorImpl& t);
/// Elements of a contiguous tensor; runs what is pending.
std::span<const char> npy_elements(const TensorImpl& t);

}  // namespace sinter::front
