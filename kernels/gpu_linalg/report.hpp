// The part of `sinter info` about the GPU linear algebra libraries.
#pragma once

#include "runtime/base/device.hpp"

namespace sinter::gpu_linalg {

// Each looks for its library only if the vendor's driver has a device: opening takes a while.
runtime::device_report find_cublas();
runtime::device_report find_cublaslt();
runtime::device_report find_cusolver();
runtime::device_report find_rocblas();
runtime::device_report find_rocsolver();

}  // namespace sinter::gpu_linalg
