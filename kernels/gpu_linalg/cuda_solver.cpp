// cuSOLVER, and cuBLAS for routines with a batched form there. Other routines are called once per
// matrix.
#include "kernels/gpu_linalg/cuda_eigen.hpp"
#include "kernels/gpu_linalg/cuda_svd.hpp"

namespace sinter::gpu_linalg {
namespace {

template <class T>
class cuda final : public solver<T> {
public:
    using R = real_of<T>;

    cuda(const char* op, runtime::gpu_stream& s) : on_(op, s) {}

    void trsm(char side, char uplo, char trans, char diagonal, matrices<T> a, matrices<T> b,
              int count) override {
        const T one{1};
        const int sides = cuda_side(side), fills = cuda_fill(uplo),
                  operations = cuda_operation(trans), diagonals = cuda_diagonal(diagonal);
        if (in_batches(a.rows, count)) {
            const scratch of_a = on_.addresses(a, count), of_b = on_.addresses(b, count);
            blas().check("cublas trsmBatched",
                         on_blas().trsm_batched(blas().handle(), sides, fills, operations,
                                                diagonals, b.rows, b.cols, &one, of_a.as<T*>(),
                                                a.ld, of_b.as<T*>(), b.ld, count));
            return;
        }
        for (int i = 0; i < count; ++i)
            blas().check("cublas trsm",
                         on_blas().trsm(blas().handle(), sides, fills, operations, diagonals,
                                        b.rows, b.cols, &one, a[i], a.ld, b[i], b.ld));
    }

    void getrf(matrices<T> a, vectors<int> pivots, vectors<int> info, int count) override {
        if (lu_in_batches(a.rows, count) && a.rows == a.cols && pivots.step == a.rows &&
            info.step == 1) {
            const scratch of_a = on_.addresses(a, count);
            blas().check("cublas getrfBatched",
                         on_blas().getrf_batched(blas().handle(), a.rows, of_a.as<T*>(), a.ld,
                                                 pivots.data, info.data, count));
            return;
        }
        int size = 0;
        check("cusolverDn getrf_bufferSize",
              f().getrf_size(dn(), a.rows, a.cols, a.data, a.ld, &size));
        const scratch work = on_.elements(size);
        for (int i = 0; i < count; ++i)
            check("cusolverDn getrf",
                  f().getrf(dn(), a.rows, a.cols, a[i], a.ld, work.as<T>(), pivots[i], info[i]));
    }

    void getrs(char trans, matrices<T> lu, vectors<int> pivots, matrices<T> b, int count) override {
        if (lu_in_batches(lu.rows, count) && pivots.step == lu.rows) {
            const scratch of_a = on_.addresses(lu, count), of_b = on_.addresses(b, count);
            int refused_argument = 0;
            blas().check("cublas getrsBatched",
                         on_blas().getrs_batched(blas().handle(), cuda_operation(trans), b.rows,
                                                 b.cols, of_a.as<T*>(), lu.ld, pivots.data,
                                                 of_b.as<T*>(), b.ld, &refused_argument, count));
            return;
        }
        const scratch status = on_.integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn getrs", f().getrs(dn(), cuda_operation(trans), b.rows, b.cols, lu[i],
                                                lu.ld, pivots[i], b[i], b.ld, status.as<int>()));
    }

    void potrf(char uplo, matrices<T> a, vectors<int> info, int count) override {
        if (in_batches(a.rows, count) && info.step == 1) {
            const scratch of_a = on_.addresses(a, count);
            check("cusolverDn potrfBatched",
                  f().potrf_batched(dn(), cuda_fill(uplo), a.rows, of_a.as<T*>(), a.ld, info.data,
                                    count));
            return;
        }
        int size = 0;
        check("cusolverDn potrf_bufferSize",
              f().potrf_size(dn(), cuda_fill(uplo), a.rows, a.data, a.ld, &size));
        const scratch work = on_.elements(size);
        for (int i = 0; i < count; ++i)
            check("cusolverDn potrf", f().potrf(dn(), cuda_fill(uplo), a.rows, a[i], a.ld,
                                                work.as<T>(), size, info[i]));
    }

