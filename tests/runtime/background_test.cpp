#include "runtime/threads/background.hpp"

#include "tests/support/fork.hpp"

#include <sinter/threads.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;

namespace {

int priority() { return getpriority(PRIO_PROCESS, 0); }

/// A job that continues until it is told to end.
class held_job {
public:
    explicit held_job(bool repeatable = false) {
        run_in_background({[this, go = go_.get_future().share()] {
                               ++begun_;
                               go.wait();
                           },
                           {},
                           repeatable});
    }
    void wait_for(int begun) const {
        while (begun_ < begun) std::this_thread::yield();
    }
    void wait_until_repeated() const {
        while (begun_ < 2) background_is_wanted();  // gives up if the lock is taken
    }
    void end() { go_.set_value(); }

private:
    std::promise<void> go_;
    std::atomic<int> begun_{0};
};

struct patience {
    explicit patience(std::chrono::nanoseconds most) { set_background_patience(most); }
    ~patience() { set_background_patience(std::chrono::milliseconds(100)); }
};

}  // namespace

TEST_CASE("background: jobs run one after the other, in order, at low priority but the first") {
    const patience endless(std::chrono::hours(24));
    std::vector<int> order;
    std::promise<void> go;
    int theirs = -1;
    run_in_background([&] { go.get_future().wait(); });
    for (int i = 0; i < 5; ++i) run_in_background([&order, i] { order.push_back(i); });
    run_in_background([&] { theirs = priority(); });
    CHECK(background_busy());
    CHECK(order.empty());
    go.set_value();
    synchronize();
    CHECK_FALSE(background_busy());
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(theirs == std::min(priority() + 10, 19));
}

TEST_CASE("background: what is wanted most comes first") {
    const patience endless(std::chrono::hours(24));
    std::vector<char> order;
    std::atomic<uint64_t> b{5}, c{3};
    held_job first;
    const auto job = [&order](char name) { return [&order, name] { order.push_back(name); }; };
    run_in_background({job('a'), [] { return uint64_t{4}; }});
    run_in_background({job('b'), [&b] { return b.load(); }});
    run_in_background({job('c'), [&c] { return c.load(); }});
    run_in_background({job('d'), [] { return uint64_t{4}; }});
    run_in_background(job('e'));
    c = 9;  // code ran without it while it waited
    first.end();
    synchronize();
    CHECK(order == std::vector<char>{'e', 'c', 'b', 'a', 'd'});
}

TEST_CASE("background: jobs that are kept waiting go on in a thread of the program's priority") {
    const patience none(std::chrono::nanoseconds(0));
    run_in_background([] {});
    synchronize();  // from here on the thread has low priority
    held_job first;
    first.wait_for(1);
    std::promise<int> theirs;
    run_in_background([&] { theirs.set_value(priority()); });
    auto result = theirs.get_future();
    while (result.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
        background_is_wanted();  // while the first job goes on
    CHECK(result.get() == priority());
    CHECK(background_busy());
    first.end();
    synchronize();
}

TEST_CASE("background: a job that goes on for too long is repeated, if it may be") {
    const patience none(std::chrono::nanoseconds(0));
    held_job first(true);
    first.wait_for(1);
    first.wait_until_repeated();
    first.end();
    synchronize();
    CHECK_FALSE(background_busy());
}

TEST_CASE("background: the second thread is gone once all jobs are done") {
    const patience none(std::chrono::nanoseconds(0));
    for (int round = 0; round < 100; ++round) {
        held_job first(true);
        first.wait_for(1);
        first.wait_until_repeated();
        first.end();
        // Otherwise it would take the first job of the next round, which is not repeatable.
        synchronize();
    }
}

TEST_CASE("background: no second thread where the first one is not wanted, or not late") {
    run_in_background([] {});
    synchronize();
    const patience endless(std::chrono::hours(24));
    held_job first;
    first.wait_for(1);
    std::thread::id with_first, after;
    run_in_background([&] { after = std::this_thread::get_id(); });
    for (int i = 0; i < 100; ++i) background_is_wanted();
    CHECK(after == std::thread::id());
    first.end();
    run_in_background([&] { with_first = std::this_thread::get_id(); });
    synchronize();
    CHECK(after == with_first);
}

TEST_CASE("background: a forked child has a thread of its own, and no jobs of its parent") {
    if (!test::can_start_threads_after_fork()) return;
    std::promise<void> started, go;
    int ran = 0;
    run_in_background([] {});
    synchronize();
    std::thread forker([&] {
        started.get_future().wait();
        go.set_value();  // a fork waits for the running job
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
