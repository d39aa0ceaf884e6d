#include "kernels/special/pairs.hpp"

#include "runtime/fp_environment.hpp"
#include "runtime/threads.hpp"

#include <sinter/math/host.hpp>
#include <sinter/math/math.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace sinter::special_pairs {

// What pairs_text.hpp is written in: the rows' own functions, whose bits depend on no C library.
namespace functions {
namespace {

using f64 = double;
using number = math::host<double>;

f64 infinity() { return std::numeric_limits<f64>::infinity(); }
f64 not_a_number() { return std::numeric_limits<f64>::quiet_NaN(); }
f64 fabs(f64 x) { return std::fabs(x); }
f64 sqrt(f64 x) { return std::sqrt(x); }
f64 floor(f64 x) { return std::floor(x); }
f64 trunc(f64 x) { return std::trunc(x); }
f64 fmod(f64 x, f64 y) { return std::fmod(x, y); }
f64 exp(f64 x) { return math::exp(number(x)).v; }
f64 expm1(f64 x) { return math::expm1(number(x)).v; }
f64 log(f64 x) { return math::log(number(x)).v; }
f64 log1p(f64 x) { return math::log1p(number(x)).v; }
f64 sin(f64 x) { return math::sin(number(x)).v; }
f64 cos(f64 x) { return math::cos(number(x)).v; }
f64 acos(f64 x) { return math::acos(number(x)).v; }
f64 erfc(f64 x) { return math::erfc(number(x)).v; }
f64 lgamma(f64 x) { return math::lgamma(number(x)).v; }
f64 pow(f64 x, f64 y) { return math::pow(number(x), number(y)).v; }

#define SHARED inline
#define SINTER_BOTH(...) __VA_ARGS__
#include "kernels/special/pairs_text.hpp"
#undef SINTER_BOTH
#undef SHARED

}  // namespace
}  // namespace functions

namespace {

template <auto function, class T>
void run(const library_call& call) {
    const library_input &left = call.inputs[0], &right = call.inputs[1];
    const geometry& g = call.shape;
    const auto* a = reinterpret_cast<const T*>(left.data) + left.shape->offset;
    const auto* b = reinterpret_cast<const T*>(right.data) + right.shape->offset;
    auto* to = reinterpret_cast<T*>(call.output) + g.offset;
    constexpr int64_t grain = 500;
    runtime::parallel_for(0, g.numel, grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        std::array<int64_t, 64> at{};
        int64_t rest = begin;
        for (int d = g.ndim - 1; d >= 0; --d) {
            at[static_cast<std::size_t>(d)] = rest % g.sizes()[d];
            rest /= g.sizes()[d];
        }
        for (int64_t i = begin; i < end; ++i) {
            int64_t first = 0, second = 0, target = 0;
            for (int d = 0; d < g.ndim; ++d) {
                const int64_t n = at[static_cast<std::size_t>(d)];
                first += n * left.shape->strides()[d];
                second += n * right.shape->strides()[d];
                target += n * g.strides()[d];
            }
            to[target] = static_cast<T>(
                function(static_cast<double>(a[first]), static_cast<double>(b[second])));
            for (int d = g.ndim - 1; d >= 0; --d) {
                if (++at[static_cast<std::size_t>(d)] < g.sizes()[d]) break;
                at[static_cast<std::size_t>(d)] = 0;
            }
        }
    });
}

template <auto function>
void run_any(const library_call& call) {
    call.dtype == kDouble ? run<function, double>(call) : run<function, float>(call);
}

}  // namespace

#define SINTER_SPECIAL(name) \
    const library_op name = {#name, run_any<functions::name>, false, nullptr};
SINTER_SPECIAL(igamma)
SINTER_SPECIAL(igammac)
#include <sinter/special_pairs.def>
#undef SINTER_SPECIAL

}  // namespace sinter::special_pairs
