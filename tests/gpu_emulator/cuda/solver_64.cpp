// The part of cuSOLVER's 64-bit interface that is loaded. Dtypes are arguments, and a call also has
// a workspace in host memory, which it uses while it runs.
#include "core/linalg/geev.hpp"
#include "core/linalg/ldl.hpp"
#include "cuda/solver.hpp"

#include <limits>
#include <type_traits>

using namespace cuda_solver;

namespace {

/// Calls f with a value of the type; returns an error code for an unknown type.
template <class F>
int with_type(int type, const F& f) {
    switch (type) {
        case 0: return f(float{});
        case 1: return f(double{});
        case 4: return f(std::complex<float>{});
        case 5: return f(std::complex<double>{});
        default: return invalid;
    }
}
bool is_complex(int type) { return type == 4 || type == 5; }
int real_of(int type) { return is_complex(type) ? type - 4 : type; }
bool is_mode(int job) { return job == 0 || job == 1; }
bool is_size(int64_t n) { return n >= 0 && n <= std::numeric_limits<int>::max(); }

std::size_t on_device(int64_t n) { return static_cast<std::size_t>(n) * 64 + 256; }
std::size_t on_host(int64_t n) { return static_cast<std::size_t>(n) * 16 + 64; }

int answer(void* handle, int64_t n, std::size_t* device, std::size_t* host) {
    if (!library::find(handle)) return 1;
    *device = on_device(n);
    *host = on_host(n);
    return 0;
}

/// Overwrites both workspaces, in the stream's order.
int use(void* handle, int64_t n, void* device, std::size_t device_bytes, void* host,
        std::size_t host_bytes) {
    if (device_bytes < on_device(n) || host_bytes < on_host(n) || !host) return invalid;
    auto* const first = static_cast<char*>(device);
    library::uses u(1);
    u.memory(first, static_cast<int64_t>(device_bytes));
    return code(u.submit(handle, "workspaces", true, [=](int) {
        std::memset(library::host(first), 0x5a, device_bytes);
        std::memset(host, 0x5a, host_bytes);
    }));
}

/// cuSOLVER refuses larger batches, without a word in its documentation.
bool takes_batch(int64_t n, int64_t lda, int64_t count) {
    return count >= 1 && count < 32768 && n * lda * count <= std::numeric_limits<int>::max();
}
bool are_syev(const void* with, int job, int uplo, int64_t n, int type, int64_t lda, int values,
              int compute, int64_t count) {
    return is_living(with) && is_mode(job) && fill(uplo) && is_size(n) &&
           lda >= std::max<int64_t>(n, 1) && values == real_of(type) && compute == type &&
           takes_batch(n, lda, count);
}
bool are_geev(const void* with, int left, int right, int64_t n, int type, int64_t lda, int values,
              int of_left, int of_right, int64_t ldvr, int compute) {
    return is_living(with) && left == 0 && is_mode(right) && is_size(n) &&
           lda >= std::max<int64_t>(n, 1) && ldvr >= (right ? std::max<int64_t>(n, 1) : 1) &&
           values == real_of(type) + 4 && of_left == type && of_right == type && compute == type;
}

/// Loses the last matrix of a batch, as releases of cuSOLVER lose one of Hermitian matrices of
/// single precision of which the lower triangle is read.
template <class R>
int lose_one(void* handle, R* w, int n) {
    library::uses u(1);
    u.memory(w, n);
    return code(u.submit(handle, "a lost matrix", true, [=](int) {
        std::fill_n(library::host(w), n, std::numeric_limits<R>::quiet_NaN());
    }));
}

}  // namespace

EXPORTED int cusolverDnXsyevBatched_bufferSize(void* h, void* with, int job, int uplo, int64_t n,
                                               int type, const void*, int64_t lda, int values,
                                               const void*, int compute, std::size_t* device,
                                               std::size_t* host, int64_t count) {
    if (!are_syev(with, job, uplo, n, type, lda, values, compute, count)) return invalid;
    return answer(h, n, device, host);
}
EXPORTED int cusolverDnXsyevBatched(void* h, void* with, int job, int uplo, int64_t n, int type,
                                    void* a, int64_t lda, int values, void* w, int compute,
                                    void* device, std::size_t device_bytes, void* host,
                                    std::size_t host_bytes, int* info, int64_t count) {
    if (!are_syev(with, job, uplo, n, type, lda, values, compute, count)) return invalid;
    RETURN_FAILED(use(h, n, device, device_bytes, host, host_bytes));
    return with_type(type, [=]<class T>(T) {
        using R = typename parts<T>::real;
        auto* const first = static_cast<R*>(w);
        const int of = static_cast<int>(count), order = static_cast<int>(n);
        RETURN_FAILED(code(library::syevd<T>(
            h, job == 1, fill(uplo), order, batch<T>::steps(static_cast<T*>(a), lda * n),
            static_cast<int>(lda), batch<R>::steps(first, n), batch<int>::steps(info, 1), of)));
        if (!std::is_same_v<T, std::complex<float>> || fill(uplo) != 'L') return 0;
        return lose_one(h, first + (count - 1) * n, order);
    });
}

EXPORTED int cusolverDnXgeev_bufferSize(void* h, void* with, int left, int right, int64_t n,
                                        int type, const void*, int64_t lda, int values, const void*,
                                        int of_left, const void*, int64_t, int of_right,
                                        const void*, int64_t ldvr, int compute, std::size_t* device,
                                        std::size_t* host) {
    if (!are_geev(with, left, right, n, type, lda, values, of_left, of_right, ldvr, compute))
        return invalid;
    return answer(h, n, device, host);
}
EXPORTED int cusolverDnXgeev(void* h, void* with, int left, int right, int64_t n, int type, void* a,
                             int64_t lda, int values, void* w, int of_left, void*, int64_t,
                             int of_right, void* vr, int64_t ldvr, int compute, void* device,
                             std::size_t device_bytes, void* host, std::size_t host_bytes,
                             int* info) {
    if (!are_geev(with, left, right, n, type, lda, values, of_left, of_right, ldvr, compute))
        return invalid;
    RETURN_FAILED(use(h, n, device, device_bytes, host, host_bytes));
    return with_type(type, [=]<class T>(T) {
        using R = typename parts<T>::real;
        return code(library::geev<T>(h, right == 1, static_cast<int>(n), static_cast<T*>(a),
                                     static_cast<int>(lda), static_cast<std::complex<R>*>(w),
                                     static_cast<T*>(vr), static_cast<int>(ldvr), info));
    });
}
