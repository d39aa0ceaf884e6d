#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/special.hpp>

#include <boost/math/special_functions/chebyshev.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/hermite.hpp>
#include <boost/math/special_functions/laguerre.hpp>
#include <boost/math/special_functions/legendre.hpp>

using namespace sinter;
using test::inf64;

namespace {

/// Compares f(a, b) of all pairs with the reference; errors are relative to the expected value.
template <class F, class R>
void check_pairs(const F& f, const R& reference, const std::vector<double>& left,
                 const std::vector<double>& right, double tolerance) {
    std::vector<double> expected;
    for (double a : left)
        for (double b : right) expected.push_back(reference(a, b));
    test::for_each_mode([&] {
        const Tensor a = tensor(left, kDouble).unsqueeze(1), b = tensor(right, kDouble);
        const Tensor got = f(a, b);
        REQUIRE((got.scalar_type() == kDouble));
        REQUIRE(got.numel() == static_cast<int64_t>(expected.size()));
        const std::vector<double> values = test::doubles(got);
        for (std::size_t i = 0; i < values.size(); ++i) {
            CAPTURE(left[i / right.size()]);
            CAPTURE(right[i % right.size()]);
            CAPTURE(values[i]);
            CAPTURE(expected[i]);
            if (std::isinf(expected[i]))
                CHECK(values[i] == expected[i]);
            else
                CHECK(std::fabs(values[i] - expected[i]) <=
                      tolerance * std::max(1e-290, std::fabs(expected[i])));
        }
        // For float: rounded once.
        const std::vector<double> narrow = test::doubles(f(a.to(kFloat), b.to(kFloat)));
        CHECK(narrow.size() == values.size());
    });
}

}  // namespace

TEST_CASE("igamma and igammac against Boost.Math, far into both tails") {
    const std::vector<double> sizes{1e-8, 0.01, 0.3, 0.5, 1,   1.05, 1.5, 4,  9.9,
                                    10,   33,   150, 199, 200, 201,  1e3, 1e5};
    const auto p = [](const Tensor& a, const Tensor& x) { return igamma(a, x); };
    const auto q = [](const Tensor& a, const Tensor& x) { return igammac(a, x); };
    const auto exact_p = [](double a, double x) { return boost::math::gamma_p(a, x); };
    const auto exact_q = [](double a, double x) { return boost::math::gamma_q(a, x); };
    check_pairs(p, exact_p, sizes, {1e-5, 0.2, 0.49, 0.51, 0.99, 1.09, 1.2, 3, 10, 40}, 1e-12);
    check_pairs(q, exact_q, sizes, {1e-5, 0.2, 0.49, 0.51, 0.99, 1.09, 1.2, 3, 10, 40}, 1e-12);
    for (double a : sizes) {
        check_pairs(p, exact_p, {a}, {0.5 * a, 0.8 * a, 0.99 * a, a, 1.01 * a, 1.2 * a, 2 * a},
                    1e-12);
        check_pairs(q, exact_q, {a}, {0.5 * a, 0.8 * a, 0.99 * a, a, 1.01 * a, 1.2 * a, 2 * a},
                    1e-12);
    }
}

