// References of the Bessel functions J, Y and K and of the Airy function.
#include "tests/op/reference.hpp"
#include "tests/op/special_reference.hpp"

#include <boost/math/special_functions/airy.hpp>
#include <boost/math/special_functions/bessel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

using quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;

bool is_lost(mpfr_srcptr term, mpfr_srcptr sum, mpfr_prec_t bits) {
    return mpfr_zero_p(term) || mpfr_get_exp(term) < mpfr_get_exp(sum) - bits;
}

/// Returns the x from which an asymptotic series, whose least term is exp(-2 x), has that many
/// bits.
double far_for(mpfr_prec_t bits) { return 0.35 * static_cast<double>(bits) + 5; }

/// K_n(x) of moderate x > 0, by the series around 0, whose parts cancel to exp(-2 x).
void near_bessel_k(mpfr_ptr r, mpfr_srcptr x, unsigned long order) {
    const auto cancelled = static_cast<mpfr_prec_t>(3 * mpfr_get_d(x, MPFR_RNDN));
    const mpfr_prec_t bits = mpfr_get_prec(r) + cancelled + 60;
    real half(0, bits), z(0, bits), first(0, bits), rest(0, bits), term(1, bits), harmonic(0, bits),
        part(0, bits);
    mpfr_div_2ui(half, x, 1, MPFR_RNDN);
    mpfr_sqr(z, half, MPFR_RNDN);
    // sums of z^k / (k! (k + n)!) and of that times H_k (n = 0) or H_k + H_(k + 1)
    for (unsigned long k = 0; k == 0 || !is_lost(term, first, bits); ++k) {
        if (k > 0) {
            mpfr_mul(term, term, z, MPFR_RNDN);
            mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
            mpfr_set_ui(part, 1, MPFR_RNDN);
            mpfr_div_ui(part, part, k, MPFR_RNDN);
            mpfr_add(harmonic, harmonic, part, MPFR_RNDN);
        }
        mpfr_add(first, first, term, MPFR_RNDN);
        if (order == 1) {
            mpfr_set_ui(part, 1, MPFR_RNDN);
            mpfr_div_ui(part, part, k + 1, MPFR_RNDN);
            mpfr_add(part, part, harmonic, MPFR_RNDN);
            mpfr_add(part, part, harmonic, MPFR_RNDN);
        } else {
            mpfr_set(part, harmonic, MPFR_RNDN);
        }
        mpfr_mul(part, part, term, MPFR_RNDN);
        mpfr_add(rest, rest, part, MPFR_RNDN);
    }
    // log(x / 2) + euler
    mpfr_log(part, half, MPFR_RNDN);
    mpfr_const_euler(term, MPFR_RNDN);
    mpfr_add(part, part, term, MPFR_RNDN);
    mpfr_mul(first, first, part, MPFR_RNDN);
    if (order == 0) {
        mpfr_sub(r, rest, first, MPFR_RNDN);
        return;
    }
    // 1 / x + (log(x / 2) + euler) I1 - x / 4 rest
    mpfr_mul(first, first, half, MPFR_RNDN);
    mpfr_mul(rest, rest, half, MPFR_RNDN);
    mpfr_div_2ui(rest, rest, 1, MPFR_RNDN);
    mpfr_sub(first, first, rest, MPFR_RNDN);
    mpfr_ui_div(part, 1, x, MPFR_RNDN);
    mpfr_add(r, part, first, MPFR_RNDN);
}

