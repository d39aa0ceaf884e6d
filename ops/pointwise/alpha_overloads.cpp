// Pointwise methods with other signatures than the table's rows: add and sub with alpha, pow,
// clamp. The pending and the in-place form of each share one recipe.
#include "ops/common/op_checks.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>

#include <cmath>

namespace sinter::inline v1 {

using ops::body;
using ops::read;
using ops::sequence;
using runtime::fail;
using runtime::text;

namespace {

/// A program, and the dtype and shape of its result.
struct recipe {
    sequence code;
    expr_meta result;

    Tensor pending() {
        return code.pending(result.dtype, make_contiguous(result.shape->sizes_ref()));
    }
    void write(const char* op, const TensorImpl& target) {
        ops::require_writable(op, target);
        ops::require_castable(op, result.dtype, target.dtype);
        ops::require_same_shape(op, target, result.shape->sizes_ref());
        if (result.dtype != target.dtype) code.cast(target.dtype);
        code.write(target);
    }
};

detail::meta_view meta(const TensorImpl& t) { return {t.shape.get(), t.dtype}; }
detail::meta_view meta(const Scalar& s) { return {nullptr, s.type()}; }

void require_alpha(const char* name, const Scalar& alpha, ScalarType result) {
    if (alpha.isBoolean() && result != kBool)
        fail(name, "alpha is a boolean", text(runtime::to_text(alpha), " for ", result), "a number",
             "1 or 0");
    if (alpha.isComplex() && !isComplexType(result))
        fail(name, "alpha is complex", text(runtime::to_text(alpha), " for ", result),
             "a real number", ".to(kComplexFloat) first");
    if (alpha.isFloatingPoint() && !ops::is_inexact(result))
        fail(name, "alpha is not an integer", text(runtime::to_text(alpha), " for ", result),
             "an integer", ".to(kFloat) first");
    runtime::require_fits(name, alpha, result);
}

/// Returns alpha as a factor. For Bool it becomes a bool, since a number would make the product a
/// Long. For narrow floats it is rounded to the dtype.
Scalar factor(const Scalar& alpha, ScalarType result) {
    if (is_narrow_float(result))
        return with_type(result, [&]<narrow_float T>(std::type_identity<T>) -> Scalar {
            return static_cast<float>(T(alpha.toFloat()));
        });
    return result == kBool ? Scalar(alpha.toBool()) : alpha;
}

/// Returns a + alpha * b, or a - alpha * b.
recipe scaled(op::id row, const TensorImpl& a, const TensorImpl& b, const Scalar& alpha) {
    const detail::meta_view operands[] = {meta(a), meta(b)};
    recipe r{{}, detail::combine(row, operands)};
    require_alpha(op::rows[row].name, alpha, r.result.dtype);
    r.code.read(read(a)).read(read(b));
    if (b.dtype != r.result.dtype) r.code.cast(r.result.dtype);
    r.code.number(factor(alpha, r.result.dtype)).row(op::mul).row(row);
    return r;
}

recipe scaled(op::id row, const TensorImpl& a, const Scalar& b, const Scalar& alpha) {
    const detail::meta_view operands[] = {meta(a), meta(b)};
    recipe r{{}, detail::combine(row, operands)};
    require_alpha(op::rows[row].name, alpha, r.result.dtype);
    r.code.read(read(a)).number(b).cast(r.result.dtype);
    r.code.number(factor(alpha, r.result.dtype)).row(op::mul).row(row);
    return r;
}

/// Returns b - alpha * a for a number b.
recipe scaled_from(const Scalar& b, const TensorImpl& a, const Scalar& alpha) {
    const detail::meta_view operands[] = {meta(a), meta(b)};
    recipe r{{}, detail::combine(op::rsub, operands)};
    require_alpha("rsub", alpha, r.result.dtype);
    r.code.read(read(a));
    if (a.dtype != r.result.dtype) r.code.cast(r.result.dtype);
    r.code.number(factor(alpha, r.result.dtype)).row(op::mul).number(b).row(op::rsub);
    return r;
}

/// Returns true if Float would round a fractional exponent to a whole number. That would change the
/// power of 0, of infinity or of a negative number.
bool needs_double(double exponent) {
    const auto rounded = static_cast<double>(static_cast<float>(exponent));
    return rounded != exponent && !std::isnan(exponent) && std::trunc(rounded) == rounded;
}

recipe power(const TensorImpl& t, const Scalar& exponent) {
    const detail::meta_view operands[] = {meta(t), meta(exponent)};
    if (t.dtype == kBool && exponent.isBoolean()) {  // x ** true is x, x ** false is true
        recipe truth{{}, detail::combine(op::logical_or, operands)};
        truth.code.read(read(t)).number(!exponent.toBool()).row(op::logical_or);
        return truth;
    }
    recipe r{{}, detail::combine(op::pow, operands)};
    const ScalarType dtype = r.result.dtype;
    const bool real = ops::is_inexact(dtype);
    const bool turns = runtime::has_imaginary_part(exponent);
    const double e = turns ? std::numeric_limits<double>::quiet_NaN() : exponent.toDouble();
    if (!real && e < 0)
        fail("pow", "Integers to negative integer powers are not allowed",
             text("exponent ", runtime::to_text(exponent), " for ", dtype),
             "an exponent of 0 or more", ".to(kFloat) first");
    if (!real || is_narrow_float(dtype)) runtime::require_fits("pow", exponent, dtype);
    const auto base = [&]() -> sequence& {
        r.code.read(read(t));
        return t.dtype == dtype ? r.code : r.code.cast(dtype);
    };
    if (!exponent.toBool() && !t.storage->differentiated)
        r.code.number(1).cast(dtype);
    else if (e == 1)
        base();
    else if (e == 2)
        base().row(op::square);
    else if (e == 3)
        base().row(op::square), base().row(op::mul);
    else if (real && e == 0.5)
        base().row(op::sqrt);
    else if (real && e == -0.5)
        base().row(op::rsqrt);
    else if (real && e == -1)
        base().row(op::reciprocal);
    else if (real && e == -2)
        base().row(op::square).row(op::reciprocal);
    else if (dtype == kFloat && needs_double(e))
        r.code.read(read(t)).cast(kDouble).number(exponent).row(op::pow).cast(dtype);
    else
        base().number(exponent).row(op::pow);
    return r;
}

recipe power(const TensorImpl& t, const TensorImpl& exponent) {
    const detail::meta_view operands[] = {meta(t), meta(exponent)};
    recipe r{{}, detail::combine(op::pow, operands)};
    r.code.read(read(t)).read(read(exponent)).row(op::pow);
    return r;
}

recipe clamped(const TensorImpl& t, const optional<Scalar>& min, const optional<Scalar>& max) {
    if (!min && !max) ops::refuse_no_bounds("clamp");
    const detail::meta_view operands[] = {meta(t), meta(min ? *min : *max),
                                          meta(max ? *max : *min)};
    recipe r{{}, detail::combine(op::clamp, operands)};
    r.code.read(read(t));
    if (min) r.code.number(runtime::bound_in("clamp", r.result.dtype, *min, true));
    if (max) r.code.number(runtime::bound_in("clamp", r.result.dtype, *max, false));
    r.code.row(min && max ? op::clamp : min ? op::maximum : op::minimum);
    return r;
}

}  // namespace

Tensor tensor_base::add(const tensor_base& other, const Scalar& alpha) const {
    return scaled(op::add, body("add", *this), body("add", other), alpha).pending();
}

Tensor tensor_base::sub(const tensor_base& other, const Scalar& alpha) const {
    return scaled(op::sub, body("sub", *this), body("sub", other), alpha).pending();
}

Tensor& tensor_base::add_(const tensor_base& other, const Scalar& alpha) const {
    const TensorImpl &t = body("add_", *this), &b = body("add_", other);
    ops::require_no_partial_overlap("add_", t, b);
    scaled(op::add, t, b, alpha).write("add_", t);
    return self();
}

Tensor& tensor_base::sub_(const tensor_base& other, const Scalar& alpha) const {
    const TensorImpl &t = body("sub_", *this), &b = body("sub_", other);
    ops::require_no_partial_overlap("sub_", t, b);
    scaled(op::sub, t, b, alpha).write("sub_", t);
    return self();
}

#define SINTER_ALPHA(name, row)                                                        \
    Tensor tensor_base::name(const Scalar& other, const Scalar& alpha) const {         \
        return scaled(op::row, body(#name, *this), other, alpha).pending();            \
    }                                                                                  \
    Tensor& tensor_base::name##_(const Scalar& other, const Scalar& alpha) const {     \
        const TensorImpl& t = body(#name "_", *this);                                  \
        scaled(op::row, t, other, alpha).write(#name "_", t);                          \
        return self();                                                                 \
    }                                                                                  \
    Tensor name(const tensor_base& t, const tensor_base& other, const Scalar& alpha) { \
        return t.name(other, alpha);                                                   \
    }                                                                                  \
    Tensor name(const tensor_base& t, const Scalar& other, const Scalar& alpha) {      \
        return t.name(other, alpha);                                                   \
    }
SINTER_ALPHA(add, add)
SINTER_ALPHA(sub, sub)
SINTER_ALPHA(subtract, sub)
#undef SINTER_ALPHA

Tensor tensor_base::subtract(const tensor_base& other, const Scalar& alpha) const {
    return sub(other, alpha);
}
Tensor& tensor_base::subtract_(const tensor_base& other, const Scalar& alpha) const {
    return sub_(other, alpha);
}

Tensor rsub(const tensor_base& t, const tensor_base& other, const Scalar& alpha) {
    return scaled(op::sub, body("rsub", other), body("rsub", t), alpha).pending();
}
Tensor rsub(const tensor_base& t, const Scalar& other, const Scalar& alpha) {
    return scaled_from(other, body("rsub", t), alpha).pending();
}

Tensor tensor_base::pow(const Scalar& exponent) const {
    return power(body("pow", *this), exponent).pending();
}

Tensor tensor_base::pow(const tensor_base& exponent) const {
    return power(body("pow", *this), body("pow", exponent)).pending();
}

Tensor& tensor_base::pow_(const Scalar& exponent) const {
    const TensorImpl& t = body("pow_", *this);
    power(t, exponent).write("pow_", t);
    return self();
}

Tensor& tensor_base::pow_(const tensor_base& exponent) const {
    const TensorImpl &t = body("pow_", *this), &e = body("pow_", exponent);
    ops::require_no_partial_overlap("pow_", t, e);
    power(t, e).write("pow_", t);
    return self();
}

Tensor tensor_base::clamp(const optional<Scalar>& min, const optional<Scalar>& max) const {
    return clamped(body("clamp", *this), min, max).pending();
}

Tensor tensor_base::clip(const optional<Scalar>& min, const optional<Scalar>& max) const {
    return clamp(min, max);
}

Tensor& tensor_base::clip_(const optional<Scalar>& min, const optional<Scalar>& max) const {
    return clamp_(min, max);
}

Tensor& tensor_base::clamp_(const optional<Scalar>& min, const optional<Scalar>& max) const {
    const TensorImpl& t = body("clamp_", *this);
    clamped(t, min, max).write("clamp_", t);
    return self();
}

Tensor pow(const tensor_base& t, const Scalar& exponent) { return t.pow(exponent); }
Tensor pow(const tensor_base& t, const tensor_base& exponent) { return t.pow(exponent); }

Tensor pow(const Scalar& base, const tensor_base& exponent) {
    const TensorImpl& e = body("pow", exponent);
    const detail::meta_view operands[] = {meta(base), meta(e)};
    recipe r{{}, detail::combine(op::pow, operands)};
    r.code.number(base).read(read(e)).row(op::pow);
    return r.pending();
}

Tensor clip(const tensor_base& t, const optional<Scalar>& min, const optional<Scalar>& max) {
    return t.clamp(min, max);
}

Tensor clamp(const tensor_base& t, const optional<Scalar>& min, const optional<Scalar>& max) {
    return t.clamp(min, max);
}

}  // namespace sinter::inline v1
