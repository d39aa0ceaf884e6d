// Properties that the general tests of rows do not check: neighbours within a format, and relative
// errors near the positive zeros of rows whose error near negative ones is absolute.
#include "tests/op/reference.hpp"
#include "tests/op/special_reference.hpp"
#include "tests/seed.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

using namespace sinter;
using sinter::test::random_value;
using sinter::test::real;

namespace {

template <class T>
using number = math::host<T>;

template <class T>
void check_neighbour(T a, T b) {
    const T got = rows::nextafter::value(number<T>::from(a), number<T>::from(b)).v;
    const T expected = std::nextafter(a, b);
    CAPTURE(a);
    CAPTURE(b);
    if (std::isnan(expected))
        CHECK(std::isnan(got));
    else
        CHECK(test::to_word(got) == test::to_word(expected));
}

template <class T>
void check_neighbours(std::mt19937_64& random) {
    for (T a : test::special_values<T>())
        for (T b : test::special_values<T>()) check_neighbour(a, b);
    for (int i = 0; i < test::cases(500); ++i)
        check_neighbour(random_value<T>(random), random_value<T>(random));
}

/// Returns the largest relative error, in ULP, of a row over positive numbers near its zeros.
template <class Row, class T>
double largest_error(std::mt19937_64& random, void (*exact)(mpfr_ptr, mpfr_srcptr)) {
    double largest = 0;
    real r(0, 160), a(0, 64);
    for (int i = 0; i < test::cases(3000); ++i) {
        const double u = std::ldexp(static_cast<double>(random() >> 11), -53);
        T x = static_cast<T>(1 + u);  // the zeros are at 1, 2 and 1.4616...
        if (i % 3 == 1)
            x = static_cast<T>(1 + (u - 0.5) * std::exp2(-static_cast<double>(random() % 50)));
        if (i % 3 == 2)
            x = static_cast<T>(2 + (u - 0.5) * std::exp2(-static_cast<double>(random() % 50)));
        mpfr_set_d(a, x, MPFR_RNDN);
        exact(r, a);
        largest = std::max(largest, test::ulp_error(Row::value(number<T>::from(x)).v, r));
    }
    return largest;
}

/// Returns the largest error of a row at the neighbours of numbers, and a little farther away.
template <class Row, class T>
void check_around(std::initializer_list<double> zeros) {
    std::mt19937_64 random(test::seed());
    real r(0, 160), a(0, 64);
    for (const double zero : zeros) {
        T x = static_cast<T>(zero);
        for (int i = 0; i < 16; ++i) x = std::nextafter(x, T(-1e30));
        for (int i = 0; i < 64; ++i) {
            T at = x;
            x = std::nextafter(x, T(1e30));
            if (i >= 32) {
                const double u = std::ldexp(static_cast<double>(random() >> 11), -53);
                at = static_cast<T>(zero *
                                    (1 + (u - 0.5) * std::exp2(-static_cast<double>(i - 28))));
            }
            mpfr_set_d(a, at, MPFR_RNDN);
            test::reference_of(Row::id).in_reals(r, a, a, a);
            CAPTURE(at);
            CHECK(test::ulp_error(Row::value(number<T>::from(at)).v, r) <=
                  (sizeof(T) == 4 ? Row::ulp_f32 : Row::ulp_f64));
        }
    }
}
template <class Row>
void check_zeros(std::initializer_list<double> zeros) {
    INFO(std::string(Row::name));
    check_around<Row, float>(zeros);
    check_around<Row, double>(zeros);
}

/// At 0, -0, -1, infinity, -infinity and NaN.
template <class Row>
void check_edges(std::initializer_list<double> expected) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double at[] = {0.0, -0.0, -1, infinity, -infinity, std::nan("")};
    const auto same = [](double got, double wanted, double tolerance) {
        if (std::isnan(wanted)) return std::isnan(got);
        return got == wanted || std::abs(got - wanted) <= tolerance;
    };
    int i = 0;
    for (const double wanted : expected) {
        INFO(std::string(Row::name) << " at " << at[i]);
        CHECK(same(Row::value(number<double>(at[i])).v, wanted, 1e-15));
        CHECK(same(Row::value(number<float>(at[i])).v, wanted, 1e-7));
        ++i;
    }
}

}  // namespace

