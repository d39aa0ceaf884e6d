#include "bench/loops/lapack.hpp"

#include "bench/loops/blas.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <omp.h>

namespace bench {
namespace {

using size = std::size_t;  // the length of a text, as Fortran passes it

template <class T>
struct routines {
    void (*getrf)(const int*, const int*, T*, const int*, int*, int*);
    void (*getrs)(const char*, const int*, const int*, const T*, const int*, const int*, T*,
                  const int*, int*, size);
    void (*getri)(const int*, T*, const int*, const int*, T*, const int*, int*);
    void (*potrf)(const char*, const int*, T*, const int*, int*, size);
    void (*syevd)(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*,
                  const int*, int*, size, size);
    void (*gesdd)(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*,
                  const int*, T*, const int*, int*, int*, size);

    explicit routines(char letter) {
        const auto find = [letter](auto& to, const char* name) {
            to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(
                blas_symbol((letter + std::string(name) + "_").c_str()));
        };
        find(getrf, "getrf");
        find(getrs, "getrs");
        find(getri, "getri");
        find(potrf, "potrf");
        find(syevd, "syevd");
        find(gesdd, "gesdd");
    }
    bool complete() const { return getrf && getrs && getri && potrf && syevd && gesdd; }
};

template <class T>
const routines<T>& lapack() {
    static const routines<T> found(sizeof(T) == 8 ? 'd' : 's');
    return found;
}

/// Memory that a thread keeps.
template <class T, int Which>
T* kept(int64_t n) {
    thread_local std::vector<T> memory;
    if (static_cast<int64_t>(memory.size()) < n) memory.resize(static_cast<std::size_t>(n));
    return memory.data();
}

void require(int info) {
    if (info != 0) throw std::runtime_error("[bench] LAPACK failed");
}

template <class T>
struct by_hand {
    /// Calls body(i, n) for each matrix. Threads share small matrices; LAPACK gets all threads for
    /// one matrix.
    template <class F>
    static void each(const loop_arguments& k, F body) {
        const int64_t count = k.sizes[0];
        const int n = static_cast<int>(k.sizes[1]);
        omp_set_num_threads(k.threads);
        if (count == 1) return body(int64_t{0}, n);
        if (k.threads == 1) {
            for (int64_t i = 0; i < count; ++i) body(i, n);
            return;
        }
#pragma omp parallel num_threads(k.threads)
        {
            omp_set_num_threads(1);
#pragma omp for schedule(static)
            for (int64_t i = 0; i < count; ++i) body(i, n);
        }
    }

    /// Returns the factors of A's transpose.
    static T* factored(const loop_arguments& k, int64_t i, int n, int* pivots) {
        const int64_t square = int64_t{n} * n;
        T* a = kept<T, 0>(square);
        std::copy_n(k.in<T>(0) + i * square, square, a);
        int info = 0;
        lapack<T>().getrf(&n, &n, a, &n, pivots, &info);
        require(info);
        return a;
    }

