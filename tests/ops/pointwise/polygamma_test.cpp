#include "tests/ops/pointwise/pointwise_check.hpp"

#include "kernels/special/polygamma.hpp"

#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/special.hpp>

#include <boost/math/special_functions/polygamma.hpp>

using namespace sinter;

TEST_CASE("polygamma against Boost.Math, over dtypes and views") {
    for (int n : {0, 1, 2, 3, 7}) {
        CAPTURE(n);
        const auto exact = [n](double x) { return boost::math::polygamma(n, x); };
        // Away from the poles.
        test::for_each_mode([&] {
            for (ScalarType dtype : {kFloat, kDouble}) {
                const Tensor grid = (test::grid(kDouble) * 1.5 + 0.3).to(dtype);
                for (const Tensor& x : test::views_of(grid)) {
                    std::vector<double> expected = test::doubles(x);
                    for (double& e : expected) e = exact(e);
                    test::check_near(polygamma(n, x), dtype, x.sizes(), expected,
                                     dtype == kFloat ? 3 : 200);
                }
            }
        });
    }
}

TEST_CASE("polygamma at its poles and ends, of narrow floats and of integers") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    test::for_each_mode([] {
        const Tensor x = tensor({0.0, -3.0, inf, inf - inf}, kDouble);
        test::check<double>(polygamma(3, x), {4}, {inf, inf, 0, inf - inf});
        test::check<double>(polygamma(2, x), {4}, {-inf, -inf, -0.0, inf - inf});
        CHECK((polygamma(2, zeros({1}, kHalf)).scalar_type() == kHalf));
        CHECK((polygamma(2, tensor({1})).scalar_type() == kFloat));
        test::check_near(polygamma(2, tensor({1}, kBFloat16)), kBFloat16, {1}, {-2.4041138}, 1);
        CHECK(polygamma(4, zeros({2, 0})).numel() == 0);
        Tensor w = ones({2}, kDouble);
        w.polygamma_(2);
        test::check_near(w, kDouble, {2},
                         {-2.404113806319188570799476, -2.404113806319188570799476}, 4);
    });
    CHECK_ERROR(Error, polygamma(-1, zeros({1})),
                "[polygamma] the order is negative; got -1, expected 0 or more; try 0, which gives "
                "digamma()");
    CHECK_ERROR(NotImplementedError, polygamma(2, ones({1}, kComplexFloat)),
                "[polygamma] complex numbers are not supported; got ComplexFloat, expected a real "
                "dtype; try real(), imag() or abs() first");
    CHECK_ERROR(Error, tensor({1}).polygamma_(2),
                "[polygamma_] result type Float can't be cast to the desired output type Long; got "
                "a Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
}

TEST_CASE("Hurwitz's zeta function at known values") {
    CHECK(std::fabs(zeta::hurwitz_zeta(2, 1) - M_PI * M_PI / 6) < 1e-15);
    CHECK(std::fabs(zeta::hurwitz_zeta(4, 1) - std::pow(M_PI, 4) / 90) < 1e-15);
    CHECK(std::fabs(zeta::hurwitz_zeta(3, 1e6) - 5.00000500000250e-13) < 1e-26);
    CHECK(zeta::hurwitz_zeta(3, -1e15 - 0.5) < 1e30);  // does not iterate up to 0
}

