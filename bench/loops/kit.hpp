// Building blocks of the loops in hand.cpp and hand_fast.cpp. The two differ in compiler flags and
// in `Math`. `Math` must be a type of the including file (in an unnamed namespace), so that the two
// files share no template instance.
#pragma once

#include "bench/loops/loops.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#if defined(__AVX__)
#include <immintrin.h>
#endif

/// Lets the compiler vectorise the next loop without alias checks.
#if defined(__clang__)
#define BENCH_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define BENCH_NO_ALIAS _Pragma("GCC ivdep")
#endif

namespace bench {

/// Below this number of elements, starting threads costs more than it saves.
constexpr int64_t serial_limit = 20000;
constexpr int64_t stream_chunk = 1024;
constexpr int most_threads = 256;

template <class T, class Math>
struct kit {
    // One cache line; it can be loaded from any element's address.
    typedef T line __attribute__((vector_size(64)));
    typedef T loose_line __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
    static constexpr int64_t width = 64 / sizeof(T);

    static line load(const T* p) { return *reinterpret_cast<const loose_line*>(p); }

    static int team(int64_t n, int threads) { return n < serial_limit ? 1 : threads; }

    /// Copies with streaming stores.
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
        team_run(threads, [=](int t) {
            const int64_t first = chunks * t / threads * stream_chunk;
            const int64_t last = std::min(n, chunks * (t + 1) / threads * stream_chunk);
            if (!stream) {
                body(first, last, out + first);
                return;
            }
            alignas(64) T buffer[stream_chunk];
            for (int64_t i = first; i < last; i += stream_chunk) {
                const int64_t end = std::min(last, i + stream_chunk);
                body(i, end, buffer);
                stream_out(out + i, buffer, end - i);
            }
        });
    }

    static T total(line v) {
        T t = 0;
        for (int l = 0; l < width; ++l) t += v[l];
        return t;
    }

    /// Returns the sum of f(line) over all lines, in eight accumulators: enough to hide the latency
    /// of an addition.
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

    static line larger(line a, line b) {
#if defined(__AVX512F__)
        if constexpr (std::is_same_v<T, float>)
            return (line)_mm512_max_ps((__m512)a, (__m512)b);
        else
            return (line)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
        return a > b ? a : b;
#endif
    }
    static T row_max(const T* x, int64_t n) {
        T m = x[0];
        int64_t i = 0;
        if (n >= 8 * width) {
            line most[8];
            for (int l = 0; l < 8; ++l) most[l] = load(x + l * width);
            for (i = 8 * width; i + 8 * width <= n; i += 8 * width)
                for (int l = 0; l < 8; ++l) {
                    const line v = load(x + i + l * width);
                    most[l] = larger(v, most[l]);
                }
            for (int l = 1; l < 8; ++l) most[0] = larger(most[l], most[0]);
            for (int l = 0; l < width; ++l) m = std::max(m, most[0][l]);
        }
        line rest = m - line{};
        for (; i + width <= n; i += width) {
            const line v = load(x + i);
            rest = larger(v, rest);
        }
        for (int l = 0; l < width; ++l) m = std::max(m, rest[l]);
        for (; i < n; ++i) m = std::max(m, x[i]);
        return m;
    }

    /// Calls body(part) for each part; a team of one has no overhead.
    template <class F>
    static void team_run(int threads, F body) {
        if (threads == 1) return body(0);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int t = 0; t < threads; ++t) body(t);
    }

    /// Calls body(begin, end, part) for one range of [0, n) per thread and returns the number of
    /// ranges. `work` is the total number of elements.
    template <class F>
    static int ranges(int64_t n, int64_t work, int threads, F body) {
        threads = std::min(team(work, threads), most_threads);
        team_run(threads, [&](int t) { body(n * t / threads, n * (t + 1) / threads, t); });
        return threads;
    }
    template <class F>
    static int ranges(int64_t n, int threads, F body) {
        return ranges(n, n, threads, body);
    }

    /// Calls body(i) for each i below `count`; all calls together process `work` elements.
    template <class F>
    static void each(int64_t count, int64_t work, int threads, F body) {
        ranges(count, work, threads, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) body(i);
        });
    }

    /// Calls body(row, to) for each row of the result, of `columns` elements; `to` may be a buffer.
    template <class F>
    static void rows(T* out, int64_t count, int64_t columns, const loop_arguments& k, F body) {
        constexpr int64_t longest = 4096;
        if (!k.stream || columns > longest) {
            each(count, count * columns, k.threads, [&](int64_t r) { body(r, out + r * columns); });
            return;
        }
        ranges(count, count * columns, k.threads, [&](int64_t begin, int64_t end, int) {
            alignas(64) T buffer[longest];
            for (int64_t r = begin; r < end; ++r) {
                body(r, buffer);
                stream_out(out + r * columns, buffer, columns);
            }
        });
    }
};

}  // namespace bench
