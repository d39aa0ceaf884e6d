// Runs tasks in processes of their own, so that one that crashes or hangs the compiler, or runs
// code that does, costs no other.
#pragma once

#include "jit/cache/plugin.hpp"

#include <functional>
#include <span>
#include <vector>

namespace sinter::cache_command {

struct task {
    code_cache::byte_view input;
    int group = 0;  // only tasks of one group share a process

    task(code_cache::byte_view bytes, int of_group = 0) : input(bytes), group(of_group) {}
    explicit task(const code_cache::bytes& bytes) : input(bytes) {}
};

using task_replies = std::vector<code_cache::compile_reply>;

struct worker_settings {
    int workers = 1;
    int timeout_seconds = 120;  // of one process, which has at most `together` tasks
    std::size_t together = 16;
    const char* name = "the compiler";  // in errors
    /// Runs in the processes. Returns a reply for each input.
    std::function<task_replies(int group, const std::vector<code_cache::byte_view>& inputs)> run;
    std::function<void(std::size_t done, std::size_t failed)> progress;
};

/// Returns a reply for each task. If a process ends early or takes too long, the halves of its
/// tasks are tried apart; a single one has an error then. Throws Error if no process can be
/// started.
task_replies run_in_workers(std::span<const task> all, const worker_settings& settings);

}  // namespace sinter::cache_command
