// The loops of hand.cpp and hand_fast.cpp. They differ in compiler flags and in `Math`, which must
// be a type of the including file's own (an unnamed namespace), so that no instance is shared.
#pragma once

#include "bench/hand.hpp"

#include <algorithm>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#endif

/// The next loop may be vectorised without a look at the addresses.
#if defined(__clang__)
#define BENCH_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define BENCH_NO_ALIAS _Pragma("GCC ivdep")
#endif

namespace bench {

/// Below this, starting threads costs more than it saves.
constexpr int64_t serial_limit = 20000;
constexpr int64_t stream_chunk = 1024;

template <class T, class Math>
struct loops {
    // One cache line; loaded from any element.
    typedef T line __attribute__((vector_size(64)));
    typedef T loose_line __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
    static constexpr int64_t width = 64 / sizeof(T);

    static line load(const T* p) { return *reinterpret_cast<const loose_line*>(p); }

    static int team(int64_t n, int threads) { return n < serial_limit ? 1 : threads; }

    /// Copies past the caches.
    static void stream_out(T* to, const T* from, int64_t n) {
        int64_t i = 0;
#if defined(__AVX__)
        while (i < n && reinterpret_cast<uintptr_t>(to + i) % 64 != 0) {
            to[i] = from[i];
            ++i;
        }
        for (; i + width <= n; i += width) {
#if defined(__AVX512F__)
            _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
#else
            const auto* source = reinterpret_cast<const __m256i*>(from + i);
            auto* target = reinterpret_cast<__m256i*>(to + i);
            _mm256_stream_si256(target, _mm256_loadu_si256(source));
            _mm256_stream_si256(target + 1, _mm256_loadu_si256(source + 1));
#endif
        }
#endif
        for (; i < n; ++i) to[i] = from[i];
    }

    /// Calls body(begin, end, d), which writes elements [begin, end) of the result to d.
    template <class F>
    static void map(T* out, int64_t n, int threads, bool stream, F body) {
        threads = team(n, threads);
        if (threads == 1 && !stream) {
            body(0, n, out);
            return;
        }
        const int64_t chunks = (n + stream_chunk - 1) / stream_chunk;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int t = 0; t < threads; ++t) {
            const int64_t first = chunks * t / threads * stream_chunk;
            const int64_t last = std::min(n, chunks * (t + 1) / threads * stream_chunk);
            if (!stream) {
                body(first, last, out + first);
                continue;
            }
            alignas(64) T buffer[stream_chunk];
            for (int64_t i = first; i < last; i += stream_chunk) {
                const int64_t end = std::min(last, i + stream_chunk);
                body(i, end, buffer);
                stream_out(out + i, buffer, end - i);
            }
        }
    }

    static void muladd(const T* a, const T* b, const T* c, T* out, int64_t n, int threads,
                       bool stream) {
        map(out, n, threads, stream, [=](int64_t begin, int64_t end, T* __restrict d) {
            BENCH_NO_ALIAS
            for (int64_t i = begin; i < end; ++i) d[i - begin] = a[i] * b[i] + c[i];
        });
    }

