// QR factors as products of Householder reflectors.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

template <class T>
void run_factor(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2), tau(c, 1, 1);
    const int ask = -1;
    T size{1};
    int asked = 0;
    r.geqrf(&a.rows, &a.cols, nullptr, &a.ld, nullptr, &size, &ask, &asked);
    const int lwork = work_size(size);
    for_each_matrix(c.op, a.count, double(a.rows) * a.cols * tau.rows, [&] {
        return [&, lwork, memory = work<T>(lwork)](int64_t i) {
            int info = 0;
            r.geqrf(&a.rows, &a.cols, a[i], &a.ld, tau[i], memory, &lwork, &info);
            require_accepted(c.op, info);
        };
    });
}

template <class T>
void run_columns(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> a(c, 0, 2), tau(c, 1, 1);
    const int ask = -1;
    T size{1};
    int asked = 0;
    r.orgqr(&a.rows, &a.cols, &tau.rows, nullptr, &a.ld, nullptr, &size, &ask, &asked);
    const int lwork = work_size(size);
    for_each_matrix(c.op, a.count, double(a.rows) * a.cols * tau.rows, [&] {
        return [&, lwork, memory = work<T>(lwork)](int64_t i) {
            int info = 0;
            r.orgqr(&a.rows, &a.cols, &tau.rows, a[i], &a.ld, tau[i], memory, &lwork, &info);
            require_accepted(c.op, info);
        };
    });
}

template <class T>
void run_multiply(const routine_call& call) {
    const routines<T>& r = require<T>(call.op);
    const matrices<T> c(call, 0, 2), a(call, 1, 2), tau(call, 2, 1);
    auto [side, trans] = call.attributes->as<ormqr_attributes>();
    if (!is_complex<T> && trans == 'C') trans = 'T';
    const int ask = -1;
    T size{1};
    int asked = 0;
    r.ormqr(&side, &trans, &c.rows, &c.cols, &tau.rows, nullptr, &a.ld, nullptr, nullptr, &c.ld,
            &size, &ask, &asked, 1, 1);
    const int lwork = work_size(size);
    for_each_matrix(call.op, c.count, double(c.rows) * c.cols * tau.rows, [&] {
        return [&, side, trans, lwork, memory = work<T>(lwork)](int64_t i) {
            int info = 0;
            r.ormqr(&side, &trans, &c.rows, &c.cols, &tau.rows, a[i], &a.ld, tau[i], c[i], &c.ld,
                    memory, &lwork, &info, 1, 1);
            require_accepted(call.op, info);
        };
    });
}

}  // namespace

const routine geqrf{"geqrf", SINTER_LAPACK_BY_DTYPE(run_factor), geqrf_on_gpu};
const routine orgqr{"orgqr", SINTER_LAPACK_BY_DTYPE(run_columns), orgqr_on_gpu};
const routine ormqr{"ormqr", SINTER_LAPACK_BY_DTYPE(run_multiply), ormqr_on_gpu};

}  // namespace sinter::lapack
