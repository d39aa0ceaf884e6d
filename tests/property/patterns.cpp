// Statements that combine several operations: reductions, hand-written patterns, products, chains.
#include "tests/property/program.hpp"

namespace sinter::test {

namespace {

using E = expression_builder;

Tensor one(op::id row, const E& a) { return E::apply(row, {a}).finish(); }
Tensor one(op::id row, const E& a, const E& b) { return E::apply(row, {a, b}).finish(); }
E number(double x) { return E(Scalar(x)); }

Tensor floating(const Tensor& x, chooser& c) {
    if (isFloatingType(x.scalar_type())) return x;
    return x.to(c.chance(2) ? kFloat : kDouble);
}

/// Returns one dimension, several, or all of them.
std::vector<int64_t> some_dims(chooser& c, int64_t rank) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < rank; ++d)
        if (c.chance(2)) dims.push_back(c.chance(2) ? d : d - rank);
    return dims;
}

}  // namespace

Tensor machine::reduced(chooser& c, const Tensor& x) {
    const auto row =
        static_cast<op::reduction>(c.below(static_cast<int64_t>(op::reduction::count)));
    const std::vector<int64_t> several = some_dims(c, x.dim());
    const IntArrayRef dims(several);
    const bool keep = c.chance(2), everything = c.chance(4);
    const int64_t dim = c.between(-x.dim(), std::max<int64_t>(x.dim(), 1) - 1);
    const bool pair = c.chance(2);
    say(" ", op::info(row).name, everything ? " of all" : " over ", dims, "/", dim,
        keep ? " keepdim" : "");
    const auto done = [&](Tensor t) {
        ++counts_->reductions[static_cast<std::size_t>(row)];
        return t;
    };
    switch (row) {
        case op::reduction::sum: {
            const optional<ScalarType> as = c.chance(4) ? optional<ScalarType>(kDouble) : nullopt;
            return done(everything ? x.sum(as) : x.sum(dims, keep, as));
        }
        case op::reduction::prod: return done(everything ? x.prod() : x.prod(dim, keep));
        case op::reduction::mean: {
            const Tensor f = floating(x, c);
            return done(everything ? f.mean() : f.mean(dims, keep));
        }
        case op::reduction::amax:
            if (everything && pair) return done(x.max());
            if (pair) return done(std::get<0>(x.max(dim, keep)));
            return done(x.amax(dims, keep));
        case op::reduction::amin:
            if (everything && pair) return done(x.min());
            if (pair) return done(std::get<0>(x.min(dim, keep)));
            return done(x.amin(dims, keep));
        case op::reduction::any: return done(everything ? x.any() : x.any(dim, keep));
        case op::reduction::all: return done(everything ? x.all() : x.all(dim, keep));
        case op::reduction::argmax:
            if (pair && !everything) return done(std::get<1>(x.max(dim, keep)));
            return done(everything ? x.argmax() : x.argmax(dim, keep));
        case op::reduction::argmin:
            if (pair && !everything) return done(std::get<1>(x.min(dim, keep)));
            return done(everything ? x.argmin() : x.argmin(dim, keep));
        case op::reduction::var: {
            const Tensor f = floating(x, c);
            return done(everything ? f.var(pair) : f.var(dims, pair, keep));
        }
        default: {
            const Tensor f = floating(x, c);
            return done(everything ? f.std(pair) : f.std(dims, pair, keep));
        }
    }
}

