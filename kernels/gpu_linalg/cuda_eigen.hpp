// Eigenvalues by cuSOLVER.
#pragma once

#include "kernels/gpu_linalg/cuda_calls.hpp"

#include <limits>

namespace sinter::gpu_linalg {

/// Of larger matrices XsyevBatched takes longer than syevd for each: of 512 rows 1.5 times, of 1024
/// 2.5 times on an H200; of 256 and less a thirtieth and less.
inline constexpr int largest_for_batches = 511;
/// PyTorch's bound from the time before XsyevBatched; it was not measured here.
inline constexpr int largest_for_jacobi = 32;

/// cuSOLVER refuses batches of 32768 matrices or more, and of more than 2^31 elements.
inline int most_in_one_syev(int64_t elements) {
    constexpr int64_t most = 1 << 14, limit = std::numeric_limits<int>::max();
    return static_cast<int>(std::clamp<int64_t>(limit / std::max<int64_t>(elements, 1), 1, most));
}

template <class T>
void put_syev_batched(cuda_calls<T>& on, char uplo, bool wanted, matrices<T> a,
                      vectors<real_of<T>> values, vectors<int> info, int count) {
    using R = real_of<T>;
    const cusolver_table& f = on.any();
    const cuda_object parameters(f.make_parameters, f.drop_parameters);
    on.check("cusolverDnCreateParams", parameters.code());
    const int type = cuda_type<T>(), real = cuda_type<R>(), fill = cuda_fill(uplo);
    const int most = most_in_one_syev(a.step);
    for (int first = 0; first < count; first += most) {
        const int some = std::min(most, count - first);
        cuda_work work;
        on.check("cusolverDnXsyevBatched_bufferSize",
                 f.syev_batched_size(on.dn(), parameters.get(), wanted, fill, a.rows, type,
                                     a[first], a.ld, real, values[first], type, &work.device_bytes,
                                     &work.host_bytes, some));
        work.make(on.stream());
        on.check("cusolverDnXsyevBatched",
                 f.syev_batched(on.dn(), parameters.get(), wanted, fill, a.rows, type, a[first],
                                a.ld, real, values[first], type, work.device(), work.device_bytes,
                                work.host(), work.host_bytes, info[first], some));
        work.keep(on.stream());
    }
}

template <class T>
void put_syevj_batched(cuda_calls<T>& on, char uplo, bool wanted, matrices<T> a,
                       vectors<real_of<T>> values, vectors<int> info, int count) {
    const cuda_object parameters(on.any().make_syevj, on.any().drop_syevj);
    on.check("cusolverDnCreateSyevjInfo", parameters.code());
    const int fill = cuda_fill(uplo);
    int size = 0;
    on.check("cusolverDn syevjBatched_bufferSize",
             on.f().syevj_batched_size(on.dn(), wanted, fill, a.rows, a.data, a.ld, values.data,
                                       &size, parameters.get(), count));
    const scratch work = on.elements(size);
    on.check("cusolverDn syevjBatched",
             on.f().syevj_batched(on.dn(), wanted, fill, a.rows, a.data, a.ld, values.data,
                                  work.as<T>(), size, info.data, parameters.get(), count));
}

template <class T>
void put_syevd(cuda_calls<T>& on, char uplo, bool wanted, matrices<T> a, vectors<real_of<T>> values,
               vectors<int> info, int count) {
    const bool packed = is_packed(a) && values.step == a.rows && info.step == 1;
    if (packed && count > 1 && a.rows <= largest_for_batches) {
        if (on.any().syev_batched && std::is_same_v<T, complex<float>> && uplo == 'L') {
            // Releases of cuSOLVER fail for some matrix of such a batch, but only for its lower
            // triangle, which is the upper one of the adjoint.
            const own_matrices<T> turned(on, a.rows, a.rows, count);
            on.put_adjoint(a, turned.get(), count);
            put_syev_batched(on, 'U', wanted, turned.get(), values, info, count);
            if (wanted) on.put_copy(turned.get(), a, count);
            return;
        }
        if (on.any().syev_batched)
            return put_syev_batched(on, uplo, wanted, a, values, info, count);
        if (a.rows <= largest_for_jacobi)
            return put_syevj_batched(on, uplo, wanted, a, values, info, count);
    }
    int size = 0;
    on.check("cusolverDn syevd_bufferSize",
             on.f().syevd_size(on.dn(), wanted, cuda_fill(uplo), a.rows, a.data, a.ld, values.data,
                               &size));
    const scratch work = on.elements(size);
    for (int i = 0; i < count; ++i)
        on.check("cusolverDn syevd", on.f().syevd(on.dn(), wanted, cuda_fill(uplo), a.rows, a[i],
                                                  a.ld, values[i], work.as<T>(), size, info[i]));
}

template <class T>
void put_geev(cuda_calls<T>& on, matrices<T> a, complex<real_of<T>>* values, matrices<T> right,
              int* info) {
    const cusolver_table& f = on.any();
    if (!f.geev) throw refused();
    const cuda_object parameters(f.make_parameters, f.drop_parameters);
    on.check("cusolverDnCreateParams", parameters.code());
    const int type = cuda_type<T>(), of_values = cuda_type<complex<real_of<T>>>();
    constexpr int no_left = 0;  // no left vectors
    const bool wanted = right.cols > 0;
    T* const vectors = wanted ? right.data : nullptr;
    cuda_work work;
    on.check("cusolverDnXgeev_bufferSize",
             f.geev_size(on.dn(), parameters.get(), no_left, wanted, a.rows, type, a.data, a.ld,
                         of_values, values, type, nullptr, 1, type, vectors, right.ld, type,
                         &work.device_bytes, &work.host_bytes));
    work.make(on.stream());
    on.check("cusolverDnXgeev",
             f.geev(on.dn(), parameters.get(), no_left, wanted, a.rows, type, a.data, a.ld,
                    of_values, values, type, nullptr, 1, type, vectors, right.ld, type,
                    work.device(), work.device_bytes, work.host(), work.host_bytes, info));
    work.keep(on.stream());
}

}  // namespace sinter::gpu_linalg
