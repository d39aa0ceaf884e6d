// The text of `sinter info`.
#include "engine/run/lower.hpp"
#include "jit/cache/disk.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "kernels/gpu_linalg/gpu_libraries.hpp"
#include "kernels/fft/fft.hpp"
#include "kernels/linalg/blas_core.hpp"
#include "kernels/linalg/blas_library.hpp"
#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"

#include <sinter/info.hpp>
#include <sinter/mode.hpp>
#include <sinter/threads.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

namespace sinter::inline v1 {
namespace {

namespace fs = std::filesystem;

std::string line(std::string name, const std::string& text) {
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    name.resize(12, ' ');
    return name + text + "\n";
}

std::string describe(const runtime::device_report& r) {
    return r.present ? r.what : "none: " + r.why_not;
}

/// Returns a GPU compiler's version, path and target architectures.
std::string describe(const codegen::gpu_compiler& of) {
    const codegen::rtc_library& c = of.library();
    if (!c.why_not().empty()) return "none: " + c.why_not();
    const std::vector<std::string> known = of.architectures(c);
    std::string text = "version " + c.version() + ", " + c.path() + ", compiles for";
    for (const std::string& each : known) text += " " + each;
    if (known.empty()) text += " what it does not say";
    return text + (c.why_not_here().empty() ? "" : "; " + c.why_not_here());
}

/// Returns the lines of all vendors: drivers, compilers, libraries.
std::string gpu_lines() {
    std::string lines;
    for (const runtime::gpu_vendor* v : runtime::gpu_vendors) {
        const codegen::gpu_compiler& c = codegen::compiler_of(v->id);
        lines +=
            line(v->name, describe(runtime::report_driver(*v))) + line(c.names.vendor, describe(c));
        for (const gpu_linalg::library_report& r : gpu_linalg::libraries_of(*v).report())
            lines += line(r.name, describe(r.found));
    }
    return lines;
}

std::string version() {
    return std::to_string(SINTER_VERSION_MAJOR) + "." + std::to_string(SINTER_VERSION_MINOR) + "." +
           std::to_string(SINTER_VERSION_PATCH);
}

std::string library_path() {
    Dl_info self{};
    const bool known = dladdr(reinterpret_cast<void*>(&info), &self) && self.dli_fname;
    return known ? self.dli_fname : "unknown";
}

std::string compiler() {
    std::string why;
    return code_cache::compiler_available(&why)
               ? "LLVM plugin, kernels for " + std::string(code_cache::target_level())
               : "none: " + why;
}

std::string jit() {
    switch (default_executor()) {
        case plan::executor::background:
            return "background: kernels run block by block until they are compiled";
        case plan::executor::compiled: return "wait: kernels are compiled before they run";
        case plan::executor::interpret: return "interpret: kernels are interpreted";
        case plan::executor::blocks: break;
    }
    return "off: nothing is compiled, kernels run block by block";
}

std::string kernel_cache() {
    const code_cache::disk_config config = code_cache::config_from_environment();
    if (config.folder.empty()) return "none: SINTER_CACHE_DIR is empty, or there is no home folder";
    std::error_code error;
    std::string text = config.folder;
    if (!fs::exists(config.folder, error)) {
        text += ", not there yet";
    } else {
        uint64_t kernels = 0, size = 0;
        for (fs::directory_iterator i(config.folder, error), end; !error && i != end;
             i.increment(error)) {
            std::error_code gone;  // other processes may be cleaning up
            const uint64_t each = i->path().extension() == ".kernel" ? i->file_size(gone) : 0;
            if (gone || each == 0) continue;
            ++kernels;
            size += each;
        }
        text += ", " + std::to_string(kernels) + " kernels in " + std::to_string(size >> 10) +
                " KiB of " + std::to_string(config.size_limit >> 20) + " MiB";
        if (error) text += ", cannot be read: " + error.message();
        if (access(config.folder.c_str(), W_OK) != 0) text += ", read-only";
    }
    for (const std::string& layer : config.layers) text += ", then " + layer;
    return text;
}

std::string blas_lines() {
    const blas::blas_report r = blas::report_blas();
    if (!r.found) return line("blas", "none: " + r.error);
    std::string text = r.path + ", threads by " + blas::to_string(r.threads);
    if (!r.core.empty()) text += ", core " + r.core;
    if (!r.replaced_core.empty())
        text += " (chosen for this processor, which OpenBLAS takes for " + r.replaced_core + ")";
    if (const char* better = blas::better_core(r.core, blas::cpu_vectors()))
        text += std::string(" (older than this processor: OPENBLAS_CORETYPE=") + better +
                " makes products several times as fast)";
    if (r.max_callers > 0) text += ", at most " + std::to_string(r.max_callers) + " callers";
    std::string lines = line("blas", text);
    if (!r.config.empty()) lines += line("", r.config);
    return lines +
           line("lapack", r.lapack_path.empty() ? "none: no library found has it" : r.lapack_path);
}

/// Returns a line for each environment variable, and one for those of libraries.
std::string environment_lines() {
    constexpr std::size_t value_width = 10;
    const std::vector<runtime::variable>& all = runtime::environment().all;
    std::size_t width = 0;
    for (const runtime::variable& v : all) width = std::max(width, std::strlen(v.name));
    std::string lines;
    for (const runtime::variable& v : all) {
        std::string name = v.name, value = v.value.empty() ? "-" : v.value;
        name.resize(width + 2, ' ');
        value.resize(std::max(value.size(), value_width), ' ');
        lines += line(lines.empty() ? "environment" : "",
                      name + (v.set ? "set      " : "default  ") + value + "  " + v.meaning);
    }
    const std::string others = runtime::variables_of_libraries();
    return lines + line("", others.empty() ? "none of OPENBLAS_*, OMP_*" : others);
}

}  // namespace

std::string info() {
    return line("sinter", version() + ", " + library_path()) +
           line("cpu", describe(runtime::find_cpu())) +
           line("threads", std::to_string(get_num_threads())) +
           line("mode", get_mode() == Mode::eager ? "eager" : "lazy") + line("jit", jit()) +
           line("compiler", compiler()) + line("cache", kernel_cache()) + blas_lines() +
           line("fftw", fourier::describe_fftw()) + gpu_lines() + environment_lines();
}

}  // namespace sinter::inline v1