/// exp(x) K_n(x) of large x, by the asymptotic series.
void far_bessel_k(mpfr_ptr r, mpfr_srcptr x, unsigned long order) {
    const mpfr_prec_t bits = mpfr_get_prec(r) + 20;
    real sum(1, bits), term(1, bits);
    for (long k = 1; !is_lost(term, sum, bits); ++k) {
        mpfr_mul_si(term, term, 4 * static_cast<long>(order) - (2 * k - 1) * (2 * k - 1),
                    MPFR_RNDN);
        mpfr_div(term, term, x, MPFR_RNDN);
        mpfr_div_si(term, term, 8 * k, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_const_pi(term, MPFR_RNDN);
    mpfr_div(term, term, x, MPFR_RNDN);
    mpfr_div_2ui(term, term, 1, MPFR_RNDN);
    mpfr_sqrt(term, term, MPFR_RNDN);
    mpfr_mul(r, sum, term, MPFR_RNDN);
}

}  // namespace

void bessel_j(mpfr_ptr r, mpfr_srcptr a, long order) {
    if (!mpfr_number_p(a)) return mpfr_set_nan(r);  // as in PyTorch at infinity
    mpfr_jn(r, order, a, MPFR_RNDN);
}
void bessel_y(mpfr_ptr r, mpfr_srcptr a, long order) {
    if (mpfr_zero_p(a)) return mpfr_set_inf(r, -1);
    if (!mpfr_number_p(a) || mpfr_sgn(a) < 0) return mpfr_set_nan(r);
    mpfr_yn(r, order, a, MPFR_RNDN);
}

void bessel_k(mpfr_ptr r, mpfr_srcptr a, unsigned long order, bool scaled) {
    if (mpfr_zero_p(a)) return mpfr_set_inf(r, 1);
    if (mpfr_nan_p(a) || mpfr_sgn(a) < 0) return mpfr_set_nan(r);
    if (mpfr_inf_p(a)) return mpfr_set_zero(r, 1);
    const mpfr_prec_t bits = mpfr_get_prec(r) + 40;
    real value(0, bits), growth(0, bits);
    mpfr_set(growth, a, MPFR_RNDN);
    const bool far = mpfr_cmp_d(a, far_for(bits + 20)) > 0;  // `value` rounds to 20 bits more
    if (far)
        far_bessel_k(value, a, order);
    else
        near_bessel_k(value, a, order);
    if (far == scaled) {
        mpfr_set(r, value, MPFR_RNDN);
        return;
    }
    if (far) mpfr_neg(growth, growth, MPFR_RNDN);
    mpfr_exp(growth, growth, MPFR_RNDN);
    mpfr_mul(r, value, growth, MPFR_RNDN);
}

void airy_ai(mpfr_ptr r, mpfr_srcptr a) {
    if (!mpfr_number_p(a)) return mpfr_set_nan(r);  // as in PyTorch at infinity
    const bool left = mpfr_sgn(a) < 0;
    mpfr_prec_t bits = mpfr_get_prec(r) + 60;
    if (mpfr_cmpabs_ui(
            a, static_cast<unsigned long>(std::cbrt(2.25 * far_for(bits) * far_for(bits)))) <= 0) {
        mpfr_ai(r, a, MPFR_RNDN);
        return;
    }
    // Asymptotic, zeta = 2/3 |a|^(3/2): sums of u_k / zeta^k. The signs alternate for positive a,
    // and alternate by pairs for negative a.
    bits += std::max<mpfr_prec_t>(0, 2 * mpfr_get_exp(a));
    if (!left && mpfr_get_exp(a) > 40) {
        mpfr_set_zero(r, 1);
        return;
    }
    real x(0, bits), zeta(0, bits), term(1, bits), even(0, bits), odd(0, bits);
    mpfr_abs(x, a, MPFR_RNDN);
    mpfr_sqrt(zeta, x, MPFR_RNDN);
    mpfr_mul(zeta, zeta, x, MPFR_RNDN);
    mpfr_mul_ui(zeta, zeta, 2, MPFR_RNDN);
    mpfr_div_ui(zeta, zeta, 3, MPFR_RNDN);
    mpfr_set_ui(even, 1, MPFR_RNDN);
    for (unsigned long k = 1; k < 1000; ++k) {
        mpfr_mul_ui(term, term, (6 * k - 5) * (6 * k - 3) * (6 * k - 1), MPFR_RNDN);
        mpfr_div_ui(term, term, 216 * k * (2 * k - 1), MPFR_RNDN);
        mpfr_div(term, term, zeta, MPFR_RNDN);
        if (is_lost(term, even, mpfr_get_prec(r) + 40)) break;
        const bool minus = left ? k % 4 >= 2 : k % 2 == 1;
        auto& sum = left && k % 2 == 1 ? odd : even;
        (minus ? mpfr_sub : mpfr_add)(sum, sum, term, MPFR_RNDN);
    }
    real pi(0, bits), height(0, bits);
    mpfr_const_pi(pi, MPFR_RNDN);
    // sqrt(pi) x^(1/4)
    mpfr_sqrt(height, x, MPFR_RNDN);
    mpfr_mul(height, height, pi, MPFR_RNDN);
    mpfr_sqrt(height, height, MPFR_RNDN);
    if (left) {
        real sine(0, bits), cosine(0, bits);
        mpfr_div_2ui(pi, pi, 2, MPFR_RNDN);
        mpfr_sub(zeta, zeta, pi, MPFR_RNDN);
        mpfr_sin_cos(sine, cosine, zeta, MPFR_RNDN);
        mpfr_mul(even, even, cosine, MPFR_RNDN);
        mpfr_mul(odd, odd, sine, MPFR_RNDN);
        mpfr_add(even, even, odd, MPFR_RNDN);
    } else {
        mpfr_neg(zeta, zeta, MPFR_RNDN);
        mpfr_exp(zeta, zeta, MPFR_RNDN);
        mpfr_mul(even, even, zeta, MPFR_RNDN);
        mpfr_div_2ui(even, even, 1, MPFR_RNDN);
    }
    mpfr_div(r, even, height, MPFR_RNDN);
}

// ---- in double

double bessel_j(double a, int order) {
    if (!std::isfinite(a)) return nan;
    return boost::math::cyl_bessel_j(order, a, quiet());
}
double bessel_y(double a, int order) {
    if (a == 0) return -infinity;
    if (!(a > 0 && a < infinity)) return nan;
    return boost::math::cyl_neumann(order, a, quiet());
}
double bessel_k(double a, int order, bool scaled) {
    if (a == 0) return infinity;
    if (!(a > 0)) return nan;
    if (a > 600) {
        // Four terms of the asymptotic series.
        const double m = 4.0 * order, z = 1 / (8 * a);
        const double series =
            1 +
            (m - 1) * z * (1 + (m - 9) * z / 2 * (1 + (m - 25) * z / 3 * (1 + (m - 49) * z / 4)));
        const double y = series * std::sqrt(M_PI / 2 / a);
        return scaled ? y : y * std::exp(-a / 2) * std::exp(-a / 2);
    }
    const double y = boost::math::cyl_bessel_k(order, a, quiet());
    return scaled ? y * std::exp(a) : y;
}
double airy_ai(double a) {
    if (!std::isfinite(a)) return nan;
    // Here Boost returns Ai(0).
    if (std::fabs(a) < 1e-4) return 0.355028053887817239 - 0.258819403792806798 * a;
    if (a < -30) {  // and for the rounding of 2/3 |a|^(3/2) here
        real r(0, 64), x(a, 64);
        airy_ai(r, x);
        return mpfr_get_d(r, MPFR_RNDN);
    }
    return a > 200 ? 0 : boost::math::airy_ai(a, quiet());
}

}  // namespace sinter::test
