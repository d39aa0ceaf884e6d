// Loops of the layouts: transposes by tiles in registers, strided reads, a stencil.
#pragma once

#include "bench/loops/kit.hpp"

#include <utility>

namespace bench {

template <class T, class Math>
struct layout_loops : kit<T, Math> {
    using base = kit<T, Math>;
    using base::load, base::width, base::each;
    using typename base::line;
    using typename base::loose_line;

    static void store(T* to, line v) { *reinterpret_cast<loose_line*>(to) = v; }

    /// The lane of (a, b) that moves to lane `i` of the first or second line in one exchange.
    template <int Distance, bool Second>
    static constexpr int64_t lane(int64_t i) {
        const bool from_b = (i / Distance) % 2 != 0;
        if (!Second) return from_b ? width + i - Distance : i;
        return from_b ? width + i : i + Distance;
    }
    template <int Distance, int64_t... I>
    [[gnu::always_inline]] static void exchange(line& a, line& b,
                                                std::integer_sequence<int64_t, I...>) {
        const line first = __builtin_shufflevector(a, b, lane<Distance, false>(I)...);
        b = __builtin_shufflevector(a, b, lane<Distance, true>(I)...);
        a = first;
    }
    template <int Distance>
    [[gnu::always_inline]] static void exchange(line* v) {
        constexpr auto all = std::make_integer_sequence<int64_t, width>{};
        for (int i = 0; i < width; ++i)
            if (!(i & Distance)) exchange<Distance>(v[i], v[i + Distance], all);
    }
    /// Transposes `width` lines as a square.
    [[gnu::always_inline]] static void transpose(line* v) {
        exchange<1>(v);
        exchange<2>(v);
        exchange<4>(v);
        if constexpr (width == 16) exchange<8>(v);
    }

    /// out[r][c] = f(other[r][c], x[c][r]) for a tile of the result of at most width^2 elements.
    template <class F>
    [[gnu::always_inline]] static void tile(const T* x, int64_t x_stride, const T* other,
                                            int64_t stride, T* out, int64_t rows, int64_t columns,
                                            F f) {
        if (rows == width && columns == width) {
            line v[width];
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) v[i] = load(x + i * x_stride);
            transpose(v);
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i)
                store(out + i * stride, f(load(other + i * stride), v[i]));
            return;
        }
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t c = 0; c < columns; ++c) {
                line p = {}, q = {};
                p[0] = other[r * stride + c];
                q[0] = x[c * x_stride + r];
                out[r * stride + c] = f(p, q)[0];
            }
    }
    /// Does the same for `rows` x `columns`, in blocks that fit into the L1 cache.
    template <class F>
    static void tiles(const T* x, int64_t x_stride, const T* other, int64_t stride, T* out,
                      int64_t rows, int64_t columns, F f) {
        constexpr int64_t block = 64;
        for (int64_t cc = 0; cc < columns; cc += block)
            for (int64_t r = 0; r < rows; r += width)
                for (int64_t c = cc; c < std::min(columns, cc + block); c += width)
                    tile(x + c * x_stride + r, x_stride, other + r * stride + c, stride,
                         out + r * stride + c, std::min(width, rows - r),
                         std::min(width, columns - c), f);
    }

    /// Computes two mirrored tiles: out[r][c] and out[c][r] are the same sum.
    [[gnu::always_inline]] static void mirror(const T* x, T* out, int64_t side, int64_t r,
                                              int64_t c) {
        if (r + width <= side && c + width <= side) {
            line v[width];
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) v[i] = load(x + (c + i) * side + r);
            transpose(v);
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) {
                v[i] += load(x + (r + i) * side + c);
                store(out + (r + i) * side + c, v[i]);
            }
            if (r == c) return;
            transpose(v);
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) store(out + (c + i) * side + r, v[i]);
            return;
        }
        for (int64_t i = r; i < std::min(side, r + width); ++i)
            for (int64_t j = c; j < std::min(side, c + width); ++j)
                out[i * side + j] = out[j * side + i] = x[i * side + j] + x[j * side + i];
    }
    /// Processes pairs of mirrored blocks, each read and written once.
    static void add_transposed(const loop_arguments& k) {
        const int64_t side = k.sizes[0];
        constexpr int64_t block = 64;
        const int64_t blocks = (side + block - 1) / block;
        // Each row of a block lies in another page, so the hardware prefetcher does not help.
        const auto expect = [&](int64_t r, int64_t c) {
            if (c >= side) return;
            for (int64_t i = r; i < std::min(side, r + block); ++i)
                for (int64_t j = c; j < std::min(side, c + block); j += width)
                    __builtin_prefetch(k.in<T>() + i * side + j);
        };
        const auto strip = [&](int64_t rr) {
            for (int64_t cc = rr; cc < blocks; ++cc) {
                expect(rr * block, (cc + 1) * block);
                expect((cc + 1) * block, rr * block);
                for (int64_t r = rr * block; r < std::min(side, (rr + 1) * block); r += width)
                    for (int64_t c = rr == cc ? r : cc * block;
                         c < std::min(side, (cc + 1) * block); c += width)
                        mirror(k.in<T>(), k.out<T>(), side, r, c);
            }
        };
        // Later strips are shorter, so strips are dealt to the threads in turns.
        const int threads = base::team(side * side, k.threads);
        base::team_run(threads, [&](int t) {
            for (int64_t rr = t; rr < blocks; rr += threads) strip(rr);
        });
    }

    /// y [b, c, p] + 2 * x [b, p, c] with its last two dimensions exchanged.
    static void permuted(const loop_arguments& k) {
        const int64_t batch = k.sizes[0], channels = k.sizes[1], pixels = k.sizes[2];
        each(batch, batch * channels * pixels, k.threads, [&](int64_t b) {
            const int64_t at = b * channels * pixels;
            tiles(k.in<T>(0) + at, channels, k.in<T>(1) + at, pixels, k.out<T>() + at, channels,
                  pixels, [](line y, line x) { return y + x * T(2); });
        });
    }

    /// Every third row and every second column of x [3 rows, 2 columns], times 2, plus y.
    static void sliced(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        each(rows, rows * columns, k.threads, [&](int64_t r) {
            const T* __restrict x = k.in<T>(0) + 3 * r * 2 * columns, * __restrict y =
                                                                          k.in<T>(1) + r * columns;
            T* __restrict to = k.out<T>() + r * columns;
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns; ++c) to[c] = x[2 * c] * T(2) + y[c];
        });
    }

    static void stencil(const loop_arguments& k) {
        const int64_t rows = k.sizes[0], columns = k.sizes[1];
        base::rows(k.out<T>(), rows - 2, columns - 2, k, [&](int64_t r, T* __restrict to) {
            const T* x = k.in<T>() + (r + 1) * columns + 1;
            BENCH_NO_ALIAS
            for (int64_t c = 0; c < columns - 2; ++c)
                to[c] = x[c - columns] + x[c + columns] + x[c - 1] + x[c + 1] - x[c] * T(4);
        });
    }
};

template <class Math>
void add_layouts(std::vector<loop_row>& to) {
    using f = layout_loops<float, Math>;
    using d = layout_loops<double, Math>;
    to.push_back({"x+x.t()", f::add_transposed, d::add_transposed,
                  "mirrored tiles, transposed in registers"});
    to.push_back({"permuted", f::permuted, d::permuted, "tiles transposed in registers"});
    to.push_back({"sliced", f::sliced, d::sliced});
    to.push_back({"stencil", f::stencil, d::stencil, "", true});
}

}  // namespace bench
