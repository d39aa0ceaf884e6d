// Threads for work that nobody waits for, of low priority: it gets about a tenth of what a busy
// processor has. Work that was kept waiting for too long while hot code wants it goes on beside
// that, in a thread of the program's own priority.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace sinter::runtime {

struct background_job {
    /// Must not throw.
    std::function<void()> run;
    /// How much the job is wanted: the most wanted one is next, and of those that are wanted alike
    /// the first that came. Without it a job comes before those that have it. Must not throw or
    /// block.
    std::function<uint64_t()> wanted;
    /// `run` may be called again, by another thread, while it goes on: where the first thread does
    /// not get its turn.
    bool repeatable = false;
};

/// Runs `job` on the background thread; the first call starts it. A fork waits for the jobs that
/// run; the child has no jobs, and a thread of its own when it first needs one. When the process
/// exits or its main thread ends, the jobs that run are waited for, and no other begins. (Should a
/// thread that never had a job call exit while the first job loads a library, the destructors of
/// that run too early: the plugin has none, unless it is linked with LLVM's shared library.) Throws
/// std::system_error where there can be no thread.
void run_in_background(background_job job);
inline void run_in_background(std::function<void()> job) {
    run_in_background(background_job{std::move(job), {}, false});
}

/// Whether the thread is of low priority, as it is unless told otherwise before its first job. That
/// one it runs at the priority of others: it loads what all later ones need, and whoever else had
/// to load something would wait for it.
void set_background_low(bool low);

/// Hot code goes without what a job makes. Starts the second thread, if the first one has not had
/// its turn for longer than `patience` of the time in which it had something to do. That thread
/// ends when there are no more jobs.
void background_is_wanted() noexcept;
/// A tenth of a second unless tests say otherwise.
void set_background_patience(std::chrono::nanoseconds patience);

/// Until all jobs so far are done. synchronize() calls it.
void wait_for_background();

/// Whether there is a job that is not done.
bool background_busy();

/// Whatever was loaded or made so far has its destructors run at exit after the last job has ended.
/// Jobs call it when they have loaded something; it is called after each job anyway.
void end_background_before_now();

}  // namespace sinter::runtime