TEST_CASE("special names are the functions that they name") {
    ModeGuard guard(Mode::eager);  // avoids compiling a kernel for each name
    const Tensor x = tensor({0.25, 0.75});
    const auto same = [](const Tensor& a, const Tensor& b) { CHECK(equal(a, b)); };
#define SPECIAL_IS(name, function) same(special_##name(x), function(x));
    SPECIAL_IS(gammaln, lgamma)
    SPECIAL_IS(psi, digamma)
    SPECIAL_IS(modified_bessel_i0, i0)
    SPECIAL_IS(modified_bessel_i1, i1)
    SPECIAL_IS(digamma, digamma)
    SPECIAL_IS(entr, entr)
    SPECIAL_IS(erf, erf)
    SPECIAL_IS(erfc, erfc)
    SPECIAL_IS(erfcx, erfcx)
    SPECIAL_IS(erfinv, erfinv)
    SPECIAL_IS(exp2, exp2)
    SPECIAL_IS(expit, sigmoid)
    SPECIAL_IS(expm1, expm1)
    SPECIAL_IS(i0, i0)
    SPECIAL_IS(i0e, i0e)
    SPECIAL_IS(i1, i1)
    SPECIAL_IS(i1e, i1e)
    SPECIAL_IS(log1p, log1p)
    SPECIAL_IS(log_ndtr, log_ndtr)
    SPECIAL_IS(logit, logit)
    SPECIAL_IS(ndtr, ndtr)
    SPECIAL_IS(ndtri, ndtri)
    SPECIAL_IS(round, round)
    SPECIAL_IS(sinc, sinc)
    SPECIAL_IS(spherical_bessel_j0, spherical_bessel_j0)
    SPECIAL_IS(airy_ai, airy_ai)
    SPECIAL_IS(bessel_j0, bessel_j0)
    SPECIAL_IS(bessel_j1, bessel_j1)
    SPECIAL_IS(bessel_y0, bessel_y0)
    SPECIAL_IS(bessel_y1, bessel_y1)
    SPECIAL_IS(modified_bessel_k0, modified_bessel_k0)
    SPECIAL_IS(modified_bessel_k1, modified_bessel_k1)
    SPECIAL_IS(scaled_modified_bessel_k0, scaled_modified_bessel_k0)
    SPECIAL_IS(scaled_modified_bessel_k1, scaled_modified_bessel_k1)
#undef SPECIAL_IS
    same(special_gammaln(x + 1) * 2, lgamma(x + 1) * 2);
    same(special_logit(x, 0.1), logit(x, 0.1));
    same(special_round(x * 3.14159, 2), round(x * 3.14159, 2));
    same(special_xlogy(x, 2), xlogy(x, 2));
    same(special_xlog1py(2, x), xlog1py(2, x));
    same(special_polygamma(1, x), polygamma(1, x));
    same(special_multigammaln(x + 2, 2), mvlgamma(x + 2, 2));
    same(special_softmax(x, 0), softmax(x, 0));
    same(special_log_softmax(x, 0, kDouble), log_softmax(x, 0, kDouble));
    same(special_logsumexp(x, {0}, true), logsumexp(x, {0}, true));
    same(special::softmax(x, 0), softmax(x, 0));
    same(special::logsumexp(x, {0}), logsumexp(x, {0}));
    same(special::gammaln(x), lgamma(x));
    same(special::psi(x), digamma(x));
    same(special::digamma(x), x.digamma());
    same(special::expit(x), sigmoid(x));
    same(special::multigammaln(x + 2, 2), mvlgamma(x + 2, 2));
    same(special::polygamma(2, x), polygamma(2, x));
    same(special::logit(x), logit(x));
    same(special::logit(x, 0.1), logit(x, 0.1));
    same(special::round(x), round(x));
    same(special::xlogy(x, 2), xlogy(x, 2));
    same(special::xlog1py(x, x), xlog1py(x, x));
#define SINTER_SAME(name) same(special::name(x * 2), name(x * 2));
    SINTER_SAME(entr)
    SINTER_SAME(erf)
    SINTER_SAME(erfc)
    SINTER_SAME(erfcx)
    SINTER_SAME(exp2)
    SINTER_SAME(expm1)
    SINTER_SAME(i0)
    SINTER_SAME(i0e)
    SINTER_SAME(i1)
    SINTER_SAME(i1e)
    SINTER_SAME(log1p)
    SINTER_SAME(log_ndtr)
    SINTER_SAME(ndtr)
    SINTER_SAME(sinc)
    SINTER_SAME(airy_ai)
    SINTER_SAME(bessel_j0)
    SINTER_SAME(bessel_j1)
    SINTER_SAME(bessel_y0)
    SINTER_SAME(bessel_y1)
    SINTER_SAME(modified_bessel_k0)
    SINTER_SAME(modified_bessel_k1)
    SINTER_SAME(scaled_modified_bessel_k0)
    SINTER_SAME(scaled_modified_bessel_k1)
#undef SINTER_SAME
    same(special::erfinv(x), erfinv(x));
    same(special::ndtri(x), ndtri(x));
}
