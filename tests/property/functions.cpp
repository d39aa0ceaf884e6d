// Statements that call a function by name: all that are neither a row, a reduction nor a view. A
// new function is one line of a table; every line must have run.
#include "tests/property/program.hpp"

#include <sinter/functions/gathering.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/sorting.hpp>

namespace sinter::test {

namespace {

/// A function of a tensor `x` of one dimension or more, along dimension `d`, where it has `n` > 0
/// elements. `y` is another tensor, of any kind.
struct call {
    Tensor x, y;
    int64_t d, n;
    chooser& c;

    /// Returns at most `count` numbers from 0 to `below` - 1, perhaps pending.
    Tensor vector(int64_t count, int64_t below) const {
        const Tensor v = y.flatten().slice(0, 0, count).to(kLong);
        return expression_builder::apply(op::remainder,
                                         {expression_builder(v), expression_builder(Scalar(below))})
            .finish();
    }
    /// Returns numbers with the sizes of `x`, but `count` in dimension `d`.
    Tensor like_x(int64_t count) const {
        const Tensor part = x.narrow(d, 0, std::min(n, count)).to(kLong);
        return expression_builder::apply(op::remainder,
                                         {expression_builder(part), expression_builder(Scalar(n))})
            .finish();
    }
    /// Returns `x` as floating numbers.
    Tensor real() const { return x.is_floating_point() ? x : x.to(kFloat); }
    /// Returns a few elements, whose product is meaningful.
    Tensor small() const { return x.narrow(d, 0, std::min<int64_t>(n, 8)); }
    /// Returns rows that a GPU scans in the order of their elements; for other rows floats round
    /// differently.
    Tensor scanned() const {
        const bool exact = isIntegralType(x.scalar_type(), true);
        return exact ? x : x.narrow(d, 0, std::min<int64_t>(n, 256));
    }
    Tensor mask() const {
        return expression_builder::apply(op::gt,
                                         {expression_builder(x), expression_builder(Scalar(0.5))})
            .finish();
    }
};

Tensor real(const Tensor& x) { return x.is_floating_point() ? x : x.to(kFloat); }

Tensor activation(const call& a) {
    const Tensor x = real(a.x);
    switch (a.c.below(11)) {
        case 0: return gelu(x);
        case 1: return gelu(x, "tanh");
        case 2: return elu(x, 1.5, 2, 0.5);
        case 3: return celu(x, 2);
        case 4: return selu(x);
        case 5: return leaky_relu(x, 0.25);
        case 6: return hardtanh(x, -0.5, 2);
        case 7: return threshold(x, 0.5, -1);
        case 8: return softplus(x, 2, 5);
        case 9: return hardshrink(x, 1);
        default: return softshrink(x, 0.5);
    }
}

Tensor of_three(const call& a) {
    const Tensor x = real(a.x), other = x.flip({a.d}), third = x.narrow(a.d, 0, 1);
    switch (a.c.below(5)) {
        case 0: return lerp(x, other, third);
        case 1: return lerp(x, other, 0.75);
        case 2: return addcmul(x, other, third, 0.5);
        case 3: return addcdiv(x, other, third, 2);
        default: return clamp(x, third, other);
    }
}

Tensor of_one(const call& a) {
    const Tensor x = real(a.x);
    switch (a.c.below(9)) {
        case 0: return nan_to_num(x, 1.5, nullopt, -2);
        case 1: return logit(x, 0.125);
        case 2: return ldexp(x, a.x);
        case 3: return std::get<0>(frexp(x));
        case 4: return std::get<1>(frexp(x));
        case 5: return polygamma(a.c.between(0, 3), x);
        case 6: return mvlgamma(x, a.c.between(1, 3));
        case 7: return float_power(a.x, 1.5);
        default: return angle(x);
    }
}

Tensor joined(const call& a) {
    const Tensor part = a.x.narrow(a.d, 0, 1);
    switch (a.c.below(5)) {
        case 0: return cat({part, a.x, a.x.flip({a.d})}, a.d);
        case 1: return stack({a.x, a.x.flip({a.d})}, a.d);
        case 2: return hstack({a.x, a.x});
        case 3: return vstack({a.x, a.x.flip({0})});
        default: return block_diag({part.flatten(), a.vector(3, 5)});
    }
}

Tensor repeated(const call& a) {
    switch (a.c.below(4)) {
        case 0: return a.x.tile({2});
        case 1: return repeat_interleave(a.x, 2, a.d);
        case 2: return a.x.repeat(std::vector<int64_t>(static_cast<std::size_t>(a.x.dim()), 2));
        default: return a.x.movedim(a.d, 0);
    }
}

Tensor divided(const call& a) {
    std::vector<Tensor> parts;
    switch (a.c.below(4)) {
        case 0: parts = a.x.split(2, a.d); break;
        case 1: parts = a.x.chunk(3, a.d); break;
        case 2: parts = a.x.tensor_split(2, a.d); break;
        default: parts = a.x.unbind(a.d);
    }
    return parts[static_cast<std::size_t>(a.c.below(static_cast<int64_t>(parts.size())))];
}

Tensor diagonals(const call& a) {
    const Tensor row = a.vector(6, 100), m = a.x.dim() < 2 ? a.x.unsqueeze(0) : a.x;
    switch (a.c.below(6)) {
        case 0: return m.tril(a.c.between(-1, 1));
        case 1: return m.triu(a.c.between(-1, 1));
        case 2: return diag_embed(row, 1);
        case 3: return vander(row, 3);
        case 4: return select_scatter(a.x, a.x.select(a.d, 0), a.d, a.n - 1);
        default: return slice_scatter(a.x, a.x.narrow(a.d, 0, 1), a.d, a.n - 1);
    }
}

Tensor moments(const call& a) {
    const Tensor x = a.real();
    const bool keep = a.c.chance(2);
    switch (a.c.below(8)) {
        case 0: return std::get<0>(var_mean(x, {a.d}, true, keep));
        case 1: return std::get<0>(std_mean(x, {a.d}, false, keep));
        case 2: return x.nansum({a.d}, keep);
        case 3: return x.nanmean({a.d}, keep);
        case 4: return a.x.count_nonzero(a.d);
        case 5: return trapezoid(x, 0.5, a.d);
        case 6: return x.nanquantile(0.5, a.d, keep);
        default: return std::get<0>(a.x.aminmax(a.d, keep));
    }
}

Tensor counted(const call& a) {
    const Tensor whole = a.vector(50, 7);
    switch (a.c.below(6)) {
        case 0: return bincount(whole, nullopt, 5);
        case 1: return histc(a.real().flatten(), 4, -2, 2);
        case 2: return bucketize(a.x, arange(3));
        case 3: return argsort(a.x, true, a.d, a.c.chance(2));
        case 4: return std::get<1>(unique_consecutive(whole, true));
        default: return dist(a.real(), a.real().flip({a.d}), 1);
    }
}

struct named_call {
    const char* name;
    Tensor (*apply)(const call&);
};

const char* const reductions[] = {"sum", "prod", "mean", "amax", "amin"};

const named_call values[] = {
    {"gather", [](const call& a) { return a.x.gather(a.d, a.like_x(a.c.between(1, 5))); }},
    {"take", [](const call& a) { return a.x.take(a.vector(7, a.x.numel())); }},
    {"take_along_dim", [](const call& a) { return a.x.take_along_dim(a.like_x(2), a.d); }},
    {"index_select",
     [](const call& a) { return a.x.index_select(a.d, a.vector(a.c.between(0, 6), a.n)); }},
    {"index", [](const call& a) { return a.x.index({a.vector(3, a.x.size(0))}); }},
    {"index at the end",
     [](const call& a) { return a.x.index({Ellipsis, a.vector(3, a.x.size(-1))}); }},
    {"index by a mask", [](const call& a) { return a.x.index({a.mask()}); }},
    {"masked_select", [](const call& a) { return a.x.masked_select(a.mask()); }},
    {"nonzero", [](const call& a) { return a.x.nonzero(); }},
    {"masked_fill", [](const call& a) { return a.x.masked_fill(a.mask(), 1); }},
    {"masked_scatter", [](const call& a) { return a.x.masked_scatter(a.mask(), a.x.clone()); }},
    {"scatter",
     [](const call& a) {
         const Tensor index = a.like_x(a.c.between(1, 5));
         return a.c.chance(2) ? a.x.scatter(a.d, index, a.x) : a.x.scatter(a.d, index, 1);
     }},
    {"scatter_add", [](const call& a) { return a.x.scatter_add(a.d, a.like_x(4), a.x); }},
    {"scatter_reduce",
     [](const call& a) {
         return a.x.scatter_reduce(a.d, a.like_x(a.n), a.x, reductions[a.c.below(5)],
                                   a.c.chance(2));
     }},
    {"index_put",
     [](const call& a) {
         return a.x.index_put({a.vector(4, a.x.size(0))}, a.x.select(0, 0), a.c.chance(2));
     }},
    {"activation", activation},
    {"of three", of_three},
    {"of one", of_one},
    {"div with a mode",
     [](const call& a) {
         return div(a.x, a.c.chance(2) ? 3 : -2, a.c.chance(2) ? "trunc" : "floor");
     }},
    {"put",
     [](const call& a) {
         const Tensor at = a.vector(5, a.x.numel());
         return a.x.put(at, a.x.flatten().slice(0, 0, at.numel()), a.c.chance(2));
     }},
    {"cumsum", [](const call& a) { return a.scanned().cumsum(a.d); }},
    {"cumprod", [](const call& a) { return a.small().cumprod(a.d); }},
    {"cummax",
     [](const call& a) {
         const auto [v, i] = a.c.chance(2) ? a.x.cummax(a.d) : a.x.cummin(a.d);
         return a.c.chance(2) ? v : i;
     }},
    {"logcumsumexp", [](const call& a) { return real(a.scanned()).logcumsumexp(a.d); }},
    {"sort",
     [](const call& a) {
         const auto [v, i] = a.x.sort(a.d, a.c.chance(2));
         return a.c.chance(2) ? v : i;
     }},
    {"topk",
     [](const call& a) {
         const auto [v, i] = a.x.topk(a.c.between(1, a.n), a.d, a.c.chance(2));
         return a.c.chance(2) ? v : i;
     }},
    {"kthvalue", [](const call& a) { return std::get<0>(a.x.kthvalue(a.c.between(1, a.n), a.d)); }},
    {"median",
     [](const call& a) {
         const auto [v, i] = a.c.chance(2) ? a.x.median(a.d, true) : a.x.nanmedian(a.d);
         return a.c.chance(2) ? v : i;
     }},
    {"mode", [](const call& a) { return std::get<0>(a.x.mode(a.d, a.c.chance(2))); }},
    {"quantile", [](const call& a) { return a.real().quantile(0.25 * a.c.between(0, 4), a.d); }},
    {"unique",
     [](const call& a) {
         const auto [v, i, n] = unique(a.x, true, true, true);
         return a.c.chance(2) ? v : a.c.chance(2) ? i : n;
     }},
    {"isin", [](const call& a) { return isin(a.x, a.y); }},
    {"searchsorted",
     [](const call& a) {
         return searchsorted(std::get<0>(a.y.flatten().to(a.x.scalar_type()).sort(0)), a.x);
     }},
    {"softmax",
     [](const call& a) {
         return a.c.chance(2) ? a.real().softmax(a.d) : a.real().log_softmax(a.d);
     }},
    {"logsumexp", [](const call& a) { return a.real().logsumexp({a.d}, a.c.chance(2)); }},
    {"norm", [](const call& a) { return a.real().norm(a.c.between(0, 3), {a.d}, a.c.chance(2)); }},
    {"joined", joined},
    {"repeated", repeated},
    {"divided", divided},
    {"diagonals", diagonals},
    {"moments", moments},
    {"counted", counted},
    {"diff", [](const call& a) { return a.x.diff(1, a.d); }},
};

/// In-place functions: `x` is written.
const named_call writes[] = {
    {"scatter_",
     [](const call& a) -> Tensor {
         const Tensor index = a.like_x(a.c.between(1, 5));
         return a.c.chance(2) ? a.x.scatter_(a.d, index, a.x.clone()) : a.x.scatter_(a.d, index, 1);
     }},
    {"scatter_add_",
     [](const call& a) -> Tensor { return a.x.scatter_add_(a.d, a.like_x(4), a.x * 1); }},
    {"scatter_reduce_",
     [](const call& a) -> Tensor {
         return a.x.scatter_reduce_(a.d, a.like_x(a.n), a.x.clone(), reductions[a.c.below(5)],
                                    a.c.chance(2));
     }},
    {"index_add_",
     [](const call& a) -> Tensor {
         return a.x.index_add_(a.d, arange(a.n).flip({0}), a.x.clone(), a.c.between(1, 2));
     }},
    {"index_copy_",
     [](const call& a) -> Tensor {
         return a.x.index_copy_(a.d, arange(a.n).flip({0}), a.x.clone());
     }},
    {"index_fill_",
     [](const call& a) -> Tensor { return a.x.index_fill_(a.d, a.vector(3, a.n), 1); }},
    {"index_put_ by numbers",
     [](const call& a) -> Tensor {
         return a.x.index_put_({Ellipsis, a.vector(3, a.x.size(-1))}, 1, a.c.chance(2));
     }},
    {"index_put_ by a mask",
     [](const call& a) -> Tensor { return a.x.index_put_({a.mask()}, a.c.between(0, 1)); }},
    {"lerp_",
     [](const call& a) -> Tensor { return a.x.lerp_(a.x * 1, a.c.chance(2) ? 0.25 : 0.75); }},
    {"addcmul_", [](const call& a) -> Tensor { return a.x.addcmul_(a.x, a.x * 1, 2); }},
    {"masked_fill_", [](const call& a) -> Tensor { return a.x.masked_fill_(a.mask(), 0); }},
    {"masked_scatter_",
     [](const call& a) -> Tensor { return a.x.masked_scatter_(a.mask(), a.x.clone()); }},
    {"put_",
     [](const call& a) -> Tensor {
         return a.x.put_(a.vector(5, a.x.numel()), a.x.flatten().slice(0, 0, 5).clone(), false);
     }},
    {"cumsum_", [](const call& a) -> Tensor { return a.scanned().cumsum_(a.d); }},
};

}  // namespace

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const named_call& f : values) names.emplace_back(f.name);
    for (const named_call& f : writes) names.emplace_back(f.name);
    return names;
}

