// Comparisons of tensors. isclose is an expression; equal and allclose read the result.
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/reductions.hpp>

namespace sinter::inline v1 {

bool equal(const tensor_base& a, const tensor_base& b) {
    const TensorImpl &x = ops::body("equal", a), &y = ops::body("equal", b);
    if (!(x.shape->sizes_ref() == y.shape->sizes_ref())) return false;
    return (a.self() == b.self()).all().item<bool>();
}

namespace {

/// Computes isclose; errors use the name `op`.
Tensor close(const char* op, const tensor_base& a, const tensor_base& b, double rtol, double atol,
             bool equal_nan) {
    ops::require_same_dtype(op, ops::body(op, a), ops::body(op, b));
    if (!(rtol >= 0) || !(atol >= 0))
        runtime::fail(op, "a tolerance is negative or NaN",
                      runtime::text("rtol ", rtol, " and atol ", atol), "0 or more",
                      "the defaults, rtol = 1e-5 and atol = 1e-8");
    // Differences of integers are computed in double, which is exact below 2^53.
    const bool real = ops::is_inexact(a.scalar_type());
    const Tensor x = real ? a.self() : a.to(kDouble), y = real ? b.self() : b.to(kDouble);
    Tensor result = a.self() == b.self();
    if (equal_nan && real) result = result | (isnan(x) & isnan(y));
    // toBool counts subnormal tolerances as nonzero, even if the thread flushes subnormals to zero.
    if (!Scalar(rtol).toBool() && !Scalar(atol).toBool()) return result;
    const Tensor distance = (x - y).abs();
    return result | (isfinite(distance) & (distance <= atol + (rtol * y).abs()));
}

}  // namespace

Tensor isclose(const tensor_base& a, const tensor_base& b, double rtol, double atol,
               bool equal_nan) {
    return close("isclose", a, b, rtol, atol, equal_nan);
}

bool allclose(const tensor_base& a, const tensor_base& b, double rtol, double atol,
              bool equal_nan) {
    return close("allclose", a, b, rtol, atol, equal_nan).all().item<bool>();
}

Tensor tensor_base::isclose(const tensor_base& other, double rtol, double atol,
                            bool equal_nan) const {
    return sinter::isclose(*this, other, rtol, atol, equal_nan);
}
bool tensor_base::allclose(const tensor_base& other, double rtol, double atol,
                           bool equal_nan) const {
    return sinter::allclose(*this, other, rtol, atol, equal_nan);
}
bool tensor_base::equal(const tensor_base& other) const { return sinter::equal(*this, other); }

}  // namespace sinter::inline v1
