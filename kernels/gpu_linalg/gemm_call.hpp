// A call of a vendor's product, and what cuBLAS and cuBLASLt share for it.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::gpu_linalg {

/// The alignment that is required of a bias, in bytes.
inline constexpr uintptr_t bias_alignment = 16;

/// c = a b of column-major matrices, as for both vendors. The flag 'T' or 'C' of a factor
/// transposes or adjoins it.
struct gemm_call {
    ScalarType dtype;
    struct factor {
        char flag;
        const char* data;
        int ld;
        int64_t step;
    } a, b;
    char* c;
    int m, n, k;
    int64_t step;  // of c, which is dense
    int count;
    /// If not null, m elements that are added to each column of c before rounding.
    const void* bias = nullptr;
};

/// 1 and 0 in the accumulation type, which is at least float.
struct factors {
    double of_double[4] = {1, 0, 0, 0};
    float of_float[4] = {1, 0, 0, 0};
    bool wide;
    explicit factors(ScalarType dtype) : wide(toRealValueType(dtype) == kDouble) {}
    const void* one() const {
        return wide ? static_cast<const void*>(of_double) : static_cast<const void*>(of_float);
    }
    const void* zero() const {
        return wide ? static_cast<const void*>(of_double + 2)
                    : static_cast<const void*>(of_float + 2);
    }
};

/// Returns CUBLAS_COMPUTE_64F or _32F, which use no narrower formats internally.
inline int cuda_sums(const factors& f) { return f.wide ? 70 : 68; }

}  // namespace sinter::gpu_linalg
