// Eager execution: runs one operation over strided operands immediately. It uses block rows, so its
// bits equal those of every other back end. The caller has checked shapes and dtypes, and that the
// output overlaps no operand except as the identical view. All floating-point work runs in the
// default environment.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/op/op.hpp>

#include <cstdint>
#include <span>

namespace sinter::eager {

/// One array. Strides are in bytes, one per dimension of the operation's shape. Any value is
/// allowed; 0 is a broadcast dimension.
struct operand {
    char* data;
    ScalarType type;
    const int64_t* strides;
    /// An operand whose strides are all 0 is a scalar argument: in an operation on Half, a Float
    /// scalar is not rounded to Half. A tensor of one element is rounded, so it sets this flag.
    bool one_element_tensor = false;
};

/// out = in, converted. If the types are equal, bits move unchanged.
void cast(std::span<const int64_t> shape, const operand& out, const operand& in);
void copy(std::span<const int64_t> shape, const operand& out, const operand& in);

/// Copies elements of any one dtype, including complex ones. Strides are in elements.
void copy_elements(ScalarType type, std::span<const int64_t> shape, char* out,
                   std::span<const int64_t> out_strides, const char* in,
                   std::span<const int64_t> in_strides);

}  // namespace sinter::eager
