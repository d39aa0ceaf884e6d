// The loops to beat under the library's numerics.
//
// exp is written here. The other functions are the library's formulas, which a compiler can
// vectorise: nobody writes a 1-ULP erf for a single loop. So their cases compare generated code,
// not formulas.
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 reports its intrinsics as uninitialised.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#pragma GCC target("prefer-vector-width=512")
#endif
#include "bench/loops/all.hpp"
#include "bench/loops/elements.hpp"
#include "bench/loops/orders.hpp"

#include <sinter/math/erf.hpp>
#include <sinter/math/host.hpp>
#include <sinter/math/hyperbolic.hpp>
#include <sinter/math/log.hpp>

#include <bit>
#include <cmath>

namespace bench {
namespace {

struct exact_math {
    /// x = n ln2 + r, a Taylor polynomial of r, and 2^n in two factors so that results below the
    /// normal range are correct.
    static float exp(float x) {
        x = x < -104.f ? -104.f : x > 89.f ? 89.f : x;
        const float shifted = std::fma(x, 0x1.715476p+0f, 0x1.8p23f);
        const float n = shifted - 0x1.8p23f;
        const float r = std::fma(n, -0x1.7f7d1cp-20f, std::fma(n, -0x1.62e4p-1f, x));
        float p = 1.f / 5040;
        p = std::fma(p, r, 1.f / 720);
        p = std::fma(p, r, 1.f / 120);
        p = std::fma(p, r, 1.f / 24);
        p = std::fma(p, r, 1.f / 6);
        p = std::fma(p, r, 0.5f);
        p = std::fma(p * r, r, r) + 1.f;
        const int k = std::bit_cast<int>(shifted) - std::bit_cast<int>(0x1.8p23f);
        const int half = k >> 1;
        return p * std::bit_cast<float>((half + 127) << 23) *
               std::bit_cast<float>((k - half + 127) << 23);
    }

    static double exp(double x) {
        x = x < -746. ? -746. : x > 710. ? 710. : x;
        const double shifted = std::fma(x, 0x1.71547652b82fep+0, 0x1.8p52);
        const double n = shifted - 0x1.8p52;
        const double r = std::fma(n, -0x1.a39ef35793c76p-33, std::fma(n, -0x1.62e42feep-1, x));
        const double r2 = r * r, r4 = r2 * r2;
        // Taylor coefficients 2 to 13, paired, because the latency of a single Horner chain would
        // be the limit.
        const double a = std::fma(1. / 6, r, 0.5), b = std::fma(1. / 120, r, 1. / 24);
        const double c = std::fma(1. / 5040, r, 1. / 720), d = std::fma(1. / 362880, r, 1. / 40320);
        const double e = std::fma(1. / 39916800, r, 1. / 3628800);
        const double f = std::fma(1. / 6227020800, r, 1. / 479001600);
        const double low = std::fma(b, r2, a), middle = std::fma(d, r2, c),
                     high = std::fma(f, r2, e);
        const double q = std::fma(std::fma(high, r4, middle), r4, low);
        const double p = std::fma(q, r2, r) + 1;
        const int64_t k = std::bit_cast<int64_t>(shifted) - std::bit_cast<int64_t>(0x1.8p52);
        const int64_t half = k >> 1;
        return p * std::bit_cast<double>((half + 1023) << 52) *
               std::bit_cast<double>((k - half + 1023) << 52);
    }

#define LIBRARY_FORMULA(name)                        \
    template <class T>                               \
    static T name(T x) {                             \
        using value = sinter::math::host<T>;         \
        return sinter::math::name(value::from(x)).v; \
    }
    LIBRARY_FORMULA(erf)
    LIBRARY_FORMULA(log)
    LIBRARY_FORMULA(log1p)
    LIBRARY_FORMULA(tanh)
#undef LIBRARY_FORMULA
    static float sqrt(float x) { return std::sqrt(x); }
    static double sqrt(double x) { return std::sqrt(x); }
};

}  // namespace

template <>
struct formulas<exact_math> : exact_math {
#include "bench/loops/formulas.inc"
};

std::vector<loop_row> hand_loops() {
    std::vector<loop_row> all = all_loops<exact_math>();
    add_elements<exact_math>(all);
    add_orders<exact_math>(all);
    return all;
}

void hand_triad(float* a, const float* b, const float* c, float s, int64_t n, int threads,
                bool stream) {
    kit<float, exact_math>::map(a, n, threads, stream,
                                [=](int64_t begin, int64_t end, float* __restrict d) {
                                    BENCH_NO_ALIAS
                                    for (int64_t i = begin; i < end; ++i)
                                        d[i - begin] = b[i] + s * c[i];
                                });
}

}  // namespace bench
