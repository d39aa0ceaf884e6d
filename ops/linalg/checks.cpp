#include "ops/linalg/checks.hpp"

namespace sinter::ops {

void require_lapack_dtype(const char* op, ScalarType dtype) {
    if (dtype == kFloat || dtype == kDouble || isComplexType(dtype)) return;
    fail<NotImplementedError>(op, "the dtype has no linear algebra", text(dtype),
                              "Float, Double, ComplexFloat or ComplexDouble",
                              isFloatingType(dtype) ? "to(kFloat) first" : "to(kDouble) first");
}

const TensorImpl& matrices(const char* op, const tensor_base& t) {
    const TensorImpl& a = body(op, t);
    if (a.shape->ndim < 2)
        fail(op, "the tensor is no matrix", text("shape ", a.shape->sizes_ref()),
             "two dimensions or more", "unsqueeze");
    require_lapack_dtype(op, a.dtype);
    return a;
}

const TensorImpl& square_matrices(const char* op, const tensor_base& t) {
    const TensorImpl& a = matrices(op, t);
    if (rows(a) != cols(a))
        fail(op, "the matrix is not square", text("shape ", a.shape->sizes_ref()),
             "shape [..., n, n]", "linalg_lstsq or linalg_pinv");
    return a;
}

void require_one_dtype(const char* op, const TensorImpl& a, const TensorImpl& b) {
    if (a.dtype != b.dtype)
        fail(op, "the operands' dtypes differ", text(a.dtype, " and ", b.dtype), "one dtype",
             text(".to(k", promote_types(a.dtype, b.dtype), ") on one of them"));
}

bool lies_by_rows(const TensorImpl& t) {
    const geometry& g = *t.shape;
    const int64_t down = g.strides()[g.ndim - 2], across = g.strides()[g.ndim - 1];
    return !(down == 1 && across >= rows(t)) && (across <= down || cols(t) == 1);
}

}  // namespace sinter::ops
