#include "ops/linalg/checks.hpp"

namespace sinter::ops {

void require_lapack_dtype(const char* op, ScalarType dtype) {
    if (dtype == kFloat || dtype == kDouble || isComplexType(dtype)) return;
    runtime::refuse_dtype(op, toString(dtype), lapack_dtypes,
                          isFloatingType(dtype) ? ".to(kFloat) first" : ".to(kDouble) first");
}

const TensorImpl& matrices(const char* op, const tensor_base& t) {
    const TensorImpl& a = body(op, t);
    require_dims_from(op, a, 2, "unsqueeze(-1), which makes a vector a column");
    require_lapack_dtype(op, a.dtype);
    return a;
}

const TensorImpl& square_matrices(const char* op, const tensor_base& t) {
    const TensorImpl& a = matrices(op, t);
    if (rows(a) != cols(a))
        refuse_not_square(op, a, "linalg_lstsq() or linalg_pinv(), which take any matrix");
    return a;
}

void refuse_right_side(const char* op, const TensorImpl& a, const TensorImpl& b, int64_t count,
                       bool left) {
    runtime::fail(op, "the right-hand side does not match the matrix", shapes(a, b),
                  runtime::text(count, left ? " rows" : " columns", " in the second"),
                  "transpose(-2, -1) on one of them");
}

void require_pivots(const char* op, const TensorImpl& a, const TensorImpl& pivots,
                    IntArrayRef sizes, const char* from) {
    require_operand_dtype(op, "the pivots", pivots.dtype, kInt);
    if (!(pivots.shape->sizes_ref() == sizes))
        runtime::fail(op, "the pivots do not match the matrix", shapes(a, pivots),
                      runtime::text("pivots of shape ", sizes),
                      runtime::text("the pivots that ", from, " returned"));
}

bool lies_by_rows(const TensorImpl& t) {
    const geometry& g = *t.shape;
    const int64_t down = g.strides()[g.ndim - 2], across = g.strides()[g.ndim - 1];
    return !(down == 1 && across >= rows(t)) && (across <= down || cols(t) == 1);
}

}  // namespace sinter::ops
