// The vendors' languages and run-time compilers: a record for each vendor, which its file defines.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "jit/codegen/c_like/program.hpp"
#include "runtime/device/driver.hpp"

#include <iterator>
#include <string>
#include <vector>

namespace sinter::codegen {

struct gpu_compiler {
    dialect language;
    rtc_names names;
    const char* package;  // to install, in errors
    /// Returns the compiler, opened on the first call.
    rtc_library& (*library)();
    /// Returns the options for an architecture, separated by spaces.
    std::string (*options)(const std::string& architecture);

    // These ask a library of the vendor.

    /// Returns the architectures that it lists, oldest first: "sm_90", "gfx90a". Empty if it cannot
    /// list them.
    std::vector<std::string> (*architectures)(const rtc_library& library);
    /// Returns true if it may be given an architecture, including variants ("sm_90a") and features
    /// ("gfx90a:xnack-"). If NVRTC cannot list its architectures, all are allowed, since it reports
    /// an error. If hiprtc cannot, only those that every supported release knows are allowed.
    bool (*knows)(const rtc_library& library, const std::string& architecture);
    /// Returns the target for a device of an architecture.
    std::string (*target)(const rtc_library& library, const std::string& architecture);

    /// Returns the other targets whose code a device of an architecture may run, the best first.
    /// The driver has the last word.
    std::vector<std::string> (*also_runs)(const std::string& architecture);
};

extern const gpu_compiler cuda_compiler, hip_compiler;
/// In the order of runtime::gpu_vendors.
inline constexpr const gpu_compiler* gpu_compilers[] = {&cuda_compiler, &hip_compiler};
static_assert(std::size(gpu_compilers) == std::size(runtime::gpu_vendors));
inline const gpu_compiler& compiler_of(Vendor v) { return *gpu_compilers[runtime::index_of(v)]; }

/// Returns code for an architecture: a cubin ("sm_90"), PTX ("compute_90") or a code object
/// ("gfx90a"). The library is asked first if it knows the architecture, because hiprtc 5 aborts on
/// an unknown one.
device_code compile(const gpu_compiler& c, const std::string& text,
                    const std::string& architecture);

/// Returns the error text for an unknown architecture: what was asked for, what is supported, what
/// to try.
std::string unknown_architecture(const rtc_library& compiler, const std::string& architecture,
                                 const std::vector<std::string>& known);

/// Returns the number in "sm_90", "sm_90a" or "compute_90"; -1 if there is none.
int architecture_number(const std::string& architecture);

/// Returns the library of these names.
template <const rtc_names& names>
rtc_library& opened() {
    // Leaked, like the library it opens: compilations may run while the process exits.
    static rtc_library& library = *new rtc_library(names);
    return library;
}

}  // namespace sinter::codegen
