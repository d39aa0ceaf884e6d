#include "kernels/gpu_linalg/hip_tables.hpp"

namespace sinter::gpu_linalg {
namespace {

using runtime::driver_library;

template <class Table>
std::string hip_version(const Table& t) {
    char text[128] = "";
    if (t.version_text(text, sizeof text) != 0) return "";
    return text;
}

}  // namespace

driver_library rocblas_table::open() {
    return driver_library{
        "SINTER_ROCBLAS_LIBRARY",
        {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0",
         "/opt/rocm/lib/librocblas.so.5", "/opt/rocm/lib/librocblas.so.4"}};
}

std::string rocblas_table::version() const { return hip_version(*this); }

driver_library rocsolver_table::open() {
    return driver_library{"SINTER_ROCSOLVER_LIBRARY",
                          {"librocsolver.so.0", "/opt/rocm/lib/librocsolver.so.0"}};
}

std::string rocsolver_table::version() const { return hip_version(*this); }

}  // namespace sinter::gpu_linalg
