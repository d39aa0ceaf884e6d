// Replacements for the C library's double functions, computed by the formulas of sinter/math, so
// that the bits do not depend on the C library.
#pragma once

#include <sinter/math/host.hpp>
#include <sinter/math/math.hpp>

#include <cmath>
#include <limits>

namespace sinter::special_pairs::functions {

using f64 = double;
using number = math::host<double>;

inline f64 infinity() { return std::numeric_limits<f64>::infinity(); }
inline f64 not_a_number() { return std::numeric_limits<f64>::quiet_NaN(); }
inline f64 fabs(f64 x) { return std::fabs(x); }
inline f64 sqrt(f64 x) { return std::sqrt(x); }
inline f64 floor(f64 x) { return std::floor(x); }
inline f64 trunc(f64 x) { return std::trunc(x); }
inline f64 fmod(f64 x, f64 y) { return std::fmod(x, y); }
inline f64 exp(f64 x) { return math::exp(number(x)).v; }
inline f64 expm1(f64 x) { return math::expm1(number(x)).v; }
inline f64 log(f64 x) { return math::log(number(x)).v; }
inline f64 log1p(f64 x) { return math::log1p(number(x)).v; }
inline f64 sin(f64 x) { return math::sin(number(x)).v; }
inline f64 cos(f64 x) { return math::cos(number(x)).v; }
inline f64 acos(f64 x) { return math::acos(number(x)).v; }
inline f64 erfc(f64 x) { return math::erfc(number(x)).v; }
inline f64 lgamma(f64 x) { return math::lgamma(number(x)).v; }
inline f64 pow(f64 x, f64 y) { return math::pow(number(x), number(y)).v; }

}  // namespace sinter::special_pairs::functions