void machine::function(chooser& c) {
    const std::size_t at = any_slot(c);
    const Tensor x = slots_[at], y = slots_[any_slot(c)];
    if (x.dim() == 0 || x.numel() == 0 || x.numel() > 2000) return;
    const int64_t d = c.below(x.dim());
    const named_call& f = values[c.below(std::size(values))];
    say(" s", at, ".", f.name, " along ", d);
    Tensor r = f.apply({x, y, d, x.size(d), c});
    if (r.numel() > 9000 || r.dim() > 5) return;
    ++counts_->functions[f.name];
    put(c, std::move(r), "");
}

void machine::write_function(chooser& c) {
    const std::size_t at = last_ = any_slot(c);
    view_kind through = view_kind::same;
    const Tensor x =
        c.chance(2) ? slots_[at] : take_view(c, slots_[at], through, slots_[any_slot(c)]);
    const Tensor y = slots_[any_slot(c)];
    if (x.dim() == 0 || x.numel() == 0) return;
    const int64_t d = c.below(x.dim());
    const named_call& f = writes[c.below(std::size(writes))];
    say(" s", at, ".", to_string(through), x.sizes(), x.strides(), ".", f.name, " along ", d);
    const std::string danger = hazard(x);
    f.apply({x, y, d, x.size(d), c});
    ++counts_->functions[f.name];
    ++counts_->hazards[danger];
    wrote(x, through);
}

}  // namespace sinter::test
