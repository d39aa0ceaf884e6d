// What the vendors lack for factors L D L^T or L D L^H of the lower triangle. Macro definitions: T
// and HERMITIAN.
//
// Systems are solved as by LAPACK's sytrs and hetrs: a block has a column of the right side, and
// each step swaps two rows and applies one column of L, or two. cuSOLVER's Xsytrs made wrong values
// and illegal accesses on an H200. Codes are LAPACK's, too: cuSOLVER has the last zero block, not
// the first.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

enum { ldl_threads = 128 };

// Matrices are column-major, and pivots are LAPACK's: from 1, and negative for both rows of a block
// of two.
template <class element>
struct ldl_factors {
    i64 n, count;
    const element* factors;
    i64 ld, step;
    const i32* pivots;
    i64 pivots_step;
};
template <class element>
struct ldl_codes {
    ldl_factors<element> of;
    i32* info;
    i64 info_step;
};
template <class element>
struct ldl_systems {
    ldl_factors<element> of;
    i64 columns;
    element* b;
    i64 b_ld, b_step;
};

#ifdef SINTER_DEVICE
template <class number>
static __device__ inline number product(number x, number y) {
    return x * y;
}
template <class number>
static __device__ inline number difference(number x, number y) {
    return x - y;
}
template <class number>
static __device__ inline number sum(number x, number y) {
    return x + y;
}
template <class number>
static __device__ inline number quotient(number x, number y) {
    return x / y;
}
template <class number>
static __device__ inline number adjoint(number x) {
    return x;
}

