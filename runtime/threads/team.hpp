// The library's own team of threads, which shares loops. Helpers sleep while there is no work.
#pragma once

#include "runtime/threads/job_board.hpp"

namespace sinter::runtime {

/// Runs all chunks of a job on the calling thread and on up to `shares - 1` helpers, and returns
/// when all have ended. Does not wait for a helper that has begun none. Starts helpers that are
/// missing; if the system refuses, there are fewer. The job's function must not throw. Only one
/// call at a time per process.
void run_on_team(const job& j) noexcept;

/// Returns true if the calling thread is a helper, or inside `run_on_team`.
bool in_team() noexcept;

/// Sends helpers that spin to sleep: another library's threads are about to need the processors.
void rest_team() noexcept;

/// For a forked child, which has no helpers.
void forget_team() noexcept;

}  // namespace sinter::runtime
