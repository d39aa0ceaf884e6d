// PyTorch's CPU random stream: the words that each element takes, and its value.
//
// The operations are those of PyTorch's x86 kernels, in the same order, so that the bits are equal.
// Normal floats in blocks of 16 or more use short polynomials with fused multiply-add. Everything
// else uses the C library, in the precision given at each function.
#include "ops/random/draw.hpp"

#include "runtime/types/dtypes.hpp"
#include "ops/common/devices.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/types/element.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace sinter::ops {
namespace {

using kind = distribution::kind;

template <class T>
using real_of = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Returns a number in [0, 1): 53 bits in double; 24 bits in float, also for narrower types.
template <class R>
R unit(CPUGeneratorImpl& g) {
    if constexpr (std::is_same_v<R, double>)
        return static_cast<double>(g.random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
    else
        return static_cast<float>(g.random() & 0xFFFFFFU) * 0x1p-24F;
}

/// Returns a number in [from, to). A value that rounds up to the end becomes `from`.
template <class T>
T between(real_of<T> from, real_of<T> to, CPUGeneratorImpl& g) {
    using R = real_of<T>;
    const T x = static_cast<T>(std::fma(unit<R>(g), to - from, from));
    return x >= static_cast<T>(to) ? static_cast<T>(from) : x;
}

/// Returns one normal number in double. Numbers are made in pairs; the generator keeps the second.
double next_normal(CPUGeneratorImpl& g) {
    if (const auto waiting = g.next_double_normal_sample()) {
        g.set_next_double_normal_sample(std::nullopt);
        return *waiting;
    }
    const double u1 = unit<double>(g), u2 = unit<double>(g);
    const double r = std::sqrt(-2.0 * std::log1p(-u2));
    const double angle = 2.0 * std::numbers::pi * u1;
    g.set_next_double_normal_sample(r * std::sin(angle));
    return r * std::cos(angle);
}

// ---- normal numbers, 16 at a time
struct sine_cosine {
    float sine, cosine;
};

/// Cephes' logf (Moshier 1992), for positive normal numbers.
float short_log(float x) {
    constexpr float c[] = {7.0376836292E-2F,  -1.1514610310E-1F, 1.1676998740E-1F,
                           -1.2420140846E-1F, 1.4249322787E-1F,  -1.6668057665E-1F,
                           2.0000714765E-1F,  -2.4999993993E-1F, 3.3333331174E-1F};
    const auto bits = std::bit_cast<uint32_t>(x);
    auto exponent = static_cast<float>(static_cast<int>(bits >> 23) - 126);
    float m = std::bit_cast<float>((bits & 0x007FFFFFU) | 0x3F000000U);  // in [0.5, 1)
    if (m < 0.707106781186547524F) {
        exponent -= 1;
        m = (m - 1) + m;
    } else {
        m -= 1;
    }
    const float square = m * m;
    float y = c[0];
    for (int i = 1; i < 9; ++i) y = std::fma(y, m, c[i]);
    y = std::fma(y * m, square, exponent * -2.12194440e-4F);
    y = std::fma(-square, 0.5F, y);
    return std::fma(exponent, 0.693359375F, m + y);
}

/// Cephes' sinf and cosf, for numbers from 0 to 2 pi.
sine_cosine short_sine_cosine(float x) {
    const int octant = (static_cast<int>(x * 1.27323954473516F) + 1) & ~1;
    const auto j = static_cast<float>(octant);
    x = std::fma(j, -0.78515625F, x);
    x = std::fma(j, -2.4187564849853515625e-4F, x);
    x = std::fma(j, -3.77489497744594108e-8F, x);
    const float z = x * x;
    float even = std::fma(2.443315711809948E-5F, z, -1.388731625493765E-3F);
    even = std::fma(even, z, 4.166664568298827E-2F);
    even = std::fma(even * z, z, -(z * 0.5F)) + 1;
    float odd = std::fma(-1.9515295891E-4F, z, 8.3321608736E-3F);
    odd = std::fma(odd, z, -1.6666654611E-1F);
    odd = std::fma(odd * z, x, x);
    const bool swapped = (octant & 2) != 0;
    const float sine = swapped ? even : odd, cosine = swapped ? odd : even;
    return {octant & 4 ? -sine : sine, (octant - 2) & 4 ? cosine : -cosine};
}

void pair_of(float u1, float u2, float mean, float std, float& first, float& second) {
    const float r = std::sqrt(-2.0F * short_log(u1));
    const auto [sine, cosine] = short_sine_cosine(static_cast<float>(2 * std::numbers::pi) * u2);
    first = std::fma(r * cosine, std, mean);
    second = std::fma(r * sine, std, mean);
}

void pair_of(double u1, double u2, double mean, double std, double& first, double& second) {
    const double r = std::sqrt(-2 * std::log(u1)), angle = 2 * std::numbers::pi * u2;
    first = std::fma(r * std::cos(angle), std, mean);
    second = std::fma(r * std::sin(angle), std, mean);
}

/// Draws all uniform numbers first, then turns each block of 16 into normal numbers in place. If a
/// part of a block is left over, the last 16 elements are drawn again.
template <class T>
void fill_normal(T* out, int64_t n, double mean, double std, CPUGeneratorImpl& g) {
    using R = real_of<T>;
    const auto sixteen = [&](T* p) {
        for (int j = 0; j < 8; ++j) {
            R first, second;
            pair_of(1 - static_cast<R>(p[j]), static_cast<R>(p[j + 8]), static_cast<R>(mean),
                    static_cast<R>(std), first, second);
            p[j] = static_cast<T>(first);
            p[j + 8] = static_cast<T>(second);
        }
    };
    for (int64_t i = 0; i < n; ++i) out[i] = between<T>(0, 1, g);
    for (int64_t i = 0; i + 16 <= n; i += 16) sixteen(out + i);
    if (n % 16 == 0) return;
    T* last = out + n - 16;
    for (int i = 0; i < 16; ++i) last[i] = between<T>(0, 1, g);
    sixteen(last);
}

// ---- by dtype
template <class T>
void fill_floating(const distribution& d, T* out, int64_t n, bool whole, CPUGeneratorImpl& g) {
    using R = real_of<T>;
    const auto each = [&](auto draw) {
        for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(draw());
    };
    switch (d.how) {
        case kind::uniform:
            return each([&] { return between<T>(static_cast<R>(d.a), static_cast<R>(d.b), g); });
        case kind::normal:
            if (whole && n >= 16) return fill_normal(out, n, d.a, d.b, g);
            return each([&] { return static_cast<R>(std::fma(next_normal(g), d.b, d.a)); });
        case kind::log_normal:
            return each(
                [&] { return static_cast<R>(std::exp(std::fma(next_normal(g), d.b, d.a))); });
        case kind::exponential:
            return each([&] { return static_cast<R>(-1 / d.a * std::log1p(-unit<double>(g))); });
        case kind::cauchy:
            return each([&] {
                const double angle = std::numbers::pi * (unit<double>(g) - 0.5);
                return static_cast<R>(d.a + d.b * std::tan(angle));
            });
        default: __builtin_unreachable();
    }
}

/// Returns true if a number takes two words: for explicit ranges from 2^28 on; for random_() it
/// depends on the dtype.
bool takes_two_words(const distribution& d, ScalarType dtype) {
    if (d.how == kind::any_integer) return dtype == kLong || dtype == kDouble;
    return d.width == 0 || d.width >= uint64_t{1} << 28;
}

template <class T>
void fill_any(const distribution& d, ScalarType dtype, T* out, int64_t n, CPUGeneratorImpl& g) {
    const auto each = [&](auto draw) {
        for (int64_t i = 0; i < n; ++i)
            runtime::store(reinterpret_cast<char*>(out + i), dtype, Scalar(draw()));
    };
    switch (d.how) {
        case kind::integers:
        case kind::any_integer: {
            const bool two = takes_two_words(d, dtype);
            return each([&]() -> int64_t {
                const uint64_t bits = two ? g.random64() : g.random();
                if (d.width == 0) return static_cast<int64_t>(bits);
                return static_cast<int64_t>(bits % d.width + static_cast<uint64_t>(d.low));
            });
        }
        case kind::bernoulli: return each([&] { return unit<double>(g) < d.a; });
        case kind::geometric:
            return each([&] {
                const double trials = std::ceil(std::log(unit<double>(g)) / std::log(1 - d.a));
                return std::max(trials, 1.0);
            });
        default: __builtin_unreachable();
    }
}

}  // namespace

Tensor twisted(const distribution& d, ScalarType dtype, IntArrayRef sizes, bool whole,
               CPUGeneratorImpl& generator) {
    const runtime::fp_environment environment;
    Tensor result(make_empty(dtype, make_contiguous(sizes), runtime::main_memory));
    const int64_t n = result.numel();
    char* bytes = fresh(*result.unsafeGetTensorImpl());
    with_type(dtype, [&]<real_element T>(std::type_identity<T>) {
        auto* out = reinterpret_cast<T*>(bytes);
        const bool discrete = d.how == kind::integers || d.how == kind::any_integer ||
                              d.how == kind::bernoulli || d.how == kind::geometric;
        if (discrete) return fill_any(d, dtype, out, n, generator);
        if constexpr (!std::is_integral_v<T>) fill_floating(d, out, n, whole, generator);
    });
    return moved(result, creation_device());
}

Tensor twisted_below(const Tensor& probabilities, ScalarType dtype, CPUGeneratorImpl& generator) {
    const runtime::fp_environment environment;
    Tensor result(make_empty(dtype, make_contiguous(probabilities.sizes()), runtime::main_memory));
    const Tensor here = on_host(probabilities);
    char* to = fresh(*result.unsafeGetTensorImpl());
    const TensorImpl& p = *here.unsafeGetTensorImpl();
    const char* data = values(p, flush_reason::value_read);
    const auto size = static_cast<int64_t>(elementSize(dtype));
    for (int64_t i = 0; i < p.shape->numel; ++i) {
        const int64_t at = p.shape->offset + i;
        const bool below = p.dtype == kDouble
                               ? unit<double>(generator) < reinterpret_cast<const double*>(data)[at]
                               : unit<float>(generator) < reinterpret_cast<const float*>(data)[at];
        runtime::store(to + i * size, dtype, below);
    }
    return result;
}

}  // namespace sinter::ops
