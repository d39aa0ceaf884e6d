// How many callers may be inside BLAS, and with how many threads.
#include "kernels/linalg/blas_call.hpp"

#include "runtime/threads/openmp.hpp"
#include "runtime/threads/threads.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::blas;

TEST_SUITE_BEGIN("host");

TEST_CASE("the gate lets no more callers in than it has places") {
    caller_gate gate(3);
    std::atomic<int> inside{0}, most{0}, passed{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 12; ++i)
        callers.emplace_back([&] {
            for (int times = 0; times < 200; ++times) {
                gate.enter();
                int now = ++inside;
                int seen = most.load();
                while (now > seen && !most.compare_exchange_weak(seen, now)) {
                }
                std::this_thread::yield();
                --inside;
                gate.leave();
                ++passed;
            }
        });
    for (std::thread& t : callers) t.join();
    CHECK(most.load() <= 3);
    CHECK(passed.load() == 12 * 200);
}

TEST_CASE("a call uses one thread of the library's OpenMP, and puts the count back") {
    const blas_library& l = require_blas("mm");
    if (l.hook_count == 0) {
        MESSAGE("[SKIP] this BLAS does not use OpenMP");
        return;
    }
    const openmp_hook& hook = l.hooks[0];
    const int before = hook.get_max_threads();
    hook.set_num_threads(5);
    {
        blas_call inside(l);
        for (int i = 0; i < l.hook_count; ++i) CHECK(l.hooks[i].get_max_threads() == 1);
        // Only this thread's count; another thread keeps its count.
        std::thread([&] {
            hook.set_num_threads(4);
            CHECK(hook.get_max_threads() == 4);
        }).join();
        CHECK(hook.get_max_threads() == 1);
    }
    CHECK(hook.get_max_threads() == 5);
    hook.set_num_threads(before);
}

TEST_CASE("LAPACK gets the threads of this process in one caller at a time") {
    const blas_library& l = require_blas("linalg_solve");
    if (l.hook_count == 0) {
        MESSAGE("[SKIP] this BLAS does not use OpenMP");
        return;
    }
    const openmp_hook& hook = l.hooks[0];
    const int before = get_num_threads();
    set_num_threads(2);
    {
        lapack_call first(l, true);
        CHECK(hook.get_max_threads() == (runtime::have_openmp ? runtime::available_threads() : 1));
        int second = 0;
        std::thread([&] {
            lapack_call inside(l, true);
            second = hook.get_max_threads();
        }).join();
        CHECK(second == 1);
    }
    {
        lapack_call small(l, false);
        CHECK(hook.get_max_threads() == 1);
    }
    set_num_threads(before);
}

TEST_CASE("a child forked while callers are inside can call") {
    const blas_library& l = require_blas("mm");
    lapack_call token(l, true);
    std::vector<std::unique_ptr<blas_call>> held;
    for (int i = 0; i + 1 < l.report.max_callers; ++i)
        held.push_back(std::make_unique<blas_call>(l));
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // instead of waiting forever
        blas_call inside(l);
        const double x[2] = {3, 4};
        _exit(l.f64.dot(2, x, 1, x, 1) == 25 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    while (!held.empty()) held.pop_back();  // each restores the count that it found
}

TEST_SUITE_END();
