// Eager execution: one operation over strided operands, now. Made of block rows, so it gives the
// bits of every other back end. The caller has checked shapes and dtypes, and that the output
// overlaps no operand but as the identical view. All floating-point work runs in the default
// environment.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/op/op.hpp>

#include <cstdint>
#include <span>

namespace sinter::eager {

/// One array. Strides are in bytes, one for each dimension of the operation's shape; any value,
/// 0 for a dimension that is broadcast.
struct operand {
    char* data;
    ScalarType type;
    const int64_t* strides;
    /// A scalar argument is an operand whose strides are all 0; as a Float in an operation on Half
    /// it is not rounded to Half. A tensor of one element is, and says so.
    bool one_element_tensor = false;
};

/// out = row(ins...), computed in the logical type `in`; operands of other types are converted to
/// it. Bool results are bytes 0 and 1. Returns the status bits of failed guards
/// (kernel_ir::status).
uint64_t elementwise(op::id row, ScalarType in, std::span<const int64_t> shape, const operand& out,
                     std::span<const operand> ins);

/// out = in, converted. Between equal types bits move unchanged.
void cast(std::span<const int64_t> shape, const operand& out, const operand& in);
void copy(std::span<const int64_t> shape, const operand& out, const operand& in);

/// The same of any one dtype, complex ones included. Strides are in elements.
void copy_elements(ScalarType type, std::span<const int64_t> shape, char* out,
                   std::span<const int64_t> out_strides, const char* in,
                   std::span<const int64_t> in_strides);

/// Every element becomes the value whose bits are the low bytes of `bits`.
void fill(std::span<const int64_t> shape, const operand& out, uint64_t bits);

/// out = base + sum of index[d] * steps[d]; out is Long.
void index(std::span<const int64_t> shape, const operand& out, int64_t base,
           std::span<const int64_t> steps);

/// Reduces the dimensions of `shape` that `reduced` marks, in the order of reduce_order.hpp.
/// Elements are converted to `in`, accumulated as reduce.def says. The strides of `out` are of
/// `shape`'s dimensions too; those of reduced ones are ignored. `correction` is the parameter of
/// var and std.
void reduce(op::reduction row, ScalarType in, std::span<const int64_t> shape,
            std::span<const bool> reduced, const operand& out, const operand& in_operand,
            double correction);

}  // namespace sinter::eager
