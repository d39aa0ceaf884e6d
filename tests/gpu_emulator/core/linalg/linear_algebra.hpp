// The computations of both vendors' emulated libraries, on column-major matrices in device memory,
// each at the end of the handle's stream. Letters are LAPACK's.
#pragma once

#include "core/linalg/host_lapack.hpp"
#include "core/linalg/library.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace gpu_emulator::library {

/// A batch: matrices at a stride in elements, or at the addresses in a device array.
template <class T>
struct batch {
    T* first = nullptr;
    int64_t step = 0;
    T* const* array = nullptr;

    static batch one(const T* p) { return {const_cast<T*>(p), 0, nullptr}; }
    static batch steps(const T* p, int64_t step) { return {const_cast<T*>(p), step, nullptr}; }
    static batch at(const T* const* array) { return {nullptr, 0, const_cast<T* const*>(array)}; }
    /// A pointer to device memory, valid when the call runs.
    T* operator[](int i) const { return array ? host(array)[i] : first + i * step; }
};

inline int64_t matrix_size(int rows, int cols, int ld) {
    return rows == 0 || cols == 0 ? 0 : int64_t{cols - 1} * ld + rows;
}

/// What a call uses of each operand: known beforehand, or, if an array has the addresses, when it
/// runs.
class uses {
public:
    explicit uses(int count) : count_(count) {}

    template <class T>
    uses& operand(const batch<T>& b, int64_t elements) {
        const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
        if (bytes == 0 || count_ == 0) return *this;
        if (b.array) {
            regions.push_back(
                {static_cast<const void*>(b.array), static_cast<std::size_t>(count_) * sizeof(T*)});
            later_.push_back([b, bytes, n = count_](const char* name) {
                for (int i = 0; i < n; ++i)
                    if (!are_allocated(name, {{b[i], bytes}})) return false;
                return true;
            });
        } else {
            const auto apart = static_cast<std::size_t>(b.step) * sizeof(T);
            regions.push_back({b.first, apart * static_cast<std::size_t>(count_ - 1) + bytes});
        }
        return *this;
    }
    template <class T>
    uses& memory(const T* p, int64_t elements) {
        regions.push_back({p, static_cast<std::size_t>(elements) * sizeof(T)});
        return *this;
    }

    /// Fails the stream if `is_met` says no when the call runs.
    uses& condition(std::function<bool(const char* name)> is_met) {
        later_.push_back(std::move(is_met));
        return *this;
    }

    /// Submits a call that does `each` for every matrix.
    template <class F>
    status submit(void* h, const char* name, bool fits, F each) {
        return library::submit(h, name, fits && count_ >= 0, regions,
                               [n = count_, later = later_, each, text = std::string(name)] {
                                   for (const auto& check : later)
                                       if (!check(text.c_str())) return false;
                                   for (int i = 0; i < n; ++i) each(i);
                                   return true;
                               });
    }

    std::vector<region> regions;

private:
    const int count_;
    std::vector<std::function<bool(const char*)>> later_;
};

inline bool leads(int ld, int rows) { return rows >= 0 && ld >= std::max(1, rows); }

template <class T>
status trsm(void* h, char side, char uplo, char trans, char diag, int m, int n, T alpha, batch<T> a,
            int lda, batch<T> b, int ldb, int count) {
    const int order = side == 'L' ? m : n;
    uses u(count);
    u.operand(a, matrix_size(order, order, lda)).operand(b, matrix_size(m, n, ldb));
    return u.submit(h, "trsm", leads(lda, order) && leads(ldb, m) && n >= 0, [=](int i) {
        host_lapack<T>::get()->trsm(&side, &uplo, &trans, &diag, &m, &n, &alpha, host(a[i]), &lda,
                                    host(b[i]), &ldb);
    });
}

template <class T>
status getrf(void* h, int m, int n, batch<T> a, int lda, batch<int> pivots, batch<int> info,
             int count) {
    const int k = std::min(m, n);
    uses u(count);
    u.operand(a, matrix_size(m, n, lda)).operand(pivots, k).operand(info, 1);
    return u.submit(h, "getrf", leads(lda, m) && n >= 0, [=](int i) {
        host_lapack<T>::get()->getrf(&m, &n, host(a[i]), &lda, host(pivots[i]), host(info[i]));
    });
}

template <class T>
status getrs(void* h, char trans, int n, int k, batch<T> a, int lda, batch<int> pivots, batch<T> b,
             int ldb, int count) {
    uses u(count);
    u.operand(a, matrix_size(n, n, lda)).operand(pivots, n).operand(b, matrix_size(n, k, ldb));
    return u.submit(h, "getrs", leads(lda, n) && leads(ldb, n) && k >= 0, [=](int i) {
        int info = 0;
        host_lapack<T>::get()->getrs(&trans, &n, &k, host(a[i]), &lda, host(pivots[i]), host(b[i]),
                                     &ldb, &info);
    });
}

