// Activation functions with parameters, with PyTorch's formulas.
#include "ops/common/pointwise_builder.hpp"

#include <sinter/functions/pointwise.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::choose;
using ops::formula;
using ops::term;
using runtime::fail;
using runtime::text;

namespace {

term call(op::id row, const term& a) { return term::apply(row, a); }

/// Returns the value of an activation of one tensor. `make` checks the arguments, may throw, and
/// returns the term.
template <class F>
Tensor returned(const char* name, const tensor_base& self, const F& make) {
    const TensorImpl& t = body(name, self);
    formula f(name, {&t});
    const term y = make(f, t);
    return f.pending(y);
}
template <class F>
Tensor& written(const char* name, const tensor_base& self, const F& make) {
    const TensorImpl& t = body(name, self);
    formula f(name, {&t});
    const term y = make(f, t);
    f.write(y, t);
    return self.self();
}

auto gelu_of(std::string_view approximate) {
    return [approximate](const formula& f, const TensorImpl& t) {
        const bool curved = approximate == "tanh";
        if (!curved && approximate != "none")
            ops::refuse_option(f.name(), "approximation", approximate, "\"none\" or \"tanh\"",
                               "none");
        f.require_floating();
        const term x = f.read(t);
        if (!curved) return x * call(op::ndtr, x);
        const term inner = call(op::square, x) * 0.044715 + 1;
        return 0.5 * x * (call(op::tanh, x * inner * 0.7978845608028654) + 1);
    };
}

auto elu_of(const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_floating();
        const term x = f.read(t);
        // Where x is not chosen, the exponential and its derivative would overflow.
        const term negative = choose(x <= 0, x, 0.0);
        const term below =
            call(op::expm1, negative * input_scale) * (alpha.toDouble() * scale.toDouble());
        return choose(x <= 0, below, x * scale);
    };
}

auto celu_of(const Scalar& alpha) {
    return [=](const formula& f, const TensorImpl& t) {
        if (alpha.toDouble() == 0)
            fail(f.name(), "alpha is 0", "0", "a number other than 0", "1, the default");
        return elu_of(alpha, 1.0, 1 / alpha.toDouble())(f, t);
    };
}

auto selu_of() { return elu_of(1.6732632423543772848, 1.0507009873554804934, 1.0); }

auto leaky_relu_of(const Scalar& slope) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_floating();
        const term x = f.read(t);
        return choose(x > 0, x, x * slope);
    };
}

auto hardtanh_of(const Scalar& min, const Scalar& max) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_numbers();
        const Scalar low = runtime::bound_in(f.name(), f.dtype(), f.number(min), true);
        const Scalar high = runtime::bound_in(f.name(), f.dtype(), f.number(max), false);
        return term::apply(op::clamp, f.read(t), low, high);
    };
}

auto threshold_of(const Scalar& threshold, const Scalar& value) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_numbers();
        if (!isFloatingType(f.dtype()))
            for (const Scalar& s : {threshold, value})
                runtime::require_fits(f.name(), s, f.dtype());
        const term x = f.read(t);
        return choose(x <= f.number(threshold), f.number(value), x);
    };
}

/// Zero where |x| <= lambd. NaN stays.
auto hardshrink_of(const Scalar& lambd) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_floating();
        const term x = f.read(t);
        return choose(call(op::abs, x) <= lambd, 0.0, x);
    };
}

auto softshrink_of(const Scalar& lambd) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_floating();
        if (!(lambd.toDouble() >= 0))
            fail(f.name(), "lambd is negative or NaN", runtime::to_text(lambd), "0 or more",
                 "0.5, the default");
        const term x = f.read(t);
        return choose(x > lambd, x - lambd, choose(x < -lambd, x + lambd, x * 0.0));
    };
}

auto softplus_of(const Scalar& beta, const Scalar& threshold) {
    return [=](const formula& f, const TensorImpl& t) {
        f.require_floating();
        const term x = f.read(t), z = x * beta;
        // log(1 + exp z)
        const term curve = call(op::neg, call(op::log_sigmoid, call(op::neg, z)));
        return choose(z > threshold, x, curve / beta);
    };
}

