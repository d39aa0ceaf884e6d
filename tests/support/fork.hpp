// When a test may fork while other threads of its process run.
#pragma once

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace sinter::test {

/// Returns true if a fork may copy a process whose other threads allocate. Not with the address
/// sanitizer: locks of its allocator would stay locked in the child.
inline bool can_fork_beside_threads() {
#ifdef SINTER_SANITIZE_ADDRESS
    MESSAGE("[SKIP] the address sanitizer's allocator does not survive a fork beside busy threads");
    return false;
#else
    return true;
#endif
}

/// Returns true if a child of a process with several threads may start threads.
inline bool can_start_threads_after_fork() {
#ifdef SINTER_SANITIZE_THREAD
    MESSAGE("[SKIP] the thread sanitizer ends a child that starts a thread");
    return false;
#else
    return can_fork_beside_threads();
#endif
}

/// Returns what the child passed to exit, or -1 if it crashed.
inline int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Returns the result of f() in a forked child, which then ends at once.
template <class F>
int status_of_child(F f) {
    const pid_t child = fork();
    if (child == 0) _exit(f());
    return wait_for(child);
}

}  // namespace sinter::test
