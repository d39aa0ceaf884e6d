// cuSOLVER, and cuBLAS for routines with a batched form there. Other routines are called once per
// matrix.
#include "kernels/gpu/moves.hpp"
#include "kernels/gpu_linalg/cuda_libraries.hpp"
#include "runtime/device/transfer.hpp"

#include <sinter/dtype.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace sinter::gpu_linalg {
namespace {

int cuda_operation(char trans) { return trans == 'N' ? 0 : trans == 'T' ? 1 : 2; }
int cuda_fill(char uplo) { return uplo == 'L' ? 0 : 1; }
int cuda_side(char side) { return side == 'L' ? 0 : 1; }
int cuda_diagonal(char diagonal) { return diagonal == 'N' ? 0 : 1; }

/// A larger matrix fills the device by itself.
constexpr int largest_in_batches = 512;

template <class T>
class cuda final : public solver<T> {
public:
    using R = real_of<T>;

    cuda(const char* op, runtime::gpu_stream& s) : op_(op), stream_(s) {}

    void trsm(char side, char uplo, char trans, char diagonal, matrices<T> a, matrices<T> b,
              int count) override {
        const T one{1};
        const int sides = cuda_side(side), fills = cuda_fill(uplo),
                  operations = cuda_operation(trans), diagonals = cuda_diagonal(diagonal);
        if (count > 1 && a.rows <= largest_in_batches) {
            const scratch of_a = addresses(a, count), of_b = addresses(b, count);
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
        if (count > 1 && a.rows == a.cols && a.rows <= largest_in_batches &&
            pivots.step == a.rows && info.step == 1) {
            const scratch of_a = addresses(a, count);
            blas().check("cublas getrfBatched",
                         on_blas().getrf_batched(blas().handle(), a.rows, of_a.as<T*>(), a.ld,
                                                 pivots.data, info.data, count));
            return;
        }
        int size = 0;
        check("cusolverDn getrf_bufferSize",
              f().getrf_size(dn(), a.rows, a.cols, a.data, a.ld, &size));
        const scratch work = elements(size);
        for (int i = 0; i < count; ++i)
            check("cusolverDn getrf",
                  f().getrf(dn(), a.rows, a.cols, a[i], a.ld, work.as<T>(), pivots[i], info[i]));
    }

    void getrs(char trans, matrices<T> lu, vectors<int> pivots, matrices<T> b, int count) override {
        if (count > 1 && lu.rows <= largest_in_batches && pivots.step == lu.rows) {
            const scratch of_a = addresses(lu, count), of_b = addresses(b, count);
            int refused_argument = 0;
            blas().check("cublas getrsBatched",
                         on_blas().getrs_batched(blas().handle(), cuda_operation(trans), b.rows,
                                                 b.cols, of_a.as<T*>(), lu.ld, pivots.data,
                                                 of_b.as<T*>(), b.ld, &refused_argument, count));
            return;
        }
        const scratch status = integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn getrs", f().getrs(dn(), cuda_operation(trans), b.rows, b.cols, lu[i],
                                                lu.ld, pivots[i], b[i], b.ld, status.as<int>()));
    }

    void potrf(char uplo, matrices<T> a, vectors<int> info, int count) override {
        if (count > 1 && a.rows <= largest_in_batches && info.step == 1) {
            const scratch of_a = addresses(a, count);
            check("cusolverDn potrfBatched",
                  f().potrf_batched(dn(), cuda_fill(uplo), a.rows, of_a.as<T*>(), a.ld, info.data,
                                    count));
            return;
        }
        int size = 0;
        check("cusolverDn potrf_bufferSize",
              f().potrf_size(dn(), cuda_fill(uplo), a.rows, a.data, a.ld, &size));
        const scratch work = elements(size);
        for (int i = 0; i < count; ++i)
            check("cusolverDn potrf", f().potrf(dn(), cuda_fill(uplo), a.rows, a[i], a.ld,
                                                work.as<T>(), size, info[i]));
    }

