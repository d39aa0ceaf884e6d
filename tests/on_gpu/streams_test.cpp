#include "runtime/device/event.hpp"
#include "runtime/device/memory.hpp"
#include "runtime/device/module.hpp"
#include "runtime/device/transfer.hpp"
#include "tests/on_gpu/emulator_control.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;
using testing::contains;
using testing::has_gpu;

TEST_CASE("gpu streams: positions rise, and are done when waited for") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    gpu_stream& s = pool_stream(g, false);
    gpu_block* b = take_gpu_block(g, 1 << 20);
    const uint64_t first = put_fill(s, b->data, 1, 1 << 20);
    const uint64_t second = put_fill(s, b->data, 2, 1 << 20);
    CHECK(second == first + 1);
    s.finish(second);
    CHECK(s.done(first));
    CHECK(s.done(second));
    b->after_write(s, second);
    give_gpu_block(b);
}

TEST_CASE("gpu streams: the current one is the thread's") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    gpu_stream& mine = pool_stream(g, false);
    CHECK(&current_stream(g) == &default_stream(g));
    set_current_stream(mine);
    CHECK(&current_stream(g) == &mine);
    std::thread([&] { CHECK(&current_stream(g) == &default_stream(g)); }).join();
    set_current_stream(default_stream(g));
    CHECK(&current_stream(g) == &default_stream(g));
}

TEST_CASE("gpu streams: a pool of 32 in turn, and others for high priority") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    gpu_stream& first = pool_stream(g, false);
    for (int i = 1; i < 32; ++i) CHECK(&pool_stream(g, false) != &first);
    CHECK(&pool_stream(g, false) == &first);
    CHECK(&pool_stream(g, true) != &first);
}

TEST_CASE("gpu streams: none is behind those of other libraries") {
    if (!testing::has_emulator()) return;
    const unsigned long long before = testing::counts("low");
    default_stream(gpu_at(0));
    for (int i = 0; i < 33; ++i) pool_stream(gpu_at(0), false);
    for (int i = 0; i < 33; ++i) pool_stream(gpu_at(0), true);
    CHECK(before == 0);
    CHECK(testing::counts("low") == 0);
}

TEST_CASE("gpu first: the streams of high priority" * doctest::skip()) {
    REQUIRE(testing::has_emulator());
    constexpr int rounds = 30;
    int first = 0;
    for (int i = 0; i < rounds; ++i) {
        gpu_stream &usual = pool_stream(gpu_at(0), false), &high = pool_stream(gpu_at(0), true);
        gpu_event one(gpu_at(0), true), other(gpu_at(0), true);
        one.record(usual);
        other.record(high);
        one.finish();
        other.finish();
        first += one.since(other) > 0;
    }
    CHECK(first > rounds * 2 / 3);
}

TEST_CASE("gpu streams: those of high priority go first") {
    if (!testing::has_emulator()) return;
    for (const char* seed : {"1", "2", "3"})
        CHECK(test::run_again("gpu first: *", "SINTER_EMULATOR_SEED", seed) == 0);
}

TEST_CASE("gpu events: record, block, finish, and the time between two") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    gpu_stream &a = pool_stream(g, false), &b = pool_stream(g, false);
    gpu_block* block = take_gpu_block(g, 16 << 20);
    gpu_event start(g, true), end(g, true);
    start.record(a);
    put_fill(a, block->data, 3, 16 << 20);
    end.record(a);
    end.block(b);
    char last = 0;
    const uint64_t at = put_copy(b, &last, block->data + (16 << 20) - 1, 1);
    b.finish(at);
    CHECK(last == 3);
    end.finish();
    CHECK(end.done());
    CHECK(end.since(start) >= 0);
    block->after_read(b, at);
    give_gpu_block(block);
}

TEST_CASE("gpu devices: a scope leaves the thread's device as it was") {
    if (!has_gpu() || gpu_count() < 2) return;
    const gpu &first = gpu_at(0), &second = gpu_at(1);
    // The context that leave() would restore is the thread's current one.
    const auto current = [&] {
        void* now = nullptr;
        CHECK(first.api->enter(first.ordinal, &now) == driver_code::success);
        first.api->leave(now);
        return now;
    };
    void* const before = current();
    {
        const device_scope outer(first);
        void* const in_first = current();
        {
            const device_scope inner(second);
            CHECK(current() != in_first);
            gpu_block* b = take_gpu_block(second, 4096);
            b->after_write(current_stream(second),
                           put_fill(current_stream(second), b->data, 1, 4096));
            give_gpu_block(b);
        }
        CHECK(current() == in_first);
        gpu_block* b = take_gpu_block(first, 4096);
        b->after_write(current_stream(first), put_fill(current_stream(first), b->data, 1, 4096));
        give_gpu_block(b);
    }
    CHECK(current() == before);
    finish_device(first);
    finish_device(second);
}

TEST_CASE("gpu devices: peers open once and again") {
    if (!has_gpu() || gpu_count() < 2) return;
    CHECK(open_peer(gpu_at(0), gpu_at(1)));
    CHECK(open_peer(gpu_at(0), gpu_at(1)));
    CHECK(!open_peer(gpu_at(0), gpu_at(0)));
}

TEST_CASE("gpu devices: errors name the device and what was done") {
    if (!has_gpu()) return;
    CHECK_THROWS_WITH_AS(gpu_at(gpu_count()),
                         doctest::Contains("[device] the device index is out of range; got cuda:"),
                         Error);
    const gpu& g = gpu_at(0);
    const char nonsense[] = "this is no device code at all, but long enough to be looked at";
    const std::string names[] = {"kernel"};
    try {
        load_kernels(g, nonsense, names);
        FAIL("nonsense was loaded");
    } catch (const Error& e) {
        CHECK(contains(e.what(), "[cuda:0] loading device code failed; got "));
        CHECK(contains(e.what(), ", expected success; "));
    }
}

TEST_CASE("gpu streams: many threads put work on the streams of both devices") {
    if (!has_gpu()) return;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([t] {
            const gpu& g = gpu_at(t % gpu_count());
            gpu_stream& s = pool_stream(g, t % 3 == 0);
            set_current_stream(s);
            for (int i = 0; i < 50; ++i) {
                const std::size_t bytes = 1000 + 777 * static_cast<std::size_t>(i);
                gpu_block* b = take_gpu_block(g, bytes);
                const auto value = static_cast<unsigned char>(t * 50 + i);
                b->before_write(s);
                b->after_write(s, put_fill(s, b->data, value, bytes));
                unsigned char last = 0;
                const uint64_t at = put_copy(s, &last, b->data + bytes - 1, 1);
                s.finish(at);
                b->after_read(s, at);
                give_gpu_block(b);
                if (last != value) FAIL_CHECK("thread " << t << " turn " << i);
            }
        });
    for (std::thread& t : threads) t.join();
}
