#include "runtime/memory/pool.hpp"

#include "runtime/memory/pool_shared.hpp"
#include "tests/runtime/again.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace sinter;
using runtime::allocate;
using runtime::release;

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

struct block {
    unsigned char* p;
    std::size_t bytes;
    unsigned char mark;
};

block take(std::size_t bytes, unsigned char mark) {
    block b{static_cast<unsigned char*>(allocate(bytes)), bytes, mark};
    if (bytes) {
        b.p[0] = b.p[bytes / 2] = b.p[bytes - 1] = mark;
    }
    return b;
}

bool intact(const block& b) {
    if (reinterpret_cast<std::uintptr_t>(b.p) % 64 != 0) return false;
    return b.bytes == 0 ||
           (b.p[0] == b.mark && b.p[b.bytes / 2] == b.mark && b.p[b.bytes - 1] == b.mark);
}

std::size_t random_size(std::mt19937_64& random) {
    // Log-uniform, so that every kind of block occurs.
    std::size_t limit = std::size_t{1} << (1 + random() % 21);
    return random() % limit;
}

}  // namespace

TEST_CASE("pool: size classes are sorted, tight and multiples of 64") {
    for (int c = 0; c < runtime::class_count; ++c) {
        std::size_t bytes = runtime::class_bytes(c);
        REQUIRE(bytes % 64 == 0);
        REQUIRE(runtime::size_class(bytes) == c);
        REQUIRE(runtime::size_class(bytes + 1) == c + 1);
    }
    CHECK(runtime::size_class(0) == 0);
    CHECK(runtime::class_bytes(runtime::small_classes - 1) == runtime::small_limit);
    CHECK(runtime::class_bytes(runtime::first_mapped_class) == mib);
    for (std::size_t bytes = 257; bytes < 64 * kib; ++bytes)
        REQUIRE(runtime::class_bytes(runtime::size_class(bytes)) * 4 <= bytes * 5 + 256);
}

TEST_CASE("pool: blocks are aligned, disjoint and keep their bytes") {
    std::mt19937_64 random(test::seed());
    std::vector<block> held;
    for (int i = 0; i < test::cases(20000); ++i) {
        if (held.size() < 40 || (random() % 2 && held.size() < 80)) {
            held.push_back(take(random_size(random), static_cast<unsigned char>(random())));
        } else {
            std::size_t at = random() % held.size();
            REQUIRE(intact(held[at]));
            release(held[at].p, held[at].bytes);
            held[at] = held.back();
            held.pop_back();
        }
    }
    for (const block& b : held) {
        REQUIRE(intact(b));
        release(b.p, b.bytes);
    }
    release(nullptr, 100);
}

TEST_CASE("pool: the last block released comes back first") {
    if (!runtime::pool_enabled()) return;
    for (std::size_t bytes : {std::size_t{64}, std::size_t{3000}, 100 * kib, 3 * mib}) {
        void* a = allocate(bytes);
        void* b = allocate(bytes);
        CHECK(a != b);
        release(a, bytes);
        release(b, bytes);
        CHECK(allocate(bytes) == b);
        CHECK(allocate(bytes) == a);
        release(a, bytes);
        release(b, bytes);
    }
}

TEST_CASE("pool: large blocks begin in the first page of a huge one, each at another line") {
    if (!runtime::pool_enabled()) return;
    for (std::size_t bytes : {mib, 5 * mib + 17, 40 * mib}) {
        std::set<std::uintptr_t> lines;
        std::vector<void*> all;
        for (int i = 0; i < 20; ++i) {
            all.push_back(allocate(bytes));
            const auto place = reinterpret_cast<std::uintptr_t>(all.back()) % (2 * mib);
            CHECK(place % 64 == 0);
            CHECK(place < 4096);
            lines.insert(place);
            auto* bytes_of = static_cast<volatile char*>(all.back());
            bytes_of[0] = 1;
            bytes_of[bytes - 1] = 1;
        }
        CHECK(lines.size() == all.size());
        for (void* p : all) release(p, bytes);
    }
}

