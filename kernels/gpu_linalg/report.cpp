#include "kernels/gpu_linalg/report.hpp"

#include "kernels/gpu_linalg/cuda_tables.hpp"
#include "kernels/gpu_linalg/hip_tables.hpp"
#include "kernels/gpu_linalg/light_product.hpp"
#include "runtime/device/driver.hpp"

namespace sinter::gpu_linalg {
namespace {

template <class Table>
runtime::device_report report(const runtime::found_driver& driver) {
    if (!driver.it) return {false, "", "not looked for without its driver"};
    const found_library<Table>& found = find_library<Table>();
    if (!found.it) return {false, "", found.why_not};
    return {true, found.version + ", " + found.path, ""};
}

}  // namespace

runtime::device_report find_cublas() { return report<cublas_table>(runtime::cuda_vendor.driver()); }
runtime::device_report find_cublaslt() {
    runtime::device_report r = report<cublaslt_table>(runtime::cuda_vendor.driver());
    if (r.present && !light_library()) return {false, "", r.what + " is not of cuBLAS's version"};
    if (!r.present && r.why_not.empty()) r.why_not = "SINTER_CUBLAS_LIBRARY names a cuBLAS alone";
    return r;
}
runtime::device_report find_cusolver() {
    return report<cusolver_table>(runtime::cuda_vendor.driver());
}
runtime::device_report find_rocblas() {
    return report<rocblas_table>(runtime::hip_vendor.driver());
}
runtime::device_report find_rocsolver() {
    return report<rocsolver_table>(runtime::hip_vendor.driver());
}

}  // namespace sinter::gpu_linalg
