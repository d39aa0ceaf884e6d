#include "kernels/gpu_linalg/cuda_tables.hpp"

#include <cstdlib>

namespace sinter::gpu_linalg {
namespace {

using runtime::driver_library;

/// Returns "major.minor.patch"; libraryPropertyType numbers the three.
template <class Table>
std::string cuda_version(const Table& t) {
    std::string text;
    for (int which = 0; which < 3; ++which) {
        int number = 0;
        if (t.property(which, &number) != 0) return "";
        text += (which > 0 ? "." : "") + std::to_string(number);
    }
    return text;
}

}  // namespace

driver_library cublas_table::open() {
    // The CUDA toolkit's folder is usually on no search path.
    return driver_library{
        "SINTER_CUBLAS_LIBRARY",
        {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
         "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12"}};
}

std::string cublas_table::version() const { return cuda_version(*this); }

driver_library cublaslt_table::open() {
    constexpr const char* variable = "SINTER_CUBLASLT_LIBRARY";
    // If SINTER_CUBLAS_LIBRARY names a cuBLAS, the default cuBLASLt does not belong to it.
    if (const char* named = std::getenv("SINTER_CUBLAS_LIBRARY"); named && *named)
        return driver_library{variable, {}};
    return driver_library{
        variable,
        {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.13",
         "/usr/local/cuda/lib64/libcublasLt.so.12"}};
}

std::string cublaslt_table::version() const { return cuda_version(*this); }

driver_library cusolver_table::open() {
    return driver_library{
        "SINTER_CUSOLVER_LIBRARY",
        {"libcusolver.so.12", "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so.12",
         "/usr/local/cuda/lib64/libcusolver.so.11"}};
}

std::string cusolver_table::version() const { return cuda_version(*this); }

}  // namespace sinter::gpu_linalg
