#include "ops/index/gradients.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>

namespace sinter::ops {

using autograd::rule_call;
using autograd::variable_list;

Tensor zeros_for(const Tensor& gradient, IntArrayRef sizes) {
    return zeros(sizes, beside(gradient, gradient.scalar_type()));
}

// A choice by position fuses with what follows.
Tensor gradient_of_one(const Tensor& g, const Tensor& index, IntArrayRef sizes, int64_t dim,
                       bool keepdim) {
    if (sizes.empty()) return g;
    const int64_t d = wrap_dim("backward", dim, static_cast<int64_t>(sizes.size()));
    std::vector<int64_t> strides(sizes.size(), 0);
    strides[static_cast<std::size_t>(d)] = 1;
    const Tensor at = (keepdim ? index : index.unsqueeze(d)).expand(sizes);
    const Tensor whole = (keepdim ? g : g.unsqueeze(d)).expand(sizes);
    sequence code;
    code.read(index_leaf(sizes, strides, 0)).read(read(body("backward", at))).row(op::eq);
    code.read(read(body("backward", whole))).number(false).row(op::where);
    return code.pending(g.scalar_type(), make_contiguous(sizes));
}

Tensor gradient_of_several(const Tensor& g, const Tensor& index, IntArrayRef sizes, int64_t dim) {
    if (sizes.empty()) return g;
    return zeros_for(g, sizes).scatter_(dim, index, g);
}

variable_list shared_by_equals(const rule_call& c) {
    const Tensor x = c.operand(0), y = c.result();
    const Tensor same = (x == y) | (isnan(x) & isnan(y));
    return {where(same, c.grad() / same.sum(), 0)};
}

namespace {

/// The places that one run of a rule reads and writes.
struct places {
    placing at;
    Tensor index;

