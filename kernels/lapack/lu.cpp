// LU with partial pivoting.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

template <class T>
void run_factor(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2);
    const matrices<int> pivots(c, 1, 1), info(c, 2, 0);
    const double k = pivots.rows;
    if (const auto* small = small_factors(a))
        return for_each_group(a.count, k * k * k / 3, *small, [&](int64_t first, int count) {
            small->lu(group<void>(a, first, count), a.ld, a.rows, group<int>(pivots, first, count),
                      group<int>(info, first, count), count);
        });
    for_each_matrix(c.op, a.count, k * k * std::max(a.rows, a.cols), [&] {
        return [&](int64_t i) {
            r.getrf(&a.rows, &a.cols, a[i], &a.ld, pivots[i], info[i]);
            require_accepted(c.op, *info[i]);
        };
    });
}

template <class T>
void run_solve(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> b(c, 0, 2), lu(c, 1, 2);
    const matrices<int> pivots(c, 2, 1);
    const char trans = c.attributes->as<getrs_attributes>().trans;
    const double cost = double(b.rows) * b.rows * b.cols;
    if (const auto* small = small_factors(lu))
        return for_each_group(b.count, cost, *small, [&](int64_t first, int count) {
            small->lu_solve(group<const void>(lu, first, count), lu.ld, lu.rows,
                            group<const int>(pivots, first, count), group<void>(b, first, count),
                            b.ld, b.cols, trans != 'N', count);
        });
    for_each_matrix(c.op, b.count, cost, [&] {
        return [&, trans](int64_t i) {
            int info = 0;
            r.getrs(&trans, &b.rows, &b.cols, lu[i], &lu.ld, pivots[i], b[i], &b.ld, &info, 1);
            require_accepted(c.op, info);
        };
    });
}

template <class T>
void run_inverse(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2);
    const matrices<int> info(c, 1, 0);
    const int n = a.rows, ask = -1;
    if (const auto* small = small_factors(a))
        return for_each_group(a.count, double(n) * n * n, *small, [&](int64_t first, int count) {
            small->inverse(group<void>(a, first, count), a.ld, n, group<int>(info, first, count),
                           count);
        });
    T size{1};
    int asked = 0;
    if (n > 0) r.getri(&n, a[0], &a.ld, nullptr, &size, &ask, &asked);
    const int lwork = work_size(size);
    for_each_matrix(c.op, a.count, 2.0 * n * n * n, [&] {
        return [&, lwork, memory = work<T>(lwork), pivots = work<int>(n)](int64_t i) {
            r.getrf(&n, &n, a[i], &a.ld, pivots, info[i]);
            require_accepted(c.op, *info[i]);
            if (*info[i] == 0) r.getri(&n, a[i], &a.ld, pivots, memory, &lwork, info[i]);
        };
    });
}

}  // namespace

const routine getrf{"getrf", SINTER_LAPACK_BY_DTYPE(run_factor), getrf_on_gpu};
const routine getrs{"getrs", SINTER_LAPACK_BY_DTYPE(run_solve), getrs_on_gpu};
const routine getri{"getri", SINTER_LAPACK_BY_DTYPE(run_inverse), getri_on_gpu};

}  // namespace sinter::lapack
