// The sum of doubles by CUB, which comes with the CUDA toolkit: what `sum of 1e6` is held against.
// tools/bundle/cub compiles it where there is nvcc; sinter_bench opens it if it lies beside it.
#include <cub/device/device_reduce.cuh>

/// Without `work`, asks how much memory it takes. On the default stream. CUDA's code of an error.
extern "C" int sinter_bench_cub_sum(void* work, size_t* bytes, const double* from, double* to, int n) {
    return cub::DeviceReduce::Sum(work, *bytes, from, to, n);
}
