// Loops of the reductions. Inputs are [n] (sum, mean+var, any), [rows, columns] (sum_inner,
// sum_outer, sum_sliced, argmax) or [batch, rows, columns] (sum_middle).
#pragma once

#include "bench/loops/kit.hpp"

#include <bit>
#include <cstring>
#include <vector>

namespace bench {

template <class T, class Math>
struct reduction_loops : kit<T, Math> {
    using base = kit<T, Math>;
    using base::load, base::width, base::serial_sum, base::sum_of, base::team, base::ranges,
        base::each;
    using typename base::line;

    static void sum(const loop_arguments& k) {
        T part[most_threads];
        const T* x = k.in<T>();
        const int teams = ranges(k.sizes[0], k.threads, [&](int64_t begin, int64_t end, int t) {
            part[t] = serial_sum(x + begin, end - begin);
        });
        T all = 0;
        for (int t = 0; t < teams; ++t) all += part[t];
        *k.out<T>() = all;
    }

    static void sum_inner(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        each(rows, rows * columns, k.threads,
             [&](int64_t r) { k.out<T>()[r] = serial_sum(k.in<T>() + r * columns, columns); });
    }

    /// to[] = the sum of `rows` rows. Takes eight rows at a time, to read and write `to` once for
    /// all eight.
    static void add_rows(const T* __restrict x, int64_t rows, int64_t columns, T* __restrict to) {
        std::memset(to, 0, static_cast<std::size_t>(columns) * sizeof(T));
        int64_t r = 0;
        for (; r + 8 <= rows; r += 8) {
            const T* y = x + r * columns;
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns; ++c)
                to[c] += ((y[c] + y[c + columns]) + (y[c + 2 * columns] + y[c + 3 * columns])) +
                         ((y[c + 4 * columns] + y[c + 5 * columns]) +
                          (y[c + 6 * columns] + y[c + 7 * columns]));
        }
        for (; r < rows; ++r) {
            const T* y = x + r * columns;
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns; ++c) to[c] += y[c];
        }
    }

    static void sum_outer(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        const int threads = team(rows * columns, k.threads);
        T* out = k.out<T>();
        static std::vector<T> parts;  // only one thread of the program runs this
        parts.resize(static_cast<std::size_t>(threads * columns));
        T* part = parts.data();
        ranges(rows, rows * columns, threads, [&](int64_t begin, int64_t end, int t) {
            add_rows(k.in<T>() + begin * columns, end - begin, columns,
                     t == 0 ? out : part + t * columns);
        });
        for (int t = 1; t < threads; ++t) {
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns; ++c) out[c] += part[t * columns + c];
        }
    }

    static void sum_middle(const loop_arguments& k) {
        const int64_t batch = k.sizes[0], rows = k.sizes[1], columns = k.sizes[2];
        each(batch, batch * rows * columns, k.threads, [&](int64_t b) {
            add_rows(k.in<T>() + b * rows * columns, rows, columns, k.out<T>() + b * columns);
        });
    }

    static void sum_sliced(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], stride = k.sizes[1], columns = k.sizes[2];
        T part[most_threads];
        const int teams =
            ranges(rows, rows * columns, k.threads, [&](int64_t begin, int64_t end, int t) {
                T all = 0;
                for (int64_t r = begin; r < end; ++r)
                    all += serial_sum(k.in<T>() + r * stride, columns);
                part[t] = all;
            });
        T all = 0;
        for (int t = 0; t < teams; ++t) all += part[t];
        *k.out<T>() = all;
    }

    /// Count, mean and sum of squared deviations: two passes over each block while it is in the
    /// cache, then blocks are merged. This is as exact as two passes over everything, and reads
    /// memory once.
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

    static void mean_var(const loop_arguments& k) {
        state part[most_threads];
        const int teams = ranges(k.sizes[0], k.threads, [&](int64_t begin, int64_t end, int t) {
            part[t] = serial_moments(k.in<T>() + begin, end - begin);
        });
        for (int t = 1; t < teams; ++t) part[0].merge(part[t]);
        k.out<T>()[0] = static_cast<T>(part[0].mean);
        k.out<T>()[1] = static_cast<T>(part[0].m2 / (part[0].count - 1));
    }

    /// The index of the first largest element: first finds its block, then its position in the
    /// block.
    static void argmax(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        each(rows, rows * columns, k.threads, [&](int64_t r) {
            constexpr int64_t block = 64 * width / 4;
            const T* x = k.in<T>() + r * columns;
            T most = x[0];
            int64_t at = 0;
            for (int64_t i = 0; i < columns; i += block) {
                const T m = base::row_max(x + i, std::min(block, columns - i));
                if (!(m > most)) continue;
                most = m;
                at = i;
            }
            while (x[at] != most) ++at;
            k.out<int64_t>()[r] = at;
        });
    }

    static bool any_above(const T* x, int64_t n, T limit) {
        for (int64_t i = 0; i < n; i += 4096) {
            int found = 0;
            const int64_t end = std::min(n, i + 4096);
            for (int64_t j = i; j < end; ++j) found |= x[j] > limit;
            if (found) return true;
        }
        return false;
    }
    static void any(const loop_arguments& k) {
        bool part[most_threads];
        const int teams = ranges(k.sizes[0], k.threads, [&](int64_t begin, int64_t end, int t) {
            part[t] = any_above(k.in<T>() + begin, end - begin, T(5));
        });
        bool all = false;
        for (int t = 0; t < teams; ++t) all |= part[t];
        *k.out<bool>() = all;
    }
};

