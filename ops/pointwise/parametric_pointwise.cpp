// Pointwise functions of one tensor with parameters or several results: splitting and scaling
// numbers, powers, gamma functions.
#include "ops/autograd/function.hpp"
#include "ops/common/parts.hpp"
#include "ops/common/pointwise_builder.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/limits.hpp>

#include <cmath>

namespace sinter::inline v1 {

using ops::body;
using ops::choose;
using ops::formula;
using ops::term;
using runtime::fail;
using runtime::text;

namespace {

// ---- nan_to_num

term finite(const formula& f, const TensorImpl& t, optional<double> nan, optional<double> posinf,
            optional<double> neginf) {
    term x = f.read(t);
    if (!isFloatingType(f.dtype())) return x;
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double largest = finfo(f.dtype()).max;
    const term bounded =
        choose(x == inf, posinf.value_or(largest), choose(x == -inf, neginf.value_or(-largest), x));
    return choose(term::apply(op::isnan, x), nan.value_or(0), bounded);
}

// ---- logit

term bounded_logit(const formula& f, const TensorImpl& t, optional<double> eps) {
    const term x = f.read(t);
    if (!eps || !(*eps >= 0)) return term::apply(op::logit, x);
    const double low = *eps;
    const double high = f.compute() == kDouble ? 1 - low : 1 - static_cast<float>(low);
    return term::apply(op::logit, choose(x < low, low, choose(x > high, high, x)));
}

}  // namespace

Tensor tensor_base::nan_to_num(optional<double> nan, optional<double> posinf,
                               optional<double> neginf) const {
    const TensorImpl& t = body("nan_to_num", *this);
    if (isComplexType(t.dtype))
        return ops::by_parts(
            *this, [&](const Tensor& part) { return part.nan_to_num(nan, posinf, neginf); });
    const formula f("nan_to_num", {&t});
    return f.pending(finite(f, t, nan, posinf, neginf));
}
Tensor& tensor_base::nan_to_num_(optional<double> nan, optional<double> posinf,
                                 optional<double> neginf) const {
    const TensorImpl& t = body("nan_to_num_", *this);
    if (isComplexType(t.dtype))
        return copy_(autograd::before_write(*this).nan_to_num(nan, posinf, neginf));
    const formula f("nan_to_num_", {&t});
    f.write(finite(f, t, nan, posinf, neginf), t);
    return self();
}

Tensor tensor_base::logit(optional<double> eps) const {
    const TensorImpl& t = body("logit", *this);
    formula f("logit", {&t});
    f.floating();
    return f.pending(bounded_logit(f, t, eps));
}
Tensor& tensor_base::logit_(optional<double> eps) const {
    const TensorImpl& t = body("logit_", *this);
    formula f("logit_", {&t});
    f.floating();
    f.write(bounded_logit(f, t, eps), t);
    return self();
}

// ---- ldexp

namespace {

/// Returns true if an integer exponent scales a float. This is computed in Double, so that the
/// power neither overflows nor rounds unless the result does.
bool scales(const char* name, const TensorImpl& t, const TensorImpl& exponent) {
    if (!isFloatingType(t.dtype) || ops::is_inexact(exponent.dtype)) return false;
    if (exponent.dtype == kBool)
        runtime::refuse_bool(name, "an exponent of dtype Bool", ".to(kInt) on the exponent");
    return true;
}

/// Scales in three steps: the smallest subnormal double may become the largest double.
term scaled(formula& f, const TensorImpl& t, const TensorImpl& exponent) {
    f.set_dtype(kDouble);
    constexpr double most = 2100;
    const term n = term::apply(op::clamp, f.read(exponent), -most, most);
    const term third = term::apply(op::trunc, n / 3.0);
    const term step = term::apply(op::exp2, third);
    return f.read(t) * step * step * term::apply(op::exp2, n - third * 2.0);
}

}  // namespace

Tensor tensor_base::ldexp(const tensor_base& other) const {
    const TensorImpl &t = body("ldexp", *this), &e = body("ldexp", other);
    if (!scales("ldexp", t, e)) return self() * sinter::exp2(other.self());
    formula f("ldexp", {&t, &e});
    const term value = scaled(f, t, e);
    return f.pending(value).to(t.dtype);
}
Tensor& tensor_base::ldexp_(const tensor_base& other) const {
    const TensorImpl &t = body("ldexp_", *this), &e = body("ldexp_", other);
    if (!scales("ldexp_", t, e)) return mul_(sinter::exp2(other.self()));
    formula f("ldexp_", {&t, &e});
    const term value = scaled(f, t, e);
    f.write(value, t);
    return self();
}

std::tuple<Tensor, Tensor> tensor_base::frexp() const {
    const TensorImpl& t = body("frexp", *this);
    const formula f("frexp", {&t});
    f.require_floating();
    Tensor mantissa = f.pending(term::apply(op::frexp_mantissa, f.read(t)));
    formula g("frexp", {&t});
    term exponent = term::apply(op::frexp_exponent, g.read(t));
    g.set_dtype(kInt);
    exponent.code().cast(kInt);
    return {std::move(mantissa), g.pending(std::move(exponent))};
}

// ---- powers in double

namespace {

ScalarType widest(bool is_complex) { return is_complex ? kComplexDouble : kDouble; }

/// Returns Double or ComplexDouble. Throws unless the written tensor has that dtype.
ScalarType require_widest(const tensor_base& t, bool is_complex) {
    const ScalarType dtype = body("float_power_", t).dtype;
    const ScalarType wide = widest(is_complex || isComplexType(dtype));
    if (dtype != wide)
        fail("float_power_", text("the result has dtype ", wide), text("a ", dtype, " tensor"),
             text("a ", wide, " tensor"), text("float_power(), or .to(k", wide, ") first"));
    return wide;
}

Scalar widened(const Scalar& s) { return s.isComplex() ? s : Scalar(s.toDouble()); }

}  // namespace

Tensor tensor_base::float_power(const tensor_base& exponent) const {
    const ScalarType wide = widest(is_complex() || exponent.is_complex());
    return to(wide).pow(exponent.to(wide));
}
Tensor tensor_base::float_power(const Scalar& exponent) const {
    return to(widest(is_complex() || exponent.isComplex())).pow(widened(exponent));
}
Tensor& tensor_base::float_power_(const tensor_base& exponent) const {
    return pow_(exponent.to(require_widest(*this, exponent.is_complex())));
}
Tensor& tensor_base::float_power_(const Scalar& exponent) const {
    require_widest(*this, exponent.isComplex());
    return pow_(widened(exponent));
}
Tensor float_power(const Scalar& base, const tensor_base& exponent) {
    return pow(widened(base), exponent.to(widest(base.isComplex() || exponent.is_complex())));
}

// ---- gamma functions

Tensor tensor_base::mvlgamma(int64_t p) const {
    if (p < 1)
        fail("mvlgamma", "p is less than 1", text(p), "1 or more", "1, which gives lgamma()");
    const TensorImpl& t = body("mvlgamma", *this);
    formula f("mvlgamma", {&t});
    f.require_numbers();
    f.floating();
    const Tensor x = isFloatingType(t.dtype) ? self() : to(f.dtype());
    const double half = 0.5 * static_cast<double>(p - 1);
    const double constant = half * 0.5 * static_cast<double>(p) * std::log(M_PI);
    const Tensor steps = arange(p, ops::beside(t, f.dtype())) * 0.5 - half;
    return sinter::lgamma(x.unsqueeze(-1) + steps).sum({-1}) + constant;
}
Tensor& tensor_base::mvlgamma_(int64_t p) const {
    const Tensor value = autograd::before_write(*this).mvlgamma(p);
    const TensorImpl& t = body("mvlgamma_", *this);
    ops::require_castable("mvlgamma_", value.scalar_type(), t.dtype);
    return copy_(value);
}

// ---- positive

Tensor tensor_base::positive() const {
    ops::require_numeric("positive", body("positive", *this).dtype);
    return self();
}

// ---- round to decimal places

namespace {

term rounded(const formula& f, const TensorImpl& t, int64_t decimals) {
    const term x = f.read(t);
    if (decimals == 0) return term::apply(op::round, x);
    f.require_floating();
    const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
    if (decimals > 0) return term::apply(op::round, x * power) / power;
    return term::apply(op::round, x / power) * power;
}

}  // namespace

Tensor tensor_base::round(int64_t decimals) const {
    const TensorImpl& t = body("round", *this);
    const formula f("round", {&t});
    f.require_numbers();
    return f.pending(rounded(f, t, decimals));
}
Tensor& tensor_base::round_(int64_t decimals) const {
    const TensorImpl& t = body("round_", *this);
    const formula f("round_", {&t});
    f.require_numbers();
    f.write(rounded(f, t, decimals), t);
    return self();
}

// ---- functions

Tensor nan_to_num(const tensor_base& t, optional<double> nan, optional<double> posinf,
                  optional<double> neginf) {
    return t.nan_to_num(nan, posinf, neginf);
}
Tensor& nan_to_num_(const tensor_base& t, optional<double> nan, optional<double> posinf,
                    optional<double> neginf) {
    return t.nan_to_num_(nan, posinf, neginf);
}
Tensor logit(const tensor_base& t, optional<double> eps) { return t.logit(eps); }
Tensor& logit_(const tensor_base& t, optional<double> eps) { return t.logit_(eps); }
Tensor ldexp(const tensor_base& t, const tensor_base& other) { return t.ldexp(other); }
std::tuple<Tensor, Tensor> frexp(const tensor_base& t) { return t.frexp(); }
Tensor float_power(const tensor_base& t, const tensor_base& exponent) {
    return t.float_power(exponent);
}
Tensor float_power(const tensor_base& t, const Scalar& exponent) { return t.float_power(exponent); }
Tensor mvlgamma(const tensor_base& t, int64_t p) { return t.mvlgamma(p); }
Tensor positive(const tensor_base& t) { return t.positive(); }
Tensor round(const tensor_base& t, int64_t decimals) { return t.round(decimals); }
Tensor& round_(const tensor_base& t, int64_t decimals) { return t.round_(decimals); }

}  // namespace sinter::inline v1
