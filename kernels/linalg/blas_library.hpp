// BLAS and LAPACK, opened by the first library call. Linking them would add 1.3 ms to the start of
// every program. The routines are declared here, so no header of the libraries is needed to build.
#pragma once

#include <sinter/complex.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace sinter::blas {

enum class threading { unknown = -1, none = 0, pthreads = 1, openmp = 2 };

/// The values of CBLAS_ORDER and CBLAS_TRANSPOSE in use.
inline constexpr int row_major = 101;
inline constexpr int as_is = 111, transposed = 112, conjugate_transposed = 113;
inline constexpr int conjugated = 114;  // only OpenBLAS has it

/// The functions for T. Only the 32-bit integer interface is supported; a library with 64-bit
/// integers is skipped.
template <class T>
struct routines {
    void (*gemm)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a,
                 int lda, const T* b, int ldb, T beta, T* c, int ldc) = nullptr;
    void (*gemv)(int order, int trans, int m, int n, T alpha, const T* a, int lda, const T* x,
                 int incx, T beta, T* y, int incy) = nullptr;
    T (*dot)(int n, const T* x, int incx, const T* y, int incy) = nullptr;
};

template <class R>
struct routines<complex<R>> {
    void (*gemm)(int order, int trans_a, int trans_b, int m, int n, int k, const complex<R>* alpha,
                 const complex<R>* a, int lda, const complex<R>* b, int ldb, const complex<R>* beta,
                 complex<R>* c, int ldc) = nullptr;
    void (*gemv)(int order, int trans, int m, int n, const complex<R>* alpha, const complex<R>* a,
                 int lda, const complex<R>* x, int incx, const complex<R>* beta, complex<R>* y,
                 int incy) = nullptr;
    /// The sum of x * y, and that of conj(x) * y.
    void (*dotu)(int n, const complex<R>* x, int incx, const complex<R>* y, int incy,
                 complex<R>* result) = nullptr;
    void (*dotc)(int n, const complex<R>* x, int incx, const complex<R>* y, int incy,
                 complex<R>* result) = nullptr;
};

/// Returns alpha or beta in the form the functions take: a real number by value, a complex one by
/// pointer.
template <class T>
T factor(const T& x) {
    return x;
}
template <class R>
const complex<R>* factor(const complex<R>& x) {
    return &x;
}

/// The functions of the library's OpenMP runtime that set the thread count of the calling thread.
struct openmp_hook {
    int (*get_max_threads)() = nullptr;
    void (*set_num_threads)(int) = nullptr;
};

/// The BLAS part of `sinter info`.
struct blas_report {
    bool found = false;
    std::string path;
    std::string lapack_path;  // empty: none
    threading threads = threading::unknown;
    std::string core;           // the core whose code OpenBLAS uses; empty for another BLAS
    std::string replaced_core;  // what OpenBLAS would have used by itself; empty: the same
    std::string config;         // OpenBLAS's description of its build
    int max_callers = 0;        // the number of threads that may be inside at a time
    std::string error;          // the reason, if not found
};
const char* to_string(threading t);

/// A place to look for BLAS.
struct blas_place {
    const char* blas;
    const char* lapack = nullptr;  // null: in `blas` itself
    bool loaded_only = false;      // take it only if this process has already loaded it
};
std::span<const blas_place> default_places();

struct blas_library {
    routines<float> f32;
    routines<double> f64;
    routines<complex<float>> c32;
    routines<complex<double>> c64;
    bool conjugates = false;  // gemm and gemv accept `conjugated`
    openmp_hook hooks[2];
    int hook_count = 0;
    void* lapack = nullptr;  // the handle of the file with LAPACK; null: none
    blas_report report;

    template <class T>
    const routines<T>& of() const {
        if constexpr (std::is_same_v<T, float>) {
            return f32;
        } else if constexpr (std::is_same_v<T, double>) {
            return f64;
        } else if constexpr (std::is_same_v<T, complex<float>>) {
            return c32;
        } else {
            return c64;
        }
    }
};

/// Opens the first place that has all required BLAS functions. Returns null, with the reasons in
/// `why`, if none has. Opened libraries stay open.
std::unique_ptr<blas_library> open_blas(std::span<const blas_place> places, std::string& why);

/// Returns the process's library, which the first call opens. Throws Error naming `what` if there
/// is none.
const blas_library& require_blas(const char* what);
/// Returns the text of that error.
std::string not_found_text(const char* what, const std::string& why);
inline constexpr const char* install_openblas = "apt-get install libopenblas0-openmp";

/// Opens the library if necessary, and describes it.
blas_report report_blas();

}  // namespace sinter::blas
