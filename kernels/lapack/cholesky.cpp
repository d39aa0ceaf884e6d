// Cholesky factors of Hermitian positive definite matrices.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

/// Sets the triangle that was not read to zero.
template <class T>
void clear_other(char uplo, T* a, int n, int64_t ld) {
    for (int64_t j = 0; j < n; ++j) {
        if (uplo == 'L') {
            std::fill(a + j * ld, a + j * ld + j, T{});
        } else {
            std::fill(a + j * ld + j + 1, a + j * ld + n, T{});
        }
    }
}

/// Fills the triangle that was not read from the other one.
template <class T>
void mirror(char uplo, T* a, int n, int64_t ld) {
    const auto conjugate = [](const T& x) {
        if constexpr (is_complex<T>) {
            return T(x.real(), -x.imag());
        } else {
            return x;
        }
    };
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i) {
            T &lower = a[j * ld + i], &upper = a[i * ld + j];
            (uplo == 'L' ? upper : lower) = conjugate(uplo == 'L' ? lower : upper);
        }
}

template <class T>
void run_factor(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2);
    const matrices<int> info(c, 1, 0);
    const char uplo = c.attributes->as<cholesky_attributes>().uplo;
    const int n = a.rows;
    const double cost = double(n) * n * n / 3;
    if (const auto* small = small_factors(a))
        return for_each_group(a.count, cost, *small, [&](int64_t first, int count) {
            small->cholesky(group<void>(a, first, count), a.ld, n, uplo == 'U',
                            group<int>(info, first, count), count);
        });
    for_each_matrix(c.op, a.count, cost, [&] {
        return [&, uplo](int64_t i) {
            r.potrf(&uplo, &n, a[i], &a.ld, info[i], 1);
            require_accepted(c.op, *info[i]);
            clear_other(uplo, a[i], n, a.ld);
        };
    });
}

template <class T>
void run_inverse(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2);
    const matrices<int> info(c, 1, 0);
    const char uplo = c.attributes->as<cholesky_attributes>().uplo;
    const int n = a.rows;
    for_each_matrix(c.op, a.count, double(n) * n * n, [&] {
        return [&, uplo](int64_t i) {
            r.potri(&uplo, &n, a[i], &a.ld, info[i], 1);
            require_accepted(c.op, *info[i]);
            mirror(uplo, a[i], n, a.ld);
        };
    });
}

template <class T>
void run_solve(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> b(c, 0, 2), factor(c, 1, 2);
    const char uplo = c.attributes->as<cholesky_attributes>().uplo;
    const double cost = double(b.rows) * b.rows * b.cols;
    if (const auto* small = small_factors(factor))
        return for_each_group(b.count, cost, *small, [&](int64_t first, int count) {
            small->cholesky_solve(group<const void>(factor, first, count), factor.ld, b.rows,
                                  uplo == 'U', group<void>(b, first, count), b.ld, b.cols, count);
        });
    for_each_matrix(c.op, b.count, cost, [&] {
        return [&, uplo](int64_t i) {
            int info = 0;
            r.potrs(&uplo, &b.rows, &b.cols, factor[i], &factor.ld, b[i], &b.ld, &info, 1);
            require_accepted(c.op, info);
        };
    });
}

}  // namespace

const routine potrf{"potrf", SINTER_LAPACK_BY_DTYPE(run_factor), potrf_on_gpu};
const routine potri{"potri", SINTER_LAPACK_BY_DTYPE(run_inverse)};
const routine potrs{"potrs", SINTER_LAPACK_BY_DTYPE(run_solve), potrs_on_gpu};

}  // namespace sinter::lapack
