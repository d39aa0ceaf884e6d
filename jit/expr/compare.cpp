// Comparisons of whole tensors: they read both.
#include "jit/expr/front.hpp"

#include <sinter/functions.hpp>

namespace sinter::inline v1 {
namespace {

void require_same_dtype(const char* op, const TensorImpl& a, const TensorImpl& b) {
    if (a.dtype != b.dtype)
        front::fail<TypeError>(op, "the dtypes differ", front::text(a.dtype, " and ", b.dtype),
                               "equal dtypes", front::text("to(k", a.dtype, ") of the second"));
}

}  // namespace

bool equal(const tensor_base& a, const tensor_base& b) {
    const TensorImpl &x = front::body("equal", a), &y = front::body("equal", b);
    require_same_dtype("equal", x, y);
    if (!(x.shape->sizes_ref() == y.shape->sizes_ref())) return false;
    return (a.self() == b.self()).all().item<bool>();
}

bool allclose(const tensor_base& a, const tensor_base& b, double rtol, double atol,
              bool equal_nan) {
    require_same_dtype("allclose", front::body("allclose", a), front::body("allclose", b));
    if (!(rtol >= 0) || !(atol >= 0))
        front::fail<ValueError>("allclose", "a tolerance is negative",
                                front::text("rtol ", rtol, " and atol ", atol), "0 or more",
                                "the absolute value");
    // Differences of integers are taken in double, where those below 2^53 are exact.
    const Tensor x = isFloatingType(a.dtype()) ? a.self() : a.to(kDouble);
    const Tensor y = isFloatingType(b.dtype()) ? b.self() : b.to(kDouble);
    Tensor close = (x == y) | (isfinite(y) & ((x - y).abs() <= atol + (rtol * y).abs()));
    if (equal_nan) close = close | (isnan(x) & isnan(y));
    return close.all().item<bool>();
}

}  // namespace sinter::inline v1
