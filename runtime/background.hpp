// One thread for work that nobody waits for, at idle priority: it gets what the others leave.
#pragma once

#include <functional>

namespace sinter::runtime {

/// Runs `job` on the background thread, behind those that came before; the first call starts the
/// thread. Jobs must not throw. A fork waits for the job that runs; the child has no jobs, and a
/// thread of its own when it first needs one. At exit, the job that runs ends and no other begins.
/// Throws std::system_error where there can be no thread.
void run_in_background(std::function<void()> job);

/// Until all jobs so far are done. synchronize() calls it.
void wait_for_background();

/// Whether there is a job that is not done.
bool background_busy();

/// To be called when something with destructors of its own was loaded: jobs end before these run.
void end_background_before_now();

}  // namespace sinter::runtime
