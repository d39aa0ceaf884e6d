// Compares operations of the library on the GPU with the CPU.
#pragma once

#include "tests/on_gpu/gpu_case.hpp"

#include <sinter/sinter.hpp>

namespace sinter::testing {

inline constexpr ScalarType all_dtypes[] = {kFloat, kDouble, kHalf,         kBFloat16,
                                            kChar,  kShort,  kInt,          kLong,
                                            kByte,  kBool,   kComplexFloat, kComplexDouble};

/// Returns numbers that every dtype distinguishes, at least in part.
inline Tensor numbers(IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return (arange(n) % 113).view(sizes).to(dtype);
}

/// Compares f(function that moves a tensor to the device) on the CPU with the GPU, which must
/// compute all of it.
template <class F>
void same_on_gpu(const F& f) {
    const Tensor expected = f([](const Tensor& t) { return t; });
    reset_stats();
    const Tensor got = f([](const Tensor& t) { return Tensor(t.cuda()); });
    got.eval();
    CHECK(stats().host_fallbacks == 0);
    REQUIRE(got.is_cuda());
    CHECK(got.dtype() == expected.dtype());
    CHECK(equal(got.cpu(), expected));
}

}  // namespace sinter::testing