    Tensor read(const Tensor& t) const {
        return at.slices ? t.index_select(at.dim, index) : t.gather(at.dim, index);
    }
    Tensor set(const Tensor& t, const Scalar& value) const {
        return at.slices ? t.index_fill(at.dim, index, value) : t.scatter(at.dim, index, value);
    }
    Tensor add(const Tensor& t, const Tensor& values) const {
        return at.slices ? t.index_add(at.dim, index, values)
                         : t.scatter_add(at.dim, index, values);
    }
    Tensor multiply(const Tensor& t, const Tensor& values, bool include_self) const {
        return at.slices ? t.index_reduce(at.dim, index, values, "prod", include_self)
                         : t.scatter_reduce(at.dim, index, values, "prod", include_self);
    }
    /// Returns the part of the values that is put: a scatter leaves out what lies beyond its index.
    Tensor used(const Tensor& values) const {
        if (at.slices || values.sizes() == index.sizes()) return values;
        Tensor part = values;
        for (int64_t d = 0; d < part.dim(); ++d) part = part.narrow(d, 0, index.size(d));
        return part;
    }
};

/// Returns the gradient of the values, of which only a part was used.
Tensor of_whole(const Tensor& g, const std::vector<int64_t>& sizes) {
    if (g.sizes() == IntArrayRef(sizes)) return g;
    if (g.numel() == 0) return zeros_for(g, sizes);  // an empty index may have any dimensions
    if (g.dim() != static_cast<int64_t>(sizes.size())) return g;
    Tensor all = zeros_for(g, sizes);
    Tensor part = all;
    for (int64_t d = 0; d < g.dim(); ++d) part = part.narrow(d, 0, g.size(d));
    part.copy_(g);
    return all;
}

}  // namespace

// As in PyTorch, each of several values for one element gets the element's gradient.
autograd::rule assigned_rule(placing at, IntArrayRef source_sizes) {
    return [at, sizes = source_sizes.vec()](const rule_call& c) -> variable_list {
        const Tensor& g = c.grad();
        const places p{at, c.operand(1)};
        return {c.needs(0) ? p.set(g, 0) : Tensor(),
                {},
                c.needs(2) ? of_whole(p.read(g), sizes) : Tensor()};
    };
}

autograd::rule added_rule(placing at, IntArrayRef source_sizes, const Scalar& alpha) {
    return [at, sizes = source_sizes.vec(), alpha](const rule_call& c) -> variable_list {
        const Tensor& g = c.grad();
        Tensor of_source;
        if (c.needs(2)) {
            of_source = of_whole(places{at, c.operand(1)}.read(g), sizes);
            if (!runtime::same_value(alpha, 1)) of_source = of_source * alpha.conj();
        }
        return {g, {}, of_source};
    };
}

autograd::rule filled_rule(placing at) {
    return [at](const rule_call& c) -> variable_list {
        const Tensor& g = c.grad();
        const places p{at, c.operand(1)};
        Tensor of_value;
        // An index may be named twice, and counts once.
        if (c.needs(2))
            of_value =
                where(p.set(zeros(g.sizes(), beside(g, kBool)), true), g, zeros_for(g, {})).sum();
        return {c.needs(0) ? p.set(g, 0) : Tensor(), {}, of_value};
    };
}

autograd::rule put_rule(bool accumulate) {
    return [accumulate](const rule_call& c) -> variable_list {
        const Tensor& g = c.grad();
        const Tensor index = c.operand(1);
        Tensor of_self = g;
        if (!accumulate && c.needs(0)) of_self = g.put(index, zeros_for(g, index.sizes()), false);
        return {of_self, {}, c.needs(2) ? g.take(index) : Tensor()};
    };
}

autograd::rule multiplied_rule(placing at, const Scalar& factor) {
    return [at, factor](const rule_call& c) -> variable_list {
        const Tensor& g = c.grad();
        const Tensor one = ones(g.sizes(), beside(g, g.scalar_type()));
        return {g * one.scatter(at.dim, c.operand(1), factor, "multiply").conj()};
    };
}

autograd::saves reduced_saves(const reducing& how) {
    if (how.word == "sum" || how.word == "mean") return saves_index;
    return {.operands = 0b111, .results = 1};
}

namespace {

struct pair {
    Tensor of_self, of_source;
};

pair of_mean(const rule_call& c, const places& p, bool include_self,
             const std::vector<int64_t>& source_sizes) {
    const Tensor& g = c.grad();
    const TensorOptions real = beside(g, toRealValueType(g.scalar_type()));
    const Tensor first = include_self ? ones(g.sizes(), real) : zeros(g.sizes(), real);
    const Tensor one = ones(p.at.slices ? IntArrayRef(source_sizes) : p.index.sizes(), real);
    const Tensor each = g / p.add(first, one).clamp_min(1);
    return {each, c.needs(2) ? p.read(each) : Tensor()};
}

/// The gradient of an extreme is divided evenly among the elements that are equal to it.
pair of_extreme(const rule_call& c, const places& p) {
    const Tensor& g = c.grad();
    const Tensor self = c.operand(0), source = p.used(c.operand(2)), result = c.result();
    const Tensor from_self = Tensor(self == result).to(g.scalar_type());
    const Tensor from_source = Tensor(source == p.read(result)).to(g.scalar_type());
    const Tensor each = g / p.add(from_self, from_source).clamp_min(1);
    return {from_self * each, from_source * p.read(each)};
}

/// A factor's gradient is the product of the others, which is no quotient where the factor is 0.
pair of_product(const rule_call& c, const places& p, bool include_self) {
    const Tensor& g = c.grad();
    const Tensor self = c.operand(0), source = p.used(c.operand(2)), result = c.result();
    pair r;
    if (c.needs(0)) r.of_self = g * p.multiply(ones_like(self), source, true).conj();
    if (!c.needs(2)) return r;
    const Tensor is_zero = source == 0;
    const Tensor count = p.read(p.add(zeros(self.sizes(), beside(self, kLong)), is_zero.to(kLong)));
    const Tensor only_zero = is_zero & (count == 1);
    const Tensor others = p.multiply(self, source.masked_fill(only_zero, 1), include_self);
    r.of_source = where(only_zero, p.read(g * others.conj()),
                        p.read(g * result.conj()) / source.masked_fill(is_zero, 1).conj());
    return r;
}

}  // namespace

autograd::rule reduced_rule(placing at, const reducing& how, IntArrayRef source_sizes) {
    return [at, how, sizes = source_sizes.vec()](const rule_call& c) -> variable_list {
        const places p{at, c.operand(1)};
        pair r;
        if (how.word == "sum" || p.index.numel() == 0)
            r = {c.grad(), c.needs(2) ? p.read(c.grad()) : Tensor()};
        else if (how.word == "mean")
            r = of_mean(c, p, how.include_self, sizes);
        else if (how.word == "prod")
            r = of_product(c, p, how.include_self);
        else
            r = of_extreme(c, p);
        if (!c.needs(0))
            r.of_self = {};
        else if (!how.include_self)
            r.of_self = p.set(r.of_self, 0);
        return {r.of_self, {}, r.of_source.defined() ? of_whole(r.of_source, sizes) : Tensor()};
    };
}

}  // namespace sinter::ops
