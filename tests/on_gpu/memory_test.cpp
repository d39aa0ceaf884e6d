#include "runtime/device/buffer.hpp"
#include "runtime/device/memory.hpp"
#include "runtime/device/transfer.hpp"
#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;
using testing::contains;
using testing::has_gpu;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// A block for the duration of a scope.
class block {
public:
    block(const gpu& g, std::size_t bytes) : b_(take_gpu_block(g, bytes)) {}
    ~block() {
        if (b_) give_gpu_block(b_);
    }
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    gpu_block* operator->() const { return b_; }
    void give() { give_gpu_block(std::exchange(b_, nullptr)); }

private:
    gpu_block* b_;
};

std::string text_of_failure(const gpu& g, std::size_t bytes) {
    try {
        const block b(g, bytes);
    } catch (const OutOfMemoryError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("gpu memory: a block that was given back is handed out again, without the driver") {
    if (!testing::has_cached_memory()) return;
    const gpu& g = gpu_at(0);
    empty_gpu_cache(g);
    block a(g, 5000);
    char* const where = a->data;
    CHECK(a->bytes == 5120);
    CHECK(reinterpret_cast<uintptr_t>(where) % 256 == 0);
    a.give();
    const uint64_t calls = gpu_memory_stats_of(g).driver_calls;
    const block b(g, 4900);
    CHECK(b->data == where);
    CHECK(gpu_memory_stats_of(g).driver_calls == calls);
}

TEST_CASE("gpu memory: segments are cut into blocks, and neighbours are joined") {
    if (!testing::has_cached_memory()) return;
    const gpu& g = gpu_at(0);
    empty_gpu_cache(g);
    const uint64_t segments = gpu_memory_stats_of(g).segments;
    std::deque<block> rest;  // of segments that other blocks keep
    while (gpu_memory_stats_of(g).segments == segments) rest.emplace_back(g, 100);
    block &a = rest.back(), b(g, 100), c(g, mib);
    CHECK(b->data == a->data + 512);
    CHECK(c->data == b->data + 512);  // 2 MiB hold all three
    CHECK(gpu_memory_stats_of(g).segments == segments + 1);
    char* const first = a->data;
    a.give();
    c.give();
    b.give();
    block whole(g, mib);
    CHECK(whole->data == first);
    whole.give();
    CHECK(empty_gpu_cache(g) >= 2 * mib);
    CHECK(gpu_memory_stats_of(g).segments == segments);
}

TEST_CASE("gpu memory: counts and peaks") {
    if (!testing::has_cached_memory()) return;
    const gpu& g = gpu_at(0);
    empty_gpu_cache(g);
    reset_gpu_peaks(g);
    const gpu_memory_stats before = gpu_memory_stats_of(g);
    {
        const block a(g, 30 * mib);
        const gpu_memory_stats now = gpu_memory_stats_of(g);
        CHECK(now.allocated == before.allocated + 30 * mib);
        CHECK(now.reserved == before.reserved + 30 * mib);
        CHECK(now.blocks == before.blocks + 1);
        CHECK(now.requests == before.requests + 1);
    }
    const gpu_memory_stats after = gpu_memory_stats_of(g);
    CHECK(after.allocated == before.allocated);
    CHECK(after.reserved == before.reserved + 30 * mib);
    CHECK(after.allocated_peak == before.allocated + 30 * mib);
    reset_gpu_peaks(g);
    CHECK(gpu_memory_stats_of(g).allocated_peak == before.allocated);
}

TEST_CASE("gpu memory: what is too much says who has the memory, and cached blocks go first") {
    if (!testing::has_cached_memory()) return;
    const gpu& g = gpu_at(0);
    empty_gpu_cache(g);
    const std::size_t held = gpu_memory_stats_of(g).reserved;
    limit_gpu_memory(g, held + 64 * mib);
    {
        {
            const block cached(g, 40 * mib);
        }
        const block fits(g, 50 * mib);  // the cached 40 MiB were freed
        CHECK(gpu_memory_stats_of(g).retries > 0);
        const std::string text = text_of_failure(g, 20 * mib);
        CHECK(contains(text,
                       "[cuda:0] out of memory; got a request of 20971520 bytes, expected "
                       "at most "));
        CHECK(contains(text, " 1 x 52428800"));
        CHECK(contains(text,
                       "; try smaller tensors, or destroying tensors that are no longer needed"));
        CHECK(fits->bytes == 50 * mib);
    }
    limit_gpu_memory(g, 0);
    CHECK(text_of_failure(g, SIZE_MAX) != "");
    CHECK(text_of_failure(g, SIZE_MAX / 2) != "");
    const block afterwards(g, mib);
    CHECK(afterwards->data != nullptr);
}

TEST_CASE("gpu memory: another stream finds what was written, and writes behind what reads") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    gpu_stream &first = pool_stream(g, false), &second = pool_stream(g, false);
    REQUIRE(&first != &second);
    constexpr std::size_t bytes = 8 * mib;
    const block a(g, bytes), b(g, bytes);
    for (unsigned char round = 1; round < 20; ++round) {
        a->before_write(first);
        a->after_write(first, put_fill(first, a->data, round, bytes));
        a->before_read(second);
        b->before_write(second);
        const uint64_t copied = put_copy(second, b->data, a->data, bytes);
        a->after_read(second, copied);
        b->after_write(second, copied);
        a->before_write(first);  // must wait for the copy
        a->after_write(first, put_fill(first, a->data, 0, bytes));
        std::vector<unsigned char> got(bytes);
        b->before_read(first);
        b->after_read(first, put_copy(first, got.data(), b->data, bytes));
        b->finish_uses();
        CHECK(got.front() == round);
        CHECK(got[bytes / 2] == round);
        CHECK(got.back() == round);
    }
}

TEST_CASE("gpu memory: uses by more streams than are remembered one by one") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    constexpr std::size_t bytes = mib;
    const block a(g, bytes);
    a->after_write(default_stream(g), put_fill(default_stream(g), a->data, 7, bytes));
    std::vector<std::vector<unsigned char>> got(9, std::vector<unsigned char>(bytes));
    for (auto& to : got) {
        gpu_stream& s = pool_stream(g, false);
        a->before_read(s);
        a->after_read(s, put_copy(s, to.data(), a->data, bytes));
    }
    gpu_stream& last = pool_stream(g, true);
    a->before_write(last);
    a->after_write(last, put_fill(last, a->data, 8, bytes));
    a->finish_uses();
    for (const auto& to : got) CHECK((to.front() == 7 && to.back() == 7));
}