    void potrs(char uplo, matrices<T> factor, matrices<T> b, int count) override {
        const scratch status = integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn potrs", f().potrs(dn(), cuda_fill(uplo), b.rows, b.cols, factor[i],
                                                factor.ld, b[i], b.ld, status.as<int>()));
    }

    void geqrf(matrices<T> a, vectors<T> tau, int count) override {
        int size = 0;
        check("cusolverDn geqrf_bufferSize",
              f().geqrf_size(dn(), a.rows, a.cols, a.data, a.ld, &size));
        const scratch work = elements(size), status = integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn geqrf", f().geqrf(dn(), a.rows, a.cols, a[i], a.ld, tau[i],
                                                work.as<T>(), size, status.as<int>()));
    }

    void orgqr(matrices<T> a, vectors<T> tau, int k, int count) override {
        int size = 0;
        check("cusolverDn orgqr_bufferSize",
              f().orgqr_size(dn(), a.rows, a.cols, k, a.data, a.ld, tau.data, &size));
        const scratch work = elements(size), status = integers(1);
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
        const scratch work = elements(size), status = integers(1);
        for (int i = 0; i < count; ++i)
            check("cusolverDn ormqr",
                  f().ormqr(dn(), cuda_side(side), cuda_operation(trans), c.rows, c.cols, k, a[i],
                            a.ld, tau[i], c[i], c.ld, work.as<T>(), size, status.as<int>()));
    }

    void syevd(char uplo, bool wanted, matrices<T> a, vectors<R> values, vectors<int> info,
               int count) override {
        int size = 0;
        check("cusolverDn syevd_bufferSize", f().syevd_size(dn(), wanted, cuda_fill(uplo), a.rows,
                                                            a.data, a.ld, values.data, &size));
        const scratch work = elements(size);
        for (int i = 0; i < count; ++i)
            check("cusolverDn syevd", f().syevd(dn(), wanted, cuda_fill(uplo), a.rows, a[i], a.ld,
                                                values[i], work.as<T>(), size, info[i]));
    }

    /// cuSOLVER's gesvd requires rows >= cols. A wider matrix is solved as its adjoint, with the
    /// two factors exchanged.
    void gesvd(char job, matrices<T> a, vectors<R> s, matrices<T> u, matrices<T> vh,
               vectors<int> info, int count) override {
        if (a.rows >= a.cols) return tall_gesvd(job, a, s, u, vh, info, count);
        const auto turned = [&](const matrices<T>& m, std::optional<scratch>& memory) {
            const int64_t size = int64_t{m.rows} * m.cols;
            memory.emplace(elements(std::max<int64_t>(size * count, 1)));
            return matrices<T>{memory->template as<T>(), m.cols, m.rows, std::max(m.cols, 1), size};
        };
        std::optional<scratch> of_a, of_u, of_vh;
        const matrices<T> a_turned = turned(a, of_a), u_turned = turned(u, of_u),
                          vh_turned = turned(vh, of_vh);
        put_adjoint(a, a_turned, count);
        tall_gesvd(job, a_turned, s, vh_turned, u_turned, info, count);
        if (job == 'N') return;
        put_adjoint(u_turned, u, count);
        put_adjoint(vh_turned, vh, count);
    }

    void end() override {
        if (blas_) blas_->end();
        if (solver_) solver_->end();
    }

private:
    void tall_gesvd(char job, matrices<T> a, vectors<R> s, matrices<T> u, matrices<T> vh,
                    vectors<int> info, int count) {
        int size = 0;
        check("cusolverDn gesvd_bufferSize", f().gesvd_size(dn(), a.rows, a.cols, &size));
        const scratch work = elements(size), reals = elements(a.cols);
        const auto letter = static_cast<signed char>(job);
        // cuSOLVER checks leading dimensions even of unwanted factors.
        for (int i = 0; i < count; ++i)
            check("cusolverDn gesvd",
                  f().gesvd(dn(), letter, letter, a.rows, a.cols, a[i], a.ld, s[i], u[i],
                            std::max(u.ld, a.rows), vh[i], std::max(vh.ld, a.cols), work.as<T>(),
                            size, reals.as<R>(), info[i]));
    }

    void put_adjoint(const matrices<T>& from, const matrices<T>& to, int count) {
        gpu_kernels::put_moved(stream_, scalar_type_v<T>, {count, to.rows, to.cols},
                               {reinterpret_cast<char*>(to.data), {to.step, 1, to.ld}},
                               {reinterpret_cast<char*>(from.data), {from.step, from.ld, 1}}, true);
    }

    /// Returns the address of each matrix, in device memory.
    scratch addresses(const matrices<T>& m, int count) {
        std::vector<T*> all;
        for (int i = 0; i < count; ++i) all.push_back(m[i]);
        scratch memory(stream_, all.size() * sizeof(T*));
        gpu_kernels::upload(stream_, memory.data(), static_cast<const void*>(all.data()),
                            all.size() * sizeof(T*));
        return memory;
    }
    scratch elements(int64_t n) {
        return scratch(stream_, static_cast<std::size_t>(std::max<int64_t>(n, 1)) * sizeof(T));
    }
    scratch integers(int64_t n) {
        return scratch(stream_, static_cast<std::size_t>(n) * sizeof(int));
    }

    cublas_session& blas() {
        if (!blas_) blas_.emplace(op_, stream_);
        return *blas_;
    }
    const cublas_typed<T>& on_blas() { return typed<T>(blas().f()); }
    cusolver_session& session_of_solver() {
        if (!solver_) solver_.emplace(op_, stream_);
        return *solver_;
    }
    void* dn() { return session_of_solver().handle(); }
    const cusolver_typed<T>& f() { return typed<T>(session_of_solver().f()); }
    void check(const char* function, int code) { session_of_solver().check(function, code); }

    const char* op_;
    runtime::gpu_stream& stream_;
    std::optional<cublas_session> blas_;
    std::optional<cusolver_session> solver_;
};

}  // namespace

constinit const solver_makers cuda_solvers = make_solvers<cuda>();

}  // namespace sinter::gpu_linalg
