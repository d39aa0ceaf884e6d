#include <doctest/doctest.h>

#include <sinter/reference_count.hpp>

#include "runtime/brief_lock.hpp"

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

TEST_CASE("reference_count, brief_lock: what one thread began goes on with several") {
    reference_count n;
    n.begin();
    sinter::runtime::brief_lock lock;
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
