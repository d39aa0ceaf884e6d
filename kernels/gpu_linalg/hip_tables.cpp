#include "kernels/gpu_linalg/hip_tables.hpp"

namespace sinter::gpu_linalg {
namespace {

using runtime::driver_library;

#define SINTER_HIP_TYPED_LOAD(member, real, complex_name, ...) \
    if (!from.find(name_for<T>(real, complex_name, false).c_str(), t.member)) return false;

template <class T>
bool fill_typed(rocblas_typed<T>& t, driver_library& from) {
    SINTER_ROCBLAS_TYPED(SINTER_HIP_TYPED_LOAD)
    return true;
}

template <class T>
bool fill_typed(rocsolver_typed<T>& t, driver_library& from) {
    SINTER_ROCSOLVER_TYPED(SINTER_HIP_TYPED_LOAD)
    return true;
}

#undef SINTER_HIP_TYPED_LOAD

template <class Table>
std::string hip_version(const Table& t) {
    char text[128] = "";
    if (t.version_text(text, sizeof text) != 0) return "";
    return text;
}

}  // namespace

#define SINTER_HIP_LOAD(member, name, ...) \
    if (!from.find(name, member)) return false;

driver_library rocblas_table::open() {
    return driver_library{
        "SINTER_ROCBLAS_LIBRARY",
        {"librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0",
         "/opt/rocm/lib/librocblas.so.5", "/opt/rocm/lib/librocblas.so.4"}};
}

bool rocblas_table::fill(driver_library& from) {
    SINTER_ROCBLAS_FUNCTIONS(SINTER_HIP_LOAD)
    return fill_typed(f32, from) && fill_typed(f64, from) && fill_typed(c32, from) &&
           fill_typed(c64, from);
}

std::string rocblas_table::version() const { return hip_version(*this); }

driver_library rocsolver_table::open() {
    return driver_library{"SINTER_ROCSOLVER_LIBRARY",
                          {"librocsolver.so.0", "/opt/rocm/lib/librocsolver.so.0"}};
}

bool rocsolver_table::fill(driver_library& from) {
    SINTER_ROCSOLVER_FUNCTIONS(SINTER_HIP_LOAD)
    return fill_typed(f32, from) && fill_typed(f64, from) && fill_typed(c32, from) &&
           fill_typed(c64, from);
}

std::string rocsolver_table::version() const { return hip_version(*this); }

#undef SINTER_HIP_LOAD

}  // namespace sinter::gpu_linalg
