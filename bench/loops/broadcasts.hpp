// Loops of the reductions over broadcasts. None materialises the reduced values.
#pragma once

#include "bench/loops/kit.hpp"

#include <vector>

namespace bench {

template <class T, class Math>
struct broadcast_loops : kit<T, Math> {
    using base = kit<T, Math>;
    using base::load, base::width, base::each;
    using typename base::line;
    using typename base::loose_line;

    static void store(T* to, line v) { *reinterpret_cast<loose_line*>(to) = v; }

    /// Squared distances of x [n, d] and y [m, d]. y is first transposed in strips, so that lanes
    /// are columns of the result. 4 rows by 2 lines of results stay in registers.
    static void pairwise(const loop_arguments& k) {
        const int64_t n = k.sizes[0], m = k.sizes[1], depth = k.sizes[2];
        constexpr int64_t strip = 2 * width;
        const int64_t strips = (m + strip - 1) / strip;
        static std::vector<T> transposed;  // only one thread of the program runs this
        transposed.resize(static_cast<std::size_t>(strips * strip * depth));
        T* across = transposed.data();
        const T *x = k.in<T>(0), *y = k.in<T>(1);
        for (int64_t j = 0; j < m; ++j)
            for (int64_t i = 0; i < depth; ++i)
                across[((j / strip) * depth + i) * strip + j % strip] = y[j * depth + i];
        each((n + 3) / 4, n * m * depth, k.threads, [&](int64_t block) {
            const int64_t r = block * 4, tall = std::min<int64_t>(4, n - r);
            const T* row[4];
            for (int64_t i = 0; i < 4; ++i) row[i] = x + (r + std::min(i, tall - 1)) * depth;
            for (int64_t s = 0; s < strips; ++s) {
                const T* from = across + s * depth * strip;
                line sum[4][2] = {};
                for (int64_t i = 0; i < depth; ++i, from += strip) {
                    const line low = load(from), high = load(from + width);
                    for (int l = 0; l < 4; ++l) {
                        const line p = row[l][i] - low, q = row[l][i] - high;
                        sum[l][0] += p * p;
                        sum[l][1] += q * q;
                    }
                }
                for (int64_t l = 0; l < tall; ++l) {
                    T* to = k.out<T>() + (r + l) * m + s * strip;
                    if (s * strip + strip <= m) {
                        store(to, sum[l][0]);
                        store(to + width, sum[l][1]);
                    } else {
                        for (int64_t c = 0; c < m - s * strip; ++c)
                            to[c] = sum[l][c / width][c % width];
                    }
                }
            }
        });
    }

    /// Row sums of the products x[i] * y[j].
    static void outer_sum(const loop_arguments& k) {
        const int64_t n = k.sizes[0], m = k.sizes[1];
        const T *x = k.in<T>(0), *y = k.in<T>(1);
        each((n + 3) / 4, n * m, k.threads, [&](int64_t block) {
            const int64_t r = block * 4, tall = std::min<int64_t>(4, n - r);
            T v[4];
            for (int64_t l = 0; l < 4; ++l) v[l] = x[r + std::min(l, tall - 1)];
            line sum[4][2] = {};
            int64_t j = 0;
            for (; j + 2 * width <= m; j += 2 * width) {
                const line low = load(y + j), high = load(y + j + width);
                for (int l = 0; l < 4; ++l) {
                    sum[l][0] += v[l] * low;
                    sum[l][1] += v[l] * high;
                }
            }
            for (int64_t l = 0; l < tall; ++l) {
                T all = base::total(sum[l][0] + sum[l][1]);
                for (int64_t i = j; i < m; ++i) all += v[l] * y[i];
                k.out<T>()[r + l] = all;
            }
        });
    }

    /// The sum of all products x[i] * y[j].
    static void outer_total(const loop_arguments& k) {
        const int64_t n = k.sizes[0], m = k.sizes[1];
        const T *x = k.in<T>(0), *y = k.in<T>(1);
        T part[most_threads];
        const int teams = base::ranges(n, n * m, k.threads, [&](int64_t begin, int64_t end, int t) {
            T all = 0;
            for (int64_t r = begin; r < end; ++r)
                all += base::sum_of(y, m, [v = x[r]](line l) { return v * l; });
            part[t] = all;
        });
        T all = 0;
        for (int t = 0; t < teams; ++t) all += part[t];
        *k.out<T>() = all;
    }

    /// Means over those elements of the middle dimension that the mask [batch, rows] selects.
    static void masked_mean(const loop_arguments& k) {
        const int64_t batch = k.sizes[0], rows = k.sizes[1], columns = k.sizes[2];
        each(batch, batch * rows * columns, k.threads, [&](int64_t b) {
            const bool* mask = k.in<bool>(1) + b * rows;
            T* __restrict to = k.out<T>() + b * columns;
            std::fill_n(to, columns, T(0));
            const T* kept[4];
            int64_t held = 0, count = 0;
            for (int64_t r = 0; r < rows; ++r) {
                if (!mask[r]) continue;
                kept[held++] = k.in<T>() + (b * rows + r) * columns;
                ++count;
                if (held < 4) continue;
                held = 0;
                const T *p = kept[0], *q = kept[1], *s = kept[2], *t = kept[3];
                BENCH_NO_ALIAS
                for (int64_t c = 0; c < columns; ++c) to[c] += (p[c] + q[c]) + (s[c] + t[c]);
            }
            for (int64_t h = 0; h < held; ++h) {
                const T* p = kept[h];
                BENCH_NO_ALIAS
                for (int64_t c = 0; c < columns; ++c) to[c] += p[c];
            }
            const T total = static_cast<T>(count);
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns; ++c) to[c] /= total;
        });
    }
};

template <class Math>
void add_broadcasts(std::vector<loop_row>& to) {
    using f = broadcast_loops<float, Math>;
    using d = broadcast_loops<double, Math>;
    to.push_back({"pairwise", f::pairwise, d::pairwise, "one operand transposed, register tiles"});
    to.push_back({"outer_sum", f::outer_sum, d::outer_sum, "free order, four rows at a time"});
    to.push_back({"outer_total", f::outer_total, d::outer_total, "free order"});
    to.push_back(
        {"masked_mean", f::masked_mean, d::masked_mean, "reads only what the mask lets through"});
}

}  // namespace bench
