#include "kernels/gpu_linalg/cuda_tables.hpp"

namespace sinter::gpu_linalg {
namespace {

using runtime::driver_library;

#define SINTER_CUDA_TYPED_LOAD(member, real, complex_name, ...) \
    if (!from.find(name_for<T>(real, complex_name, true).c_str(), t.member)) return false;

template <class T>
bool fill_typed(cublas_typed<T>& t, driver_library& from) {
    SINTER_CUBLAS_TYPED(SINTER_CUDA_TYPED_LOAD)
    return true;
}

template <class T>
bool fill_typed(cusolver_typed<T>& t, driver_library& from) {
    SINTER_CUSOLVER_TYPED(SINTER_CUDA_TYPED_LOAD)
    return true;
}

#undef SINTER_CUDA_TYPED_LOAD

/// libraryPropertyType counts major, minor and patch.
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

#define SINTER_CUDA_LOAD(member, name, ...) \
    if (!from.find(name, member)) return false;

driver_library cublas_table::open() {
    // The toolkit's own folder is on no search path unless somebody put it there.
    return driver_library{
        "SINTER_CUBLAS_LIBRARY",
        {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
         "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12"}};
}

bool cublas_table::fill(driver_library& from) {
    SINTER_CUBLAS_FUNCTIONS(SINTER_CUDA_LOAD)
    return fill_typed(f32, from) && fill_typed(f64, from) && fill_typed(c32, from) &&
           fill_typed(c64, from);
}

std::string cublas_table::version() const { return cuda_version(*this); }

driver_library cusolver_table::open() {
    return driver_library{
        "SINTER_CUSOLVER_LIBRARY",
        {"libcusolver.so.12", "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so.12",
         "/usr/local/cuda/lib64/libcusolver.so.11"}};
}

bool cusolver_table::fill(driver_library& from) {
    SINTER_CUSOLVER_FUNCTIONS(SINTER_CUDA_LOAD)
    return fill_typed(f32, from) && fill_typed(f64, from) && fill_typed(c32, from) &&
           fill_typed(c64, from);
}

std::string cusolver_table::version() const { return cuda_version(*this); }

#undef SINTER_CUDA_LOAD

}  // namespace sinter::gpu_linalg