TEST_CASE("Bessel and Airy functions: the relative error is small at zeros in the tables") {
    check_zeros<rows::bessel_j0>({2.404825557695773, 5.520078110286311, 24.352471530749302});
    check_zeros<rows::bessel_j1>({3.8317059702075125, 7.015586669815619, 22.760084380592772});
    check_zeros<rows::bessel_y0>({0.8935769662791675, 3.957678419314858, 22.782028047291558});
    check_zeros<rows::bessel_y1>({2.197141326031017, 5.429681040794135, 24.33194257135691});
    check_zeros<rows::airy_ai>({-2.338107410459767, -4.08794944413097, -11.008524303733262});
    // points at which formulas meet
    check_zeros<rows::bessel_j0>({1.5707963267948966, 14.137166941154069, 25.125, 0x1p19});
    check_zeros<rows::bessel_j1>({1.5707963267948966, 14.137166941154069, 25.125, 0x1p19});
    check_zeros<rows::bessel_y0>({3.1416, 14.137166941154069, 25.125, 0x1p19});
    check_zeros<rows::bessel_y1>({3.1416, 14.137166941154069, 25.125, 0x1p19});
    check_zeros<rows::airy_ai>({-1.77, -11.2398, -8192, 0.5, 1, 1.5, 2, 103.9});
    check_zeros<rows::modified_bessel_k0>({1, 2, 75.01, 705.3, 740});
    check_zeros<rows::modified_bessel_k1>({1, 2, 705.3, 740});
    check_zeros<rows::scaled_modified_bessel_k0>({1, 2, 75.01, 705.3});
    check_zeros<rows::scaled_modified_bessel_k1>({1, 2, 705.3});
}

TEST_CASE("trigamma: numbers whose square is subnormal") {
    check_zeros<rows::trigamma>(
        {0x1.02440fb601554p-512, -0x1.02440fb601554p-512, 0x1p-70, -0x1p-70});
}

TEST_CASE("softplus, log_sigmoid and spherical_bessel_j0 where their errors are largest") {
    check_zeros<rows::softplus>({-0x1.d9655ap-1});
    check_zeros<rows::log_sigmoid>({0x1.d9655ap-1});
    check_zeros<rows::spherical_bessel_j0>({0x1.03c33p+4, -0x1.37089ecadfbd7p+4});
}

TEST_CASE("Bessel and Airy functions: zeros beyond the tables are right to 2^-65 of the height") {
    using V = number<double>;
    real r(0, 160), a(0, 64);
    const auto check = [&]<class Row>(Row, double zero, double height) {
        double x = zero;
        for (int i = 0; i < 4; ++i) x = std::nextafter(x, -1e30);
        for (int i = 0; i < 8; ++i, x = std::nextafter(x, 1e30)) {
            mpfr_set_d(a, x, MPFR_RNDN);
            test::reference_of(Row::id).in_reals(r, a, a, a);
            const double exact = mpfr_get_d(r, MPFR_RNDN);
            CAPTURE(x);
            CHECK(std::abs(Row::value(V(x)).v - exact) <=
                  0x1p-65 * height + 0x1p-50 * std::abs(exact));
        }
    };
    for (const double x : {27.493479132040253, 124.87930891323295, 15707.177877743714,
                           376990.33303294337, 9424777.17537123})
        check(rows::bessel_j0(), x, std::sqrt(2 / M_PI / x));
    for (const double x : {25.903672087618382, 29.046828534916855, 126.44613869851659,
                           15708.748642240316, 376991.9038279439})
        check(rows::bessel_j1(), x, std::sqrt(2 / M_PI / x));
    for (const double x : {25.922957653180923, 123.3085253361014, 15705.607081417715})
        check(rows::bessel_y0(), x, std::sqrt(2 / M_PI / x));
    for (const double x : {27.475294980449224, 124.87530506876725, 15707.177845911134})
        check(rows::bessel_y1(), x, std::sqrt(2 / M_PI / x));
    for (const double x : {-11.936015563236262, -32.73809960900027, -821.8507338720711})
        check(rows::airy_ai(), x, 0.57 / std::sqrt(std::sqrt(-x)));
}

