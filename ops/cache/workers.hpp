// Compiles kernels in processes of their own, so that one that crashes or hangs the compiler costs
// no other.
#pragma once

#include "jit/cache/plugin.hpp"

#include <functional>
#include <span>
#include <vector>

namespace sinter::cache_command {

struct compilation {
    code_cache::byte_view kernel;  // serialised
    codegen::target level;
};

struct worker_settings {
    int workers = 1;
    int timeout_seconds = 120;  // of one process, which compiles at most `together` kernels
    std::size_t together = 16;
    /// Runs in the processes. Returns a reply for each kernel.
    std::function<std::vector<code_cache::compile_reply>(codegen::target,
                                                         const std::vector<code_cache::byte_view>&)>
        compile;
    std::function<void(std::size_t done, std::size_t failed)> progress;
};

/// Returns a reply for each compilation. If a process ends early or takes too long, the halves of
/// its kernels are tried apart; a single one has an error then. Throws Error if no process can be
/// started.
std::vector<code_cache::compile_reply> compile_in_workers(std::span<const compilation> all,
                                                          const worker_settings& settings);

}  // namespace sinter::cache_command
