// Loops that order and draw elements, and the programs of cases/elements.cpp: single precision, no
// NaN among the inputs.
#pragma once

#include "bench/loops/kit.hpp"

#include <bit>
#include <functional>
#include <numeric>
#include <random>
#include <ranges>
#include <vector>

namespace bench {

template <class Math>
struct order_loops : kit<float, Math> {
    using base = kit<float, Math>;
    using base::ranges, base::each;

    // ---- orders
    /// Where indices are that follow `count` values.
    static int64_t* indices_after(const loop_arguments& k, int64_t count) {
        return reinterpret_cast<int64_t*>(k.out<float>() + (count + 1) / 2 * 2);
    }
    static float kth(const loop_arguments& k, int64_t at) {
        static std::vector<float> copy;
        copy.assign(k.in<float>(), k.in<float>() + k.sizes[0]);
        std::nth_element(copy.begin(), copy.begin() + at, copy.end());
        return copy[static_cast<std::size_t>(at)];
    }
    static void median(const loop_arguments& k) { *k.out<float>() = kth(k, (k.sizes[0] - 1) / 2); }
    static void kthvalue(const loop_arguments& k) {
        const float* x = k.in<float>();
        const float found = *k.out<float>() = kth(k, k.sizes[0] / 2 - 1);
        *indices_after(k, 1) = std::find(x, x + k.sizes[0], found) - x;
    }

    /// Each thread's largest are in a heap, which few elements enter.
    static void topk(const loop_arguments& k) {
        const float* x = k.in<float>();
        const int64_t n = k.sizes[0], count = k.sizes[1];
        const auto larger = [=](int64_t a, int64_t b) { return x[a] > x[b]; };
        static std::vector<int64_t> best;
        best.resize(static_cast<std::size_t>(count * std::max(1, base::team(n, k.threads))));
        const int teams = ranges(n, k.threads, [&](int64_t begin, int64_t end, int t) {
            int64_t* to = best.data() + t * count;
            std::ranges::partial_sort_copy(std::views::iota(begin, end),
                                           std::ranges::subrange(to, to + count), larger);
        });
        if (teams > 1)
            std::partial_sort(best.begin(), best.begin() + count, best.begin() + teams * count,
                              larger);
        std::copy_n(best.begin(), count, indices_after(k, count));
        for (int64_t i = 0; i < count; ++i)
            k.out<float>()[i] = x[best[static_cast<std::size_t>(i)]];
    }

    /// The value, as a whole number that grows with it, above the index.
    static uint64_t key_of(float x, int64_t index) {
        const auto bits = std::bit_cast<uint32_t>(x);
        const uint32_t ordered = bits >> 31 ? ~bits : bits | 0x80000000;
        return uint64_t{ordered} << 32 | static_cast<uint32_t>(index);
    }
    static float value_of(uint64_t key) {
        const auto ordered = static_cast<uint32_t>(key >> 32);
        return std::bit_cast<float>(ordered >> 31 ? ordered & 0x7fffffff : ~ordered);
    }
    static constexpr int digit_bits = 8, digits = 1 << digit_bits;

    /// Moves keys to their places by one digit of their values; equal ones keep their order.
    static void by_digit(const uint64_t* from, uint64_t* to, int64_t n, int threads, int shift) {
        static std::vector<int64_t> counts;
        const auto digit = [=](uint64_t key) {
            return static_cast<std::size_t>(key >> shift & (digits - 1));
        };
        counts.assign(static_cast<std::size_t>(base::team(n, threads)) * digits, 0);
        const int teams = ranges(n, threads, [&](int64_t begin, int64_t end, int t) {
            int64_t* count = counts.data() + int64_t{t} * digits;
            for (int64_t i = begin; i < end; ++i) ++count[digit(from[i])];
        });
        int64_t before = 0;
        for (int d = 0; d < digits; ++d)
            for (int t = 0; t < teams; ++t)
                before += std::exchange(counts.data()[int64_t{t} * digits + d], before);
        ranges(n, threads, [&](int64_t begin, int64_t end, int t) {
            int64_t* place = counts.data() + int64_t{t} * digits;
            for (int64_t i = begin; i < end; ++i) to[place[digit(from[i])]++] = from[i];
        });
    }

