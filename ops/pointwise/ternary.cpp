// Pointwise functions of three tensors: lerp, addcmul, addcdiv, and clamp by tensors.
#include "ops/common/pointwise_builder.hpp"

#include <sinter/functions/pointwise.hpp>

#include <cmath>

namespace sinter::inline v1 {

using ops::body;
using ops::choose;
using ops::formula;
using ops::term;
using runtime::fail;
using runtime::text;

namespace {

// ---- lerp: computed from the nearer end, as in PyTorch

void require_lerp(const formula& f, const TensorImpl& a, const TensorImpl& b) {
    if (a.dtype != b.dtype) f.require_equal_dtypes();
    if (!isComplexType(f.dtype())) f.require_floating();
}

term lerp_by(const formula& f, const TensorImpl& a, const TensorImpl& b, const TensorImpl& w) {
    // A 0-d weight may have any dtype that does not promote the others.
    if (w.shape->ndim > 0) f.require_equal_dtypes();
    require_lerp(f, a, b);
    const term start = f.read(a), end = f.read(b), weight = f.read(w), distance = end - start;
    return choose(term::apply(op::abs, weight) < 0.5, start + weight * distance,
                  end - distance * (1 - weight));
}

term lerp_by(const formula& f, const TensorImpl& a, const TensorImpl& b, const Scalar& by) {
    require_lerp(f, a, b);
    const term start = f.read(a), end = f.read(b);
    if (isComplexType(f.dtype())) {
        const complex<double> z = by.toComplexDouble();
        if (std::hypot(z.real(), z.imag()) < 0.5) return start + by * (end - start);
        return end - (end - start) * Scalar(1.0 - z);
    }
    const double weight = by.toDouble();
    if (weight > -0.5 && weight < 0.5) return start + weight * (end - start);
    // In Float, 1 - weight is computed from the rounded weight.
    const double rest = f.compute() == kDouble ? 1 - weight : 1 - static_cast<float>(weight);
    return end - (end - start) * rest;
}

// ---- addcmul, addcdiv

/// Returns `value` in the opmath type. For integers its fraction is dropped.
Scalar factor(const formula& f, const Scalar& value) {
    f.require_numbers();
    if (!isFloatingType(f.dtype())) runtime::require_fits(f.name(), value, f.dtype());
    return f.number(value);
}

term added_product(const formula& f, const TensorImpl& a, const TensorImpl& b, const TensorImpl& c,
                   const Scalar& value) {
    const Scalar v = factor(f, value);
    return f.read(a) + f.read(b) * v * f.read(c);
}

term added_quotient(const formula& f, const TensorImpl& a, const TensorImpl& b, const TensorImpl& c,
                    const Scalar& value) {
    if (!ops::is_inexact(b.dtype) && !ops::is_inexact(c.dtype))
        fail(f.name(), "integers cannot be divided", text(b.dtype, " and ", c.dtype),
             "a floating-point dtype in one of them",
             ".to(kFloat) first, or addcmul() with div(..., \"trunc\")");
    const Scalar v = factor(f, value);
    return f.read(a) + f.read(b) * v / f.read(c);
}

}  // namespace

Tensor tensor_base::lerp(const tensor_base& end, const tensor_base& weight) const {
    const TensorImpl &a = body("lerp", *this), &b = body("lerp", end), &w = body("lerp", weight);
    const formula f("lerp", {&a, &b, &w});
    return f.pending(lerp_by(f, a, b, w));
}
Tensor tensor_base::lerp(const tensor_base& end, const Scalar& weight) const {
    const TensorImpl &a = body("lerp", *this), &b = body("lerp", end);
    const formula f("lerp", {&a, &b});
    return f.pending(lerp_by(f, a, b, weight));
}
Tensor& tensor_base::lerp_(const tensor_base& end, const tensor_base& weight) const {
    const TensorImpl &a = body("lerp_", *this), &b = body("lerp_", end), &w = body("lerp_", weight);
    const formula f("lerp_", {&a, &b, &w});
    f.write(lerp_by(f, a, b, w), a);
    return self();
}
Tensor& tensor_base::lerp_(const tensor_base& end, const Scalar& weight) const {
    const TensorImpl &a = body("lerp_", *this), &b = body("lerp_", end);
    const formula f("lerp_", {&a, &b});
    f.write(lerp_by(f, a, b, weight), a);
    return self();
}

#define SINTER_ADDED(name, value_of)                                                          \
    Tensor tensor_base::name(const tensor_base& tensor1, const tensor_base& tensor2,          \
                             const Scalar& value) const {                                     \
        const TensorImpl &a = body(#name, *this), &b = body(#name, tensor1),                  \
                         &c = body(#name, tensor2);                                           \
        const formula f(#name, {&a, &b, &c});                                                 \
        return f.pending(value_of(f, a, b, c, value));                                        \
    }                                                                                         \
    Tensor& tensor_base::name##_(const tensor_base& tensor1, const tensor_base& tensor2,      \
                                 const Scalar& value) const {                                 \
        const TensorImpl &a = body(#name "_", *this), &b = body(#name "_", tensor1),          \
                         &c = body(#name "_", tensor2);                                       \
        const formula f(#name "_", {&a, &b, &c});                                             \
        f.write(value_of(f, a, b, c, value), a);                                              \
        return self();                                                                        \
    }                                                                                         \
    Tensor name(const tensor_base& t, const tensor_base& tensor1, const tensor_base& tensor2, \
                const Scalar& value) {                                                        \
        return t.name(tensor1, tensor2, value);                                               \
    }
SINTER_ADDED(addcmul, added_product)
SINTER_ADDED(addcdiv, added_quotient)
#undef SINTER_ADDED

// ---- clamp

namespace {

/// The formula and value of a clamped tensor. clamped() throws if there is no bound.
struct bounded {
    formula f;
    term value;
};
bounded clamped(const char* name, const TensorImpl& x, const optional<Tensor>& min,
                const optional<Tensor>& max) {
    const bool low = min && min->defined(), high = max && max->defined();
    if (!low && !high) ops::refuse_no_bounds(name);
    if (low && high) {
        const TensorImpl &a = body(name, *min), &b = body(name, *max);
        formula f(name, {&x, &a, &b});
        f.require_numbers();
        return {f, term::apply(op::clamp, f.read(x), f.read(a), f.read(b))};
    }
    const TensorImpl& a = body(name, low ? *min : *max);
    const formula f(name, {&x, &a});  // Bool is allowed here
    return {f, term::apply(low ? op::maximum : op::minimum, f.read(x), f.read(a))};
}

}  // namespace

Tensor tensor_base::clamp(const optional<Tensor>& min, const optional<Tensor>& max) const {
    const bounded b = clamped("clamp", body("clamp", *this), min, max);
    return b.f.pending(b.value);
}
Tensor& tensor_base::clamp_(const optional<Tensor>& min, const optional<Tensor>& max) const {
    const TensorImpl& t = body("clamp_", *this);
    const bounded b = clamped("clamp_", t, min, max);
    b.f.write(b.value, t);
    return self();
}
Tensor tensor_base::clamp(const optional<Tensor>& min) const { return clamp(min, nullopt); }
Tensor& tensor_base::clamp_(const optional<Tensor>& min) const { return clamp_(min, nullopt); }
Tensor tensor_base::clip(const optional<Tensor>& min) const { return clamp(min); }
Tensor& tensor_base::clip_(const optional<Tensor>& min) const { return clamp_(min); }
Tensor tensor_base::clip(const optional<Tensor>& min, const optional<Tensor>& max) const {
    return clamp(min, max);
}
Tensor& tensor_base::clip_(const optional<Tensor>& min, const optional<Tensor>& max) const {
    return clamp_(min, max);
}

Tensor lerp(const tensor_base& t, const tensor_base& end, const tensor_base& weight) {
    return t.lerp(end, weight);
}
Tensor lerp(const tensor_base& t, const tensor_base& end, const Scalar& weight) {
    return t.lerp(end, weight);
}
Tensor clamp(const tensor_base& t, const tensor_base& min) { return t.clamp(min.self()); }
Tensor clamp(const tensor_base& t, const optional<Tensor>& min, const optional<Tensor>& max) {
    return t.clamp(min, max);
}
Tensor clip(const tensor_base& t, const tensor_base& min) { return t.clamp(min.self()); }
Tensor clip(const tensor_base& t, const optional<Tensor>& min, const optional<Tensor>& max) {
    return t.clamp(min, max);
}

}  // namespace sinter::inline v1
