// What the general tests of rows cannot say: neighbours within a format, and relative errors near
// the positive zeros of rows whose error near negative ones is absolute.
#include "tests/op/reference.hpp"
#include "tests/op/special_reference.hpp"
#include "tests/seed.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

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

/// The largest relative error, in places, of a row over positive numbers near its zeros.
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

}  // namespace

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