/// Returns the weight in a shape that broadcasts to `x`.
Tensor channel_weight(const TensorImpl& x, const tensor_base& weight) {
    const TensorImpl& w = body("prelu", weight);
    const geometry &g = *x.shape, &gw = *w.shape;
    if (gw.ndim > 1)
        fail("prelu", "the weight has too many dimensions", ops::shape_of(w), "at most 1 dimension",
             "flatten() on the weight");
    ops::require_same_dtype("prelu", x, w);
    if (gw.numel == 1) return weight.reshape({});
    const int64_t channels = g.ndim > 1 ? g.sizes()[1] : 1;
    if (g.ndim == 0 || channels != gw.numel)
        fail("prelu", "the weight does not match the channels",
             text("shape ", gw.sizes_ref(), " for ", ops::shape_of(x)),
             channels == 1 ? "1 weight" : text("1 or ", channels, " weights"),
             "one weight for all channels");
    std::vector<int64_t> sizes(static_cast<std::size_t>(g.ndim), 1);
    sizes[1] = channels;
    return weight.reshape(sizes);
}

}  // namespace

Tensor gelu(const tensor_base& t, std::string_view approximate) {
    return returned("gelu", t, gelu_of(approximate));
}
Tensor& gelu_(const tensor_base& t, std::string_view approximate) {
    return written("gelu_", t, gelu_of(approximate));
}
Tensor elu(const tensor_base& t, const Scalar& alpha, const Scalar& scale,
           const Scalar& input_scale) {
    return returned("elu", t, elu_of(alpha, scale, input_scale));
}
Tensor& elu_(const tensor_base& t, const Scalar& alpha, const Scalar& scale,
             const Scalar& input_scale) {
    return written("elu_", t, elu_of(alpha, scale, input_scale));
}
Tensor celu(const tensor_base& t, const Scalar& alpha) {
    return returned("celu", t, celu_of(alpha));
}
Tensor& celu_(const tensor_base& t, const Scalar& alpha) {
    return written("celu_", t, celu_of(alpha));
}
Tensor selu(const tensor_base& t) { return returned("selu", t, selu_of()); }
Tensor& selu_(const tensor_base& t) { return written("selu_", t, selu_of()); }
Tensor leaky_relu(const tensor_base& t, const Scalar& negative_slope) {
    return returned("leaky_relu", t, leaky_relu_of(negative_slope));
}
Tensor& leaky_relu_(const tensor_base& t, const Scalar& negative_slope) {
    return written("leaky_relu_", t, leaky_relu_of(negative_slope));
}
Tensor hardtanh(const tensor_base& t, const Scalar& min_val, const Scalar& max_val) {
    return returned("hardtanh", t, hardtanh_of(min_val, max_val));
}
Tensor& hardtanh_(const tensor_base& t, const Scalar& min_val, const Scalar& max_val) {
    return written("hardtanh_", t, hardtanh_of(min_val, max_val));
}
Tensor threshold(const tensor_base& t, const Scalar& threshold, const Scalar& value) {
    return returned("threshold", t, threshold_of(threshold, value));
}
Tensor& threshold_(const tensor_base& t, const Scalar& threshold, const Scalar& value) {
    return written("threshold_", t, threshold_of(threshold, value));
}
Tensor softplus(const tensor_base& t, const Scalar& beta, const Scalar& threshold) {
    return returned("softplus", t, softplus_of(beta, threshold));
}
Tensor hardshrink(const tensor_base& t, const Scalar& lambd) {
    return returned("hardshrink", t, hardshrink_of(lambd));
}
Tensor softshrink(const tensor_base& t, const Scalar& lambd) {
    return returned("softshrink", t, softshrink_of(lambd));
}
Tensor prelu(const tensor_base& t, const tensor_base& weight) {
    const TensorImpl& x = body("prelu", t);
    const Tensor w = channel_weight(x, weight);
    const TensorImpl& factors = body("prelu", w);
    const formula f("prelu", {&x, &factors});
    f.require_floating();
    const term a = f.read(x);
    return f.pending(choose(a > 0, a, a * f.read(factors)));
}

Tensor tensor_base::prelu(const tensor_base& weight) const { return sinter::prelu(*this, weight); }
Tensor tensor_base::hardshrink(const Scalar& lambd) const {
    return sinter::hardshrink(*this, lambd);
}

}  // namespace sinter::inline v1