TEST_CASE("Bessel and Airy functions: PyTorch's values at the edges") {
    using limits = std::numeric_limits<double>;
    constexpr double inf = limits::infinity(), nan = limits::quiet_NaN();
    check_edges<rows::airy_ai>(
        {0.3550280538878172, 0.3550280538878172, 0.5355608832923521, nan, nan, nan});
    check_edges<rows::bessel_j0>({1, 1, 0.7651976865579665, nan, nan, nan});
    check_edges<rows::bessel_j1>({0, -0.0, -0.44005058574493355, nan, nan, nan});
    CHECK(std::signbit(rows::bessel_j1::value(number<double>(-0.0)).v));
    check_edges<rows::bessel_y0>({-inf, -inf, nan, nan, nan, nan});
    check_edges<rows::bessel_y1>({-inf, -inf, nan, nan, nan, nan});
    check_edges<rows::modified_bessel_k0>({inf, inf, nan, 0, nan, nan});
    check_edges<rows::modified_bessel_k1>({inf, inf, nan, 0, nan, nan});
    check_edges<rows::scaled_modified_bessel_k0>({inf, inf, nan, 0, nan, nan});
    check_edges<rows::scaled_modified_bessel_k1>({inf, inf, nan, 0, nan, nan});
}

TEST_CASE("nextafter: the C library's neighbours") {
    std::mt19937_64 random(test::seed());
    check_neighbours<float>(random);
    check_neighbours<double>(random);
}

TEST_CASE("lgamma and digamma: the relative error is small at positive zeros") {
    std::mt19937_64 random(test::seed());
    CHECK(largest_error<rows::lgamma, float>(random, test::lgamma) <= rows::lgamma::ulp_f32);
    CHECK(largest_error<rows::lgamma, double>(random, test::lgamma) <= rows::lgamma::ulp_f64);
    CHECK(largest_error<rows::digamma, float>(random, test::digamma) <= rows::digamma::ulp_f32);
    CHECK(largest_error<rows::digamma, double>(random, test::digamma) <= rows::digamma::ulp_f64);
}

TEST_CASE("log1p: floats around those where 1 + x is halved once more") {
    double worst = 0;
    for (int k = -24; k < 24; ++k) {
        float x = std::ldexp(1.5F, k) - 1;
        for (int i = 0; i < 8; ++i) x = std::nextafter(x, -2.0F);
        for (int i = 0; i < 16; ++i, x = std::nextafter(x, 1e30F)) {
            const double exact = std::log1p(static_cast<double>(x));
            const int place = std::ilogb(static_cast<float>(exact)) - 23;
            const double got = rows::log1p::value(number<float>::from(x)).v;
            worst = std::max(worst, std::abs(got - exact) / std::ldexp(1.0, place));
        }
    }
    CHECK(worst <= rows::log1p::ulp_f32);
}

TEST_CASE("gcd: numbers that take the most steps") {
    using V = number<int64_t>;
    // Neighbours in a sequence that grows by 1 + sqrt 2, and Fibonacci numbers.
    for (int64_t factor : {2, 1}) {
        int64_t a = 1, b = 1;
        while (b < INT64_MAX / 3) {
            const int64_t c = factor * b + a;
            a = b;
            b = c;
            CHECK(rows::gcd::value(V::from(a), V::from(b)).v == 1);
            CHECK(rows::gcd::value(V::from(-b), V::from(a)).v == 1);
        }
    }
}