template <class T>
status potrf(void* h, char uplo, int n, batch<T> a, int lda, batch<int> info, int count) {
    uses u(count);
    u.operand(a, matrix_size(n, n, lda)).operand(info, 1);
    return u.submit(h, "potrf", leads(lda, n), [=](int i) {
        host_lapack<T>::get()->potrf(&uplo, &n, host(a[i]), &lda, host(info[i]));
    });
}

template <class T>
status potrs(void* h, char uplo, int n, int k, batch<T> a, int lda, batch<T> b, int ldb,
             int count) {
    uses u(count);
    u.operand(a, matrix_size(n, n, lda)).operand(b, matrix_size(n, k, ldb));
    return u.submit(h, "potrs", leads(lda, n) && leads(ldb, n) && k >= 0, [=](int i) {
        int info = 0;
        host_lapack<T>::get()->potrs(&uplo, &n, &k, host(a[i]), &lda, host(b[i]), &ldb, &info);
    });
}

/// Memory that begins at a line of the cache.
template <class T>
struct at_a_line {
    using value_type = T;
    at_a_line() = default;
    template <class U>
    at_a_line(const at_a_line<U>&) {}
    static constexpr std::align_val_t line{64};
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const at_a_line&) const { return true; }
};

/// Host memory for a call.
template <class T>
std::vector<T, at_a_line<T>> host_work(int64_t n) {
    return std::vector<T, at_a_line<T>>(static_cast<std::size_t>(std::max<int64_t>(n, 1)));
}

template <class T>
status geqrf(void* h, int m, int n, batch<T> a, int lda, batch<T> tau, int count) {
    uses u(count);
    u.operand(a, matrix_size(m, n, lda)).operand(tau, std::min(m, n));
    return u.submit(h, "geqrf", leads(lda, m) && n >= 0, [=](int i) {
        auto work = host_work<T>(int64_t{n} * 64);
        const int size = static_cast<int>(work.size());
        int info = 0;
        host_lapack<T>::get()->geqrf(&m, &n, host(a[i]), &lda, host(tau[i]), work.data(), &size,
                                     &info);
    });
}

template <class T>
status orgqr(void* h, int m, int n, int k, batch<T> a, int lda, batch<T> tau) {
    uses u(1);
    u.operand(a, matrix_size(m, n, lda)).operand(tau, k);
    return u.submit(h, "orgqr", leads(lda, m) && n >= 0 && n <= m && k >= 0 && k <= n, [=](int i) {
        auto work = host_work<T>(int64_t{n} * 64);
        const int size = static_cast<int>(work.size());
        int info = 0;
        host_lapack<T>::get()->orgqr(&m, &n, &k, host(a[i]), &lda, host(tau[i]), work.data(), &size,
                                     &info);
    });
}

template <class T>
status ormqr(void* h, char side, char trans, int m, int n, int k, batch<T> a, int lda, batch<T> tau,
             batch<T> c, int ldc) {
    const int order = side == 'L' ? m : n;
    const bool letters = trans == 'N' || trans == (parts<T>::complex ? 'C' : 'T');
    uses u(1);
    u.operand(a, matrix_size(order, k, lda)).operand(tau, k).operand(c, matrix_size(m, n, ldc));
    return u.submit(
        h, "ormqr", letters && leads(lda, order) && leads(ldc, m) && n >= 0 && k >= 0 && k <= order,
        [=](int i) {
            auto work = host_work<T>(int64_t{std::max(m, n)} * 64);
            const int size = static_cast<int>(work.size());
            int info = 0;
            // LAPACK writes into the reflectors and restores them; concurrent readers must not see
            // that.
            auto reflectors = host_work<T>(matrix_size(order, k, lda));
            std::copy_n(host(a[i]), matrix_size(order, k, lda), reflectors.data());
            host_lapack<T>::get()->ormqr(&side, &trans, &m, &n, &k, reflectors.data(), &lda,
                                         host(tau[i]), host(c[i]), &ldc, work.data(), &size, &info);
        });
}

template <class T>
bool is_finite(const T* a, int m, int n, int lda, char part = 'A') {
    for (int j = 0; j < n; ++j)
        for (int i = part == 'L' ? j : 0; i < (part == 'U' ? j + 1 : m); ++i)
            if (!(std::abs(a[int64_t{j} * lda + i]) <
                  std::numeric_limits<typename parts<T>::real>::infinity()))
                return false;
    return true;
}

template <class R, class T>
bool squares_leave_range(const T* a, int m, int n, int lda) {
    R largest{};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
            largest = std::max(largest, static_cast<R>(std::abs(a[int64_t{j} * lda + i])));
    const R square = largest * largest;
    return largest > 0 &&
           !(square >= std::numeric_limits<R>::min() && square <= std::numeric_limits<R>::max());
}

