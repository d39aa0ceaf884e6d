// What belongs to the normal distribution: erfcx, the distribution function ndtr and its logarithm,
// the inverse functions erfinv and ndtri. Computed in double.
//
// All of them are made of erfcx y = exp(y^2) erfc y as a pair, and the inverses of polynomials in w
// = -log(1 - x^2), whose root s grows nearly as the result does.
#pragma once

#include <sinter/math/erf.hpp>
#include <sinter/math/log_add_exp.hpp>
#include <sinter/math/tables/special_coefficients.hpp>

namespace sinter::math {
namespace detail {

/// f of x, computed in double.
template <class V, class F>
V in_double(V x, const F& f) {
    if constexpr (is_double<V>)
        return f(x);
    else
        return convert<float>(f(convert<double>(x)));
}
template <class V, class F>
V in_double(V a, V b, const F& f) {
    if constexpr (is_double<V>)
        return f(a, b);
    else
        return convert<float>(f(convert<double>(a), convert<double>(b)));
}

template <class V>
pair<V> square_of(pair<V> x) {
    pair<V> p = product(x.hi, x.hi);
    return {p.hi, fma(x.hi + x.hi, x.lo, p.lo)};
}

/// erfcx of y >= 0. Its derivative, 2 y erfcx y - 2 / sqrt(pi), weighs y.lo.
template <class V>
pair<V> erfcx_of(pair<V> y) {
    V x = y.hi, edge = V(15.0 / 32);
    pair<V> tail = erfcx_tail(within(x, edge, V(28)));
    V small = select(x < edge, x, edge);
    pair<V> around = erf_of(small);
    pair<V> rest = sum(V(1), -around.hi);
    pair<V> square = product(small, small);
    pair<V> near =
        exp_reduced(split_exp(square.hi, square.lo)) * pair<V>{rest.hi, rest.lo - around.lo};
    // exp of a square below 1/4 has k = 0.
    V inner = within(x, V(28), V(1e150));
    V inverse = V(1) / inner;
    V last = polynomial<coefficients::erfcx_last>(inverse * inverse);
    pair<V> top = product(last, V(0x1.20dd750429b6dp-1));
    pair<V> far = quotient(raised(top, last * V(0x1.1ae3a914fed80p-57)), pair<V>{inner, V(0)});
    auto huge = x > V(1e150);
    far = select_pair(huge, pair<V>{V(0x1.20dd750429b6dp-1) / x, V(0)}, far);
    pair<V> e = select_pair(x < edge, near, select_pair(x > V(28), far, tail));
    V slope = fma(x + x, e.hi, V(-1.1283791670955126));
    e.lo = e.lo + select(x > V(28), V(0), slope * y.lo);
    return e;
}

/// x / sqrt(2), not negative; `lo` is 0 where it would not be finite.
template <class V>
pair<V> over_root_two(V ax) {
    pair<V> y = product(ax, V(0x1.6a09e667f3bcdp-1));
    y.lo = fma(ax, V(-0x1.bdd3413b26456p-55), y.lo);
    return {y.hi, select(ax < V(1e151), y.lo, V(0))};
}

/// exp(-y^2) erfcx(y) / 2 as a scaled pair; |y| is taken for 40 at most, where it is 0.
template <class V>
decay<V> half_erfc(pair<V> y, pair<V> erfcx) {
    auto inside = y.hi < V(40);
    pair<V> square = square_of(select_pair(inside, y, pair<V>{V(40), V(0)}));
    auto e = split_exp(-select(square.hi < V(1000), square.hi, V(1000)), -square.lo);
    pair<V> p = exp_reduced(e) * erfcx;
    p = {V(0.5) * p.hi, V(0.5) * p.lo};
    V power = exp2_negative<V>(-e.k);
    return {{p, e.k}, {p.hi * power, p.lo * power}};
}

template <class V>
V erfcx_double(V x) {
    V ax = abs(x);
    pair<V> e = erfcx_of(pair<V>{select(x == x, ax, V(0)), V(0)});
    // 2 exp(x^2) - erfcx |x|
    V limited = select(ax < V(28), ax, V(28));
    pair<V> square = product(limited, limited);
    auto s = split_exp(square.hi, square.lo);
    pair<V> grown = exp_reduced(s);
    V power = exp2_negative<V>(s.k);
    pair<V> left = sum(grown.hi + grown.hi, -e.hi * power);
    V lows = left.lo + (V(2) * grown.lo - e.lo * power);
    V y = select(x < V(0), scale(left.hi + lows, s.k), total(e));
    return select(x == x, y, x);
}

template <class V>
V ndtr_double(V x) {
    pair<V> y = over_root_two(select(x == x, abs(x), V(0)));
    auto h = half_erfc(y, erfcx_of(y));
    pair<V> head = sum(V(1), -h.value.hi);
    V right = head.hi + (head.lo - h.value.lo);
    V left = scale(total(h.p), h.k);
    return select(x == x, select(x < V(0), left, right), x);
}

template <class V>
V log_ndtr_double(V x) {
    pair<V> y = over_root_two(select(x == x, abs(x), V(0)));
    pair<V> e = erfcx_of(y);
    auto h = half_erfc(y, e);
    // log(erfcx(y) / 2) - y^2
    pair<V> l = log_sum(pair<V>{V(0.5) * e.hi, V(0.5) * e.lo});
    pair<V> square = square_of(pair<V>{select(y.hi < V(1e150), y.hi, V(1e150)), y.lo});
    pair<V> head = sum(-square.hi, l.hi);
    V left = head.hi + (head.lo + (l.lo - square.lo));
    left = select(y.hi < V(1e150), left, V(-0.5) * x * x);
    decay<V> minus = {{{-h.p.hi, -h.p.lo}, h.k}, {-h.value.hi, -h.value.lo}};
    V right = -abs(total(log_one_plus(minus)));
    return select(x == x, select(x < V(0), left, right), x);
}

/// The y > 0 with erf y = x, 0 <= x < 1, w = -log(1 - x^2).
template <bool all, class V>
V inverse_erf(V x, V w) {
    V s = sqrt(w);
    V near = x * polynomial<coefficients::erfinv_near>(select(w < V(4.5), w, V(4.5)));
    V middle = polynomial<coefficients::erfinv_middle>(within(s, V(2), V(4)) - V(3));
    V far = polynomial<coefficients::erfinv_far>(within(s, V(3.9), V(6.1)) - V(5));
    V factor = select(s < V(3.925), middle, far);
    if constexpr (all) {
        V t = V(15) / within(s, V(6), V(27.6)) - V(1.55);
        factor = select(s < V(6.05), factor, polynomial<coefficients::erfinv_last>(t));
    }
    return select(w < V(4.45), near, s * factor);
}

template <class V>
V erfinv_double(V x) {
    V ax = abs(x);
    V inner = select(ax < V(1), ax, V(0));
    V w = total(log_sum(sum(V(1), -inner) * sum(V(1), inner)));
    V y = copysign(inverse_erf<false>(inner, -w), x);
    y = select(ax == V(1), copysign(highest<V>(), x), select(ax < V(1), y, not_a_number<V>()));
    return select(x == V(0), x, y);
}

template <class V>
V ndtri_double(V p) {
    auto inside = (p > V(0)) & (p < V(1));
    V inner = select(inside, p, V(0.5));
    pair<V> rest = sum(V(1), -inner);
    // 4 p (1 - p), in an order that keeps subnormal numbers
    V four = V(4) * inner;
    pair<V> both = product(four, rest.hi);
    both.lo = select(four > V(1e-280), fma(four, rest.lo, both.lo), V(0));
    V w = total(log_sum(both));
    V distance = abs(fma(V(-2), inner, V(1)));
    V y = inverse_erf<true>(distance, -w);
    y = times(y, pair<V>{V(0x1.6a09e667f3bcdp+0), V(-0x1.bdd3413b26456p-54)});
    y = select(inner < V(0.5), -y, y);
    V edge = select(p == V(0), lowest<V>(), select(p == V(1), highest<V>(), not_a_number<V>()));
    return select(inside, y, edge);
}

}  // namespace detail

/// exp(x^2) erfc x.
template <class V>
V erfcx(V x) {
    return detail::in_double(x, [](auto d) { return detail::erfcx_double(d); });
}

/// The normal distribution function, erfc(-x / sqrt(2)) / 2.
template <class V>
V ndtr(V x) {
    if (V::fast()) return fast::ndtr(x);
    if constexpr (is_double<V>) {
        return detail::ndtr_double(x);
    } else {
        auto tail = detail::normal_tail(abs(x), 1);
        return convert<float>(select(x > V(0), decltype(tail)(1) - tail, tail));
    }
}
template <class V>
V log_ndtr(V x) {
    return detail::in_double(x, [](auto d) { return detail::log_ndtr_double(d); });
}

template <class V>
V erfinv(V x) {
    return detail::in_double(x, [](auto d) { return detail::erfinv_double(d); });
}

/// The inverse of ndtr.
template <class V>
V ndtri(V x) {
    return detail::in_double(x, [](auto d) { return detail::ndtri_double(d); });
}

namespace detail {

/// exp(a b + c): of the exponent, and what it lacks.
template <class V>
V exp_of_sum(V a, V b, V c) {
    V exponent = fma(a, b, c), product = a * b;
    auto parts = sum(product, c);
    V rest = (parts.hi - exponent) + (parts.lo + fma(a, b, -product));
    V y = exp(exponent);
    return select(isfinite(y) & isfinite(rest), fma(y, rest, y), y);
}

}  // namespace detail

/// exp(a b + c). The exponent is not rounded.
template <class V>
V exp_fma(V a, V b, V c) {
    if constexpr (is_double<V>) {
        return detail::exp_of_sum(a, b, c);
    } else {
        if (V::fast()) return detail::exp_of_sum(a, b, c);
        return convert<float>(exp(fma(convert<double>(a), convert<double>(b), convert<double>(c))));
    }
}

// ---- entropies

/// -x log x, 0 at 0, -inf below.
template <class V>
V entr(V x) {
    V y = -xlogy(x, x);
    return select(x < V(0), lowest<V>(), select(x == V(0), V(0), y));
}

/// x log(1 + y), 0 where x is 0, unless y is NaN.
template <class V>
V xlog1py(V x, V y) {
    using namespace detail;
    if (V::fast()) return select(y != y, y, select(x == V(0), V(0), x * log1p(y)));
    auto proper = (y > V(-1)) & (y < highest<V>());
    V inner = select(proper, y, V(1));
    // log(1 + y) of a tiny y is y, and is lost as a sum with 1.
    auto tiny = abs(inner) < constant<V>(0x1p-54, 0x1p-25);
    V value = select(tiny, x * inner, times(x, log_sum(sum(V(1), inner))));
    V sign = select(y < V(0), -x, select(y == V(0), not_a_number<V>(), x));
    value = select(isfinite(x), value, sign);
    V edge = select(y == V(-1), lowest<V>(), select(y < V(-1), not_a_number<V>(), y));
    value = select(proper, value, x * edge);
    return select(y != y, y, select(x == V(0), V(0), value));
}

}  // namespace sinter::math
