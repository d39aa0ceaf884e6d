// Singular values by cuSOLVER.
#pragma once

#include "kernels/gpu_linalg/cuda_calls.hpp"

namespace sinter::gpu_linalg {

/// gesvdjBatched takes no larger matrices.
inline constexpr int largest_in_gesvdj = 32;

/// gesvdjBatched makes whole factors, and V where LAPACK has its adjoint. It needs their memory
/// also where it is asked for values alone: without, an H200 ended some calls by an illegal
/// instruction.
template <class T>
void put_gesvdj_batched(cuda_calls<T>& on, char job, matrices<T> a, vectors<real_of<T>> s,
                        matrices<T> u, matrices<T> vh, vectors<int> info, int count) {
    const cuda_object parameters(on.any().make_gesvdj, on.any().drop_gesvdj);
    on.check("cusolverDnCreateGesvdjInfo", parameters.code());
    const bool wanted = job != 'N';
    const int m = a.rows, n = a.cols;
    const own_matrices<T> of_u(on, m, m, count), of_v(on, n, n, count);
    const matrices<T> whole_u = of_u.get(), v = of_v.get();
    int size = 0;
    on.check("cusolverDn gesvdjBatched_bufferSize",
             on.f().gesvdj_batched_size(on.dn(), wanted, m, n, a.data, a.ld, s.data, whole_u.data,
                                        m, v.data, n, &size, parameters.get(), count));
    const scratch work = on.elements(size);
    on.check(
        "cusolverDn gesvdjBatched",
        on.f().gesvdj_batched(on.dn(), wanted, m, n, a.data, a.ld, s.data, whole_u.data, m, v.data,
                              n, work.as<T>(), size, info.data, parameters.get(), count));
    if (!wanted) return;
    on.put_copy(whole_u, u, count);
    on.put_adjoint(v, vh, count);
}

template <class T>
void put_tall_gesvd(cuda_calls<T>& on, char job, matrices<T> a, vectors<real_of<T>> s,
                    matrices<T> u, matrices<T> vh, vectors<int> info, int count) {
    using R = real_of<T>;
    int size = 0;
    on.check("cusolverDn gesvd_bufferSize", on.f().gesvd_size(on.dn(), a.rows, a.cols, &size));
    const scratch work = on.elements(size), reals = on.elements(a.cols);
    const auto letter = static_cast<signed char>(job);
    // cuSOLVER checks leading dimensions even of unwanted factors.
    for (int i = 0; i < count; ++i)
        on.check("cusolverDn gesvd",
                 on.f().gesvd(on.dn(), letter, letter, a.rows, a.cols, a[i], a.ld, s[i], u[i],
                              std::max(u.ld, a.rows), vh[i], std::max(vh.ld, a.cols), work.as<T>(),
                              size, reals.as<R>(), info[i]));
}

/// cuSOLVER's gesvd requires rows >= cols. A wider matrix is solved as its adjoint, with the two
/// factors exchanged.
template <class T>
void put_gesvd(cuda_calls<T>& on, char job, matrices<T> a, vectors<real_of<T>> s, matrices<T> u,
               matrices<T> vh, vectors<int> info, int count) {
    const int most = std::max(a.rows, a.cols), least = std::min(a.rows, a.cols);
    if (count > 1 && most <= largest_in_gesvdj && is_packed(a) && s.step == least && info.step == 1)
        return put_gesvdj_batched(on, job, a, s, u, vh, info, count);
    if (a.rows >= a.cols) return put_tall_gesvd(on, job, a, s, u, vh, info, count);
    const own_matrices<T> turned(on, a.cols, a.rows, count), of_u(on, u.cols, u.rows, count),
        of_vh(on, vh.cols, vh.rows, count);
    on.put_adjoint(a, turned.get(), count);
    put_tall_gesvd(on, job, turned.get(), s, of_vh.get(), of_u.get(), info, count);
    if (job == 'N') return;
    on.put_adjoint(of_u.get(), u, count);
    on.put_adjoint(of_vh.get(), vh, count);
}

}  // namespace sinter::gpu_linalg
