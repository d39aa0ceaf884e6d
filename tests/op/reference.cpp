// The references, expanded from their table, and the samples.
#include "tests/op/reference.hpp"

#include "tests/op/special_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

namespace sinter::test {
namespace {

// ---- helpers of the references

[[maybe_unused]] bool either_nan(mpfr_srcptr a, mpfr_srcptr b) {
    return mpfr_nan_p(a) || mpfr_nan_p(b);
}
void truth(mpfr_ptr r, bool value) { mpfr_set_ui(r, value, MPFR_RNDN); }

bool opposite(mpfr_srcptr a, mpfr_srcptr b) {
    return !mpfr_zero_p(a) && !mpfr_nan_p(a) && !mpfr_nan_p(b) &&
           !mpfr_signbit(a) != !mpfr_signbit(b);
}
void remainder(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) {
    mpfr_fmod(r, a, b, MPFR_RNDN);
    if (opposite(r, b)) mpfr_add(r, r, b, MPFR_RNDN);
}
/// floor of the exact quotient, with PyTorch's signs of zero and infinite cases.
void floor_divide(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) {
    if (mpfr_zero_p(b)) {
        mpfr_div(r, a, b, MPFR_RNDN);
    } else if (mpfr_inf_p(a)) {
        mpfr_set_nan(r);
    } else if (mpfr_inf_p(b) && opposite(a, b)) {
        mpfr_set_si(r, -1, MPFR_RNDN);
    } else {
        real quotient(0, 2300);
        mpfr_div(quotient, a, b, MPFR_RNDD);
        mpfr_floor(r, quotient);
        if (mpfr_zero_p(r)) mpfr_setsign(r, r, mpfr_signbit(a) != mpfr_signbit(b), MPFR_RNDN);
    }
}
void clamp(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr low, mpfr_srcptr high) {
    if (mpfr_nan_p(a) || either_nan(low, high)) {
        mpfr_set_nan(r);
    } else {
        mpfr_max(r, a, low, MPFR_RNDN);
        mpfr_min(r, r, high, MPFR_RNDN);
    }
}
void sigmoid(mpfr_ptr r, mpfr_srcptr a) {
    mpfr_neg(r, a, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

/// Also for huge numbers and their negatives, without overflow in exp.
void log1p_exp(mpfr_ptr r, mpfr_srcptr a) {
    if (mpfr_number_p(a) && mpfr_cmp_ui(a, 100000) > 0) {
        mpfr_set(r, a, MPFR_RNDN);
    } else {
        mpfr_exp(r, a, MPFR_RNDN);
        mpfr_log1p(r, r, MPFR_RNDN);
    }
}
/// log(exp a + exp b), or both to the base 2: max + log1p(exp(min - max)).
void log_add_exp(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, bool base_two) {
    mpfr_max(r, a, b, MPFR_RNDN);
    if (either_nan(a, b)) mpfr_set_nan(r);
    if (!mpfr_number_p(r)) return;
    real w(0, 2300), ln2(0, mpfr_get_prec(r));
    mpfr_min(w, a, b, MPFR_RNDN);
    mpfr_sub(w, w, r, MPFR_RNDN);
    if (mpfr_cmp_si(w, -100000) < 0) mpfr_set_inf(w, -1);
    mpfr_prec_round(w, mpfr_get_prec(r) + 64, MPFR_RNDN);
    mpfr_const_log2(ln2, MPFR_RNDN);
    base_two ? mpfr_exp2(w, w, MPFR_RNDN) : mpfr_exp(w, w, MPFR_RNDN);
    mpfr_log1p(w, w, MPFR_RNDN);
    if (base_two) mpfr_div(w, w, ln2, MPFR_RNDN);
    mpfr_add(r, r, w, MPFR_RNDN);
}
void xlogy(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) {
    if (mpfr_nan_p(b)) {
        mpfr_set_nan(r);
    } else if (mpfr_zero_p(a)) {
        mpfr_set_zero(r, 1);
    } else {
        mpfr_log(r, b, MPFR_RNDN);
        mpfr_mul(r, a, r, MPFR_RNDN);
    }
}
/// Near 1/2 the quotient is near 1, so it needs more precision.
void logit(mpfr_ptr r, mpfr_srcptr a) {
    real quotient(0, 2300);
    mpfr_ui_sub(quotient, 1, a, MPFR_RNDN);
    mpfr_div(quotient, a, quotient, MPFR_RNDN);
    if (!mpfr_nan_p(a) && mpfr_cmp_ui(a, 1) == 0) mpfr_set_inf(quotient, 1);
    if (mpfr_zero_p(a)) mpfr_set_zero(quotient, 1);
    mpfr_log(r, quotient, MPFR_RNDN);
}
void sinc(mpfr_ptr r, mpfr_srcptr a) {
    if (mpfr_zero_p(a)) {
        mpfr_set_ui(r, 1, MPFR_RNDN);
    } else if (mpfr_integer_p(a)) {
        mpfr_set_zero(r, 1);
    } else {
        real pi(0, mpfr_get_prec(r));
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_sinu(r, a, 2, MPFR_RNDN);
        mpfr_div(r, r, a, MPFR_RNDN);
        mpfr_div(r, r, pi, MPFR_RNDN);
    }
}
double sinc(double a) {
    double rest = std::remainder(a, 1);
    double sine = std::sin(M_PI * rest);
    if (a == 0) return 1;
    return (std::fmod(a - rest, 2) == 0 ? sine : -sine) / (M_PI * a);
}
void hardsigmoid(mpfr_ptr r, mpfr_srcptr a) {
    mpfr_add_ui(r, a, 3, MPFR_RNDN);
    mpfr_div_ui(r, r, 6, MPFR_RNDN);
    if (mpfr_nan_p(a)) return;
    if (mpfr_sgn(r) <= 0) mpfr_set_zero(r, 1);
    if (mpfr_cmp_ui(r, 1) > 0) mpfr_set_ui(r, 1, MPFR_RNDN);
}

std::pair<double, int> frexp_parts(double a) {
    int exponent = 0;
    const double mantissa = std::frexp(a, &exponent);
    return {mantissa, std::isfinite(a) ? exponent : 0};
}

wide floor_divide(wide a, wide b) {
    if (b == 0) return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
wide greatest_divisor(wide a, wide b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
/// The magnitude of a product wrapped to `bits` bits; signed except for 8 bits.
wide least_multiple(wide a, wide b, int bits) {
    const wide divisor = greatest_divisor(a, b);
    if (divisor == 0) return 0;
    // A divisor that is the least number of its type wraps, and so does a quotient by it.
    const auto wrap = [bits](wide x) -> wide {
        const wide modulus = wide{1} << bits, rest = ((x % modulus) + modulus) % modulus;
        return bits > 8 && rest >= modulus / 2 ? rest - modulus : rest;
    };
    const wide product = wrap(a / divisor * b);
    return product < 0 ? -product : product;
}
wide power_of_two(wide n) { return wide{1} << static_cast<int>(n); }
wide integer_power(wide a, wide n) {
    if (n < 0) return a == 1 ? 1 : a == -1 ? (n % 2 ? -1 : 1) : 0;
    unsigned __int128 result = 1, base = static_cast<unsigned __int128>(a);
    for (; n > 0; n /= 2) {
        if (n % 2) result *= base;
        base *= base;
    }
    return static_cast<wide>(result);
}

// ---- the table

#define SINTER_A [[maybe_unused]] mpfr_srcptr a
#define SINTER_B [[maybe_unused]] mpfr_srcptr b
#define SINTER_C [[maybe_unused]] mpfr_srcptr c
#define SINTER_R [[maybe_unused]] mpfr_ptr r
#define SINTER_I                                                               \
    [[maybe_unused]] wide a, [[maybe_unused]] wide b, [[maybe_unused]] wide c, \
        [[maybe_unused]] int bits

/// Used for NONE: the dtype rule says which columns a row has, and this occurs in none of them.
struct none {
    operator wide() const { return 0; }    // NOLINT: implicit, it stands where a number does
    operator double() const { return 0; }  // NOLINT
};

struct entry {
    bool given = false;
    reference functions;
};

bool takes_reals(op::id row) {
    auto rule = op::info(row).rule;
    return rule != dtype_rule::logical && rule != dtype_rule::bitwise &&
           rule != dtype_rule::shift && rule != dtype_rule::whole;
}
bool takes_integers(op::id row) {
    auto rule = op::info(row).rule;
    return rule != dtype_rule::floating && rule != dtype_rule::real && rule != dtype_rule::wide;
}

std::array<entry, op::count> make_table() {
    std::array<entry, op::count> table;
    auto put = [&](op::id row, float_reference f, libm_reference l, integer_reference i) {
        table[row].given = true;
        if (takes_reals(row)) table[row].functions = {f, l, nullptr};
        if (takes_integers(row)) table[row].functions.in_integers = i;
    };
#define NONE none()
#define UNARY(name, reals, libm, integers)                               \
    put(                                                                 \
        op::name, [](SINTER_R, SINTER_A, SINTER_B, SINTER_C) { reals; }, \
        []([[maybe_unused]] double a) -> double { return libm; },        \
        [](SINTER_I) -> wide { return integers; });
#define BINARY(name, reals, integers)                                             \
    put(                                                                          \
        op::name, [](SINTER_R, SINTER_A, SINTER_B, SINTER_C) { reals; }, nullptr, \
        [](SINTER_I) -> wide { return integers; });
#define TERNARY(name, reals, integers) BINARY(name, reals, integers)
#include "tests/op/elementwise_ref.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef NONE
    return table;
}

template <class T>
double ulp_error_of(T got, mpfr_srcptr exact) {
    using limits = std::numeric_limits<T>;
    constexpr double wrong = 1e9;
    if (mpfr_nan_p(exact)) return std::isnan(got) ? 0 : wrong;
    if (std::isnan(got) || std::signbit(got) != (mpfr_signbit(exact) != 0)) return wrong;
    // Beyond the largest number, infinity represents the next power of two, as in rounding.
    mpfr_exp_t top = limits::max_exponent, bottom = limits::min_exponent - limits::digits;
    if (mpfr_inf_p(exact)) return std::isinf(got) ? 0 : wrong;
    real value(std::isinf(got) ? 0 : static_cast<double>(got), 64);
    if (std::isinf(got)) mpfr_set_si_2exp(value, got > 0 ? 1 : -1, top, MPFR_RNDN);
    real limit(0, 64), distance(0, 2400);
    mpfr_set_si_2exp(limit, mpfr_signbit(exact) ? -1 : 1, top, MPFR_RNDN);
    bool beyond = mpfr_cmpabs(exact, limit) > 0;
    mpfr_sub(distance, value, beyond ? static_cast<mpfr_ptr>(limit) : exact, MPFR_RNDN);
    mpfr_exp_t place = mpfr_zero_p(exact) ? bottom : mpfr_get_exp(exact) - limits::digits;
    place = std::min(std::max(place, bottom), top - limits::digits);
    mpfr_div_2si(distance, distance, place, MPFR_RNDN);
    return std::fabs(mpfr_get_d(distance, MPFR_RNDN));
}

}  // namespace

const reference& reference_of(op::id row) {
    static const std::array<entry, op::count> table = make_table();
    bool apart =
        op::info(row).rule == dtype_rule::random || row == op::where || row == op::nextafter;
    if (!table[row].given && !apart) {
        std::fprintf(stderr, "elementwise_ref.def has no row for %s\n", op::info(row).name);
        std::abort();
    }
    return table[row].functions;
}

double ulp_error(float got, mpfr_srcptr exact) { return ulp_error_of(got, exact); }
double ulp_error(double got, mpfr_srcptr exact) { return ulp_error_of(got, exact); }

// ---- samples

template <class T>
const std::vector<T>& special_values() {
    using limits = std::numeric_limits<T>;
    static const std::vector<T> values = [] {
        std::vector<T> v{limits::quiet_NaN()};
        const T denormal = limits::denorm_min(), normal = limits::min();
        for (T x : {T(0),
                    limits::infinity(),
                    limits::max(),
                    normal,
                    denormal,
                    normal - denormal,
                    3 * denormal,
                    T(0.5),
                    T(1),
                    T(2),
                    T(3),
                    T(10),
                    T(1000),
                    T(1.5),
                    T(2.5),
                    limits::epsilon(),
                    1 - limits::epsilon(),
                    1 + limits::epsilon(),
                    T(2) / limits::epsilon() - 1,
                    T(1e10)}) {
            v.push_back(x);
            v.push_back(-x);
        }
        return v;
    }();
    return values;
}

template <class T>
T random_value(std::mt19937_64& random) {
    // Points at which results round to 1, overflow, become subnormal or vanish, and at which
    // formulas change.
    static const double delicate[] = {
        0.25,      0.34657359, 0.41421356, 0.5,       0.70710678, 0.78539816, 1,     1.41421356,
        1.5707963, 2,          2.41421356, 3.1415927, 4.712389,   5.92,       6,     8.7,
        9.01,      18.7,       19.06,      22,        87.33,      88.72,      89.41, 103.97,
        708.39,    709.78,     710.47,     744.44,    745.13,     1e5,        1e22,  0.0078125,
        0.0234375, 10,         100,        1e-5};
    double u = std::ldexp(static_cast<double>(random() >> 11), -53);
    switch (random() % 5) {
        case 0:
        case 1: return from_word<T>(static_cast<word<T>>(random()));
        case 2: return static_cast<T>((u - 0.5) * 100);
        case 3: return static_cast<T>((u - 0.5) * 4);
        default: {
            T near = static_cast<T>(delicate[random() % std::size(delicate)]);
            near = from_word<T>(to_word(near) + static_cast<word<T>>(random() % 65) - 32);
            return random() % 2 ? near : -near;
        }
    }
}

template const std::vector<float>& special_values<float>();
template const std::vector<double>& special_values<double>();
template float random_value<float>(std::mt19937_64&);
template double random_value<double>(std::mt19937_64&);

std::string hexadecimal(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", value);
    return text;
}

}  // namespace sinter::test
