// A factor of a batched product: matrices of equal shape in a strided array. Any layout can be
// copied to one that BLAS takes.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/device/buffer.hpp"

#include <cstdint>
#include <vector>

namespace sinter::blas {

/// One (rows x cols) matrix for each index of the batch. Strides are in elements; a batch stride of
/// 0 repeats the matrix.
struct operand {
    const char* data = nullptr;  // the first element
    ScalarType dtype = ScalarType::Undefined;
    int64_t rows = 0, cols = 0;
    int64_t row_stride = 0, col_stride = 0;
    int32_t batch_dims = 0;
    const int64_t* batch_sizes = nullptr;
    const int64_t* batch_strides = nullptr;
    bool conjugate = false;  // each element is to be conjugated
    // Set only for a copy:
    runtime::buffer_ptr memory;
    std::vector<int64_t> own_strides;

    int64_t batches() const;
    /// Returns the offset of a matrix, in elements.
    int64_t offset(int64_t batch) const;
};

/// Returns the operand whose last two dimensions are the matrix. Refers to `in`'s shape.
operand operand_of(const op_input& in);

/// The layout of a matrix for row-major BLAS: its rows, or those of its transpose, are `ld` apart.
struct flagged {
    bool valid;  // false: the matrix must be copied
    bool trans;
    int64_t ld;
};
flagged flags_of(const operand& o);

/// Returns a dense copy, conjugated if `o.conjugate`. Half and BFloat16 become float. Broadcast
/// batch dimensions stay broadcast. The longer stride stays the longer one.
operand packed(const operand& o);

}  // namespace sinter::blas
