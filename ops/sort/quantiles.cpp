// quantile and nanquantile.
#include "engine/run/record.hpp"
#include "kernels/sort/quantile.hpp"

#include "ops/index/gradients.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/sorting.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

ordering::interpolation interpolation_of(const char* op, const std::string& name) {
    using how = ordering::interpolation;
    const std::pair<const char*, how> all[] = {{"linear", how::linear},
                                               {"lower", how::lower},
                                               {"higher", how::higher},
                                               {"midpoint", how::midpoint},
                                               {"nearest", how::nearest}};
    for (const auto& [known, value] : all)
        if (name == known) return value;
    ops::refuse_option(op, "interpolation", name,
                       "\"linear\", \"lower\", \"higher\", \"midpoint\" or \"nearest\"", "linear");
}

void require_input(const char* op, const TensorImpl& t) {
    if (t.dtype != kFloat && t.dtype != kDouble)
        fail(op, "the dtype is not supported", toString(t.dtype), "Float or Double",
             ".to(kFloat) first");
    if (t.shape->numel == 0) ops::refuse_empty(op, t, "checking numel() first");
}

void require_quantile(const char* op, double q, bool inside) {
    if (!inside)
        fail(op, "a quantile is out of range", text(q), "0 to 1", "dividing percentages by 100");
}

/// Returns the gradients of the elements and of the quantiles. Along `dim` the result has the
/// quantiles. Each lies between two elements of the sorted row, which share its gradient.
autograd::variable_list gradients(const autograd::rule_call& c, int64_t dim,
                                  ordering::interpolation how, bool ignore_nan) {
    using between = ordering::interpolation;
    const Tensor x = c.operand(0).movedim(dim, -1), g = c.grad().movedim(dim, -1);
    const Tensor q = c.operand(1).reshape(-1);
    const int64_t n = x.size(-1);
    const Tensor is_nan = isnan(x);
    Tensor last;  // position of the last element that counts
    if (ignore_nan)
        last = (n - 1 - is_nan.sum(-1, true)).clamp_min(0).to(x.scalar_type());
    else
        last = full({}, n - 1, ops::beside(x, x.scalar_type()));
    Tensor rank = (q * last).expand(g.sizes());
    // A row with a NaN has that as its quantiles.
    if (!ignore_nan) rank = where(is_nan.any(-1, true), n - 1, rank);
    const Tensor low = how == between::higher    ? Tensor(ceil(rank))
                       : how == between::nearest ? Tensor(round(rank))
                                                 : Tensor(floor(rank));
    const bool two = how == between::linear || how == between::midpoint;
    const Tensor share = how == between::linear     ? Tensor(rank - low)
                         : how == between::midpoint ? full_like(rank, 0.5)
                                                    : zeros_like(rank);
    const Tensor order = x.detach().argsort(-1);
    const Tensor first = order.gather(-1, low.detach().to(kLong));
    Tensor second;
    if (two) second = order.gather(-1, Tensor(ceil(rank.detach())).to(kLong));
    autograd::variable_list r(2);
    if (c.needs(0)) {
        Tensor all = ops::zeros_for(g, x.sizes()).scatter_add(-1, first, g * (1 - share));
        if (two) all = all.scatter_add(-1, second, g * share);
        r[0] = all.movedim(-1, dim);
    }
    if (c.needs(1)) {
        Tensor slope = zeros_like(g);
        if (how == between::linear) slope = g * (x.gather(-1, second) - x.gather(-1, first)) * last;
        r[1] = slope.reshape({-1, q.numel()}).sum(0);
    }
    return r;
}

