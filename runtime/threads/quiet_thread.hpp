// Threads of the library's own.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace sinter::runtime {

/// Starts a thread that is not joined and in which no signal handler runs: the program's threads
/// handle signals. Throws std::system_error if the system refuses.
template <class F>
void start_quiet_thread(F&& body) {
    struct blocked_signals {
        blocked_signals() {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
        }
        ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
        sigset_t before;
    };
    const blocked_signals scope;
    std::thread(std::forward<F>(body)).detach();
}

}  // namespace sinter::runtime