TEST_CASE("gpu memory: a block given back while another stream uses it is not written too early") {
    if (!has_gpu()) return;
    const gpu& g = gpu_at(0);
    gpu_stream& other = pool_stream(g, false);
    constexpr std::size_t bytes = 4 * mib;
    const block result(g, bytes);
    for (unsigned char round = 1; round < 20; ++round) {
        block a(g, bytes);
        a->after_write(default_stream(g), put_fill(default_stream(g), a->data, round, bytes));
        a->before_read(other);
        result->before_write(other);
        const uint64_t copied = put_copy(other, result->data, a->data, bytes);
        a->after_read(other, copied);
        result->after_write(other, copied);
        a.give();
        const block again(g, bytes);
        again->before_write(default_stream(g));
        again->after_write(default_stream(g),
                           put_fill(default_stream(g), again->data, 0xff, bytes));
        std::vector<unsigned char> got(bytes);
        result->before_read(other);
        result->after_read(other, put_copy(other, got.data(), result->data, bytes));
        result->finish_uses();
        CHECK(got.back() == round);
    }
}

TEST_CASE("gpu memory: pinned memory is recycled and recognised") {
    if (!has_gpu()) return;
    void* p = take_pinned(1000);
    CHECK(is_pinned(p));
    CHECK(is_pinned(static_cast<char*>(p) + 999));
    const int here = 0;
    CHECK(!is_pinned(&here));
    give_pinned(p);
    void* again = take_pinned(990);
    CHECK(again == p);
    give_pinned(again);
    give_pinned(nullptr);
}

TEST_CASE("gpu memory: pinned memory comes back while its stream goes on with other work") {
    if (!testing::has_emulator()) return;
    const gpu& g = gpu_at(0);
    gpu_stream& s = pool_stream(g, false);
    constexpr std::size_t bytes = 3 << 20;  // a class that no other test uses
    const auto there = make_buffer(bytes, 0);
    void* used = nullptr;
    {
        const buffer_ptr p = make_pinned_buffer(bytes);
        used = p->data;
        p->uses->after_read(s, put_copy(s, there->data, p->data, bytes));
    }
    {
        gpu_event copied(g, false);
        copied.record(s);
        copied.finish();
    }
    // More work is submitted than the stream can have done.
    const unsigned long long before = testing::counts("query");
    for (int i = 0; i < 200; ++i) put_fill(s, there->data, 1, bytes);
    const buffer_ptr again = make_pinned_buffer(bytes);
    CHECK(again->data == used);
    CHECK(testing::counts("query") - before == 1);
    // Blocks of copies that have not run cost one question each time, however many there are.
    for (int i = 0; i < 20; ++i) {
        for (int k = 0; k < 50; ++k) put_fill(s, there->data, 1, bytes);
        const buffer_ptr p = make_pinned_buffer(bytes);
        p->uses->after_read(s, put_copy(s, there->data, p->data, bytes));
    }
    CHECK(testing::counts("query") - before <= 21);
    there->uses->after_write(s, s.position());
    s.finish();
}
