// Branch cuts and formulas of the inverse functions, sqrt and tanh follow W. Kahan, "Branch Cuts
// for Complex Elementary Functions" (1987). Division is Smith's algorithm (1962).
//
// Errors are relative to the modulus, |computed - exact| / |exact|: a part that is much smaller
// than the other may have fewer correct digits. docs/accuracy.md has the bounds.
#include "engine/graph/complex_rows.hpp"

#include <sinter/error.hpp>

#include <array>
#include <bit>
#include <limits>

namespace sinter::inline v1 {

int32_t parts_builder::add(const typed_op& o) {
    const key k{
        static_cast<int>(o.what), o.id, o.in, o.out, o.part, o.args[0], o.args[1], o.args[2]};
    const auto [it, fresh] = known_.try_emplace(k, static_cast<int32_t>(ops.size()));
    if (fresh) {
        ops.push_back(o);
        ops.back().origin = origin;
    }
    return it->second;
}

int32_t parts_builder::constant(double value) {
    std::size_t i = 0;
    while (i < constants.size() &&
           std::bit_cast<uint64_t>(constants[i].toDouble()) != std::bit_cast<uint64_t>(value))
        ++i;
    if (i == constants.size()) constants.emplace_back(value);
    return add({typed_op::kind::scalar,
                static_cast<uint16_t>(numbers_ + i),
                kDouble,
                kDouble,
                {-1, -1, -1},
                0});
}

namespace {

/// A real value of a formula.
struct real {
    parts_builder* to;
    ScalarType type;
    int32_t op;

