// Loops of the row chains: inputs [rows, columns]; from its first pass on, a row is in the L1
// cache.
#pragma once

#include "bench/loops/kit.hpp"

#include <cmath>

namespace bench {

template <class T, class Math>
struct row_loops : kit<T, Math> {
    using base = kit<T, Math>;
    using base::load, base::width, base::serial_sum, base::sum_of, base::row_max, base::rows,
        base::each;
    using typename base::line;

    [[gnu::flatten]] static void exp_part(const T* __restrict x, T shift, T* __restrict d,
                                          int64_t n) {
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] = Math::exp(x[i] - shift);
    }
    /// Returns the sum of exp(x - shift), by blocks that stay in the L1 cache.
    static T exp_sum(const T* x, T shift, int64_t n) {
        alignas(64) T block[1024];
        T sum = 0;
        for (int64_t i = 0; i < n; i += 1024) {
            const int64_t size = std::min<int64_t>(1024, n - i);
            exp_part(x + i, shift, block, size);
            sum += serial_sum(block, size);
        }
        return sum;
    }
    /// d = (x - shift) * factor
    static void scaled(const T* __restrict x, T shift, T factor, T* __restrict d, int64_t n) {
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] = (x[i] - shift) * factor;
    }
    static T square_sum(const T* x, T mean, int64_t n) {
        return sum_of(x, n, [mean](line v) { return (v - mean) * (v - mean); });
    }

    template <void (*Row)(const T*, T*, int64_t)>
    static void by_row(const loop_arguments& k) {
        const int64_t columns = k.sizes[1];
        rows(k.out<T>(), k.sizes[0], columns, k,
             [&](int64_t r, T* to) { Row(k.in<T>() + r * columns, to, columns); });
    }

    static void softmax(const T* x, T* d, int64_t n) {
        exp_part(x, row_max(x, n), d, n);
        const T s = serial_sum(d, n);
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] /= s;
    }
    static void log_softmax(const T* x, T* d, int64_t n) {
        const T most = row_max(x, n);
        const T s = std::log(exp_sum(x, most, n));
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] = (x[i] - most) - s;
    }
    static void standardise(const T* x, T* d, int64_t n) {
        const T mean = serial_sum(x, n) / static_cast<T>(n);
        const T deviation = std::sqrt(square_sum(x, mean, n) / static_cast<T>(n - 1));
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] = (x[i] - mean) / deviation;
    }
    static void rms_norm(const T* x, T* d, int64_t n) {
        scaled(x, T(0), T(1) / std::sqrt(square_sum(x, T(0), n) / static_cast<T>(n) + T(1e-5)), d,
               n);
    }

    static void layer_norm(const loop_arguments& k) {
        const int64_t n = k.sizes[1];
        const T *weight = k.in<T>(1), *bias = k.in<T>(2);
        rows(k.out<T>(), k.sizes[0], n, k, [&](int64_t r, T* __restrict d) {
            const T* x = k.in<T>() + r * n;
            const T mean = serial_sum(x, n) / static_cast<T>(n);
            const T factor = T(1) / std::sqrt(square_sum(x, mean, n) / static_cast<T>(n) + T(1e-5));
            BENCH_NO_ALIAS
            for (int64_t i = 0; i < n; ++i) d[i] = (x[i] - mean) * factor * weight[i] + bias[i];
        });
    }
    static void logsumexp(const loop_arguments& k) {
        const int64_t n = k.sizes[1];
        each(k.sizes[0], k.sizes[0] * n, k.threads, [&](int64_t r) {
            const T* x = k.in<T>() + r * n;
            const T most = row_max(x, n);
            k.out<T>()[r] = std::log(exp_sum(x, most, n)) + most;
        });
    }
    static void dot16(const loop_arguments& k) {
        each(k.sizes[0], k.sizes[0] * 16, k.threads, [&](int64_t r) {
            const T *x = k.in<T>(0) + r * 16, *y = k.in<T>(1) + r * 16;
            line sum = load(x) * load(y);
            for (int64_t i = width; i < 16; i += width) sum += load(x + i) * load(y + i);
            k.out<T>()[r] = base::total(sum);
        });
    }
    static void normalise16(const loop_arguments& k) {
        each(k.sizes[0], k.sizes[0] * 16, k.threads, [&](int64_t r) {
            const T* x = k.in<T>() + r * 16;
            T* __restrict d = k.out<T>() + r * 16;
            line sum = load(x) * load(x);
            for (int64_t i = width; i < 16; i += width) sum += load(x + i) * load(x + i);
            const T length = std::sqrt(base::total(sum));
            BENCH_NO_ALIAS
            for (int64_t i = 0; i < 16; ++i) d[i] = x[i] / length;
        });
    }
    static void cosine_similarity(const loop_arguments& k) {
        const int64_t n = k.sizes[1];
        each(k.sizes[0], k.sizes[0] * n, k.threads, [&](int64_t r) {
            const T *x = k.in<T>(0) + r * n, *y = k.in<T>(1) + r * n;
            line xy[2] = {}, xx[2] = {}, yy[2] = {};
            int64_t i = 0;
            for (; i + 2 * width <= n; i += 2 * width)
                for (int l = 0; l < 2; ++l) {
                    const line a = load(x + i + l * width), b = load(y + i + l * width);
                    xy[l] += a * b;
                    xx[l] += a * a;
                    yy[l] += b * b;
                }
            T p = base::total(xy[0] + xy[1]), q = base::total(xx[0] + xx[1]),
              s = base::total(yy[0] + yy[1]);
            for (; i < n; ++i) {
                p += x[i] * y[i];
                q += x[i] * x[i];
                s += y[i] * y[i];
            }
            k.out<T>()[r] = p / (std::sqrt(q) * std::sqrt(s));
        });
    }
};

template <class Math>
void add_rows(std::vector<loop_row>& to) {
    using f = row_loops<float, Math>;
    using d = row_loops<double, Math>;
    const char* note = "sums in free order";
    to.push_back(
        {"softmax", f::template by_row<f::softmax>, d::template by_row<d::softmax>, note, true});
    to.push_back({"log_softmax", f::template by_row<f::log_softmax>,
                  d::template by_row<d::log_softmax>, note, true});
    to.push_back({"standardise", f::template by_row<f::standardise>,
                  d::template by_row<d::standardise>, note, true});
    to.push_back(
        {"rms_norm", f::template by_row<f::rms_norm>, d::template by_row<d::rms_norm>, note, true});
    to.push_back({"layer_norm", f::layer_norm, d::layer_norm, note, true});
    to.push_back({"logsumexp", f::logsumexp, d::logsumexp, note});
    to.push_back({"cosine_similarity", f::cosine_similarity, d::cosine_similarity, note});
    to.push_back({"dot16", f::dot16, d::dot16, "compiled for the size"});
    to.push_back({"normalise16", f::normalise16, d::normalise16, "compiled for the size"});
}

}  // namespace bench
