// Matrices for the tests of linear algebra on a GPU, and what they compare.
#pragma once

#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/functions/linalg.hpp>
#include <sinter/sinter.hpp>

#include <cstdlib>
#include <cstring>
#include <string>

namespace sinter::testing {

inline constexpr ScalarType matrix_dtypes[] = {kFloat, kDouble, kComplexFloat, kComplexDouble};

inline bool is_cuda() { return runtime::gpu_at(0).api->vendor->id == Vendor::nvidia; }

/// Returns true if the tests run without the libraries, as they do once for each vendor.
inline bool without_libraries() {
    const char* blas = std::getenv(is_cuda() ? "SINTER_CUBLAS_LIBRARY" : "SINTER_ROCBLAS_LIBRARY");
    return blas && std::strcmp(blas, "none") == 0;
}
inline bool has_libraries() { return has_gpu() && !without_libraries(); }

inline Tensor to_gpu(const Tensor& t) { return t.to(kCUDA); }

/// Returns small whole numbers, whose products are exact.
inline Tensor matrix_of(IntArrayRef sizes, ScalarType dtype, int64_t start = 0) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    const Tensor whole = (arange(start, start + n) % 7 - 3).reshape(sizes);
    if (!isComplexType(dtype)) return whole.to(dtype);
    const ScalarType part = toRealValueType(dtype);
    const Tensor other = (arange(start, start + n) % 5 - 2).reshape(sizes);
    return complex(whole.to(part), other.to(part));
}

/// Returns a batch of well-conditioned matrices.
inline Tensor regular(IntArrayRef sizes, ScalarType dtype) {
    const int64_t n = sizes.back();
    return matrix_of(sizes, dtype) / 4 + 3 * eye(n, n, dtype);
}

inline bool near(const Tensor& a, const Tensor& b) {
    const double tolerance = toRealValueType(b.scalar_type()) == kFloat ? 1e-4 : 1e-11;
    return a.sizes() == b.sizes() && allclose(a.cpu(), b, tolerance, tolerance);
}

/// Returns the text of an error without the line that it names.
template <class F>
std::string text_before_line(F&& f) {
    const std::string text = text_of(f);
    return text.substr(0, text.find("; at "));
}

}  // namespace sinter::testing
