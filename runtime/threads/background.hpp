// Background threads of low priority, for work that no caller waits for: they get about a tenth of
// a busy processor. If hot code wants work that has been starved for too long, a second thread of
// normal priority continues it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace sinter::runtime {

struct background_job {
    /// Must not throw.
    std::function<void()> run;
    /// Returns the urgency of the job: the most urgent one runs next, and of equal ones the first
    /// that was added. A job without this function precedes those with it. Must not throw or block.
    std::function<uint64_t()> wanted;
    /// True if another thread may call `run` again while it runs, because the first thread is
    /// starved.
    bool repeatable = false;
};

/// Runs `job` on the background thread, which the first call starts. A fork waits for running jobs;
/// the child starts without jobs and makes a new thread when it needs one. Process exit, and the
/// end of the main thread, wait for running jobs and start no others. (If a thread that never added
/// a job calls exit while the first job loads a library, the destructors of that library run too
/// early. The plugin has none, unless it is linked with LLVM's shared library.) Throws
/// std::system_error if the thread cannot be started.
void run_in_background(background_job job);
inline void run_in_background(std::function<void()> job) {
    run_in_background(background_job{std::move(job), {}, false});
}

/// Sets whether the thread has low priority (the default); call it before the first job. The first
/// job always runs at normal priority, because it loads libraries that later jobs need, and other
/// threads that load a library wait for it.
void set_background_low(bool low);

/// Hot code calls this if it lacks the result of a job. Starts the second thread if the first one
/// has lacked CPU time for longer than the patience while it was busy. The second thread ends when
/// there are no more jobs.
void background_is_wanted() noexcept;
/// Sets the patience, 0.1 s by default. For tests.
void set_background_patience(std::chrono::nanoseconds patience);

/// Waits until all jobs so far are done. synchronize() calls it.
void wait_for_background();

/// Returns true if there is an unfinished job.
bool background_busy();

/// Makes exit wait for the last job before it runs destructors of anything loaded or made so far.
/// Jobs call it when they have loaded something; it is also called after each job.
void end_background_before_now();

}  // namespace sinter::runtime
