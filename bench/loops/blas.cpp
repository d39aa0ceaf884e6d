#include "bench/loops/blas.hpp"

#include <initializer_list>
#include <type_traits>

#include <dlfcn.h>
#include <omp.h>

namespace bench {
namespace {

enum : int { row_major = 101, as_it_is = 111, as_transposed = 112 };

template <class T>
using gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

/// For complex numbers.
using complex_gemm = void (*)(int, int, int, int, int, int, const void*, const void*, int,
                              const void*, int, const void*, void*, int);

struct library {
    void* handle = nullptr;
    gemm<float> f32 = nullptr;
    gemm<double> f64 = nullptr;
    complex_gemm c32 = nullptr, c64 = nullptr;
};

/// Opens Debian's OpenMP build, or else whatever the loader finds.
library open_library() {
    for (const char* name :
         {"/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0",
          "/usr/lib/aarch64-linux-gnu/openblas-openmp/libopenblas.so.0", "libopenblas.so.0"})
        if (void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL))
            return {handle, reinterpret_cast<gemm<float>>(dlsym(handle, "cblas_sgemm")),
                    reinterpret_cast<gemm<double>>(dlsym(handle, "cblas_dgemm")),
                    reinterpret_cast<complex_gemm>(dlsym(handle, "cblas_cgemm")),
                    reinterpret_cast<complex_gemm>(dlsym(handle, "cblas_zgemm"))};
    return {};
}

const library& blas() {
    static const library opened = open_library();
    return opened;
}

template <class T>
void product(gemm<T> call, const T* a, const T* b, T* c, int64_t side, bool transposed,
             int threads) {
    const int n = static_cast<int>(side);
    omp_set_num_threads(threads);
    call(row_major, as_it_is, transposed ? as_transposed : as_it_is, n, n, n, T(1), a, n, b, n,
         T(0), c, n);
}

template <class T>
void complex_product(complex_gemm call, const T* a, const T* b, T* c, int64_t side, int threads) {
    const int n = static_cast<int>(side);
    const T one[] = {1, 0}, zero[] = {0, 0};
    omp_set_num_threads(threads);
    call(row_major, as_it_is, as_it_is, n, n, n, one, a, n, b, n, zero, c, n);
}

}  // namespace

template <class T>
void blas_product(const blas_operand<T>& a, const blas_operand<T>& b, T* c, int64_t m, int64_t n,
                  int64_t k) {
    const auto flag = [](bool transposed) { return transposed ? as_transposed : as_it_is; };
    const auto number = [](int64_t i) { return static_cast<int>(i); };
    gemm<T> call;
    if constexpr (std::is_same_v<T, double>)
        call = blas().f64;
    else
        call = blas().f32;
    omp_set_num_threads(1);
    call(row_major, flag(a.transposed), flag(b.transposed), number(m), number(n), number(k), T(1),
         a.data, number(a.ld), b.data, number(b.ld), T(0), c, number(n));
}
template void blas_product<float>(const blas_operand<float>&, const blas_operand<float>&, float*,
                                  int64_t, int64_t, int64_t);
template void blas_product<double>(const blas_operand<double>&, const blas_operand<double>&,
                                   double*, int64_t, int64_t, int64_t);

void* blas_symbol(const char* name) { return blas().handle ? dlsym(blas().handle, name) : nullptr; }

bool blas_found() { return blas().f32 && blas().f64 && blas().c32 && blas().c64; }

void blas_product(const float* a, const float* b, float* c, int64_t side, bool transposed,
                  int threads) {
    product(blas().f32, a, b, c, side, transposed, threads);
}
void blas_product(const double* a, const double* b, double* c, int64_t side, bool transposed,
                  int threads) {
    product(blas().f64, a, b, c, side, transposed, threads);
}

void blas_complex_product(const float* a, const float* b, float* c, int64_t side, int threads) {
    complex_product(blas().c32, a, b, c, side, threads);
}
void blas_complex_product(const double* a, const double* b, double* c, int64_t side, int threads) {
    complex_product(blas().c64, a, b, c, side, threads);
}

}  // namespace bench