/// `q` is a number or a vector of the tensor's dtype, with values from 0 to 1.
Tensor quantiles(const char* op, const tensor_base& self, const Tensor& q, optional<int64_t> dim,
                 bool keepdim, const std::string& interpolation, bool ignore_nan) {
    const TensorImpl& t = body(op, self);
    const int64_t ndim = t.shape->ndim;
    const auto how = interpolation_of(op, interpolation);
    if (dim) ops::wrap_dim(op, *dim, ndim);
    const bool flat = !dim || ndim == 0;
    const Tensor x = flat ? self.reshape(-1) : self.self();
    const int64_t at = flat ? 0 : ops::wrap_dim(op, *dim, ndim);

    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[static_cast<std::size_t>(at)] = q.numel();
    geometry_ptr full = make_contiguous(sizes);
    const Tensor result = autograd::with_rule(
        op, {&x, &q}, {.operands = 0b11},
        [&] {
            const leaf inputs[] = {ops::read(body(op, x)), ops::read(body(op, q))};
            std::unique_ptr<Node> node =
                library_node(&ordering::quantile_op, inputs, t.dtype, full,
                             make_attributes(ordering::quantile_attributes{at, how, ignore_nan}));
            return Tensor(make_pending(std::move(node), full));
        },
        [=](const autograd::rule_call& c) { return gradients(c, at, how, ignore_nan); });

    // Dimensions of the result: the quantiles, then the tensor's sizes without the dimension, or
    // with 1 in its place.
    std::vector<int64_t> rest = self.sizes().vec();
    if (keepdim && flat)
        rest.assign(rest.size(), 1);
    else if (keepdim)
        rest[static_cast<std::size_t>(at)] = 1;
    else if (flat)
        rest.clear();
    else
        rest.erase(rest.begin() + at);
    if (q.dim() == 1) rest.insert(rest.begin(), q.numel());
    return result.movedim(at, 0).reshape(rest);
}

Tensor by_number(const char* op, const tensor_base& self, double q, optional<int64_t> dim,
                 bool keepdim, const std::string& interpolation, bool ignore_nan) {
    const TensorImpl& t = body(op, self);
    require_input(op, t);
    require_quantile(op, q, q >= 0 && q <= 1);
    return quantiles(op, self, full({}, q, ops::beside(t, t.dtype)), dim, keepdim, interpolation,
                     ignore_nan);
}

Tensor by_tensor(const char* op, const tensor_base& self, const tensor_base& q,
                 optional<int64_t> dim, bool keepdim, const std::string& interpolation,
                 bool ignore_nan) {
    const TensorImpl &t = body(op, self), &w = body(op, q);
    require_input(op, t);
    if (w.shape->ndim > 1)
        fail(op, "q has too many dimensions", ops::shape_of(w), "at most 1 dimension",
             "flatten() on q");
    ops::require_operand_dtype(op, "the quantiles", w.dtype, t.dtype);
    const Tensor inside = (q.self() >= 0) & (q.self() <= 1);
    if (!inside.all().item<bool>())
        require_quantile(op, q.masked_select(inside.logical_not())[0].item<double>(), false);
    return quantiles(op, self, q.self(), dim, keepdim, interpolation, ignore_nan);
}

}  // namespace

Tensor tensor_base::quantile(double q, optional<int64_t> dim, bool keepdim,
                             const std::string& interpolation) const {
    return by_number("quantile", *this, q, dim, keepdim, interpolation, false);
}
Tensor tensor_base::quantile(const tensor_base& q, optional<int64_t> dim, bool keepdim,
                             const std::string& interpolation) const {
    return by_tensor("quantile", *this, q, dim, keepdim, interpolation, false);
}
Tensor tensor_base::nanquantile(double q, optional<int64_t> dim, bool keepdim,
                                const std::string& interpolation) const {
    return by_number("nanquantile", *this, q, dim, keepdim, interpolation, true);
}
Tensor tensor_base::nanquantile(const tensor_base& q, optional<int64_t> dim, bool keepdim,
                                const std::string& interpolation) const {
    return by_tensor("nanquantile", *this, q, dim, keepdim, interpolation, true);
}

// ---- function forms
Tensor quantile(const tensor_base& t, double q, optional<int64_t> dim, bool keepdim,
                const std::string& interpolation) {
    return t.quantile(q, dim, keepdim, interpolation);
}
Tensor quantile(const tensor_base& t, const tensor_base& q, optional<int64_t> dim, bool keepdim,
                const std::string& interpolation) {
    return t.quantile(q, dim, keepdim, interpolation);
}
Tensor nanquantile(const tensor_base& t, double q, optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation) {
    return t.nanquantile(q, dim, keepdim, interpolation);
}
Tensor nanquantile(const tensor_base& t, const tensor_base& q, optional<int64_t> dim, bool keepdim,
                   const std::string& interpolation) {
    return t.nanquantile(q, dim, keepdim, interpolation);
}

}  // namespace sinter::inline v1
