#include "kernels/linalg/operand.hpp"

#include "jit/simd/block.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sinter::blas {
namespace {

constexpr int64_t copy_grain =
    1 << 15;  // elements: below, waking a thread costs more than it saves

/// Copies complex numbers by their parts, because external memory may be aligned for R only, less
/// than C++ requires for complex.
template <class R>
void copy_complex(R* to, const R* from, int64_t stride, int64_t count, bool conjugate) {
    for (int64_t i = 0; i < count; ++i) {
        const R* const z = from + 2 * i * stride;
        to[2 * i] = z[0];
        to[2 * i + 1] = conjugate ? -z[1] : z[1];
    }
}

/// Copies the row that starts `offset` elements after the first one.
void copy_row(const operand& from, int64_t offset, char* to) {
    const auto item = static_cast<int64_t>(elementSize(from.dtype));
    const char* first = from.data + offset * item;
    const auto copy = [&]<class R>(R* row) {
        copy_complex(row, reinterpret_cast<const R*>(first), from.col_stride, from.cols,
                     from.conjugate);
    };
    if (isComplexType(from.dtype))
        return with_type(from.dtype, [&]<complex_element T>(std::type_identity<T>) {
            copy(reinterpret_cast<typename T::value_type*>(to));
        });
    block::find_load(from.dtype, from.dtype)(to, first, from.col_stride * item, from.cols);
}

/// Copies the rows of `from` to `to`, densely, in their compute type.
void copy_rows(const operand& from, const std::vector<int64_t>& to_strides, ScalarType to_dtype,
               char* to) {
    const int64_t to_row = from.cols * static_cast<int64_t>(elementSize(to_dtype));
    // The number of matrices stored once in the copy: dimensions with a stride of 0 do not count.
    int64_t distinct = 1;
    for (int32_t d = 0; d < from.batch_dims; ++d)
        if (to_strides[d] != 0) distinct *= from.batch_sizes[d];
    const int64_t grain = std::max<int64_t>(1, copy_grain / from.cols);
    runtime::parallel_for(0, distinct * from.rows, grain, [&](int64_t b, int64_t e) {
        const runtime::fp_environment environment;
        for (int64_t i = b; i < e; ++i) {
            int64_t batch = i / from.rows, offset = i % from.rows * from.row_stride;
            for (int32_t d = from.batch_dims; d-- > 0;) {
                if (to_strides[d] == 0) continue;
                offset += batch % from.batch_sizes[d] * from.batch_strides[d];
                batch /= from.batch_sizes[d];
            }
            copy_row(from, offset, to + i * to_row);
        }
    });
}

void swap_sides(operand& o) {
    std::swap(o.rows, o.cols);
    std::swap(o.row_stride, o.col_stride);
}

}  // namespace

int64_t operand::batches() const {
    int64_t n = 1;
    for (int32_t d = 0; d < batch_dims; ++d) n *= batch_sizes[d];
    return n;
}

int64_t operand::offset(int64_t batch) const {
    return runtime::offset_of(batch, static_cast<std::size_t>(batch_dims), batch_sizes,
                              batch_strides);
}

operand operand_of(const op_input& in) {
    const geometry& g = *in.shape;
    operand o;
    o.data = in.data + g.offset * static_cast<int64_t>(elementSize(in.dtype));
    o.dtype = in.dtype;
    o.batch_dims = g.ndim - 2;
    o.rows = g.sizes()[o.batch_dims];
    o.cols = g.sizes()[o.batch_dims + 1];
    o.row_stride = g.strides()[o.batch_dims];
    o.col_stride = g.strides()[o.batch_dims + 1];
    o.batch_sizes = g.sizes();
    o.batch_strides = g.strides();
    return o;
}

flagged flags_of(const operand& o) {
    constexpr int64_t longest = std::numeric_limits<int>::max();
    auto fits = [&](int64_t lines, int64_t length, int64_t line_stride, int64_t stride) {
        return (stride == 1 || length == 1) &&
               (lines == 1 || (line_stride >= length && line_stride <= longest));
    };
    if (fits(o.rows, o.cols, o.row_stride, o.col_stride))
        return {true, false, o.rows == 1 ? std::min(o.cols, longest) : o.row_stride};
    if (fits(o.cols, o.rows, o.col_stride, o.row_stride))
        return {true, true, o.cols == 1 ? std::min(o.rows, longest) : o.col_stride};
    return {false, false, 0};
}

operand packed(const operand& o) {
    operand from = o;
    const bool by_column = o.row_stride != 0 && o.row_stride < o.col_stride;
    if (by_column) swap_sides(from);

    operand to = from;
    to.dtype = isFloatingType(o.dtype) ? block::form_type(o.dtype) : o.dtype;
    to.row_stride = from.cols;
    to.col_stride = 1;
    to.conjugate = false;
    to.own_strides.assign(o.batch_dims, 0);
    int64_t count = from.rows * from.cols;
    for (int32_t d = o.batch_dims; d-- > 0;) {
        if (o.batch_strides[d] == 0 || o.batch_sizes[d] == 1) continue;
        to.own_strides[d] = count;
        count *= o.batch_sizes[d];
    }
    to.memory = runtime::make_buffer(static_cast<std::size_t>(count) * elementSize(to.dtype));
    auto* memory = static_cast<char*>(to.memory->data);
    copy_rows(from, to.own_strides, to.dtype, memory);
    to.data = memory;
    to.batch_strides = to.own_strides.data();  // a move of the vector keeps this pointer valid
    if (by_column) swap_sides(to);
    return to;
}

}  // namespace sinter::blas
