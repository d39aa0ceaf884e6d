// log(exp(a) + exp(b)) of complex numbers, as the table's row defines it. The angle is computed
// relative to the operand with the larger real part.
#pragma once

#include <sinter/complex.hpp>
#include <sinter/math/angle.hpp>
#include <sinter/math/exp.hpp>
#include <sinter/math/host.hpp>
#include <sinter/math/hypot.hpp>
#include <sinter/math/log.hpp>
#include <sinter/math/trig.hpp>

#include <cmath>
#include <limits>

namespace sinter::scan {

class complex_log_sum {
public:
    /// Returns log(exp(a) + exp(b)). If both are alike, `b` counts as the second.
    static complex<double> of(complex<double> a, complex<double> b) {
        if (has_nan(a) || has_nan(b)) return {nan, nan};
        const bool b_larger = a.real() < b.real();
        const complex<double> top = b_larger ? b : a, low = b_larger ? a : b;
        if (top.real() == -infinity) return low;
        if (low.real() == infinity) return {infinity, angle_of_infinities(a.imag(), b.imag())};
        const double size = call([](auto x) { return math::exp(x); }, low.real() - top.real());
        if (size == 0) return top;
        const double turn = low.imag() - top.imag();
        const double re = size * cos(turn), im = turn == 0 ? turn : size * sin(turn);
        return {top.real() + log_of_size(re, im), top.imag() + atan2(im, 1 + re)};
    }

private:
    using number = math::host<double>;
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    static bool has_nan(complex<double> z) { return z.real() != z.real() || z.imag() != z.imag(); }
    template <class F>
    static double call(const F& f, double x) {
        return f(number::from(x)).v;
    }
    static double cos(double x) {
        return call([](auto v) { return math::cos(v); }, x);
    }
    static double sin(double x) {
        return call([](auto v) { return math::sin(v); }, x);
    }
    static double atan2(double y, double x) {
        return math::atan2(number::from(y), number::from(x)).v;
    }
    /// Returns the angle of infinity times (cos a + cos b, sin a + sin b).
    static double angle_of_infinities(double a, double b) {
        const auto im = [](double x) { return x == 0 ? x : infinity * sin(x); };
        return atan2(im(a) + im(b), infinity * cos(a) + infinity * cos(b));
    }
    /// Returns log |1 + re + i im|.
    static double log_of_size(double re, double im) {
        const double square = re * (re + 2) + im * im;  // of the absolute value, minus 1
        if (square > -0.75) return 0.5 * call([](auto v) { return math::log1p(v); }, square);
        const double size = math::hypot(number::from(1 + re), number::from(im)).v;
        return call([](auto v) { return math::log(v); }, size);
    }
};

}  // namespace sinter::scan