#if defined(__AVX512F__) && defined(__AVX512BW__)
/// Loads 16 elements of f16 or bf16 as f32.
template <bool Brain>
__m512 widened(const uint16_t* x) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
    if constexpr (Brain)
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
    else
        return _mm512_cvtph_ps(v);
}

/// Sums in f32, rounded once at the end.
template <bool Brain>
void sum_short(const loop_arguments& k) {
    float part[most_threads];
    const auto* x = k.in<uint16_t>();
    struct unused {};
    const int teams =
        kit<float, unused>::ranges(k.sizes[0], k.threads, [&](int64_t begin, int64_t end, int t) {
            __m512 s[8] = {};
            int64_t i = begin;
            for (; i + 128 <= end; i += 128)
                for (int l = 0; l < 8; ++l)
                    s[l] = _mm512_add_ps(s[l], widened<Brain>(x + i + 16 * l));
            for (; i < end; i += 16) {
                alignas(32) uint16_t rest[16] = {};
                std::copy(x + i, x + std::min(end, i + 16), rest);
                s[0] = _mm512_add_ps(s[0], widened<Brain>(rest));
            }
            for (int l = 1; l < 8; ++l) s[0] = _mm512_add_ps(s[0], s[l]);
            part[t] = _mm512_reduce_add_ps(s[0]);
        });
    float all = 0;
    for (int t = 0; t < teams; ++t) all += part[t];
    if constexpr (Brain) {
        const auto bits = std::bit_cast<uint32_t>(all);
        *k.out<uint16_t>() = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    } else {
        *k.out<uint16_t>() = _cvtss_sh(all, _MM_FROUND_TO_NEAREST_INT);
    }
}
#endif

template <class Math>
void add_reductions(std::vector<loop_row>& to) {
    using f = reduction_loops<float, Math>;
    using d = reduction_loops<double, Math>;
    to.push_back({"sum", f::sum, d::sum, "free order"});
    to.push_back({"sum_inner", f::sum_inner, d::sum_inner, "free order"});
    to.push_back({"sum_outer", f::sum_outer, d::sum_outer, "free order, eight rows at a time"});
    to.push_back({"sum_middle", f::sum_middle, d::sum_middle, "free order, eight rows at a time"});
    to.push_back({"sum_sliced", f::sum_sliced, d::sum_sliced, "free order"});
    to.push_back(
        {"mean+var", f::mean_var, d::mean_var, "free order, two passes over blocks in cache"});
    to.push_back({"argmax", f::argmax, d::argmax});
    to.push_back({"any", f::any, d::any});
#if defined(__AVX512F__) && defined(__AVX512BW__)
    to.push_back({"sum_f16", sum_short<false>, nullptr, "free order, sums in f32"});
    to.push_back({"sum_bf16", sum_short<true>, nullptr, "free order, sums in f32"});
#endif
}

}  // namespace bench
