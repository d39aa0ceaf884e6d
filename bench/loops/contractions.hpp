// Hand-written contractions: single-threaded calls of the BLAS that the library uses, divided among
// threads.
#pragma once

#include "bench/loops/blas.hpp"
#include "bench/loops/kit.hpp"

#include <vector>

namespace bench {

template <class T, class Math>
struct contraction_loops : kit<T, Math> {
    using base = kit<T, Math>;
    using base::each;

    /// The extents b, h, q (also k) and d of the case.
    struct extents {
        int64_t b, h, q, d;
        explicit extents(const loop_arguments& k)
            : b(k.sizes[0]), h(k.sizes[1]), q(k.sizes[2]), d(k.sizes[3]) {}
        int64_t work() const { return b * h * q * q * d; }
    };

    static void scores(const loop_arguments& k) {  // bhqd,bhkd->bhqk
        const extents e(k);
        each(e.b * e.h, e.work(), k.threads, [&](int64_t i) {
            const int64_t at = i * e.q * e.d;
            blas_product<T>({k.in<T>(0) + at, e.d, false}, {k.in<T>(1) + at, e.d, true},
                            k.out<T>() + i * e.q * e.q, e.q, e.q, e.d);
        });
    }
    static void weighted(const loop_arguments& k) {  // bhqk,bhkd->bhqd
        const extents e(k);
        each(e.b * e.h, e.work(), k.threads, [&](int64_t i) {
            const int64_t at = i * e.q * e.d;
            blas_product<T>({k.in<T>(0) + i * e.q * e.q, e.q, false}, {k.in<T>(1) + at, e.d, false},
                            k.out<T>() + at, e.q, e.d, e.q);
        });
    }
    static void scores_by_rows(const loop_arguments& k) {  // bqhd,bkhd->bhqk
        const extents e(k);
        each(e.b * e.h, e.work(), k.threads, [&](int64_t i) {
            const int64_t at = i / e.h * e.q * e.h * e.d + i % e.h * e.d, row = e.h * e.d;
            blas_product<T>({k.in<T>(0) + at, row, false}, {k.in<T>(1) + at, row, true},
                            k.out<T>() + i * e.q * e.q, e.q, e.q, e.d);
        });
    }
    /// Contracts the last two operands first, since that costs least.
    static void chain(const loop_arguments& k) {  // bqd,bkd,bkv->bqv
        const extents e(k);
        each(e.b, e.b * e.q * e.d * e.d, k.threads, [&](int64_t i) {
            static thread_local std::vector<T> inner;
            inner.resize(static_cast<std::size_t>(e.d * e.d));
            const int64_t at = i * e.q * e.d;
            blas_product<T>({k.in<T>(1) + at, e.d, true}, {k.in<T>(2) + at, e.d, false},
                            inner.data(), e.d, e.d, e.q);
            blas_product<T>({k.in<T>(0) + at, e.d, false}, {inner.data(), e.d, false},
                            k.out<T>() + at, e.q, e.d, e.d);
        });
    }
};

template <class Math>
void add_contractions(std::vector<loop_row>& to) {
    if (!blas_found()) return;
    using f = contraction_loops<float, Math>;
    using d = contraction_loops<double, Math>;
    const char* note = "OpenBLAS, a thread each";
    to.push_back({"bhqd,bhkd->bhqk", f::scores, d::scores, note});
    to.push_back({"bhqk,bhkd->bhqd", f::weighted, d::weighted, note});
    to.push_back({"bqhd,bkhd->bhqk", f::scores_by_rows, d::scores_by_rows, note});
    to.push_back({"bqd,bkd,bkv->bqv", f::chain, d::chain, note});
}

}  // namespace bench