/// Divides the larger part of y first, so that nothing overflows on the way (Smith).
template <class complex, class real>
static __device__ inline complex divided(complex x, complex y, real) {
    const bool wide = (y.re < 0 ? -y.re : y.re) >= (y.im < 0 ? -y.im : y.im);
    const real r = wide ? y.im / y.re : y.re / y.im, by = wide ? y.re + y.im * r : y.re * r + y.im;
    if (wide) return complex{(x.re + x.im * r) / by, (x.im - x.re * r) / by};
    return complex{(x.re * r + x.im) / by, (x.im * r - x.re) / by};
}
#define COMPLEX(complex, real)                                                \
    static __device__ inline complex product(complex x, complex y) {          \
        return complex{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; \
    }                                                                         \
    static __device__ inline complex difference(complex x, complex y) {       \
        return complex{x.re - y.re, x.im - y.im};                             \
    }                                                                         \
    static __device__ inline complex sum(complex x, complex y) {              \
        return complex{x.re + y.re, x.im + y.im};                             \
    }                                                                         \
    static __device__ inline complex quotient(complex x, complex y) {         \
        return divided(x, y, real());                                         \
    }                                                                         \
    static __device__ inline complex adjoint(complex x) {                     \
        return HERMITIAN ? complex{x.re, -x.im} : x;                          \
    }
COMPLEX(c64, f32)
COMPLEX(c128, f64)

/// One column of a right side, and what it is solved with.
struct ldl_column {
    const T* factors;
    const i32* pivots;
    T* b;
    i64 n, ld;

    __device__ const T& at(i64 row, i64 column) const { return factors[row + column * ld]; }
    __device__ void swap(i64 row, i32 pivot) const {
        const i64 other = (pivot < 0 ? -(i64)pivot : pivot) - 1;
        if (other < 0 || other >= n) return;  // the program's pivots may be anything
        const T x = b[row];
        b[row] = b[other];
        b[other] = x;
    }
    __device__ void divide_one(i64 k) const { b[k] = quotient(b[k], at(k, k)); }
    __device__ void divide_two(i64 k) const {
        const T low = at(k + 1, k), high = adjoint(low);
        const T p = quotient(at(k, k), high), q = quotient(at(k + 1, k + 1), low);
        const T x = quotient(b[k], high), y = quotient(b[k + 1], low);
        const T by = difference(product(p, q), T{1});
        b[k] = quotient(difference(product(q, x), y), by);
        b[k + 1] = quotient(difference(product(p, y), x), by);
    }
};

/// b = D^-1 L^-1 P b.
static __device__ inline void solve_forwards(const ldl_column& c) {
    const u32 me = threadIdx.x;
    for (i64 k = 0; k < c.n;) {
        const bool two = c.pivots[k] < 0 && k + 1 < c.n;
        const i64 last = two ? k + 1 : k;
        if (me == 0) c.swap(last, c.pivots[last]);
        __syncthreads();
        const T x = c.b[k], y = c.b[last];
        for (i64 i = last + 1 + me; i < c.n; i += ldl_threads) {
            T next = difference(c.b[i], product(c.at(i, k), x));
            if (two) next = difference(next, product(c.at(i, last), y));
            c.b[i] = next;
        }
        __syncthreads();
        if (me == 0) {
            if (two)
                c.divide_two(k);
            else
                c.divide_one(k);
        }
        k = last + 1;
    }
    __syncthreads();
}

/// b = P^T L^-T b, or L^-H.
static __device__ inline void solve_backwards(const ldl_column& c) {
    __shared__ T sums[2][ldl_threads];
    const u32 me = threadIdx.x;
    for (i64 k = c.n - 1; k >= 0;) {
        const bool two = c.pivots[k] < 0 && k > 0;
        const i64 first = two ? k - 1 : k;
        T x = {}, y = {};
        for (i64 i = k + 1 + me; i < c.n; i += ldl_threads) {
            x = sum(x, product(adjoint(c.at(i, k)), c.b[i]));
            if (two) y = sum(y, product(adjoint(c.at(i, first)), c.b[i]));
        }
        sums[0][me] = x;
        sums[1][me] = y;
        for (u32 half = ldl_threads / 2; half > 0; half /= 2) {
            __syncthreads();
            if (me < half)
                for (int s = 0; s < 2; s++) sums[s][me] = sum(sums[s][me], sums[s][me + half]);
        }
        if (me == 0) {
            c.b[k] = difference(c.b[k], sums[0][0]);
            if (two) c.b[first] = difference(c.b[first], sums[1][0]);
            c.swap(k, c.pivots[k]);
        }
        __syncthreads();
        k = first - 1;
    }
}

static __device__ inline bool is_nan(f32 x) { return x != x; }
static __device__ inline bool is_nan(f64 x) { return x != x; }
template <class complex>
static __device__ inline bool is_nan(complex x) {
    return is_nan(x.re) || is_nan(x.im);
}
static __device__ inline bool is_zero(f32 x) { return x == 0; }
static __device__ inline bool is_zero(f64 x) { return x == 0; }
template <class complex>
static __device__ inline bool is_zero(complex x) {
    return x.re == 0 && x.im == 0;
}

/// Sets each `info` to the first zero block of D, from 1, or to 0 if there is none. LAPACK takes
/// NaN for zero; cuSOLVER makes a block of two rows of it.
extern "C" __global__ void __launch_bounds__(ldl_threads) sinter_ldl_info(const ldl_codes<T> c) {
    __shared__ u32 least;
    const u32 me = threadIdx.x;
    const ldl_factors<T> s = c.of;
    for (i64 item = blockIdx.x; item < s.count; item += gridDim.x) {
        const T* const factors = s.factors + item * s.step;
        const i32* const pivots = s.pivots + item * s.pivots_step;
        if (me == 0) least = ~0u;
        __syncthreads();
        for (i64 k = me; k < s.n; k += ldl_threads)
            if (const T d = factors[k + k * s.ld]; is_nan(d) || (pivots[k] > 0 && is_zero(d)))
                atomicMin(&least, (u32)k);
        __syncthreads();
        if (me == 0) c.info[item * c.info_step] = (i32)(least + 1);
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(ldl_threads)
    sinter_ldl_solve(const ldl_systems<T> systems) {
    const ldl_factors<T> s = systems.of;
    for (i64 at = blockIdx.x; at < s.count * systems.columns; at += gridDim.x) {
        const i64 item = at / systems.columns, column = at - item * systems.columns;
        const ldl_column c = {s.factors + item * s.step, s.pivots + item * s.pivots_step,
                              systems.b + item * systems.b_step + column * systems.b_ld, s.n, s.ld};
        solve_forwards(c);
        solve_backwards(c);
    }
}
#endif

}  // namespace sinter::on_gpu