TEST_CASE("igamma and igammac: ends, dtypes, writing, errors") {
    test::for_each_mode([] {
        const Tensor a = tensor({0.0, 1.0, 2.0, inf64, -1.0}, kDouble);
        const Tensor x = tensor({1.0, 0.0, inf64, 3.0, 1.0}, kDouble);
        test::check<double>(igamma(a, x), {5}, {1, 0, 1, 0, inf64 - inf64});
        test::check<double>(igammac(a, x), {5}, {0, 1, 0, 1, inf64 - inf64});
        Tensor t = tensor({1.0, 2.0}, kDouble);
        t.igamma_(tensor(2.0, kDouble));
        test::check_near(t, kDouble, {2}, {1 - std::exp(-2.0), 1 - 3 * std::exp(-2.0)}, 4);
        t.fill_(1).igammac_(tensor(2.0, kDouble));
        test::check_near(t, kDouble, {2}, {std::exp(-2.0), std::exp(-2.0)}, 4);
        CHECK((igamma(ones({2}, kHalf), ones({2}, kHalf)).scalar_type() == kHalf));
        CHECK(igamma(ones({0, 2}), ones({2})).numel() == 0);
    });
    Tensor out = empty({0}, kDouble);
    test::check_near(igamma_out(out, ones({1}, kDouble), ones({1}, kDouble)), kDouble, {1},
                     {1 - std::exp(-1.0)}, 4);
    CHECK_ERROR(NotImplementedError, igamma(tensor({1}), tensor({1})),
                "[igamma] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("zeta: Hurwitz's function, by sums that are known") {
    const auto exact = [](double x, double q) {
        // Sums the terms from the end, and the integral of the rest with its corrections.
        double sum = 0;
        const double end = q + 4000;
        for (int k = 3999; k >= 0; --k) sum += std::pow(q + k, -x);
        return sum + std::pow(end, 1 - x) / (x - 1) + std::pow(end, -x) / 2 +
               x * std::pow(end, -x - 1) / 12;
    };
    check_pairs([](const Tensor& x, const Tensor& q) { return special::zeta(x, q); }, exact,
                {1.25, 2, 3, 7.5, 20, 60}, {0.1, 0.5, 1, 2.25, 11, 40}, 1e-13);
    test::for_each_mode([] {
        test::check<double>(
            special::zeta(tensor({1.0, 0.5, 2.0, 2.0, 2.5, 3.0}, kDouble),
                          tensor({2.0, 2.0, -1.0, inf64, -0.5, inf64 - inf64}, kDouble)),
            {6}, {inf64, inf64 - inf64, inf64, 0, inf64 - inf64, inf64 - inf64});
        // zeta(2, -1/2) = 4 + zeta(2, 1/2) = 4 + pi^2 / 2
        test::check_near(special_zeta(2, tensor({-0.5}, kDouble)), kDouble, {1},
                         {4 + M_PI * M_PI / 2}, 4);
        CHECK((special::zeta(tensor({2}), 1).scalar_type() == kFloat));
    });
    Tensor out = empty({0}, kDouble);
    special_zeta_out(out, tensor({2.0}, kDouble), 1);
    test::check_near(out, kDouble, {1}, {M_PI * M_PI / 6}, 4);
    CHECK_ERROR(NotImplementedError, special::zeta(ones({1}, kComplexFloat), 1),
                "[zeta] complex numbers are not supported; got ComplexFloat, expected a real "
                "dtype; try real(), imag() or abs() first");
}

TEST_CASE("polynomials of the special functions against Boost.Math") {
    const std::vector<double> inside{-0.875, -0.3, 0.001, 0.5, 0.99}, outside{-3, -1.25, 1.5, 2.75};
    std::vector<double> degrees{0, 1, 2, 3, 5, 7, 9, 12, 20};
    const auto near = [&](auto f, auto exact, double tolerance) {
        for (double n : degrees)
            for (const auto* xs : {&inside, &outside})
                for (double x : *xs) {
                    CAPTURE(n);
                    CAPTURE(x);
                    const double got =
                        f(tensor({x}, kDouble), tensor({n}, kDouble)).template item<double>();
                    const double expected = exact(static_cast<unsigned>(n), x);
                    CHECK(std::fabs(got - expected) <=
                          tolerance * std::max(1.0, std::fabs(expected)));
                }
    };
    ModeGuard guard(Mode::eager);
    namespace bm = boost::math;
    near([](const Tensor& x, const Tensor& n) { return special::chebyshev_polynomial_t(x, n); },
         [](unsigned n, double x) { return bm::chebyshev_t(n, x); }, 1e-13);
    near([](const Tensor& x, const Tensor& n) { return special::chebyshev_polynomial_u(x, n); },
         [](unsigned n, double x) { return bm::chebyshev_u(n, x); }, 1e-12);
    near([](const Tensor& x, const Tensor& n) { return special::chebyshev_polynomial_v(x, n); },
         [](unsigned n, double x) {
             return n == 0 ? 1 : bm::chebyshev_u(n, x) - bm::chebyshev_u(n - 1, x);
         },
         1e-12);
    near([](const Tensor& x, const Tensor& n) { return special::chebyshev_polynomial_w(x, n); },
         [](unsigned n, double x) {
             return n == 0 ? 1 : bm::chebyshev_u(n, x) + bm::chebyshev_u(n - 1, x);
         },
         1e-12);
    near([](const Tensor& x,
            const Tensor& n) { return special::shifted_chebyshev_polynomial_t((x + 1) / 2, n); },
         [](unsigned n, double x) { return bm::chebyshev_t(n, x); }, 1e-12);
    near([](const Tensor& x,
            const Tensor& n) { return special::shifted_chebyshev_polynomial_u((x + 1) / 2, n); },
         [](unsigned n, double x) { return bm::chebyshev_u(n, x); }, 1e-11);
    near([](const Tensor& x,
            const Tensor& n) { return special::shifted_chebyshev_polynomial_v((x + 1) / 2, n); },
         [](unsigned n, double x) {
             return n == 0 ? 1 : bm::chebyshev_u(n, x) - bm::chebyshev_u(n - 1, x);
         },
         1e-11);
    near([](const Tensor& x,
            const Tensor& n) { return special::shifted_chebyshev_polynomial_w((x + 1) / 2, n); },
         [](unsigned n, double x) {
             return n == 0 ? 1 : bm::chebyshev_u(n, x) + bm::chebyshev_u(n - 1, x);
         },
         1e-11);
    near([](const Tensor& x, const Tensor& n) { return special::hermite_polynomial_h(x, n); },
         [](unsigned n, double x) { return bm::hermite(n, x); }, 1e-12);
    near([](const Tensor& x, const Tensor& n) { return special::hermite_polynomial_he(x, n); },
         [](unsigned n, double x) {
             return bm::hermite(n, x * M_SQRT1_2) * std::pow(2.0, -0.5 * n);
         },
         1e-12);
    near([](const Tensor& x, const Tensor& n) { return special::laguerre_polynomial_l(x, n); },
         [](unsigned n, double x) { return bm::laguerre(n, x); }, 1e-12);
    degrees.pop_back();
    near([](const Tensor& x, const Tensor& n) { return special::legendre_polynomial_p(x, n); },
         [](unsigned n, double x) {  // Boost's function supports only [-1, 1]
             double p = 1, q = x;
             if (n == 0) return p;
             for (unsigned k = 1; k < n; ++k) {
                 const double r = bm::legendre_next(k, x, q, p);
                 p = q;
                 q = r;
             }
             return q;
         },
         1e-13);
}

TEST_CASE("polynomials: large degrees end, numbers, degrees below 0") {
    test::for_each_mode([] {
        const Tensor x = tensor({-2.0, -1.0, 1.0, 2.0}, kDouble);
        test::check<double>(special::chebyshev_polynomial_t(x, 1e15), {4}, {inf64, 1, 1, inf64});
        test::check<double>(special::chebyshev_polynomial_u(x, 1000001), {4},
                            {-inf64, -1000002, 1000002, inf64});
        test::check<double>(special::hermite_polynomial_h(x, 1e18), {4},
                            {inf64 - inf64, inf64 - inf64, inf64 - inf64, inf64 - inf64});
        const Tensor unknown = tensor({inf64 - inf64}, kDouble);
        for (const Tensor& y : {special::chebyshev_polynomial_t(unknown, 1e18),
                                special::chebyshev_polynomial_u(unknown, 1e18),
                                special::chebyshev_polynomial_v(unknown, 1e18),
                                special::chebyshev_polynomial_w(unknown, 1e18)})
            test::check<double>(y, {1}, {inf64 - inf64});
        test::check<double>(special::legendre_polynomial_p(x, -1), {4}, {0, 0, 0, 0});
        test::check<double>(special::laguerre_polynomial_l(2, tensor({0.0, 1.0, 2.0}, kDouble)),
                            {3}, {1, -1, -1});
        test::check_near(special::chebyshev_polynomial_t(tensor({1.0000001}, kDouble), 5000),
                         kDouble, {1}, {std::cosh(5000 * std::acosh(1.0000001))}, 1e6);
    });
    CHECK((special::chebyshev_polynomial_t(tensor({1, 2}), 3).scalar_type() == kFloat));
    CHECK((special_legendre_polynomial_p(ones({1}, kHalf), 3).scalar_type() == kHalf));
}

TEST_CASE("polynomials: an infinite degree ends" * doctest::test_suite("host")) {
    const Tensor half = tensor({0.5}, kDouble);
    test::check<double>(special::legendre_polynomial_p(half, inf64), {1}, {inf64 - inf64});
    test::check<double>(special::laguerre_polynomial_l(half, inf64), {1}, {inf64 - inf64});
    test::check<double>(special::legendre_polynomial_p(half * 4, inf64), {1}, {inf64});
}
