// What `sinter info` says of the GPUs' linear algebra.
#pragma once

#include "runtime/base/device.hpp"

namespace sinter::gpu_linalg {

// Looked for only where the vendor's driver has a device: opening them takes a while.
runtime::device_report find_cublas();
runtime::device_report find_cublaslt();
runtime::device_report find_cusolver();
runtime::device_report find_rocblas();
runtime::device_report find_rocsolver();

}  // namespace sinter::gpu_linalg
