// Triangles of matrices: a fused choice between the element and 0, by row and column.
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using ops::sequence;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the program that keeps the elements for which `keep` holds between column - row and
/// `diagonal`. Others become 0.
sequence triangle(const char* op, const TensorImpl& t, op::id keep, int64_t diagonal) {
    const geometry& g = *t.shape;
    ops::require_dims_from(op, t, 2, "unsqueeze(0) first");
    std::vector<int64_t> strides(static_cast<std::size_t>(g.ndim), 0);
    strides[strides.size() - 2] = -1;
    strides[strides.size() - 1] = 1;
    sequence code;
    code.read(ops::index_leaf(g.sizes_ref(), strides, 0)).number(diagonal).row(keep);
    // `false` promotes no dtype.
    code.read(ops::read(t)).number(false).row(op::where);
    return code;
}

Tensor triangle_of(const char* op, const tensor_base& self, op::id keep, int64_t diagonal) {
    const TensorImpl& t = body(op, self);
    return triangle(op, t, keep, diagonal).pending(t.dtype, make_contiguous(t.shape->sizes_ref()));
}

Tensor& keep_triangle(const char* op, const tensor_base& self, op::id keep, int64_t diagonal) {
    const TensorImpl& t = body(op, self);
    sequence code = triangle(op, t, keep, diagonal);
    ops::require_writable(op, t);
    code.write(t);
    return self.self();
}

/// Returns 1 + 2 + ... + m, or 0 if m is negative.
__int128 sum_up_to(int64_t m) { return m <= 0 ? 0 : static_cast<__int128>(m) * (m + 1) / 2; }

/// Returns the number of elements of a matrix for which column - row is at most `offset`.
__int128 count_below(int64_t rows, int64_t columns, int64_t offset) {
    // Row i has max(i + offset + 1, 0) of them, minus those beyond the last column.
    return sum_up_to(rows + offset) - sum_up_to(offset) - sum_up_to(rows + offset - columns) +
           sum_up_to(offset - columns);
}

/// Returns the rows and columns of a triangle's elements.
Tensor indices(const char* op, bool lower, int64_t rows, int64_t columns, int64_t offset,
               const TensorOptions& options) {
    const ops::creation dtype(op, options, kLong, creation_device());
    ops::require_real(op, dtype);
    constexpr int64_t most = int64_t{1} << 60;
    if (rows < 0 || columns < 0)
        fail(op, "a size is negative", text(rows, " rows and ", columns, " columns"),
             "sizes of 0 or more", "size() of the matrix to index");
    if (rows >= most || columns >= most)
        fail(op, "a size is too large", text(rows, " rows and ", columns, " columns"),
             "sizes below 2^60", "tril() and triu(), which need no indices");
    if (columns == 0) rows = 0;
    offset = std::clamp(offset, -rows - 1, columns + 1);  // larger offsets give the same triangle
    const __int128 n =
        lower ? count_below(rows, columns, offset)
              : static_cast<__int128>(rows) * columns - count_below(rows, columns, offset - 1);
    const Tensor result(make_empty(
        kLong, make_contiguous({2, static_cast<int64_t>(std::min<__int128>(n, most))}, op),
        runtime::main_memory));
    auto* row = reinterpret_cast<int64_t*>(ops::fresh(*result.unsafeGetTensorImpl()));
    int64_t* column = row + static_cast<int64_t>(n);
    const int64_t begin = lower ? std::clamp<int64_t>(-offset, 0, rows) : 0;
    const int64_t end = lower ? rows : std::clamp<int64_t>(columns - offset, 0, rows);
    for (int64_t i = begin; i < end; ++i) {
        const int64_t first = lower ? 0 : std::max<int64_t>(i + offset, 0);
        const int64_t last = lower ? std::min(i + offset + 1, columns) : columns;
        for (int64_t j = first; j < last; ++j) {
            *row++ = i;
            *column++ = j;
        }
    }
    return dtype.made(ops::moved(result, creation_device()).to(dtype.dtype()));
}

}  // namespace

Tensor tensor_base::triu(int64_t diagonal) const {
    return triangle_of("triu", *this, op::ge, diagonal);
}
Tensor tensor_base::tril(int64_t diagonal) const {
    return triangle_of("tril", *this, op::le, diagonal);
}
Tensor& tensor_base::triu_(int64_t diagonal) const {
    return keep_triangle("triu_", *this, op::ge, diagonal);
}
Tensor& tensor_base::tril_(int64_t diagonal) const {
    return keep_triangle("tril_", *this, op::le, diagonal);
}

Tensor triu(const tensor_base& t, int64_t diagonal) { return t.triu(diagonal); }
Tensor tril(const tensor_base& t, int64_t diagonal) { return t.tril(diagonal); }

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, const TensorOptions& options) {
    return indices("triu_indices", false, row, col, offset, options);
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, const TensorOptions& options) {
    return indices("tril_indices", true, row, col, offset, options);
}

}  // namespace sinter::inline v1
