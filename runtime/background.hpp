// One thread for work that nobody waits for, at idle priority: it gets what the others leave, which
// on a busy machine may be next to nothing.
#pragma once

#include <functional>

namespace sinter::runtime {

/// Runs `job` on the background thread, behind those that came before; the first call starts the
/// thread. Jobs must not throw. A fork waits for the job that runs; the child has no jobs, and a
/// thread of its own when it first needs one. When the process exits or its main thread ends, the
/// job that runs is waited for, and no other begins. (Should a thread that never had a job call
/// exit while the first job loads a library, the destructors of that run too early: the plugin has
/// none, unless it is linked with LLVM's shared library.) Throws std::system_error where there can
/// be no thread.
void run_in_background(std::function<void()> job);

/// Whether the thread has idle priority, as it has unless told otherwise before its first job.
void set_background_idle(bool idle);

/// Until all jobs so far are done. synchronize() calls it.
void wait_for_background();

/// Whether there is a job that is not done.
bool background_busy();

/// Whatever was loaded or made so far has its destructors run at exit after the last job has ended.
/// Jobs call it when they have loaded something; it is called after each job anyway.
void end_background_before_now();

}  // namespace sinter::runtime