Tensor machine::pattern(chooser& c) {
    const Tensor x = floating(slots_[any_slot(c)], c);
    const int64_t dim = x.dim() ? c.between(-x.dim(), x.dim() - 1) : 0;
    const IntArrayRef over(dim);
    switch (c.below(12)) {
        case 0: {
            say(" softmax");
            const Tensor e = one(op::exp, E::apply(op::sub, {E(x), E(x.amax(over, true))}));
            return one(op::div, E(e), E(e.sum(over, true)));
        }
        case 1: {
            say(" masked softmax");
            const Tensor masked =
                E::apply(op::where, {E::apply(op::gt, {E(x), number(0)}), E(x), number(-1e4)})
                    .finish();
            const Tensor e =
                one(op::exp, E::apply(op::sub, {E(masked), E(masked.amax(over, true))}));
            return one(op::div, E(e), E(e.sum(over, true)));
        }
        case 2: {
            say(" layer norm");
            const Tensor m = x.mean(over, true), v = x.var(over, false, true);
            const E d = E::apply(op::sub, {E(x), E(m)});
            return one(op::mul, d, E::apply(op::rsqrt, {E::apply(op::add, {E(v), number(1e-5)})}));
        }
        case 3: {
            say(" standardise");
            return one(op::div, E::apply(op::sub, {E(x), E(x.mean(over, true))}),
                       E(x.std(over, true, true)));
        }
        case 4: {
            say(" log-sum-exp");
            const Tensor m = x.amax(over, true);
            const Tensor e = one(op::exp, E::apply(op::sub, {E(x), E(m)}));
            return one(op::add, E::apply(op::log, {E(e.sum(over, true))}), E(m));
        }
        case 5: {
            say(" mean and variance, used together");
            return one(op::add, E(x.mean(over)), E(x.var(over, true, false)));
        }
        case 6: {
            say(" softmax, intermediate kept");
            const Tensor e = one(op::exp, E::apply(op::sub, {E(x), E(x.amax(over, true))}));
            put(c, e, "the exponentials");
            return one(op::div, E(e), E(e.sum(over, true)));
        }
        case 7: {
            if (x.dim() < 2 || x.size(0) == 0) return x.sum();
            say(" sum of a broadcast product");
            return one(op::mul, E(x), E(x.select(0, 0))).sum();
        }
        case 8: {
            say(" reduction over an outer product");
            const Tensor a = x.flatten().slice(0, 0, c.between(1, 130)),
                         b = slots_[any_slot(c)].flatten().slice(0, 0, c.between(1, 130));
            return reduced(c, one(c.chance(2) ? op::mul : op::sub, E(a.unsqueeze(1)), E(b)));
        }
        case 9: {
            say(" reduction of a slice");
            Tensor part = x;
            for (int64_t d = 0; d < x.dim(); ++d)
                if (x.size(d) > 1) part = part.slice(d, c.below(2), x.size(d), c.between(1, 2));
            return reduced(c, c.chance(2) ? part : one(op::mul, E(part), E(part)));
        }
        case 10: {
            if (x.dim() == 0) return x.sum();
            say(" masked reduction");
            const Tensor mask = one(op::gt, E(x.select(-1, 0).unsqueeze(-1)), number(0));
            return reduced(c, one(op::mul, E(x), E(mask)));
        }
        default: {
            say(" reduction of a reduction");
            const Tensor s = x.sum(over, true);
            return one(op::mul, E(s.amax()), E(one(op::square, E(s)).mean()));
        }
    }
}

Tensor machine::product(chooser& c, bool exact) {
    Tensor x = slots_[any_slot(c)];
    if (x.scalar_type() != kFloat && x.scalar_type() != kDouble) x = x.to(kFloat);
    if (x.dim() == 0) x = x.expand({3});
    if (x.dim() > 3) x = x.select(0, 0);
    if (x.dim() == 2 && x.numel() > 600) x = x.slice(0, 0, 8).slice(1, 0, 40);
    if (exact) x = x.nan_to_num(3).clamp(-8, 8).round();
    // A pending operand must be computed first.
    const Tensor y = c.chance(2) ? one(op::mul, E(x), number(0.5)) : x;
    switch (x.dim()) {
        case 1: say(" dot"); return x.dot(y);
        case 2: {
            if (c.chance(3)) {
                say(" mv");
                return x.mv(exact ? y.mean({0}).round() : y.mean({0}));
            }
            say(" mm");
            return c.chance(2) ? x.mm(y.t()) : x.t().matmul(y);
        }
        default: say(" bmm"); return x.bmm(y.transpose(1, 2));
    }
}

/// Long runs of one operation, which the limits on a kernel's size cut.
Tensor machine::chain(chooser& c) {
    Tensor x = slots_[any_slot(c)];
    if (x.numel() > 300) x = x.flatten().slice(0, 0, 33);
    const Tensor d = floating(x, c);
    const bool wide = c.chance(2);
    const int64_t length = c.chance(4) ? 600 : c.between(3, 80);
    say(wide ? " wide sum of " : " chain of ", length);
    Tensor r = d;
    for (int64_t i = 0; i < length; ++i) {
        if (wide) {  // every operand is another tensor
            Tensor t = full(d.sizes(), i % 3, d.scalar_type());
            if (i < 90) t.eval();
            r = one(op::add, E(r), E(t));
        } else if (i % 3 == 0) {
            r = one(op::mul, E(r), number(0.75));
        } else {
            r = one(op::add, E(r), E(d));
        }
    }
    return r;
}

}  // namespace sinter::test
