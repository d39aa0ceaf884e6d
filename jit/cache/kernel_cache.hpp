// Compiled kernels: from memory, from disk, or compiled now. All callers get them here.
#pragma once

#include "jit/kernel_ir/call.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sinter::code_cache {

/// A kernel that can be called. Lives as long as the process.
struct kernel {
    kernel_ir::kernel_fn fn = nullptr;
};

enum class source : uint8_t { memory, disk, compiled };

struct lookup {
    const kernel* k = nullptr;
    source from = source::memory;
    bool failed = false;  // there is no compiler, or it failed: asking again is of no use
};

/// Returns the kernel with these bytes (kernel_ir::serialize). Threads that want the same kernel
/// compile it once. Throws Error if it must be compiled and cannot be.
lookup get(const std::vector<uint8_t>& serialized_kernel);

/// Returns the line of the program that needs the n-th kernel of a look-up; may be empty.
using where_fn = std::function<std::string(std::size_t)>;

/// Returns several kernels. Those that must be compiled are compiled together, which takes less
/// time. With SINTER_CACHE=require, throws Error for one that is in no cache.
std::vector<lookup> get(std::span<const std::span<const uint8_t>> serialized_kernels,
                        const where_fn& where = {});

/// Returns the kernels that are in memory or on disk. The others are null and are compiled together
/// in the background, unless there is no compiler, or that has failed before. Both are reported
/// once. With SINTER_CACHE=require, throws Error for one that is in no cache.
std::vector<lookup> get_or_compile_later(
    std::span<const std::span<const uint8_t>> serialized_kernels, const where_fn& where = {});

/// Returns true if this process can have compiled kernels: the processor has a supported level, and
/// the compiler is beside the library, or some kernels are on disk, or all must be.
bool kernels_usable(std::string* why_not);

/// Returns true if the compiler is beside the library. Loads nothing, so a process whose kernels
/// are all on disk stays small.
bool compiler_present();

/// Returns true if SINTER_CACHE=require. Kernels that only make a program faster are not asked for
/// then.
bool misses_are_errors();

/// Returns true if kernels can be compiled. Opens the compiler, which takes a while the first time.
bool compiler_available(std::string* why_not);

/// Returns the level that kernels are compiled for: "x86-64-v4", "x86-64-v3", or "none" if this
/// processor supports neither.
const char* target_level();

/// Returns the folder that keeps kernels between processes; empty if there is none.
std::string cache_folder();

struct counters {
    uint64_t hits, loaded, compiled;
};
counters count();

}  // namespace sinter::code_cache
