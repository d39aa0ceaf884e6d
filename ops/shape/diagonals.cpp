// Diagonals, and copies with a part replaced.
#include "ops/common/sharing.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>
#include <cstdlib>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the same view of a copy of the whole storage.
Tensor copy_of_storage(const TensorImpl& t) {
    if (ops::overlaps_itself(*t.shape)) return Tensor(make_view(t, t.shape)).clone();
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a dtype
    const auto size = static_cast<int64_t>(t.storage->current->nbytes() / elementSize(t.dtype));
    const Tensor all = ops::view_of(t, {size}, {1}, 0).clone();
    return ops::view_of(*all.unsafeGetTensorImpl(), t.shape->sizes_ref(), t.shape->strides_ref(),
                        t.shape->offset);
}

/// Returns `copy` after its view `part` has been set to the source.
Tensor with_part(const char* op, Tensor copy, const Tensor& part, const tensor_base& source) {
    const IntArrayRef sizes = body(op, source).shape->sizes_ref();
    if (!(part.sizes() == sizes))
        fail(op, "the source's shape does not match the view that it replaces",
             text("a source of shape ", sizes, " for a view of shape ", part.sizes()),
             "equal shapes", "expand() on the source");
    part.copy_(source);
    return copy;
}

}  // namespace

Tensor tensor_base::select_scatter(const tensor_base& source, int64_t dim, int64_t index) const {
    body("select_scatter", *this);
    Tensor copy = clone();
    return with_part("select_scatter", copy, copy.select(dim, index), source);
}

Tensor tensor_base::slice_scatter(const tensor_base& source, int64_t dim, optional<int64_t> start,
                                  optional<int64_t> end, int64_t step) const {
    body("slice_scatter", *this);
    Tensor copy = clone();
    return with_part("slice_scatter", copy, copy.slice(dim, start, end, step), source);
}

Tensor tensor_base::diagonal_scatter(const tensor_base& source, int64_t offset, int64_t dim1,
                                     int64_t dim2) const {
    body("diagonal_scatter", *this);
    Tensor copy = clone();
    return with_part("diagonal_scatter", copy, copy.diagonal(offset, dim1, dim2), source);
}

Tensor tensor_base::as_strided_scatter(const tensor_base& source, IntArrayRef sizes,
                                       IntArrayRef strides,
                                       optional<int64_t> storage_offset) const {
    const TensorImpl& t = body("as_strided_scatter", *this);
    Tensor copy = copy_of_storage(t);
    return with_part("as_strided_scatter", copy, copy.as_strided(sizes, strides, storage_offset),
                     source);
}

Tensor tensor_base::diag(int64_t diagonal) const {
    const TensorImpl& t = body("diag", *this);
    if (t.shape->ndim == 1) return diag_embed(diagonal);
    if (t.shape->ndim == 2) return this->diagonal(diagonal).clone();
    fail("diag", "the tensor is neither a vector nor a matrix", ops::shape_of(t),
         "1 or 2 dimensions", "diagonal() or diag_embed()");
}