    real number(double value) const { return {to, type, to->constant(value)}; }
    real row(op::id id, ScalarType in, ScalarType out, int32_t b = -1, int32_t c = -1) const {
        return {to, type, to->add({typed_op::kind::row, id, in, out, {op, b, c}, 0})};
    }
    real row(op::id id) const { return row(id, type, type); }
    real row(op::id id, real b) const { return row(id, type, type, b.op); }
    real test(op::id id) const { return row(id, type, kBool); }
    real test(op::id id, real b) const { return row(id, type, kBool, b.op); }
    real test(op::id id, double b) const { return test(id, number(b)); }
};

real operator+(real a, real b) { return a.row(op::add, b); }
real operator-(real a, real b) { return a.row(op::sub, b); }
real operator*(real a, real b) { return a.row(op::mul, b); }
real operator/(real a, real b) { return a.row(op::div, b); }
real operator+(real a, double b) { return a + a.number(b); }
real operator-(real a, double b) { return a - a.number(b); }
real operator*(real a, double b) { return a * a.number(b); }
real operator+(double a, real b) { return b.number(a) + b; }
real operator-(double a, real b) { return b.number(a) - b; }
real operator-(real a) { return a.row(op::neg); }
real abs(real a) { return a.row(op::abs); }
real sign_of(real size, real sign) { return size.row(op::copysign, sign); }
real either(real a, real b) { return a.row(op::logical_or, kBool, kBool, b.op); }
real both(real a, real b) { return a.row(op::logical_and, kBool, kBool, b.op); }
real choose(real condition, real a, real b) {
    return condition.row(op::where, condition.type, condition.type, a.op, b.op);
}
real hypot(real a, real b) { return a.row(op::hypot, b); }
real atan2(real a, real b) { return a.row(op::atan2, b); }

struct pair {
    real re, im;
};

pair choose(real condition, pair a, pair b) {
    return {choose(condition, a.re, b.re), choose(condition, a.im, b.im)};
}
pair truth(real value) { return {value, {value.to, value.type, -1}}; }
pair operator-(pair a) { return {-a.re, -a.im}; }
pair operator*(pair a, real b) { return {a.re * b, a.im * b}; }
pair operator*(pair a, pair b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

pair divide(pair a, pair b) {
    const real wide = abs(b.re).test(op::ge, abs(b.im));
    const real large = choose(wide, b.re, b.im), small = choose(wide, b.im, b.re);
    const real ratio = choose(large.test(op::eq, 0.0), large.number(0), small / large);
    const real divisor = large + small * ratio;
    const real re = choose(wide, a.re + a.im * ratio, a.re * ratio + a.im);
    const real im = choose(wide, a.im - a.re * ratio, a.im * ratio - a.re);
    return {re / divisor, im / divisor};
}

pair reciprocal(pair a) { return divide({a.re.number(1), a.re.number(0)}, a); }

pair sqrt(pair a) {
    const real t = (hypot(a.re * 0.5, a.im * 0.5) + abs(a.re) * 0.5).row(op::sqrt);
    // The other part of the root: 2 * t * u is the imaginary part of `a`.
    const real u = choose(either(t.test(op::eq, 0.0), a.im.test(op::isinf)), a.im, a.im / (t + t));
    const real left = a.re.test(op::lt, 0.0);
    return {choose(left, abs(u), t), choose(left, sign_of(t, a.im), u)};
}

/// size * (cos angle, sin angle). The imaginary part is `angle` if that is 0, even for an infinite
/// size.
pair polar(real size, real angle) {
    const real im = size * angle.row(op::sin);
    return {size * angle.row(op::cos), choose(angle.test(op::eq, 0.0), angle, im)};
}
pair exp(pair a) { return polar(a.re.row(op::exp), a.im); }

/// A number in two parts: a rounded value, and the rest below its last place.
struct two_parts {
    real high, low;
};

/// Returns a * c, where c is `high` + `low`, to twice the precision (T. J. Dekker's product, 1971).
/// From 2^12 or 2^26 on, where the square of the lower part counts as well, that part is 0.
two_parts exact_product(real a, double high, double low) {
    const bool twice = a.type == kDouble;
    const double c = twice ? high : static_cast<float>(high), rest = twice ? low : high - c;
    const double scale = twice ? 0x1p27 + 1 : 0x1p12 + 1;
    const double c_high = twice ? c * scale - (c * scale - c)
                                : static_cast<float>(c * scale) -
                                      (static_cast<float>(c * scale) - static_cast<float>(c));
    const real scaled = a * scale, a_high = scaled - (scaled - a), a_low = a - a_high;
    const real product = a * c;
    const real error = a_high * c_high - product + a_high * (c - c_high) + a_low * c_high +
                       a_low * (c - c_high) + a * rest;
    const real moderate = abs(a).test(op::lt, twice ? 0x1p26 : 0x1p12);
    return {product, choose(moderate, error, a.number(0))};
}
two_parts times_ln2(real a) {
    return exact_product(a, 0.69314718055994530942, 0x1.abc9e3b39803fp-56);
}
two_parts times_pi(real a) {
    return exact_product(a, 3.14159265358979323846, 0x1.1a62633145c07p-53);
}

/// Returns f(a.high + a.low) from f(a.high) and the derivative there.
real moved(real value, real slope, two_parts a) {
    return choose(value.test(op::isinf), value, value + slope * a.low);
}

pair exp2(pair a) {
    const two_parts angle = times_ln2(a.im);
    const real cosine = angle.high.row(op::cos), sine = angle.high.row(op::sin);
    const real size = a.re.row(op::exp2);
    // Like `polar`.
    const real im = size * (sine + cosine * angle.low);
    return {size * (cosine - sine * angle.low), choose(a.im.test(op::eq, 0.0), a.im, im)};
}

pair expm1(pair a) {
    const real half = (a.im * 0.5).row(op::sin);
    const real e = a.re.row(op::expm1);
    return {e * a.im.row(op::cos) - half * half * 2, exp(a).im};
}

real log_of_size(pair a) {
    const real x = abs(a.re), y = abs(a.im);
    const real large = x.row(op::maximum, y), small = x.row(op::minimum, y);
    // Near 1 the logarithm of a rounded modulus has few correct digits.
    const real near = ((large - 1) * (large + 1) + small * small).row(op::log1p) * 0.5;
    const real ratio = choose(small.test(op::eq, large), small.number(1), small / large);
    const real far = large.row(op::log) + (ratio * ratio).row(op::log1p) * 0.5;
    return choose(both(large.test(op::gt, 0.5), large.test(op::lt, 2.0)), near, far);
}
pair log(pair a) { return {log_of_size(a), atan2(a.im, a.re)}; }

pair log1p(pair a) {
    const pair one_more{a.re + 1, a.im};
    const real square = a.re * (a.re + 2) + a.im * a.im;  // |1 + a|^2 - 1
    const real near = square.row(op::log1p) * 0.5;
    return {choose(both(square.test(op::gt, -0.75), square.test(op::lt, 3.0)), near,
                   log_of_size(one_more)),
            atan2(a.im, one_more.re)};
}

/// The operand of larger real part plus log1p of the rest. The imaginary part is that of the larger
/// operand plus a small angle, and is not reduced to (-pi, pi].
pair logaddexp(pair a, pair b) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const real b_larger = a.re.test(op::lt, b.re);
    const pair top = choose(b_larger, b, a), low = choose(b_larger, a, b);
    const pair less = {low.re - top.re, low.im - top.im}, rest = log1p(exp(less));
    const pair sum = {top.re + rest.re, top.im + rest.im};
    // The angle of a sum of two infinities is unknown unless both are real.
    const real unknown = choose(both(top.im.test(op::eq, 0.0), low.im.test(op::eq, 0.0)), top.im,
                                top.im.number(std::numeric_limits<double>::quiet_NaN()));
    const pair infinite = {top.re.number(infinity), unknown};
    // The smaller operand adds nothing. If both are exp(-inf), PyTorch returns the second.
    const real nothing = top.re.test(op::eq, -infinity);
    const real least = either(nothing, less.re.test(op::eq, -infinity));
    const real known = both(low.im.test(op::eq, low.im), top.im.test(op::eq, top.im));
    const pair larger = choose(nothing, low, top);
    return choose(both(low.re.test(op::eq, infinity), known), infinite,
                  choose(both(least, known), larger, sum));
}

pair pow(pair a, pair b) {
    const real size = hypot(a.re, a.im), angle = atan2(a.im, a.re);
    // `turned` is 0 for real b and for a == 0: avoids 0 * log(0), and makes 0 ** (1 + i) 0.
    const real zero = both(size.test(op::eq, 0.0), b.re.test(op::ne, 0.0));
    const real whole = either(zero, b.im.test(op::eq, 0.0));
    const real turned = choose(whole, b.im.number(0), b.im * log_of_size(a));
    return polar(size.row(op::pow, b.re) * (-(b.im * angle)).row(op::exp), b.re * angle + turned);
}

pair sin(pair a) {
    return {a.re.row(op::sin) * a.im.row(op::cosh), a.re.row(op::cos) * a.im.row(op::sinh)};
}
pair cos(pair a) {
    return {a.re.row(op::cos) * a.im.row(op::cosh), -(a.re.row(op::sin) * a.im.row(op::sinh))};
}
pair sinh(pair a) {
    return {a.re.row(op::sinh) * a.im.row(op::cos), a.re.row(op::cosh) * a.im.row(op::sin)};
}
pair cosh(pair a) {
    return {a.re.row(op::cosh) * a.im.row(op::cos), a.re.row(op::sinh) * a.im.row(op::sin)};
}
pair tanh(pair a) {
    const real t = a.im.row(op::tan), s = a.re.row(op::sinh);
    const real b = t * t + 1;
    const real divisor = b * (s * s) + 1;
    const pair near{b * (s * s + 1).row(op::sqrt) * s / divisor, t / divisor};
    const real size = abs(a.re);
    const pair far{sign_of(a.re.number(1), a.re),
                   a.im.row(op::sin) * a.im.row(op::cos) * (size * -2).row(op::exp) * 4};
    return choose(size.test(op::gt, 20.0), far, near);
}

/// Returns f(i a) / i.
template <class F>
pair turned(const F& f, pair a) {
    const pair r = f({-a.im, a.re});
    return {r.im, -r.re};
}

pair asin(pair a) {
    const pair below = sqrt({1 - a.re, -a.im}), above = sqrt({a.re + 1, a.im});
    return {atan2(a.re, below.re * above.re - below.im * above.im),
            (below.re * above.im - below.im * above.re).row(op::asinh)};
}
pair acos(pair a) {
    const pair below = sqrt({1 - a.re, -a.im}), above = sqrt({a.re + 1, a.im});
    return {atan2(below.re, above.re) * 2,
            (above.re * below.im - above.im * below.re).row(op::asinh)};
}
pair acosh(pair a) {
    const pair below = sqrt({a.re - 1, a.im}), above = sqrt({a.re + 1, a.im});
    return {(below.re * above.re + below.im * above.im).row(op::asinh),
            atan2(below.im, above.re) * 2};
}
pair atanh(pair a) {
    const real x = abs(a.re), y = a.im;
    // Near 1 the square of the distance may underflow to 0.
    const real distance = hypot(1 - x, y);
    const real beside = (0.69314718055994530942 - distance.row(op::log)) * 0.5;
    const real away = (x * 4 / ((1 - x) * (1 - x) + y * y)).row(op::log1p) * 0.25;
    const real size = choose(distance.test(op::lt, 1e-16), beside, away);
    return {sign_of(size, a.re), atan2(y * 2, (1 - x) * (1 + x) - y * y) * 0.5};
}

pair sigmoid(pair a) {
    const real left = a.re.test(op::lt, 0.0);
    const pair small = exp(choose(left, a, -a));  // modulus at most 1
    const pair right = reciprocal({small.re + 1, small.im});
    return choose(left, small * right, right);
}

/// sin(pi a) / (pi a). A rounded pi a has an error of up to |pi a| places in the angle, so whole
/// numbers are taken from the real part, and the product with the rest is exact.
pair sinc(pair a) {
    const real whole = a.re.row(op::round), half = whole * 0.5;
    const real rest = choose(whole.test(op::eq, 0.0), a.re, a.re - whole);
    const two_parts x = times_pi(rest), y = times_pi(a.im);
    const real sin_x = x.high.row(op::sin), cos_x = x.high.row(op::cos);
    const real sinh_y = y.high.row(op::sinh), cosh_y = y.high.row(op::cosh);
    const real sin_rest = sin_x + cos_x * x.low, cos_rest = cos_x - sin_x * x.low;
    // 0 times an infinite cosh is 0 here, with the sign of `rest`.
    const pair sine = {
        choose(rest.test(op::eq, 0.0), rest, sin_rest * moved(cosh_y, sinh_y, y)),
        choose(cos_rest.test(op::eq, 0.0), cos_rest, cos_rest * moved(sinh_y, cosh_y, y))};
    const pair size = divide(sine, {a.re * 3.14159265358979323846, y.high});
    const pair value = choose(half.test(op::eq, half.row(op::trunc)), size, -size);
    const real zero = both(a.re.test(op::eq, 0.0), a.im.test(op::eq, 0.0));
    return choose(zero, {a.re.number(1), a.re.number(0)}, value);
}

pair softsign(pair a) {
    const real divisor = hypot(a.re, a.im) + 1;
    return {a.re / divisor, a.im / divisor};
}

/// Returns a / |a|, or 0 for 0.
pair direction(pair a) {
    const real size = hypot(a.re, a.im), zero = size.test(op::eq, 0.0);
    return choose(zero, {a.re.number(0), a.re.number(0)}, {a.re / size, a.im / size});
}

struct meaning {
    complex_result result = complex_result::refused;
    pair (*formula)(const pair* args) = nullptr;
};

std::array<meaning, op::count> make_meanings() {
    std::array<meaning, op::count> m{};
    constexpr double ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402;
    const auto same = [&m](op::id row, pair (*f)(const pair*)) {
        m[row] = {complex_result::same, f};
    };
    const auto test = [&m](op::id row, pair (*f)(const pair*)) {
        m[row] = {complex_result::truth, f};
    };
    same(op::add, [](const pair* a) -> pair { return {a[0].re + a[1].re, a[0].im + a[1].im}; });
    same(op::sub, [](const pair* a) -> pair { return {a[0].re - a[1].re, a[0].im - a[1].im}; });
    same(op::rsub, [](const pair* a) -> pair { return {a[1].re - a[0].re, a[1].im - a[0].im}; });
    same(op::mul, [](const pair* a) { return a[0] * a[1]; });
    same(op::div, [](const pair* a) { return divide(a[0], a[1]); });
    same(op::pow, [](const pair* a) { return pow(a[0], a[1]); });
    same(op::neg, [](const pair* a) { return -a[0]; });
    same(op::sign, [](const pair* a) { return direction(a[0]); });
    same(op::square, [](const pair* a) { return a[0] * a[0]; });
    same(op::reciprocal, [](const pair* a) { return reciprocal(a[0]); });
    same(op::sqrt, [](const pair* a) { return sqrt(a[0]); });
    same(op::rsqrt, [](const pair* a) { return reciprocal(sqrt(a[0])); });
    same(op::exp, [](const pair* a) { return exp(a[0]); });
    same(op::exp2, [](const pair* a) { return exp2(a[0]); });
    same(op::expm1, [](const pair* a) { return expm1(a[0]); });
    same(op::log, [](const pair* a) { return log(a[0]); });
    same(op::log1p, [](const pair* a) { return log1p(a[0]); });
    same(op::logaddexp, [](const pair* a) { return logaddexp(a[0], a[1]); });
    same(op::log2, [](const pair* a) { return log(a[0]) * a[0].re.number(1 / ln2); });
    same(op::log10, [](const pair* a) { return log(a[0]) * a[0].re.number(1 / ln10); });
    same(op::sin, [](const pair* a) { return sin(a[0]); });
    same(op::cos, [](const pair* a) { return cos(a[0]); });
    same(op::tan, [](const pair* a) { return turned(tanh, a[0]); });
    same(op::asin, [](const pair* a) { return asin(a[0]); });
    same(op::acos, [](const pair* a) { return acos(a[0]); });
    same(op::atan, [](const pair* a) { return turned(atanh, a[0]); });
    same(op::sinh, [](const pair* a) { return sinh(a[0]); });
    same(op::cosh, [](const pair* a) { return cosh(a[0]); });
    same(op::tanh, [](const pair* a) { return tanh(a[0]); });
    same(op::asinh, [](const pair* a) { return turned(asin, a[0]); });
    same(op::acosh, [](const pair* a) { return acosh(a[0]); });
    same(op::atanh, [](const pair* a) { return atanh(a[0]); });
    same(op::sigmoid, [](const pair* a) { return sigmoid(a[0]); });
    same(op::silu, [](const pair* a) { return a[0] * sigmoid(a[0]); });
    same(op::softsign, [](const pair* a) { return softsign(a[0]); });
    same(op::sinc, [](const pair* a) { return sinc(a[0]); });
    same(op::where, nullptr);  // `expand_row` handles it: its condition is real
    m[op::abs] = {complex_result::real,
                  [](const pair* a) { return truth(hypot(a[0].re, a[0].im)); }};
    test(op::eq, [](const pair* a) {
        return truth(both(a[0].re.test(op::eq, a[1].re), a[0].im.test(op::eq, a[1].im)));
    });
    test(op::ne, [](const pair* a) {
        return truth(either(a[0].re.test(op::ne, a[1].re), a[0].im.test(op::ne, a[1].im)));
    });
    test(op::isnan, [](const pair* a) {
        return truth(either(a[0].re.test(op::isnan), a[0].im.test(op::isnan)));
    });
    test(op::isinf, [](const pair* a) {
        return truth(either(a[0].re.test(op::isinf), a[0].im.test(op::isinf)));
    });
    test(op::isfinite, [](const pair* a) {
        return truth(both(a[0].re.test(op::isfinite), a[0].im.test(op::isfinite)));
    });
    return m;
}

const meaning& meaning_of(op::id row) {
    static const std::array<meaning, op::count> meanings = make_meanings();
    return meanings[row];
}

}  // namespace

complex_result complex_result_of(op::id row) { return meaning_of(row).result; }

complex_parts expand_row(parts_builder& to, op::id row, ScalarType type,
                         const complex_parts* args) {
    const real none{&to, type, -1};
    pair operands[3] = {{none, none}, {none, none}, {none, none}};
    for (int i = 0; i < op::rows[row].arity; ++i)
        operands[i] = {{&to, type, args[i].re}, {&to, type, args[i].im}};
    const pair r = row == op::where ? choose(operands[0].re, operands[1], operands[2])
                                    : meaning_of(row).formula(operands);
    return {r.re.op, r.im.op};
}

int32_t truth_of(parts_builder& to, ScalarType type, const complex_parts& z) {
    const real re{&to, type, z.re}, im{&to, type, z.im};
    return either(re.test(op::ne, 0.0), im.test(op::ne, 0.0)).op;
}

}  // namespace sinter::inline v1
