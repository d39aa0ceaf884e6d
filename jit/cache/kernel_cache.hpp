// The one way to a compiled kernel: from memory, from disk, or compiled now.
#pragma once

#include "jit/kernel_ir/call.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinter::cache {

/// A kernel that can be called. Lives as long as the process.
struct kernel {
    kernel_ir::kernel_fn fn = nullptr;
};

enum class source : uint8_t { memory, disk, compiled };

struct lookup {
    const kernel* k = nullptr;
    source from = source::memory;
};

/// The kernel with these bytes (kernel_ir::serialize). Threads that want the same one compile it
/// once. Throws Error where it must be compiled and cannot be.
lookup get(const std::vector<uint8_t>& serialized_kernel);

/// The same for several: those that must be compiled are compiled together, in less time.
std::vector<lookup> get(std::span<const std::span<const uint8_t>> serialized_kernels);

/// Those that are in memory or on disk. The others are null, and are being compiled in the
/// background, together, unless that has failed before; failures are reported once.
std::vector<lookup> get_or_compile_later(
    std::span<const std::span<const uint8_t>> serialized_kernels);

/// Whether this process can have compiled kernels: the processor is of a level that they exist for
/// and the compiler is there. Loads nothing, so that a process whose kernels are all on disk stays
/// small.
bool kernels_usable(std::string* why_not);

/// Whether kernels can be compiled at all. Opens the compiler, which takes a while the first time.
bool compiler_available(std::string* why_not);

/// The level that kernels are compiled for: "x86-64-v4", "x86-64-v3", or "none" where this
/// processor is below them.
const char* target_level();

/// Where kernels are kept between processes; empty: nowhere.
std::string cache_folder();

struct counters {
    uint64_t hits, loaded, compiled;
};
counters count();

}  // namespace sinter::cache
