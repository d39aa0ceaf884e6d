// cov and corrcoef: rows are variables, columns are observations. Fused deviations from the mean,
// and one matrix product.
#include "ops/common/opmath.hpp"
#include "ops/common/parts.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/reductions.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

void check_weights(const char* what, const TensorImpl& w, bool integral, int64_t observations) {
    const auto wrong = [&](const char* why, const std::string& got, const std::string& expected,
                           const std::string& remedy) {
        fail("cov", text(what, " ", why), got, expected, remedy);
    };
    if (w.shape->ndim > 1)
        wrong("has too many dimensions", ops::shape_of(w), "at most 1 dimension",
              text("flatten() on ", what));
    if (integral ? !isIntegralType(w.dtype, false) : !isFloatingType(w.dtype))
        wrong("has the wrong dtype", toString(w.dtype),
              integral ? "an integral dtype" : "a floating-point dtype",
              text(integral ? ".to(kLong) on " : ".to(kFloat) on ", what));
    if (w.shape->numel != observations)
        wrong("does not match the observations",
              text(runtime::count_of(w.shape->numel, "weight"), " for ",
                   runtime::count_of(observations, "observation")),
              "one weight for each observation",
              "transposing the tensor if its rows are the observations");
}

void require_not_negative(const char* what, const Tensor& w) {
    if (w.numel() > 0 && (w < 0).any().item<bool>())
        fail("cov", text(what, " has a negative element"), text(w.min().item<double>()),
             "0 or more", text("clamp_min(0) on ", what));
}

/// Weights of the observations, their sum, and the divisor of the products.
struct weights {
    Tensor each;  // undefined: all weights are 1
    Scalar sum, divisor;
    // The same as tensors, if the weights have a gradient.
    Tensor sum_tensor = {}, divisor_tensor = {};
};

Scalar number(const Tensor& t) { return t.item(); }

weights weigh(int64_t observations, int64_t correction, const optional<Tensor>& fweights,
              const optional<Tensor>& aweights) {
    if (fweights) {
        check_weights("fweights", body("cov", *fweights), true, observations);
        require_not_negative("fweights", *fweights);
    }
    if (aweights) {
        check_weights("aweights", body("cov", *aweights), false, observations);
        require_not_negative("aweights", *aweights);
    }
    if (!fweights && !aweights)
        return {.each = {}, .sum = observations, .divisor = observations - correction};
    weights w;
    w.each = fweights && aweights ? Tensor(*fweights * *aweights)
             : fweights           ? *fweights
                                  : *aweights;
    w.sum = number(w.each.sum());
    if (!w.sum.toBool())
        fail("cov", "the weights sum to 0", "a sum of 0", "a positive sum",
             "leaving the weights out");
    if (correction == 0)
        w.divisor = w.sum;
    else if (!aweights)
        w.divisor = w.sum.toLong() - correction;
    else if (!fweights && observations == 1 && correction == 1)
        w.divisor = 0;  // the exact value; the formula could round
    else
        w.divisor = number(w.each.sum() - static_cast<double>(correction) *
                                              (w.each * *aweights).sum() / w.each.sum());
    if (w.each.requires_grad()) {
        w.sum_tensor = w.each.sum();
        w.divisor_tensor = w.sum_tensor - static_cast<double>(correction) *
                                              (w.each * *aweights).sum() / w.sum_tensor;
    }
    return w;
}

}  // namespace

Tensor tensor_base::cov(int64_t correction) const { return cov(correction, nullopt, nullopt); }
Tensor tensor_base::cov(int64_t correction, const optional<Tensor>& fweights) const {
    return cov(correction, fweights, nullopt);
}
Tensor tensor_base::cov(int64_t correction, const optional<Tensor>& fweights,
                        const optional<Tensor>& aweights) const {
    const TensorImpl& t = body("cov", *this);
    ops::require_dims_to("cov", t, 2, "flatten(1), which makes it a matrix");
    ops::require_numeric("cov", t.dtype);
    const Tensor x = t.shape->ndim < 2 ? reshape({1, -1}) : self();
    const weights w = weigh(x.size(1), correction, fweights, aweights);
    const Tensor total = w.each.defined() ? (x * w.each).sum(1, true) : x.sum(1, true);
    Tensor deviation =
        w.sum_tensor.defined() ? Tensor(x - total / w.sum_tensor) : Tensor(x - total / w.sum);
    // A single observation is its own mean; dividing by its weight could leave a rounding error.
    if (x.size(1) == 1 && fweights.has_value() != aweights.has_value())
        deviation = zeros(x.sizes(), deviation.options());
    const Tensor other = w.each.defined() ? Tensor(deviation * w.each) : deviation;
    const ScalarType type = promote_types(deviation.scalar_type(), other.scalar_type());
    const Tensor products = deviation.to(type).mm(other.to(type).t().conj());
    const double divisor = std::max(0.0, w.divisor.toDouble());
    if (w.divisor_tensor.defined() && divisor > 0)
        return Tensor(products / w.divisor_tensor).squeeze();
    return Tensor(products / divisor).squeeze();
}

Tensor tensor_base::corrcoef() const {
    const TensorImpl& t = body("corrcoef", *this);
    ops::require_dims_to("corrcoef", t, 2, "flatten(1), which makes it a matrix");
    ops::require_numeric("corrcoef", t.dtype);
    const Tensor c = cov();
    if (c.dim() == 0) return c / c;
    const Tensor deviation = sinter::sqrt(real(c.diagonal()));
    const Tensor r = c / deviation.unsqueeze(1) / deviation.unsqueeze(0);
    const auto bounded = [](const Tensor& x) { return x.clamp(-1, 1); };
    return r.is_complex() ? ops::by_parts(r, bounded) : bounded(r);
}

Tensor cov(const tensor_base& t, int64_t correction, const optional<Tensor>& fweights,
           const optional<Tensor>& aweights) {
    return t.cov(correction, fweights, aweights);
}
Tensor corrcoef(const tensor_base& t) { return t.corrcoef(); }

}  // namespace sinter::inline v1
