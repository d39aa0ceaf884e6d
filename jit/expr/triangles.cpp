// Triangles of matrices: a choice between the elements and 0 by row and column, fused.
#include "jit/expr/front.hpp"

#include <sinter/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using front::body;
using front::fail;
using front::sequence;
using front::text;

namespace {

/// The elements for which column - row compares as `keep` says to the diagonal; 0 elsewhere.
sequence triangle(const char* op, const TensorImpl& t, op::id keep, int64_t diagonal) {
    const geometry& g = *t.shape;
    if (g.ndim < 2)
        fail(op, "the tensor is no matrix", text("sizes ", g.sizes_ref()), "two dimensions or more",
             "unsqueeze first");
    std::vector<int64_t> strides(static_cast<std::size_t>(g.ndim), 0);
    strides[strides.size() - 2] = -1;
    strides[strides.size() - 1] = 1;
    sequence code;
    code.read(front::index_leaf(g.sizes_ref(), strides, 0)).number(diagonal).row(keep);
    // A boolean 0 leaves every dtype as it is.
    code.read(front::read(t)).number(false).row(op::where);
    return code;
}

Tensor triangle_of(const char* op, const tensor_base& self, op::id keep, int64_t diagonal) {
    const TensorImpl& t = body(op, self);
    return triangle(op, t, keep, diagonal).pending(t.dtype, make_contiguous(t.shape->sizes_ref()));
}

Tensor& keep_triangle(const char* op, const tensor_base& self, op::id keep, int64_t diagonal) {
    const TensorImpl& t = body(op, self);
    sequence code = triangle(op, t, keep, diagonal);
    front::require_writable(op, t);
    code.write(t);
    return self.self();
}

struct columns_of {
    int64_t first, last;  // the last one is left out
};

/// Rows and columns of a triangle; range(i) has the columns of row i, perhaps beyond the matrix.
template <class F>
Tensor indices(const char* op, int64_t rows, int64_t columns, const TensorOptions& options,
               const F& range) {
    front::require_cpu(op, options.device());
    const ScalarType dtype = options.dtype_or(kLong);
    front::require_dtype(op, dtype);
    front::require_real(op, dtype);
    if (rows < 0 || columns < 0)
        fail(op, "a size is negative", text(rows, " rows and ", columns, " columns"),
             "sizes of 0 or more", "the absolute value");
    const auto of = [&](int64_t row) {
        columns_of s = range(row);
        s.first = std::clamp<int64_t>(s.first, 0, columns);
        s.last = std::clamp<int64_t>(s.last, s.first, columns);
        return s;
    };
    int64_t n = 0;
    for (int64_t i = 0; i < rows; ++i) n += of(i).last - of(i).first;
    const Tensor result = empty({2, n}, kLong);
    auto* row = reinterpret_cast<int64_t*>(front::fresh(*result.unsafeGetTensorImpl()));
    int64_t* column = row + n;
    for (int64_t i = 0; i < rows; ++i) {
        const columns_of s = of(i);
        for (int64_t j = s.first; j < s.last; ++j) {
            *row++ = i;
            *column++ = j;
        }
    }
    return result.to(dtype);
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
    return indices("triu_indices", row, col, options,
                   [&](int64_t i) { return columns_of{i + offset, col}; });
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, const TensorOptions& options) {
    return indices("tril_indices", row, col, options,
                   [&](int64_t i) { return columns_of{0, i + offset + 1}; });
}

}  // namespace sinter::inline v1