    static void poly10(const T* x, const T* k, T* out, int64_t n, int threads, bool stream) {
        const T k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3], k4 = k[4], k5 = k[5];
        map(out, n, threads, stream, [=](int64_t begin, int64_t end, T* __restrict d) {
            BENCH_NO_ALIAS
            for (int64_t i = begin; i < end; ++i) {
                const T v = x[i];
                d[i - begin] = ((((k5 * v + k4) * v + k3) * v + k2) * v + k1) * v + k0;
            }
        });
    }

    static void gelu(const T* x, T* out, int64_t n, int threads, bool stream) {
        map(out, n, threads, stream, [=](int64_t begin, int64_t end, T* __restrict d) {
            gelu_part(x + begin, d, end - begin);
        });
    }
    [[gnu::flatten]] static void gelu_part(const T* __restrict x, T* __restrict d, int64_t n) {
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i)
            d[i] = T(0.5) * x[i] * (T(1) + Math::erf(x[i] * T(0.70710678118654752)));
    }
    [[gnu::flatten]] static void exp_part(const T* __restrict x, T shift, T* __restrict d,
                                          int64_t n) {
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] = Math::exp(x[i] - shift);
    }

    static T total(line v) {
        T t = 0;
        for (int l = 0; l < width; ++l) t += v[l];
        return t;
    }

    /// Sum of f(line) over all, in eight accumulators: enough to hide the latency of an addition.
    template <class F>
    static T sum_of(const T* x, int64_t n, F f) {
        line s[8] = {};
        int64_t i = 0;
        for (; i + 8 * width <= n; i += 8 * width) {
            s[0] += f(load(x + i));
            s[1] += f(load(x + i + width));
            s[2] += f(load(x + i + 2 * width));
            s[3] += f(load(x + i + 3 * width));
            s[4] += f(load(x + i + 4 * width));
            s[5] += f(load(x + i + 5 * width));
            s[6] += f(load(x + i + 6 * width));
            s[7] += f(load(x + i + 7 * width));
        }
        for (; i + width <= n; i += width) s[0] += f(load(x + i));
        T t = total(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
        for (; i < n; ++i) {
            line one = {};
            one[0] = x[i];
            t += f(one)[0];
        }
        return t;
    }

    static T serial_sum(const T* x, int64_t n) {
        return sum_of(x, n, [](line v) { return v; });
    }

    static T sum(const T* x, int64_t n, int threads) {
        threads = team(n, threads);
        if (threads == 1) return serial_sum(x, n);
        T all = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : all)
        for (int t = 0; t < threads; ++t)
            all += serial_sum(x + n * t / threads, n * (t + 1) / threads - n * t / threads);
        return all;
    }

    /// Count, mean and sum of squared deviations: two passes over each block while it is in the
    /// cache, blocks merged. As exact as two passes over everything, and reads memory once.
    struct state {
        double count = 0, mean = 0, m2 = 0;
        void merge(const state& o) {
            if (o.count == 0) return;
            const double all = count + o.count, d = o.mean - mean;
            m2 += o.m2 + d * d * count * o.count / all;
            mean += d * o.count / all;
            count = all;
        }
    };

    static state serial_moments(const T* x, int64_t n) {
        constexpr int64_t block = 2048;
        state s;
        for (int64_t i = 0; i < n; i += block) {
            const int64_t size = std::min(block, n - i);
            const T mean = serial_sum(x + i, size) / static_cast<T>(size);
            const T m2 = sum_of(x + i, size, [mean](line v) { return (v - mean) * (v - mean); });
            s.merge(
                {static_cast<double>(size), static_cast<double>(mean), static_cast<double>(m2)});
        }
        return s;
    }

    static moments<T> mean_var(const T* x, int64_t n, int threads) {
        constexpr int most = 256;
        threads = std::min(team(n, threads), most);
        state part[most];
        if (threads == 1) {
            part[0] = serial_moments(x, n);
        } else {
#pragma omp parallel for schedule(static) num_threads(threads)
            for (int t = 0; t < threads; ++t)
                part[t] =
                    serial_moments(x + n * t / threads, n * (t + 1) / threads - n * t / threads);
        }
        for (int t = 1; t < threads; ++t) part[0].merge(part[t]);
        return {static_cast<T>(part[0].mean), static_cast<T>(part[0].m2 / (part[0].count - 1))};
    }

    static T row_max(const T* x, int64_t n) {
        int64_t i = 0;
        T m = x[0];
        if (n >= 2 * width) {
            line a = load(x), b = load(x + width);
            for (i = 2 * width; i + 2 * width <= n; i += 2 * width) {
                const line c = load(x + i), d = load(x + i + width);
                a = c > a ? c : a;
                b = d > b ? d : b;
            }
            a = b > a ? b : a;
            for (int l = 0; l < width; ++l) m = std::max(m, a[l]);
        }
        for (; i < n; ++i) m = std::max(m, x[i]);
        return m;
    }

    static void softmax_row(const T* x, T* d, int64_t n) {
        exp_part(x, row_max(x, n), d, n);
        const T s = serial_sum(d, n);
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] /= s;
    }

    static void softmax(const T* x, T* out, int64_t rows, int64_t columns, int threads,
                        bool stream) {
        constexpr int64_t longest = 4096;
        threads = team(rows * columns, threads);
        stream = stream && columns <= longest;
#pragma omp parallel num_threads(threads) if (threads > 1)
        {
            alignas(64) T buffer[longest];
#pragma omp for schedule(static)
            for (int64_t r = 0; r < rows; ++r) {
                const T* from = x + r * columns;
                T* to = out + r * columns;
                softmax_row(from, stream ? buffer : to, columns);
                if (stream) stream_out(to, buffer, columns);
            }
        }
    }

    static constexpr hand_table<T> table{muladd, poly10, gelu, sum, mean_var, softmax};
};

}  // namespace bench
