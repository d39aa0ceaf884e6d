// Loops that scan, choose and move elements: single precision, no NaN among the inputs, indices in
// range.
#pragma once

#include "bench/loops/kit.hpp"

#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace bench {

template <class Math>
struct element_loops : kit<float, Math> {
    using base = kit<float, Math>;
    using base::ranges, base::each;

    // ---- scans
    /// Running results of `f`, which is associative but for rounding: each range starts from the
    /// results of those before it. Sums are in double, as in the library.
    template <class F>
    static void scan(const loop_arguments& k, double neutral, F f) {
        const float* x = k.in<float>();
        const int64_t n = k.sizes[0];
        double all[most_threads];
        if (base::team(n, k.threads) > 1)
            ranges(n, k.threads, [&](int64_t begin, int64_t end, int t) {
                constexpr int lanes = 16;
                double part[lanes];
                std::fill_n(part, lanes, neutral);
                int64_t i = begin;
                for (; i + lanes <= end; i += lanes)
                    for (int l = 0; l < lanes; ++l) part[l] = f(part[l], double{x[i + l]});
                for (; i < end; ++i) part[0] = f(part[0], double{x[i]});
                all[t] = std::accumulate(part, part + lanes, neutral, f);
            });
        ranges(n, k.threads, [&](int64_t begin, int64_t end, int t) {
            double so_far = std::accumulate(all, all + t, neutral, f);
            for (int64_t i = begin; i < end; ++i)
                k.out<float>()[i] = static_cast<float>(so_far = f(so_far, double{x[i]}));
        });
    }
    static void cumsum(const loop_arguments& k) { scan(k, 0, std::plus<>()); }
    static void cumprod(const loop_arguments& k) { scan(k, 1, std::multiplies<>()); }

    /// Keeps the maximum so far and the sum of exponentials relative to it. What is serial is
    /// short: exponentials and logarithms are vectors.
    static void logcumsumexp(const loop_arguments& k) {
        constexpr int64_t block = 512;
        float most = -std::numeric_limits<float>::infinity();
        double sum = 0;
        for (int64_t at = 0; at < k.sizes[0]; at += block) {
            const int64_t n = std::min(block, k.sizes[0] - at);
            const float* x = k.in<float>() + at;
            float* out = k.out<float>() + at;
            float maximum[block + 1], element[block], shrink[block], sums[block];
            maximum[0] = at == 0 ? x[0] : most;
            for (int64_t i = 0; i < n; ++i) maximum[i + 1] = std::max(maximum[i], x[i]);
            BENCH_NO_ALIAS
            for (int64_t i = 0; i < n; ++i) {
                element[i] = Math::exp(x[i] - maximum[i + 1]);
                shrink[i] = Math::exp(maximum[i] - maximum[i + 1]);
            }
            for (int64_t i = 0; i < n; ++i)
                sums[i] = static_cast<float>(sum = sum * shrink[i] + element[i]);
            BENCH_NO_ALIAS
            for (int64_t i = 0; i < n; ++i) out[i] = maximum[i + 1] + Math::log(sums[i]);
            most = maximum[n];
        }
    }

    // ---- masks
    /// Returns the first `n`, at most 64, elements of a mask as bits.
    static uint64_t bits_of(const bool* mask, int64_t n) {
#if defined(__AVX512BW__)
        const uint64_t all = n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
        const __m512i v = _mm512_maskz_loadu_epi8(all, mask);
        return _mm512_test_epi8_mask(v, v);
#else
        uint64_t bits = 0;
        for (int64_t i = 0; i < std::min<int64_t>(n, 64); ++i) bits |= uint64_t{mask[i]} << i;
        return bits;
#endif
    }

