#include "runtime/background.hpp"

#include "tests/support/fork.hpp"

#include <sinter/threads.hpp>

#include <doctest/doctest.h>

#include <sched.h>

#include <future>
#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;

TEST_CASE("background: jobs run one after the other, in order, at idle priority") {
    std::vector<int> order;
    std::promise<void> go;
    int policy = -1;
    run_in_background([&] { go.get_future().wait(); });
    for (int i = 0; i < 5; ++i) run_in_background([&order, i] { order.push_back(i); });
    run_in_background([&] { policy = sched_getscheduler(0); });
    CHECK(background_busy());
    CHECK(order.empty());
    go.set_value();
    synchronize();
    CHECK_FALSE(background_busy());
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(policy == SCHED_IDLE);
}

TEST_CASE("background: a forked child has a thread of its own, and no jobs of its parent") {
    if (!test::can_start_threads_after_fork()) return;
    std::promise<void> started, go;
    int ran = 0;
    run_in_background([] {});
    synchronize();
    std::thread forker([&] {
        started.get_future().wait();
        go.set_value();  // a fork waits for the job that runs
        const int status = test::status_of_child([&] {
            if (background_busy() || ran != 1) return 1;
            int mine = 0;
            run_in_background([&mine] { mine = 1; });
            synchronize();
            return mine == 1 ? 0 : 2;
        });
        CHECK(status == 0);
    });
    run_in_background([&] {
        started.set_value();
        go.get_future().wait();
        ran = 1;
    });
    forker.join();
    synchronize();
    CHECK(ran == 1);
}
