// Triangular systems, by BLAS's trsm.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

template <class T>
void run_solve(const routine_call& c) {
    const routines<T>& r = require<T>(c.op);
    const matrices<T> b(c, 0, 2), a(c, 1, 2);
    const auto& with = c.attributes->as<trsm_attributes>();
    const char side = with.side, uplo = with.uplo, trans = with.trans, diagonal = with.diag;
    for_each_matrix(c.op, b.count, double(a.rows) * b.rows * b.cols, [&] {
        return [&](int64_t i) {
            const T one{1};
            r.trsm(&side, &uplo, &trans, &diagonal, &b.rows, &b.cols, &one, a[i], &a.ld, b[i],
                   &b.ld, 1, 1, 1, 1);
        };
    });
}

}  // namespace

const routine trsm{"trsm", SINTER_LAPACK_BY_DTYPE(run_solve), trsm_on_gpu};

}  // namespace sinter::lapack
