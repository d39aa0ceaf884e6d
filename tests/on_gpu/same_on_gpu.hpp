// What operations of the library give on the GPU beside what they give on the CPU.
#pragma once

#include "tests/on_gpu/gpu_case.hpp"

#include <sinter/sinter.hpp>

namespace sinter::testing {

inline constexpr ScalarType all_dtypes[] = {kFloat, kDouble, kHalf,         kBFloat16,
                                            kChar,  kShort,  kInt,          kLong,
                                            kByte,  kBool,   kComplexFloat, kComplexDouble};

/// Numbers that every dtype tells apart in part.
inline Tensor numbers(IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return (arange(n) % 113).view(sizes).to(dtype);
}

/// f(function that moves a tensor to where it is asked for), on the CPU and on the GPU, which
/// computes all of it.
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
