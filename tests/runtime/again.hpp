// Runs some of this program's test cases again in a separate process, for decisions that a process
// makes once from the environment.
#pragma once

#include "tests/support/again.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace sinter::test {

/// Returns the exit status of the test cases that match `filter`, run with `name`=`value`; -1 after
/// a signal.
inline int run_again(const char* filter, const char* name, const char* value) {
    std::fflush(stdout);  // otherwise the child prints what is buffered
    pid_t child = fork();
    if (child == 0) {
        setenv(name, value, 1);
        if (!std::freopen("/dev/null", "w", stdout)) _exit(126);  // a failure may be expected
        _exit(become_cases(filter));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Returns the exit status of `body` in a forked child, which is killed after a minute; -1 after a
/// signal.
template <class F>
int run_in_child(F&& body) {
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        int status = 126;
        try {
            status = body();
        } catch (...) {
        }
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace sinter::test
