#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/windows.hpp>

#include <boost/math/special_functions/bessel.hpp>

using namespace sinter;

namespace {

/// Returns a window from a formula of the position, from 0 to 1.
template <class F>
std::vector<double> sampled(int n, int steps, const F& f) {
    std::vector<double> r;
    for (int k = 0; k < n; ++k) r.push_back(f(static_cast<double>(k) / steps));
    return r;
}

/// Errors of a cosine near its zero are those near 1.
void check(const Tensor& got, const std::vector<double>& expected) {
    REQUIRE((got.scalar_type() == kDouble));
    const std::vector<double> values = test::doubles(got);
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(std::fabs(values[i] - expected[i]) < 1e-15);
}

}  // namespace

TEST_CASE("windows of a length against their formulas, periodic and symmetric") {
    test::for_each_mode([] {
        const double turn = 2 * M_PI;
        for (int n : {2, 3, 8, 9})
            for (bool periodic : {true, false}) {
                const int steps = periodic ? n : n - 1;
                const auto is = [&](const Tensor& t, auto f) { check(t, sampled(n, steps, f)); };
                is(bartlett_window(n, periodic, kDouble),
                   [](double s) { return 1 - std::fabs(2 * s - 1); });
                is(hann_window(n, periodic, kDouble),
                   [&](double s) { return 0.5 - 0.5 * std::cos(turn * s); });
                is(hamming_window(n, periodic, kDouble),
                   [&](double s) { return 0.54 - 0.46 * std::cos(turn * s); });
                is(hamming_window(n, periodic, 0.3, 0.6, kDouble),
                   [&](double s) { return 0.3 - 0.6 * std::cos(turn * s); });
                is(blackman_window(n, periodic, kDouble), [&](double s) {
                    return 0.42 - 0.5 * std::cos(turn * s) + 0.08 * std::cos(2 * turn * s);
                });
                is(kaiser_window(n, periodic, 5, kDouble), [](double s) {
                    const double x = 2 * s - 1;
                    return boost::math::cyl_bessel_i(0, 5 * std::sqrt(1 - x * x)) /
                           boost::math::cyl_bessel_i(0, 5.0);
                });
            }
    });
}

TEST_CASE("windows are symmetric unless told otherwise") {
    test::for_each_mode([] {
        for (bool sym : {true, false}) {
            const int n = 6, steps = sym ? n - 1 : n;
            const auto is = [&](const Tensor& t, auto f) { check(t, sampled(n, steps, f)); };
            const auto at = [&](double s) { return s * steps; };
            is(windows::bartlett(n, sym, kDouble),
               [](double s) { return 1 - std::fabs(2 * s - 1); });
            is(windows::hann(n, sym, kDouble),
               [](double s) { return 0.5 - 0.5 * std::cos(2 * M_PI * s); });
            is(windows::hamming(n, sym, kDouble),
               [](double s) { return 0.54 - 0.46 * std::cos(2 * M_PI * s); });
            is(windows::general_hamming(n, 0.75, sym, kDouble),
               [](double s) { return 0.75 - 0.25 * std::cos(2 * M_PI * s); });
            is(windows::blackman(n, sym, kDouble), [](double s) {
                return 0.42 - 0.5 * std::cos(2 * M_PI * s) + 0.08 * std::cos(4 * M_PI * s);
            });
            is(windows::nuttall(n, sym, kDouble), [](double s) {
                const double a = 2 * M_PI * s;
                return 0.3635819 - 0.4891775 * std::cos(a) + 0.1365995 * std::cos(2 * a) -
                       0.0106411 * std::cos(3 * a);
            });
            is(windows::general_cosine(n, std::vector<double>{0.5, 0.25}, sym, kDouble),
               [](double s) { return 0.5 - 0.25 * std::cos(2 * M_PI * s); });
            is(windows::cosine(n, sym, kDouble),
               [&](double s) { return std::sin(M_PI * (at(s) + 0.5) / (steps + 1)); });
            is(windows::gaussian(n, 1.5, sym, kDouble), [&](double s) {
                const double x = (at(s) - 0.5 * steps) / 1.5;
                return std::exp(-0.5 * x * x);
            });
            is(windows::exponential(n, nullopt, 2, sym, kDouble),
               [&](double s) { return std::exp(-std::fabs(at(s) - 0.5 * steps) / 2); });
            is(windows::kaiser(n, 3, sym, kDouble), [](double s) {
                const double x = 2 * s - 1;
                return boost::math::cyl_bessel_i(0, 3 * std::sqrt(1 - x * x)) /
                       boost::math::cyl_bessel_i(0, 3.0);
            });
        }
    });
    check(windows::exponential(1, 1.5, 2, false, kDouble), {std::exp(-0.75)});
}

TEST_CASE("windows: short ones, dtypes, errors") {
    CHECK(hann_window(0).numel() == 0);
    test::check<float>(hann_window(1), {1}, {1});
    CHECK((hann_window(3, kHalf).scalar_type() == kHalf));
    CHECK((hann_window(3).scalar_type() == kFloat));
    CHECK_ERROR(Error, hann_window(-1),
                "[hann_window] the window length is negative; got -1, expected 0 or more; try 0 "
                "for an empty window");
    CHECK_ERROR(Error, hann_window(3, kInt),
                "[hann_window] the dtype is not supported; got Int, expected a floating-point "
                "dtype; try kFloat, then .to(kInt) on the window");
    CHECK_ERROR(ValueError, windows::hann(3, true, kHalf),
                "[general_hamming] the dtype is not supported; got Half, expected Float or Double; "
                "try kFloat, then .to(kHalf) on the window");
    CHECK_ERROR(ValueError, windows::exponential(3, 1.0),
                "[exponential] center is given for a symmetric window; got 1, expected nullopt; "
                "try sym = false, or leaving center out");
    CHECK_ERROR(ValueError, windows::gaussian(3, 0),
                "[gaussian] the standard deviation is not positive; got 0, expected a positive "
                "number; try 1, the default");
}
