// Loops of the products. The large ones call the BLAS that the library uses, with prologues and
// epilogues in loops. The small ones are compiled for their size.
#pragma once

#include "bench/loops/blas.hpp"
#include "bench/loops/kit.hpp"

#include <type_traits>
#include <vector>

namespace bench {

/// Returns a * b + c, rounded once if the machine has FMA.
template <class V, class T>
[[gnu::always_inline]] inline V contracted(V a, T b, V c) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<T, float> && sizeof(V) == 64)
        return (V)_mm512_fmadd_ps((__m512)a, _mm512_set1_ps(b), (__m512)c);
    if constexpr (std::is_same_v<T, double> && sizeof(V) == 64)
        return (V)_mm512_fmadd_pd((__m512d)a, _mm512_set1_pd(b), (__m512d)c);
#endif
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, float> && sizeof(V) == 32)
        return (V)_mm256_fmadd_ps((__m256)a, _mm256_set1_ps(b), (__m256)c);
    if constexpr (std::is_same_v<T, double> && sizeof(V) == 32)
        return (V)_mm256_fmadd_pd((__m256d)a, _mm256_set1_pd(b), (__m256d)c);
    if constexpr (std::is_same_v<T, float> && sizeof(V) == 16)
        return (V)_mm_fmadd_ps((__m128)a, _mm_set1_ps(b), (__m128)c);
#endif
    return a * b + c;
}

template <class T, class Math>
struct product_loops : kit<T, Math> {
    using base = kit<T, Math>;
    using base::each, base::serial_sum;

    static void matmul(const loop_arguments& k) {
        blas_product(k.in<T>(0), k.in<T>(1), k.out<T>(), k.sizes[0], false, k.threads);
    }
    static void complex_matmul(const loop_arguments& k) {
        blas_complex_product(k.in<T>(0), k.in<T>(1), k.out<T>(), k.sizes[0], k.threads);
    }
    /// relu(a @ b + c) with a row c.
    static void relu_linear(const loop_arguments& k) {
        matmul(k);
        const int64_t side = k.sizes[0];
        each(side, side * side, k.threads, [&](int64_t r) {
            const T* c = k.in<T>(2);
            T* __restrict to = k.out<T>() + r * side;
            BENCH_NO_ALIAS
            for (int64_t i = 0; i < side; ++i) {
                const T v = to[i] + c[i];
                to[i] = v > T(0) ? v : T(0);
            }
        });
    }
    static T* scratch(int64_t n) {
        static std::vector<T> memory;  // only one thread of the program runs this
        memory.resize(static_cast<std::size_t>(n));
        return memory.data();
    }
    /// (a * s) @ b.t() with a row s.
    static void scaled_product(const loop_arguments& k) {
        const int64_t side = k.sizes[0];
        T* scaled = scratch(side * side);
        each(side, side * side, k.threads, [&](int64_t r) {
            const T *a = k.in<T>(0) + r * side, *s = k.in<T>(2);
            T* __restrict to = scaled + r * side;
            BENCH_NO_ALIAS
            for (int64_t i = 0; i < side; ++i) to[i] = a[i] * s[i];
        });
        blas_product(scaled, k.in<T>(1), k.out<T>(), side, true, k.threads);
    }
    /// (a @ b).sum(1)
    static void product_sum(const loop_arguments& k) {
        const int64_t side = k.sizes[0];
        T* product = scratch(side * side);
        blas_product(k.in<T>(0), k.in<T>(1), product, side, false, k.threads);
        each(side, side * side, k.threads,
             [&](int64_t r) { k.out<T>()[r] = serial_sum(product + r * side, side); });
    }

    /// The number of elements of a row that fit into a register.
    template <int Side>
    struct lanes {
        static constexpr int count = std::min<int>(Side, base::width);
        typedef T type __attribute__((vector_size(count * sizeof(T))));
        typedef T loose
            __attribute__((vector_size(count * sizeof(T)), aligned(alignof(T)), may_alias));
        static type load(const T* p) { return *reinterpret_cast<const loose*>(p); }
        static void store(T* p, type v) { *reinterpret_cast<loose*>(p) = v; }
    };

    /// `batch` products of square matrices, with four rows of the result in registers. Contracts,
    /// as the BLAS does.
    template <int Side>
    static void small(const loop_arguments& k) {
        using row = lanes<Side>;
        constexpr int64_t square = int64_t{Side} * Side;
        constexpr int parts = Side / row::count;
        each(k.sizes[0], k.sizes[0] * square * Side, k.threads, [&](int64_t i) {
            const T *a = k.in<T>(0) + i * square, *b = k.in<T>(1) + i * square;
            T* c = k.out<T>() + i * square;
            for (int r = 0; r < Side; r += 4) {
                typename row::type sum[4][parts] = {};
                for (int p = 0; p < Side; ++p)
                    for (int l = 0; l < 4; ++l)
                        for (int j = 0; j < parts; ++j)
                            sum[l][j] = contracted(row::load(b + p * Side + j * row::count),
                                                   a[(r + l) * Side + p], sum[l][j]);
                for (int l = 0; l < 4; ++l)
                    for (int j = 0; j < parts; ++j)
                        row::store(c + (r + l) * Side + j * row::count, sum[l][j]);
            }
        });
    }
};

template <class Math>
void add_products(std::vector<loop_row>& to) {
    using f = product_loops<float, Math>;
    using d = product_loops<double, Math>;
    if (blas_found()) {
        const char* note = "OpenBLAS on all threads";
        to.push_back({"matmul", f::matmul, d::matmul, note});
        to.push_back({"complex matmul", f::complex_matmul, d::complex_matmul, note});
        to.push_back({"relu(a@b+c)", f::relu_linear, d::relu_linear, note});
        to.push_back({"(a*s)@b.t()", f::scaled_product, d::scaled_product, note});
        to.push_back({"(a@b).sum(1)", f::product_sum, d::product_sum, note});
    }
    to.push_back({"bmm4", f::template small<4>, d::template small<4>, "compiled for the size"});
    to.push_back({"bmm8", f::template small<8>, d::template small<8>, "compiled for the size"});
    to.push_back({"bmm16", f::template small<16>, d::template small<16>, "compiled for the size"});
    to.push_back({"bmm32", f::template small<32>, d::template small<32>, "compiled for the size"});
}

}  // namespace bench