    static void sort(const loop_arguments& k) {
        const int64_t n = k.sizes[0];
        static std::vector<uint64_t> keys, other;
        keys.resize(static_cast<std::size_t>(n));
        other.resize(static_cast<std::size_t>(n));
        const float* x = k.in<float>();
        each(n, n, k.threads,
             [&](int64_t i) { keys[static_cast<std::size_t>(i)] = key_of(x[i], i); });
        if (n < 5000)
            std::sort(keys.begin(), keys.end());
        else
            for (int shift = 32; shift < 64; shift += 2 * digit_bits) {
                by_digit(keys.data(), other.data(), n, k.threads, shift);
                by_digit(other.data(), keys.data(), n, k.threads, shift + digit_bits);
            }
        const uint64_t* sorted = keys.data();
        each(n, n, k.threads, [&](int64_t i) {
            k.out<float>()[i] = value_of(sorted[i]);
            indices_after(k, n)[i] = static_cast<uint32_t>(sorted[i]);
        });
    }

    /// Fisher and Yates. Draws of 32 bits suffice for what fits into memory.
    static void randperm(const loop_arguments& k) {
        static std::mt19937 draw;
        int64_t* to = k.out<int64_t>();
        std::iota(to, to + k.sizes[0], int64_t{0});
        for (int64_t i = k.sizes[0] - 1; i > 0; --i)
            std::swap(
                to[i],
                to[uint64_t{static_cast<uint32_t>(draw())} * static_cast<uint64_t>(i + 1) >> 32]);
    }

    // ---- programs
    static void life(const loop_arguments& k) {
        const int64_t side = k.sizes[0];
        each(side, side * side, k.threads, [&](int64_t r) {
            const int* a = k.in<int>();
            const int *row = a + r * side, *above = a + (r == 0 ? side - 1 : r - 1) * side,
                      *below = a + (r == side - 1 ? 0 : r + 1) * side;
            int* to = k.out<int>() + r * side;
            const auto next = [=](int64_t c, int64_t left, int64_t right) {
                const int n = above[left] + above[c] + above[right] + row[left] + row[right] +
                              below[left] + below[c] + below[right];
                return static_cast<int>((n == 3) | ((n == 2) & (row[c] == 1)));
            };
            to[0] = next(0, side - 1, 1);
            BENCH_NO_ALIAS
            for (int64_t c = 1; c < side - 1; ++c) to[c] = next(c, c - 1, c + 1);
            to[side - 1] = next(side - 1, side - 2, 0);
        });
    }

    /// Vectors of points, until all of them have escaped.
    static void mandelbrot(const loop_arguments& k) {
        constexpr int64_t lanes = 32;
        const float* c = k.in<float>();
        const int64_t n = k.sizes[0], blocks = (n + lanes - 1) / lanes;
        each(blocks, n * 20, k.threads, [&](int64_t block) {
            const int64_t first = block * lanes, count = std::min(lanes, n - first);
            float x[lanes] = {}, y[lanes] = {}, re[lanes] = {}, im[lanes] = {};
            int inside[lanes], steps[lanes] = {};
            std::fill_n(inside, lanes, 1);
            for (int64_t i = 0; i < count; ++i) {
                x[i] = c[2 * (first + i)];
                y[i] = c[2 * (first + i) + 1];
            }
            int left = 1;
            for (int step = 0; step < 20 && left; ++step) {
                left = 0;
                for (int64_t i = 0; i < lanes; ++i) {
                    const float next = re[i] * re[i] - im[i] * im[i] + x[i];
                    im[i] = re[i] * im[i] + im[i] * re[i] + y[i];
                    re[i] = next;
                    inside[i] &= re[i] * re[i] + im[i] * im[i] <= 4.f;
                    steps[i] += inside[i];
                    left |= inside[i];
                }
            }
            std::copy_n(steps, count, k.out<int>() + first);
        });
    }

    static void average(const loop_arguments& k) {
        float m = 0;
        for (int64_t i = 0; i < k.sizes[0]; ++i) m = 0.9f * m + 0.1f * k.in<float>()[i];
        *k.out<float>() = m;
    }
};

template <class Math>
void add_orders(std::vector<loop_row>& to) {
    using f = order_loops<Math>;
    to.push_back({"median", f::median, nullptr, "one thread, std::nth_element"});
    to.push_back({"kthvalue", f::kthvalue, nullptr, "one thread, std::nth_element"});
    to.push_back({"topk", f::topk, nullptr, "a heap for each thread"});
    to.push_back({"sort", f::sort, nullptr, "by four digits of 8 bits; std::sort below 5000"});
    to.push_back({"randperm", f::randperm, nullptr, "one thread, std::mt19937"});
    to.push_back({"life", f::life, nullptr});
    to.push_back({"mandelbrot", f::mandelbrot, nullptr, "by vectors of points"});
    to.push_back({"average", f::average, nullptr, "one thread"});
}

}  // namespace bench