    /// Calls body(first, bits, results before) for each 64 elements of a mask.
    template <class F>
    static void each_64(const bool* mask, int64_t n, int threads, F body) {
        int64_t count[most_threads] = {};
        if (base::team(n, threads) > 1)
            ranges(n, threads, [&](int64_t begin, int64_t end, int t) {
                for (int64_t i = begin; i < end; i += 64)
                    count[t] += std::popcount(bits_of(mask + i, end - i));
            });
        ranges(n, threads, [&](int64_t begin, int64_t end, int t) {
            int64_t before = std::accumulate(count, count + t, int64_t{0});
            for (int64_t i = begin; i < end; i += 64) {
                const uint64_t bits = bits_of(mask + i, end - i);
                body(i, bits, before);
                before += std::popcount(bits);
            }
        });
    }

    static void chosen(const loop_arguments& k) {
        const float* x = k.in<float>();
        each_64(k.in<bool>(1), k.sizes[0], k.threads, [&](int64_t i, uint64_t bits, int64_t at) {
            float* to = k.out<float>() + at;
#if defined(__AVX512F__)
            for (; bits; bits >>= 16, i += 16) {
                const auto some = static_cast<__mmask16>(bits);
                const __m512 v = _mm512_maskz_compress_ps(some, _mm512_maskz_loadu_ps(some, x + i));
                const int count = std::popcount(some);
                _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), v);
                to += count;
            }
#else
            for (; bits; bits &= bits - 1) *to++ = x[i + std::countr_zero(bits)];
#endif
        });
    }

    static void put(const loop_arguments& k) {
        const bool* mask = k.in<bool>(1);
        float* to = k.out<float>();
        ranges(k.sizes[0], k.threads, [=](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; i += 64) {
                uint64_t bits = bits_of(mask + i, end - i);
#if defined(__AVX512F__)
                for (float* at = to + i; bits; bits >>= 16, at += 16)
                    _mm512_mask_storeu_ps(at, static_cast<__mmask16>(bits), _mm512_set1_ps(2));
#else
                for (; bits; bits &= bits - 1) to[i + std::countr_zero(bits)] = 2;
#endif
            }
        });
    }

    static void nonzero(const loop_arguments& k) {
        each_64(k.in<bool>(), k.sizes[0], k.threads, [&](int64_t i, uint64_t bits, int64_t at) {
            int64_t* to = k.out<int64_t>() + at;
#if defined(__AVX512F__)
            const __m512i eight = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
            for (; bits; bits >>= 8, i += 8) {
                const auto some = static_cast<__mmask8>(bits);
                const __m512i v = _mm512_maskz_compress_epi64(
                    some, _mm512_add_epi64(eight, _mm512_set1_epi64(i)));
                const int count = std::popcount(some);
                _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1U << count) - 1), v);
                to += count;
            }
#else
            for (; bits; bits &= bits - 1) *to++ = i + std::countr_zero(bits);
