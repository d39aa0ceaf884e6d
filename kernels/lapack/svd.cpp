// Singular values, by divide and conquer or by QR iterations.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

template <class T>
struct svd_call {
    const routines<T>& r;
    matrices<T> a, u, vh;
    matrices<real_of<T>> s;
    matrices<int> info;
    char job;
    bool by_gesvd;

    explicit svd_call(const routine_call& c)
        : r(require<T>(c.op)),
          a(c, 0, 2),
          u(c, 1, 2),
          vh(c, 3, 2),
          s(c, 2, 1),
          info(c, 4, 0),
          job(c.attributes->as<svd_attributes>().job),
          by_gesvd(c.attributes->as<svd_attributes>().gesvd) {}

    int64_t reals() const {
        const int64_t least = std::min(a.rows, a.cols), most = std::max(a.rows, a.cols);
        if (by_gesvd) return 5 * least;
        if (job == 'N') return 7 * least;
        return std::max(5 * least * least + 5 * least,
                        2 * most * least + 2 * least * least + least);
    }
    int64_t integers() const { return 8 * int64_t{std::min(a.rows, a.cols)}; }

    void run(T* of_a, real_of<T>* of_s, T* of_u, T* of_vh, T* memory, int lwork,
             real_of<T>* of_reals, int* of_integers, int* status) const {
        const int ldu = std::max(1, u.ld), ldvh = std::max(1, vh.ld);
        if constexpr (is_complex<T>) {
            if (by_gesvd) {
                r.gesvd(&job, &job, &a.rows, &a.cols, of_a, &a.ld, of_s, of_u, &ldu, of_vh, &ldvh,
                        memory, &lwork, of_reals, status, 1, 1);
            } else {
                r.gesdd(&job, &a.rows, &a.cols, of_a, &a.ld, of_s, of_u, &ldu, of_vh, &ldvh, memory,
                        &lwork, of_reals, of_integers, status, 1);
            }
        } else {
            static_cast<void>(of_reals);
            if (by_gesvd) {
                r.gesvd(&job, &job, &a.rows, &a.cols, of_a, &a.ld, of_s, of_u, &ldu, of_vh, &ldvh,
                        memory, &lwork, status, 1, 1);
            } else {
                r.gesdd(&job, &a.rows, &a.cols, of_a, &a.ld, of_s, of_u, &ldu, of_vh, &ldvh, memory,
                        &lwork, of_integers, status, 1);
            }
        }
    }
};

/// Sets an orthogonal factor of an empty matrix: the identity.
template <class T>
void set_identity(T* a, int n, int64_t ld) {
    for (int64_t j = 0; j < n; ++j) {
        std::fill(a + j * ld, a + j * ld + n, T{});
        a[j * ld + j] = T{1};
    }
}

template <class T>
void run_svd(const routine_call& c) {
    using R = real_of<T>;
    const svd_call<T> call(c);
    const int m = call.a.rows, n = call.a.cols;
    int lwork = 1;
    if (m > 0 && n > 0) {
        T size{1}, any{};
        R real = 0;
        int integer = 0, asked = 0;
        call.run(&any, &real, &any, &any, &size, -1, &real, &integer, &asked);
        lwork = work_size(size);
    }
    const int64_t reals = is_complex<T> ? call.reals() : 0;
    for_each_matrix(c.op, call.a.count, 8.0 * m * n * std::min(m, n), [&] {
        return [&, lwork, memory = work<T>(lwork), of_reals = work<R>(reals),
                of_integers = work<int>(call.integers())](int64_t i) {
            int& info = *call.info[i];
            info = 0;
            if (m == 0 || n == 0) {
                if (call.job != 'A') return;
                set_identity(call.u[i], m, call.u.ld);
                set_identity(call.vh[i], n, call.vh.ld);
                return;
            }
            if (!all_finite(call.a[i], m, n, call.a.ld)) {
                info = info_not_finite;
                return;
            }
            call.run(call.a[i], call.s[i], call.u[i], call.vh[i], memory, lwork, of_reals,
                     of_integers, &info);
            require_accepted(c.op, info);
        };
    });
}

}  // namespace

const routine gesdd{"gesdd", SINTER_LAPACK_BY_DTYPE(run_svd), gesdd_on_gpu};

}  // namespace sinter::lapack