/// For operands that are not finite any `info` is valid; LAPACK might not return.
inline constexpr int gave_up = 1;

template <class T, class R = typename parts<T>::real>
status syevd(void* h, bool vectors, char uplo, int n, batch<T> a, int lda, batch<R> w,
             batch<int> info, int count) {
    uses u(count);
    u.operand(a, matrix_size(n, n, lda)).operand(w, n).operand(info, 1);
    return u.submit(h, "syevd", leads(lda, n), [=](int i) {
        int& status = *host(info[i]);
        T* const from = host(a[i]);
        status = gave_up;
        if (!is_finite(from, n, n, lda, uplo)) return;
        // A device's results do not depend on addresses. OpenBLAS's do, so it gets aligned ones.
        auto matrix = host_work<T>(matrix_size(n, n, lda));
        auto values = host_work<R>(n);
        T* const m = matrix.data();
        std::copy_n(from, matrix_size(n, n, lda), m);
        const char job = vectors ? 'V' : 'N';
        auto work = host_work<T>(int64_t{n} * 64);
        const int size = static_cast<int>(work.size());
        if constexpr (parts<T>::complex) {
            auto reals = host_work<R>(int64_t{n} * 3);
            host_lapack<T>::get()->syev(&job, &uplo, &n, m, &lda, values.data(), work.data(), &size,
                                        reals.data(), &status);
        } else {
            host_lapack<T>::get()->syev(&job, &uplo, &n, m, &lda, values.data(), work.data(), &size,
                                        &status);
        }
        std::copy_n(m, matrix_size(n, n, lda), from);
        std::copy_n(values.data(), n, host(w[i]));
    });
}

template <class T, class R = typename parts<T>::real>
status gesvd(void* h, char jobu, char jobvt, int m, int n, batch<T> a, int lda, batch<R> s,
             batch<T> vectors, int ldu, batch<T> vt, int ldvt, batch<int> info, int count) {
    const int k = std::min(m, n);
    const int of_u = jobu == 'A'   ? m
                     : jobu == 'S' ? k
                                   : 0,
              of_vt = jobvt == 'A'   ? n
                      : jobvt == 'S' ? k
                                     : 0;
    uses u(count);
    u.operand(a, matrix_size(m, n, lda)).operand(s, k).operand(info, 1);
    u.operand(vectors, matrix_size(of_u > 0 ? m : 0, of_u, ldu));
    u.operand(vt, matrix_size(of_vt, of_vt > 0 ? n : 0, ldvt));
    const bool fits = leads(lda, m) && n >= 0 && ldu >= 1 && ldvt >= 1 && (of_u == 0 || ldu >= m) &&
                      (of_vt == 0 || ldvt >= of_vt);
    return u.submit(h, "gesvd", fits, [=](int i) {
        int& status = *host(info[i]);
        T* const x = host(a[i]);
        status = gave_up;
        if (!is_finite(x, m, n, lda)) return;
        // cuSOLVER does not scale a matrix as LAPACK does: its values are then wrong, without a
        // word.
        if (squares_leave_range<R>(x, m, n, lda)) {
            std::fill_n(host(s[i]), k, std::numeric_limits<R>::quiet_NaN());
            status = 0;
            return;
        }
        auto work = host_work<T>(int64_t{m + n} * 64);
        const int size = static_cast<int>(work.size());
        T none{};
        T* const to_u = of_u > 0 ? host(vectors[i]) : &none;
        T* const to_vt = of_vt > 0 ? host(vt[i]) : &none;
        if constexpr (parts<T>::complex) {
            auto reals = host_work<R>(int64_t{k} * 5);
            host_lapack<T>::get()->gesvd(&jobu, &jobvt, &m, &n, x, &lda, host(s[i]), to_u, &ldu,
                                         to_vt, &ldvt, work.data(), &size, reals.data(), &status);
        } else {
            host_lapack<T>::get()->gesvd(&jobu, &jobvt, &m, &n, x, &lda, host(s[i]), to_u, &ldu,
                                         to_vt, &ldvt, work.data(), &size, &status);
        }
    });
}

/// The dtypes of products.
enum class element { half, bfloat16, f32, f64, c32, c64 };

struct factor {
    char flag;  // 'N', 'T' or 'C'
    const void* first;
    int ld;
    int64_t step;
};

/// c = a b; the caller has checked that the factors are 1 and 0. Half and BFloat16 are multiplied
/// in float. `bias`, if present, has m elements, which are added to each column before rounding;
/// not for complex dtypes.
status gemm(void* h, element type, int m, int n, int k, const factor& a, const factor& b, void* c,
            int ldc, int64_t step, int count, const void* bias = nullptr);

}  // namespace gpu_emulator::library
