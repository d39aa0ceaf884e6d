// A factor of a batched product: matrices of equal shape in a strided array, and what turns any
// layout into one that BLAS takes.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/device/buffer.hpp"

#include <cstdint>
#include <vector>

namespace sinter::blas {

/// Matrices (rows x cols), one for each index of the batch. Strides in elements; a batch stride of
/// 0 repeats the matrix.
struct operand {
    const char* data = nullptr;  // the first element
    ScalarType dtype = ScalarType::Undefined;
    int64_t rows = 0, cols = 0;
    int64_t row_stride = 0, col_stride = 0;
    int32_t batch_dims = 0;
    const int64_t* batch_sizes = nullptr;
    const int64_t* batch_strides = nullptr;
    bool conjugate = false;  // of every element
    // Of a copy:
    runtime::buffer_ptr memory;
    std::vector<int64_t> own_strides;

    int64_t batches() const;
    /// Of a matrix, in elements.
    int64_t offset(int64_t batch) const;
};

/// The last two dimensions are the matrix. Refers to `in`'s shape.
operand operand_of(const op_input& in);

/// A matrix as row-major BLAS takes it: rows `ld` apart, or the same of its transpose.
struct flagged {
    bool valid;  // otherwise the matrix must be copied
    bool trans;
    int64_t ld;
};
flagged flags_of(const operand& o);

/// A dense copy, of Half as float, conjugated where that is asked for. Batch indices that repeat a
/// matrix still do. The longer stride stays the longer one.
operand packed(const operand& o);

}  // namespace sinter::blas
