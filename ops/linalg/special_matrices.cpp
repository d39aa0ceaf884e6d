// Diagonals, traces and Vandermonde matrices.
#include "ops/common/op_checks.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/scans.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::fail;
using ops::text;

Tensor linalg_diagonal(const tensor_base& A, int64_t offset, int64_t dim1, int64_t dim2) {
    body("linalg_diagonal", A);
    return A.diagonal(offset, dim1, dim2);
}

Tensor tensor_base::trace() const {
    const TensorImpl& t = body("trace", *this);
    if (t.shape->ndim != 2)
        fail("trace", "the tensor is no matrix", text("shape ", t.shape->sizes_ref()),
             "two dimensions", "diagonal(0, -2, -1).sum(-1)");
    if (t.dtype == kBool)
        fail<NotImplementedError>("trace", "truth values have no trace", "Bool", "numbers",
                                  ".to(kLong)");
    return diagonal().sum();
}
Tensor trace(const tensor_base& A) { return A.trace(); }

Tensor linalg_vander(const tensor_base& x, optional<int64_t> N) {
    const char* op = "linalg_vander";
    const TensorImpl& t = body(op, x);
    if (t.dtype == kBool || is_narrow_float(t.dtype))
        fail<NotImplementedError>(op, "the dtype has no powers here", toString(t.dtype),
                                  "Float, Double, a complex dtype or integers", "to(kFloat) first");
    const Tensor base = t.shape->ndim == 0 ? x.unsqueeze(0) : x.self();
    const int64_t columns = N.value_or(base.size(-1));
    if (columns < 2) fail(op, "there are too few columns", text(columns), "2 or more", "ones_like");
    const ScalarType type = isIntegralType(t.dtype, false) ? kLong : t.dtype;
    const Tensor powered = base.to(type).unsqueeze(-1);
    if (!isComplexType(type)) return powered.pow(arange(columns, ops::beside(t, type)));
    // Computed by products, because powers of complex numbers are not exact.
    std::vector<int64_t> sizes = base.sizes().vec();
    sizes.push_back(columns - 1);
    return cat({ones_like(powered), cumprod(powered.expand(sizes), -1)}, -1);
}

}  // namespace sinter::inline v1
