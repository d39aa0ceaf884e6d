// rocBLAS and rocSOLVER. Nearly all their routines have a strided batched form.
#include "kernels/gpu_linalg/hip_libraries.hpp"

#include <algorithm>

namespace sinter::gpu_linalg {
namespace {

int hip_operation(char trans) { return trans == 'N' ? 111 : trans == 'T' ? 112 : 113; }
int hip_fill(char uplo) { return uplo == 'U' ? 121 : 122; }
int hip_diagonal(char diagonal) { return diagonal == 'N' ? 131 : 132; }
int hip_side(char side) { return side == 'L' ? 141 : 142; }
int hip_vectors(char job) { return job == 'A' ? 191 : job == 'S' ? 192 : 194; }

template <class T>
class hip final : public solver<T> {
public:
    using R = real_of<T>;

    hip(const char* op, runtime::gpu_stream& s) : on_(op, s) {}

    void trsm(char side, char uplo, char trans, char diagonal, matrices<T> a, matrices<T> b,
              int count) override {
        const T one{1};
        on_.call("rocblas trsm", [&] {
            return typed<T>(on_.f()).trsm(on_.handle(), hip_side(side), hip_fill(uplo),
                                          hip_operation(trans), hip_diagonal(diagonal), b.rows,
                                          b.cols, &one, a.data, a.ld, a.step, b.data, b.ld, b.step,
                                          count);
        });
    }

    void getrf(matrices<T> a, vectors<int> pivots, vectors<int> info, int count) override {
        on_.call("rocsolver getrf", [&] {
            return f().getrf(on_.handle(), a.rows, a.cols, a.data, a.ld, a.step, pivots.data,
                             pivots.step, info.data, count);
        });
    }

    void getrs(char trans, matrices<T> lu, vectors<int> pivots, matrices<T> b, int count) override {
        on_.call("rocsolver getrs", [&] {
            return f().getrs(on_.handle(), hip_operation(trans), b.rows, b.cols, lu.data, lu.ld,
                             lu.step, pivots.data, pivots.step, b.data, b.ld, b.step, count);
        });
    }

    void potrf(char uplo, matrices<T> a, vectors<int> info, int count) override {
        on_.call("rocsolver potrf", [&] {
            return f().potrf(on_.handle(), hip_fill(uplo), a.rows, a.data, a.ld, a.step, info.data,
                             count);
        });
    }

    void potrs(char uplo, matrices<T> factor, matrices<T> b, int count) override {
        on_.call("rocsolver potrs", [&] {
            return f().potrs(on_.handle(), hip_fill(uplo), b.rows, b.cols, factor.data, factor.ld,
                             factor.step, b.data, b.ld, b.step, count);
        });
    }

    void geqrf(matrices<T> a, vectors<T> tau, int count) override {
        on_.call("rocsolver geqrf", [&] {
            return f().geqrf(on_.handle(), a.rows, a.cols, a.data, a.ld, a.step, tau.data, tau.step,
                             count);
        });
    }

    void orgqr(matrices<T> a, vectors<T> tau, int k, int count) override {
        for (int i = 0; i < count; ++i)
            on_.call("rocsolver orgqr", [&] {
                return f().orgqr(on_.handle(), a.rows, a.cols, k, a[i], a.ld, tau[i]);
            });
    }

    void ormqr(char side, char trans, matrices<T> a, vectors<T> tau, int k, matrices<T> c,
               int count) override {
        if (!is_complex<T> && trans == 'C') trans = 'T';
        for (int i = 0; i < count; ++i)
            on_.call("rocsolver ormqr", [&] {
                return f().ormqr(on_.handle(), hip_side(side), hip_operation(trans), c.rows, c.cols,
                                 k, a[i], a.ld, tau[i], c[i], c.ld);
            });
    }

    void sytrf(matrices<T> a, vectors<int> pivots, vectors<int> info, int count) override {
        on_.call("rocsolver sytrf", [&] {
            return f().sytrf(on_.handle(), hip_fill('L'), a.rows, a.data, a.ld, a.step, pivots.data,
                             pivots.step, info.data, count);
        });
    }

    void syevd(char uplo, bool wanted, matrices<T> a, vectors<R> values, vectors<int> info,
               int count) override {
        const int evect = wanted ? 211 : 213, n = a.rows;
        const scratch work = reals(int64_t{n} * count);
        on_.call("rocsolver syevd", [&] {
            return f().syevd(on_.handle(), evect, hip_fill(uplo), n, a.data, a.ld, a.step,
                             values.data, values.step, work.as<R>(), n, info.data, count);
        });
    }

    void gesvd(char job, matrices<T> a, vectors<R> s, matrices<T> u, matrices<T> vh,
               vectors<int> info, int count) override {
        constexpr int out_of_place = 201;
        const int least = std::min(a.rows, a.cols);
        const scratch work = reals(int64_t{least} * count);
        on_.call("rocsolver gesvd", [&] {
            return f().gesvd(on_.handle(), hip_vectors(job), hip_vectors(job), a.rows, a.cols,
                             a.data, a.ld, a.step, s.data, s.step, u.data, std::max(u.ld, 1),
                             u.step, vh.data, std::max(vh.ld, 1), vh.step, work.as<R>(), least,
                             out_of_place, info.data, count);
        });
    }

    void end() override { on_.end(); }

private:
    const rocsolver_typed<T>& f() { return typed<T>(on_.solver()); }
    scratch reals(int64_t n) {
        return scratch(on_.stream(), static_cast<std::size_t>(n) * sizeof(R));
    }

    hip_session on_;
};

}  // namespace

constinit const solver_makers hip_solvers = make_solvers<hip>();

}  // namespace sinter::gpu_linalg