#endif
        });
    }

    static void nonzero_of_rows(const loop_arguments& k) {
        const int64_t columns = k.sizes[1], n = k.sizes[0] * columns;
        each_64(k.in<bool>(), n, k.threads, [&](int64_t i, uint64_t bits, int64_t at) {
            int64_t* to = k.out<int64_t>() + 2 * at;
            int64_t row = i / columns, start = row * columns;
            for (; bits; bits &= bits - 1) {
                const int64_t place = i + std::countr_zero(bits);
                for (; place >= start + columns; start += columns) ++row;
                *to++ = row;
                *to++ = place - start;
            }
        });
    }

    // ---- places
    static void gather(const loop_arguments& k) {
        const float* x = k.in<float>(0);
        const int64_t* places = k.in<int64_t>(1);
        float* to = k.out<float>();
        ranges(k.sizes[0], k.threads, [=](int64_t begin, int64_t end, int) {
            BENCH_NO_ALIAS
            for (int64_t i = begin; i < end; ++i) to[i] = x[places[i]];
        });
    }

    static void select_rows(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        each(rows, rows * columns, k.threads, [&](int64_t r) {
            std::copy_n(k.in<float>() + k.in<int64_t>(1)[r] * columns, columns,
                        k.out<float>() + r * columns);
        });
    }

    static void select_columns(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        each(rows, rows * columns, k.threads, [&](int64_t r) {
            const float* x = k.in<float>() + r * columns;
            const int64_t* places = k.in<int64_t>(1);
            float* to = k.out<float>() + r * columns;
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns; ++c) to[c] = x[places[c]];
        });
    }

    /// The first thread adds to the result, each other one to a table of its own, added at the end.
    static void scatter_add(const loop_arguments& k) {
        const int64_t n = k.sizes[0];
        static std::vector<float> tables;
        const int others = base::team(n, k.threads) - 1;
        tables.resize(static_cast<std::size_t>(others * n));
        ranges(n, k.threads, [&](int64_t begin, int64_t end, int t) {
            float* to = t == 0 ? k.out<float>() : tables.data() + (t - 1) * n;
            if (t == 0)
                std::copy_n(k.in<float>(0), n, to);
            else
                std::fill_n(to, n, 0.f);
            const int64_t* places = k.in<int64_t>(2);
            for (int64_t i = begin; i < end; ++i) to[places[i]] += k.in<float>(1)[i];
        });
        if (others == 0) return;
        ranges(n, k.threads, [&](int64_t begin, int64_t end, int) {
            for (int t = 0; t < others; ++t) {
                const float* from = tables.data() + t * n;
                float* to = k.out<float>();
                BENCH_NO_ALIAS
                for (int64_t i = begin; i < end; ++i) to[i] += from[i];
            }
        });
    }

    /// A table of the range of `some`, where that is short; else a search.
    static void isin(const loop_arguments& k) {
        const int64_t *numbers = k.in<int64_t>(0), *some = k.in<int64_t>(1);
        std::vector<int64_t> sorted(some, some + k.sizes[1]);
        std::sort(sorted.begin(), sorted.end());
        const int64_t low = sorted.front();
        const auto extent = static_cast<uint64_t>(sorted.back()) - static_cast<uint64_t>(low) + 1;
        bool* to = k.out<bool>();
        if (extent == 0 || extent > (1 << 20)) {
            ranges(k.sizes[0], k.threads, [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i)
                    to[i] = std::binary_search(sorted.begin(), sorted.end(), numbers[i]);
            });
            return;
        }
        std::vector<uint8_t> table(extent + 1);  // the last: outside
        for (int64_t x : sorted) table[static_cast<std::size_t>(x - low)] = 1;
        ranges(k.sizes[0], k.threads, [&, found = table.data()](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) {
                const uint64_t at = static_cast<uint64_t>(numbers[i]) - static_cast<uint64_t>(low);
                to[i] = found[std::min(at, extent)];
            }
        });
    }
};

template <class Math>
void add_elements(std::vector<loop_row>& to) {
    using f = element_loops<Math>;
    const char* vectors = "compressed vectors where the processor has them";
    to.push_back({"cumsum", f::cumsum, nullptr, "sums in f64"});
    to.push_back({"cumprod", f::cumprod, nullptr, "products in f64"});
    to.push_back({"logcumsumexp", f::logcumsumexp, nullptr, "one thread; maximum and sum so far"});
    for (const char* name : {"x[half]", "x[most]", "x[half] 2-D"})
        to.push_back({name, f::chosen, nullptr, vectors});
    to.push_back({"x[half] = v", f::put, nullptr});
    to.push_back({"nonzero", f::nonzero, nullptr, vectors});
    to.push_back({"nonzero 2-D", f::nonzero_of_rows, nullptr});
    to.push_back({"gather", f::gather, nullptr});
    to.push_back({"index_select(0)", f::select_rows, nullptr});
    to.push_back({"index_select(1)", f::select_columns, nullptr});
    for (const char* name : {"scatter_add", "index_add"})
        to.push_back({name, f::scatter_add, nullptr, "free order, a table for each thread"});
    to.push_back({"isin", f::isin, nullptr, "a table"});
}

}  // namespace bench