TEST_CASE("pool: what lies behind a mapped block can be read") {
    if (!runtime::pool_enabled()) return;
    for (std::size_t bytes : {4 * mib, 64 * mib, std::size_t{5} * mib + 64}) {
        void* p = allocate(bytes);
        const auto* behind = static_cast<const volatile char*>(p) + bytes;
        CHECK(behind[0] + behind[512 * kib] + behind[mib - 1] <= 3 * 127);
        release(p, bytes);
    }
}

TEST_CASE("pool: the bound evicts what was released longest ago") {
    runtime::shared_pool pool(10 * mib);
    void* first = pool.take_large(4 * mib);
    void* second = pool.take_large(5 * mib);
    void* third = pool.take_large(2 * mib);
    void* medium = pool.take_large(500 * kib);
    REQUIRE(first);
    REQUIRE(medium);
    std::memset(medium, 1, 500 * kib);
    pool.give_large(medium, 500 * kib);
    pool.give_large(first, 4 * mib);
    pool.give_large(second, 5 * mib);
    CHECK(pool.cached() == 9 * mib + 512 * kib);
    pool.give_large(third, 2 * mib);  // 11.5 MiB: the medium block and `first` are freed
    CHECK(pool.cached() == 7 * mib);
    CHECK(pool.take_large(500 * kib) == medium);  // its address stayed, its pages were freed
    CHECK(static_cast<char*>(medium)[400 * kib] == 0);
    CHECK(pool.take_large(5 * mib) == second);
    pool.give_large(second, 5 * mib);

    // A block beyond the bound is mapped at its exact size and never kept.
    void* beyond = pool.take_large(21 * mib + 1);
    REQUIRE(beyond);
    static_cast<char*>(beyond)[21 * mib] = 1;
    pool.give_large(beyond, 21 * mib + 1);
    CHECK(pool.cached() == 7 * mib);
    CHECK(pool.trim() == 7 * mib);
    CHECK(pool.cached() == 0);
}

TEST_CASE("pool: a bound of nothing keeps nothing") {
    runtime::shared_pool pool(0);
    for (std::size_t bytes : {100 * kib, 2 * mib}) {
        void* p = pool.take_large(bytes);
        REQUIRE(p);
        std::memset(p, 1, bytes);
        pool.give_large(p, bytes);
        CHECK(pool.cached() == 0);
    }
}

TEST_CASE("pool: what cannot be had throws") {
    void* p = nullptr;
    for (std::size_t bytes : {std::size_t{1} << 50, SIZE_MAX, SIZE_MAX - 63}) {
        std::string text;
        try {
            p = allocate(bytes);
        } catch (const OutOfMemoryError& e) {
            text = e.what();
        }
        INFO(text);
        CHECK(text.rfind("[alloc] out of memory; got a request of " + std::to_string(bytes) +
                             " bytes with ",
                         0) == 0);
        CHECK(text.find("; try smaller tensors") != std::string::npos);
    }
    CHECK(p == nullptr);
    p = allocate(1000);
    CHECK(p != nullptr);
    release(p, 1000);
}

TEST_CASE("pool: cached blocks are given back before a request fails") {
    if (!runtime::pool_enabled()) return;
    int status = test::run_in_child([] {
        runtime::trim_pool();
        std::vector<void*> blocks;
        for (int i = 0; i < 8; ++i) blocks.push_back(allocate(16 * mib));
        for (void* p : blocks) release(p, 16 * mib);
        if (runtime::pool_cached_bytes() < 128 * mib) return 1;
        long pages = 0;
        FILE* f = fopen("/proc/self/statm", "r");
        if (!f || fscanf(f, "%ld", &pages) != 1) return 2;
        fclose(f);
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max =
            static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGE_SIZE)) + 4 * mib;
        if (setrlimit(RLIMIT_AS, &limit) != 0) return 3;
        void* p = allocate(100 * mib);
        if (runtime::pool_cached_bytes() != 0) return 4;
        release(p, 100 * mib);
        try {
            p = allocate(1000 * mib);
        } catch (const OutOfMemoryError&) {
            return 0;
        }
        return 5;
    });
    CHECK(status == 0);
}

