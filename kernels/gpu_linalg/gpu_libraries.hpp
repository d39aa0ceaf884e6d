// The linear algebra libraries of the vendors: a record for each vendor, which its file defines.
#pragma once

#include "kernels/gpu_linalg/session.hpp"
#include "kernels/gpu_linalg/solver.hpp"

#include <iterator>
#include <memory>
#include <vector>

namespace sinter::gpu_linalg {

/// A line of `sinter info`.
struct library_report {
    const char* name;
    runtime::device_report found;
};

struct gpu_libraries {
    /// Makes a session for products. Throws `refused` if there is no library.
    std::unique_ptr<gemm_session> (*products)(const char* op, runtime::gpu_stream& s);
    /// Returns true if products of real numbers can add a bias.
    bool (*adds_bias)();
    const solver_makers* solvers;
    std::vector<library_report> (*report)();
};

extern const gpu_libraries cuda_libraries, hip_libraries;
/// In the order of runtime::gpu_vendors.
inline constexpr const gpu_libraries* all_gpu_libraries[] = {&cuda_libraries, &hip_libraries};
static_assert(std::size(all_gpu_libraries) == std::size(runtime::gpu_vendors));
inline const gpu_libraries& libraries_of(const runtime::gpu_vendor& v) {
    return *all_gpu_libraries[runtime::index_of(v.id)];
}

/// Returns the solver of the vendor of the stream's device.
template <class T>
std::unique_ptr<solver<T>> solver_on(const char* op, runtime::gpu_stream& s) {
    return typed<T>(*libraries_of(*s.device().api->vendor).solvers)(op, s);
}

// ---- for the records

template <class Session>
std::unique_ptr<gemm_session> make_products(const char* op, runtime::gpu_stream& s) {
    return std::make_unique<Session>(op, s);
}

/// Looks for the library only if the vendor's driver has a device: opening takes a while.
template <class Table>
library_report report_library(const runtime::gpu_vendor& v) {
    const char* name = Table::words.name;
    if (!v.driver().it) return {name, {false, "", "not looked for without its driver"}};
    const found_library<Table>& found = find_library<Table>();
    if (!found.it) return {name, {false, "", found.why_not}};
    return {name, {true, found.version + ", " + found.path, ""}};
}

}  // namespace sinter::gpu_linalg
