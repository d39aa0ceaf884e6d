#include <doctest/doctest.h>

#include <sinter/core/reference_count.hpp>

#include "runtime/base/spin_lock.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

using sinter::detail::reference_count;

TEST_CASE("reference_count: counts, and tells the last one") {
    reference_count n;
    CHECK(n.load() == 0);
    CHECK(!n.add_if_any());
    n.begin();
    n.add();
    CHECK(n.add_if_any());
    CHECK(n.load() == 3);
    CHECK(!n.drop());
    CHECK(!n.drop());
    CHECK(n.drop());
}

TEST_CASE("reference_count: by a pointer that nobody sees") {
    reference_count n;
    n.begin();
    n.add_unseen();
    n.add_unseen();
    CHECK(n.load() == 3);
    CHECK(!n.drop_found());
    CHECK(!n.drop());
    CHECK(n.drop_found());
    CHECK(!n.add_if_any());
}

TEST_CASE("reference_count: of threads that let go one is the last, and sees what all have done") {
    for (int round = 0; round < 300; ++round) {
        reference_count n;
        n.begin();
        n.add();
        n.add();
        int64_t done[3] = {};
        std::atomic<int> last{0}, right{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&, t] {
                done[t] = t + 1;
                if (!n.drop()) return;
                ++last;
                if (done[0] + done[1] + done[2] == 6) ++right;
            });
        for (std::thread& t : threads) t.join();
        CHECK(last == 1);
        CHECK(right == 1);
    }
}

TEST_CASE("reference_count, spin_lock: what one thread began goes on with several") {
    reference_count n;
    n.begin();
    sinter::runtime::spin_lock lock;
    lock.lock();
    lock.unlock();
    int64_t sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 20000; ++i) {
                n.add();
                const std::lock_guard held(lock);
                ++sum;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(sum == 80000);
    CHECK(n.load() == 80001);
}
