// Symmetric and Hermitian indefinite factors by Bunch-Kaufman pivoting, of the lower triangle.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

constexpr char lower = 'L';

template <class T>
void run_factor(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2);
    const matrices<int> pivots(c, 1, 1), info(c, 2, 0);
    const auto factor = c.attributes->as<ldl_attributes>().hermitian ? r.hetrf : r.sytrf;
    const int n = a.rows, ask = -1;
    T size{1};
    int asked = 0;
    factor(&lower, &n, nullptr, &a.ld, nullptr, &size, &ask, &asked, 1);
    const int lwork = work_size(size);
    for_each_matrix(c.op, a.count, double(n) * n * n / 3, [&] {
        return [&, lwork, memory = work<T>(lwork)](int64_t i) {
            factor(&lower, &n, a[i], &a.ld, pivots[i], memory, &lwork, info[i], 1);
            require_accepted(c.op, *info[i]);
        };
    });
}

template <class T>
void run_solve(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> b(c, 0, 2), factors(c, 1, 2);
    const matrices<int> pivots(c, 2, 1);
    const auto solve = c.attributes->as<ldl_attributes>().hermitian ? r.hetrs : r.sytrs;
    for_each_matrix(c.op, b.count, double(b.rows) * b.rows * b.cols, [&] {
        return [&](int64_t i) {
            int info = 0;
            solve(&lower, &b.rows, &b.cols, factors[i], &factors.ld, pivots[i], b[i], &b.ld, &info,
                  1);
            require_accepted(c.op, info);
        };
    });
}

}  // namespace

const routine sytrf{"sytrf", SINTER_LAPACK_BY_DTYPE(run_factor), sytrf_on_gpu};
const routine sytrs{"sytrs", SINTER_LAPACK_BY_DTYPE(run_solve), sytrs_on_gpu};

}  // namespace sinter::lapack