    static void solve(const loop_arguments& k) {
        each(k, [&](int64_t i, int n) {
            int* pivots = kept<int, 1>(n);
            const T* a = factored(k, i, n, pivots);
            T* x = k.out<T>() + i * n;
            std::copy_n(k.in<T>(1) + i * n, n, x);
            const int one = 1;
            int info = 0;
            lapack<T>().getrs("T", &n, &one, a, &n, pivots, x, &n, &info, 1);
        });
    }
    static void inv(const loop_arguments& k) {
        each(k, [&](int64_t i, int n) {
            const int64_t square = int64_t{n} * n;
            const int lwork = 64 * n;
            int* pivots = kept<int, 1>(n);
            // The column-major inverse of the transpose is A's row-major inverse.
            T* a = k.out<T>() + i * square;
            std::copy_n(k.in<T>(0) + i * square, square, a);
            int info = 0;
            lapack<T>().getrf(&n, &n, a, &n, pivots, &info);
            require(info);
            lapack<T>().getri(&n, a, &n, pivots, kept<T, 2>(lwork), &lwork, &info);
        });
    }
    static void det(const loop_arguments& k) {
        each(k, [&](int64_t i, int n) {
            int* pivots = kept<int, 1>(n);
            const T* a = factored(k, i, n, pivots);
            T d = 1;
            for (int r = 0; r < n; ++r) d *= pivots[r] == r + 1 ? a[r * n + r] : -a[r * n + r];
            k.out<T>()[i] = d;
        });
    }
    /// A row-major L is a column-major L^T.
    static void cholesky(const loop_arguments& k) {
        each(k, [&](int64_t i, int n) {
            const int64_t square = int64_t{n} * n;
            T* a = k.out<T>() + i * square;
            const T* from = k.in<T>(0) + i * square;
            for (int r = 0; r < n; ++r) {
                std::copy_n(from + r * n, r + 1, a + r * n);
                std::fill(a + r * n + r + 1, a + r * n + n, T(0));
            }
            int info = 0;
            lapack<T>().potrf("U", &n, a, &n, &info, 1);
            require(info);
        });
    }
    static void eigh(const loop_arguments& k) {
        each(k, [&](int64_t i, int n) {
            const int64_t square = int64_t{n} * n;
            T* a = kept<T, 0>(square);
            std::copy_n(k.in<T>(0) + i * square, square, a);
            T best = 0;
            int integers = 0, info = 0;
            const int ask = -1;
            lapack<T>().syevd("V", "U", &n, a, &n, nullptr, &best, &ask, &integers, &ask, &info, 1,
                              1);
            const int lwork = static_cast<int>(best * T(1.001)) + 1;
            lapack<T>().syevd("V", "U", &n, a, &n, k.out<T>() + i * n, kept<T, 2>(lwork), &lwork,
                              kept<int, 1>(integers), &integers, &info, 1, 1);
            require(info);
        });
    }
    static void svd(const loop_arguments& k) {
        each(k, [&](int64_t i, int n) {
            const int64_t square = int64_t{n} * n;
            T *a = kept<T, 0>(square), *u = kept<T, 3>(square), *v = kept<T, 4>(square);
            std::copy_n(k.in<T>(0) + i * square, square, a);
            T best = 0;
            const int ask = -1;
            int info = 0, *integers = kept<int, 1>(8 * n);
            lapack<T>().gesdd("S", &n, &n, a, &n, nullptr, u, &n, v, &n, &best, &ask, integers,
                              &info, 1);
            const int lwork = static_cast<int>(best * T(1.001)) + 1;
            lapack<T>().gesdd("S", &n, &n, a, &n, k.out<T>() + i * n, u, &n, v, &n,
                              kept<T, 2>(lwork), &lwork, integers, &info, 1);
            require(info);
        });
    }
};

template <template <class> class Hand>
void add_small(std::vector<loop_row>& to, const char* note) {
    using f = Hand<float>;
    using d = Hand<double>;
    for (const char* name : {"solve2", "solve3", "solve4", "solve8", "solve16"})
        to.push_back({name, f::solve, d::solve, note});
    for (const char* name : {"inv2", "inv3", "inv4", "inv8", "inv16"})
        to.push_back({name, f::inv, d::inv, note});
    for (const char* name : {"det2", "det3", "det4", "det8", "det16"})
        to.push_back({name, f::det, d::det, note});
    for (const char* name : {"cholesky2", "cholesky3", "cholesky4", "cholesky8", "cholesky16"})
        to.push_back({name, f::cholesky, d::cholesky, note});
    for (const char* name : {"eigh2", "eigh3", "eigh4", "eigh8", "eigh16", "eigh32"})
        to.push_back({name, f::eigh, d::eigh, note});
}

}  // namespace

std::vector<loop_row> lapack_loops() {
    if (!lapack<float>().complete() || !lapack<double>().complete()) return {};
    using f = by_hand<float>;
    using d = by_hand<double>;
    const char* note = "LAPACK on all threads";
    std::vector<loop_row> all = {{"solve", f::solve, d::solve, note},
                                 {"cholesky", f::cholesky, d::cholesky, note},
                                 {"eigh", f::eigh, d::eigh, note},
                                 {"svd", f::svd, d::svd, note}};
    add_small<by_hand>(all, "LAPACK for each");
    return all;
}

}  // namespace bench
