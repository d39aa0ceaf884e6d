// Diagonals, traces and Vandermonde matrices.
#include "ops/common/op_checks.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/scans.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

Tensor linalg_diagonal(const tensor_base& A, int64_t offset, int64_t dim1, int64_t dim2) {
    body("linalg_diagonal", A);
    return A.diagonal(offset, dim1, dim2);
}

Tensor tensor_base::trace() const {
    const TensorImpl& t = body("trace", *this);
    ops::require_matrix("trace", t, "diagonal(0, -2, -1).sum(-1)");
    ops::require_numeric("trace", t.dtype);
    return diagonal().sum();
}
Tensor trace(const tensor_base& A) { return A.trace(); }

Tensor linalg_vander(const tensor_base& x, optional<int64_t> N) {
    const char* op = "linalg_vander";
    const TensorImpl& t = body(op, x);
    if (t.dtype == kBool || is_narrow_float(t.dtype))
        runtime::refuse_dtype(op, toString(t.dtype),
                              "an integral dtype, Float, Double, ComplexFloat or ComplexDouble");
    const Tensor base = t.shape->ndim == 0 ? x.unsqueeze(0) : x.self();
    const int64_t columns = N.value_or(base.size(-1));
    if (columns < 2)
        fail(op, "the number of columns is less than 2", text(columns), "2 or more",
             "leaving N out for a square matrix");
    const ScalarType type = isIntegralType(t.dtype, false) ? kLong : t.dtype;
    const Tensor powered = base.to(type).unsqueeze(-1);
    if (!isComplexType(type)) return powered.pow(arange(columns, ops::beside(t, type)));
    // Computed by products, because powers of complex numbers are not exact.
    std::vector<int64_t> sizes = base.sizes().vec();
    sizes.push_back(columns - 1);
    return cat({ones_like(powered), cumprod(powered.expand(sizes), -1)}, -1);
}

}  // namespace sinter::inline v1
