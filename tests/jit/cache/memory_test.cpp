#include "jit/cache/memory.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

using namespace sinter::code_cache;

namespace {

bytes number_key(int n) { return bytes{static_cast<uint8_t>(n), static_cast<uint8_t>(n >> 8), 7}; }

void some_function(const sinter::kernel_ir::kernel_call*) {}

}  // namespace

TEST_CASE("memory cache: many threads that want the same kernels get each once") {
    memory_cache cache;
    constexpr int kinds = 200;
    std::atomic<int> made[kinds] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++) {
        threads.emplace_back([&] {
            for (int n = 0; n < kinds; n++) {
                bool mine = false;
                memory_cache::slot& s = cache.claim(number_key(n), mine);
                if (mine) {
                    made[n]++;
                    cache.publish(s, {&some_function});
                } else {
                    cache.wait(s);
                }
                if (!s.ready() || s.ready()->fn != &some_function) made[n] += 100;
            }
        });
    }
    for (std::thread& t : threads) t.join();
    for (const auto& m : made) CHECK(m == 1);
    CHECK(cache.size() == kinds);
}

TEST_CASE("memory cache: who gives up leaves the claim to the next") {
    memory_cache cache;
    bool mine = false;
    memory_cache::slot& s = cache.claim(number_key(1), mine);
    REQUIRE(mine);
    bool second = true;
    cache.claim(number_key(1), second);
    CHECK_FALSE(second);
    std::thread waiting([&] { cache.wait(s); });
    cache.abandon(s);
    waiting.join();
    CHECK(s.ready() == nullptr);
    cache.claim(number_key(1), mine);
    CHECK(mine);
}

TEST_CASE("memory cache: a forked child does not wait for its parent's claim") {
    memory_cache cache;
    bool mine = false;
    cache.claim(number_key(1), mine);
    REQUIRE(mine);
    const pid_t child = fork();
    if (child == 0) {
        bool taken = false;
        cache.claim(number_key(1), taken);
        _exit(taken ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}
