// What the GPU does without the library: copies and products by the vendor's own calls, as a limit
// to be held against. Opened by dlopen, with the few declarations that are needed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// Waits for all that was put on the GPU, by anybody in this process.
void wait_for_device();

/// Puts a copy within the GPU's memory on the default stream; empty where no driver has it.
std::function<void(void* to, const void* from, std::size_t bytes)> device_copy();

/// Puts c = a b of squares of n rows, all by rows, on the default stream: cuBLAS or rocBLAS, in
/// plain f32 without TF32. Empty where there is none.
std::function<void(float* c, const float* a, const float* b, int n)> device_product();

/// Puts the sum of n doubles by CUB on the default stream, or says how many bytes of `work` it
/// takes where that is null. Empty, with a line that says so, where the program that
/// tools/bundle/pack makes of cub_sum.cu is not there, or finds no device.
std::function<std::size_t(void* work, std::size_t bytes, const double* from, double* to, int64_t n)>
device_sum();

/// Driver and device, for the records.
std::string device_text();

}  // namespace bench