    /// cuSOLVER's potrsBatched takes one right side, so a batch is two triangular systems.
    void potrs(char uplo, matrices<T> factor, matrices<T> b, int count) override {
        if (in_batches(factor.rows, count)) {
            trsm('L', uplo, uplo == 'L' ? 'N' : 'C', 'N', factor, b, count);
            return trsm('L', uplo, uplo == 'L' ? 'C' : 'N', 'N', factor, b, count);
        }
        const scratch status = on_.integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn potrs", f().potrs(dn(), cuda_fill(uplo), b.rows, b.cols, factor[i],
                                                factor.ld, b[i], b.ld, status.as<int>()));
    }

    void geqrf(matrices<T> a, vectors<T> tau, int count) override {
        if (qr_in_batches(a.rows, count)) {
            const scratch of_a = on_.addresses(a, count), of_tau = on_.addresses(tau, count);
            int refused_argument = 0;
            blas().check("cublas geqrfBatched",
                         on_blas().geqrf_batched(blas().handle(), a.rows, a.cols, of_a.as<T*>(),
                                                 a.ld, of_tau.as<T*>(), &refused_argument, count));
            return;
        }
        int size = 0;
        check("cusolverDn geqrf_bufferSize",
              f().geqrf_size(dn(), a.rows, a.cols, a.data, a.ld, &size));
        const scratch work = on_.elements(size), status = on_.integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn geqrf", f().geqrf(dn(), a.rows, a.cols, a[i], a.ld, tau[i],
                                                work.as<T>(), size, status.as<int>()));
    }

    void orgqr(matrices<T> a, vectors<T> tau, int k, int count) override {
        int size = 0;
        check("cusolverDn orgqr_bufferSize",
              f().orgqr_size(dn(), a.rows, a.cols, k, a.data, a.ld, tau.data, &size));
        const scratch work = on_.elements(size), status = on_.integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn orgqr", f().orgqr(dn(), a.rows, a.cols, k, a[i], a.ld, tau[i],
                                                work.as<T>(), size, status.as<int>()));
    }

    void ormqr(char side, char trans, matrices<T> a, vectors<T> tau, int k, matrices<T> c,
               int count) override {
        if (!is_complex<T> && trans == 'C') trans = 'T';
        int size = 0;
        check("cusolverDn ormqr_bufferSize",
              f().ormqr_size(dn(), cuda_side(side), cuda_operation(trans), c.rows, c.cols, k,
                             a.data, a.ld, tau.data, c.data, c.ld, &size));
        const scratch work = on_.elements(size), status = on_.integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn ormqr",
                  f().ormqr(dn(), cuda_side(side), cuda_operation(trans), c.rows, c.cols, k, a[i],
                            a.ld, tau[i], c[i], c.ld, work.as<T>(), size, status.as<int>()));
    }

    void sytrf(matrices<T> a, vectors<int> pivots, vectors<int> info, int count) override {
        constexpr int lower = 0;
        int size = 0;
        check("cusolverDn sytrf_bufferSize", f().sytrf_size(dn(), a.rows, a.data, a.ld, &size));
        const scratch work = on_.elements(size);
        for (int i = 0; i < count; ++i)
            check("cusolverDn sytrf", f().sytrf(dn(), lower, a.rows, a[i], a.ld, pivots[i],
                                                work.as<T>(), size, info[i]));
    }

    void syevd(char uplo, bool wanted, matrices<T> a, vectors<R> values, vectors<int> info,
               int count) override {
        put_syevd(on_, uplo, wanted, a, values, info, count);
    }

    void gesvd(char job, matrices<T> a, vectors<R> s, matrices<T> u, matrices<T> vh,
               vectors<int> info, int count) override {
        put_gesvd(on_, job, a, s, u, vh, info, count);
    }

    void geev(matrices<T> a, complex<R>* values, matrices<T> right, int* info) override {
        put_geev(on_, a, values, right, info);
    }

    void end() override { on_.end(); }

private:
    cublas_session& blas() { return on_.blas(); }
    const cublas_typed<T>& on_blas() { return on_.on_blas(); }
    void* dn() { return on_.dn(); }
    const cusolver_typed<T>& f() { return on_.f(); }
    void check(const char* function, int code) { on_.check(function, code); }

    cuda_calls<T> on_;
};

}  // namespace

constinit const solver_makers cuda_solvers = make_solvers<cuda>();

}  // namespace sinter::gpu_linalg