Tensor tensor_base::diag_embed(int64_t offset, int64_t dim1, int64_t dim2) const {
    const TensorImpl& t = body("diag_embed", *this);
    const geometry& g = *t.shape;
    const int64_t a = ops::wrap_dim("diag_embed", dim1, g.ndim + 1);
    const int64_t b = ops::wrap_dim("diag_embed", dim2, g.ndim + 1);
    if (a == b) ops::refuse_same_dims("diag_embed", dim1, dim2, "-2 and -1, the defaults");
    ops::require_dims_from<IndexError>("diag_embed", t, 1, "unsqueeze(0) first");
    // No matrix has this many rows, and the sum below cannot overflow.
    constexpr int64_t most = int64_t{1} << 60;
    const int64_t side = g.sizes()[g.ndim - 1] + std::abs(std::clamp(offset, -most, most));
    const int64_t step = g.strides()[g.ndim - 1];
    ops::dims d(g);
    d.erase(g.ndim - 1);
    d.insert(std::min(a, b), side, a < b ? step : 0);
    d.insert(std::max(a, b), side, a < b ? 0 : step);
    if (offset != 0) {
        Tensor result = zeros(d.sizes, ops::beside(t, t.dtype));
        result.diagonal(offset, a, b).copy_(*this);
        return result;
    }
    // Each element reads the diagonal element of its row, and a condition selects the diagonal, so
    // that it fuses.
    std::vector<int64_t> away(d.sizes.size(), 0);
    away[static_cast<std::size_t>(a)] = 1;
    away[static_cast<std::size_t>(b)] = -1;
    ops::sequence code;
    code.read(ops::index_leaf(d.sizes, away, 0)).number(0).row(op::eq);
    code.read(ops::read(t, make_geometry(d.sizes, d.strides, g.offset)));
    return code.number(false).row(op::where).pending(t.dtype, make_contiguous(d.sizes));
}

Tensor tensor_base::diagflat(int64_t offset) const {
    body("diagflat", *this);
    return reshape(-1).diag_embed(offset);
}

Tensor& tensor_base::fill_diagonal_(const Scalar& value, bool wrap) const {
    const TensorImpl& t = body("fill_diagonal_", *this);
    const geometry& g = *t.shape;
    ops::require_dims_from("fill_diagonal_", t, 2, "fill_()");
    for (int d = 1; d < g.ndim; ++d)
        if (g.ndim > 2 && g.sizes()[d] != g.sizes()[0])
            fail("fill_diagonal_", "the sizes differ", ops::shape_of(t),
                 "equal sizes in a tensor with more than 2 dimensions",
                 "diagonal().fill_(value), which fills the diagonals of its first two dimensions");
    if (wrap) ops::require_writable("fill_diagonal_", t);
    runtime::require_fits("fill_diagonal_", value, t.dtype);
    const int64_t rows = g.sizes()[0], columns = g.sizes()[1];
    if (wrap && g.ndim == 2 && columns > 0 && rows > columns + 1) {
        // The diagonal starts again every columns + 1 rows.
        ops::sequence code;
        code.read(ops::index_leaf(g.sizes_ref(), {1, -1}, 0)).number(columns + 1);
        code.row(op::remainder).number(0).row(op::eq);
        code.number(value).cast(t.dtype).read(ops::read(t)).row(op::where).write(t);
        return self();
    }
    int64_t stride = 0;
    for (int64_t s : g.strides_ref()) stride += s;
    ops::view_of(t, std::min(rows, columns), stride, g.offset).fill_(value);
    return self();
}

// ---- function forms
Tensor select_scatter(const tensor_base& t, const tensor_base& source, int64_t dim, int64_t index) {
    return t.select_scatter(source, dim, index);
}
Tensor slice_scatter(const tensor_base& t, const tensor_base& source, int64_t dim,
                     optional<int64_t> start, optional<int64_t> end, int64_t step) {
    return t.slice_scatter(source, dim, start, end, step);
}
Tensor diagonal_scatter(const tensor_base& t, const tensor_base& source, int64_t offset,
                        int64_t dim1, int64_t dim2) {
    return t.diagonal_scatter(source, offset, dim1, dim2);
}
Tensor as_strided_scatter(const tensor_base& t, const tensor_base& source, IntArrayRef sizes,
                          IntArrayRef strides, optional<int64_t> storage_offset) {
    return t.as_strided_scatter(source, sizes, strides, storage_offset);
}
Tensor diag(const tensor_base& t, int64_t diagonal) { return t.diag(diagonal); }
Tensor diag_embed(const tensor_base& t, int64_t offset, int64_t dim1, int64_t dim2) {
    return t.diag_embed(offset, dim1, dim2);
}
Tensor diagflat(const tensor_base& t, int64_t offset) { return t.diagflat(offset); }

}  // namespace sinter::inline v1
