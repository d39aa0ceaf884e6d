// GPU rivals without the library, as limits to compare with: copies and products by the vendor's
// calls. They are opened by dlopen, with the few declarations that are needed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace bench {

/// Waits for all work on the GPU that this process has launched.
void wait_for_device();

/// Returns a function that enqueues a copy within GPU memory on the default stream; empty if no
/// driver is found.
std::function<void(void* to, const void* from, std::size_t bytes)> device_copy();

/// Returns a function that enqueues c = a b of row-major square matrices of n rows on the default
/// stream, by cuBLAS or rocBLAS in plain f32 without TF32. Empty if there is none.
std::function<void(float* c, const float* a, const float* b, int n)> device_product();

/// Returns a function that enqueues CUB's sum of n doubles on the default stream. If `work` is
/// null, the function returns how many bytes of `work` it needs. Empty, with a message, if the
/// program that tools/bundle/pack makes of cub_sum.cu is missing or finds no device.
std::function<std::size_t(void* work, std::size_t bytes, const double* from, double* to, int64_t n)>
device_sum();

/// Returns driver and device, for the records.
std::string device_text();

}  // namespace bench