TEST_CASE("pool: blocks wander between threads") {
    std::vector<block> exchange;
    std::mutex mutex;
    std::atomic<int> broken{0};
    auto work = [&](uint64_t seed) {
        std::mt19937_64 random(seed);
        for (int i = 0; i < test::cases(4000); ++i) {
            block b = take(random_size(random) % (200 * kib), static_cast<unsigned char>(random()));
            std::lock_guard lock(mutex);
            exchange.push_back(b);
            if (exchange.size() < 100) continue;
            std::size_t at = random() % exchange.size();
            std::swap(exchange[at], exchange.back());
            if (!intact(exchange.back())) ++broken;
            release(exchange.back().p, exchange.back().bytes);
            exchange.pop_back();
        }
    };
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t) threads.emplace_back(work, test::seed() + t);
    for (std::thread& t : threads) t.join();
    for (const block& b : exchange) {
        if (!intact(b)) ++broken;
        release(b.p, b.bytes);
    }
    CHECK(broken == 0);
}

TEST_CASE("pool: a thread's blocks outlive it and are used again") {
    if (!runtime::pool_enabled()) return;
    std::vector<void*> seen, again;
    std::thread([&] {
        for (int i = 0; i < 8; ++i) seen.push_back(allocate(20 * kib));
        for (void* p : seen) release(p, 20 * kib);
    }).join();
    std::thread([&] {
        for (int i = 0; i < 8; ++i) again.push_back(allocate(20 * kib));
        for (void* p : again) release(p, 20 * kib);
    }).join();
    std::sort(seen.begin(), seen.end());
    std::sort(again.begin(), again.end());
    CHECK(seen == again);
}

TEST_CASE("pool: a child of a busy process can allocate") {
    if (!test::can_fork_beside_threads()) return;
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) {
            for (std::size_t bytes : {300 * kib, 40 * kib, 3 * mib})
                release(allocate(bytes), bytes);
        }
    });
    int failures = 0;
    for (int i = 0; i < 20; ++i) {
        failures += test::run_in_child([] {
                        for (std::size_t bytes = 1; bytes < 8 * mib; bytes *= 3)
                            release(allocate(bytes), bytes);
                        return 0;
                    }) != 0;
    }
    stop = true;
    busy.join();
    CHECK(failures == 0);
}

TEST_CASE("pool: stats count requests, what is live and its peak") {
    void* held = allocate(1000);
    reset_stats();
    int64_t before = stats().bytes_live;
    void* p = allocate(5000);
    void* q = allocate(100000);
    release(p, 5000);
    CHECK(stats().bytes_allocated == 105000);
    CHECK(stats().bytes_live == before + 100000);
    CHECK(stats().bytes_peak == before + 105000);
    release(q, 100000);
    runtime::release_uncounted(runtime::allocate_uncounted(77), 77);
    release(held, 1000);
    CHECK(stats().bytes_live == before - 1000);
    CHECK(stats().bytes_allocated == 105000);
}

TEST_CASE("pool: switched off, it is plain allocation") {
    CHECK(test::run_again("pool: blocks*", "SINTER_POOL", "off") == 0);
    CHECK(test::run_again("pool: what cannot be had throws", "SINTER_POOL", "off") == 0);
    CHECK(test::run_again("reports: pool off", "SINTER_POOL", "off") == 0);
    CHECK(test::run_again("reports: pool off", "SINTER_POOL", "on") == 1);
}

TEST_CASE("reports: pool off" * doctest::skip()) { CHECK(!runtime::pool_enabled()); }
