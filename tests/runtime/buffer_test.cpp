#include "runtime/device/buffer.hpp"

#include "tests/runtime/captured.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using runtime::buffer_ptr;
using runtime::make_buffer;
using runtime::wrap_memory;

TEST_CASE("buffer: memory of the pool goes back with the last reference") {
    int64_t before = stats().bytes_live;
    {
        buffer_ptr a = make_buffer(12345);
        CHECK(a->bytes == 12345);
        CHECK(reinterpret_cast<std::uintptr_t>(a->data) % 64 == 0);
        CHECK(a->device == runtime::main_memory);
        CHECK(!a->external);
        CHECK(!a->read_only);
        CHECK(a->block == nullptr);
        CHECK(stats().bytes_live == before + 12345);
        buffer_ptr b = a;
        CHECK(a->references.load() == 2);
        a.reset();
        CHECK(stats().bytes_live == before + 12345);
    }
    CHECK(stats().bytes_live == before);
}

TEST_CASE("buffer: an allocation that fails leaves nothing behind") {
    int64_t before = stats().bytes_live;
    CHECK_THROWS_AS((void)make_buffer(std::size_t{1} << 50), OutOfMemoryError);
    CHECK(stats().bytes_live == before);
}

TEST_CASE("buffer: a deleter runs once, with the data, after the last reference") {
    int data = 0;
    std::vector<void*> deleted;
    {
        buffer_ptr a =
            wrap_memory(&data, sizeof data, [&](void* p) { deleted.push_back(p); }, false);
        CHECK(a->external);
        CHECK(!a->read_only);
        buffer_ptr b = a;
        a = nullptr;
        CHECK(deleted.empty());
    }
    CHECK(deleted == std::vector<void*>{&data});
}

TEST_CASE("buffer: a deleter that throws is a warning, since nobody could catch it") {
    double data = 1;
    int runs = 0;
    const std::string text = test::captured([&] {
        for (const bool standard : {true, false, true}) {
            const buffer_ptr a = wrap_memory(
                &data, sizeof data,
                [&](void*) {
                    ++runs;
                    if (standard) throw std::runtime_error("busy");
                    throw 7;
                },
                false);
        }
    });
    CHECK(runs == 3);
    CHECK(text ==
          "sinter: warning: [from_blob] the deleter threw; got busy, expected a deleter that does "
          "not throw; try catching the exception in the deleter\n"
          "sinter: warning: [from_blob] the deleter threw; got an exception of another kind, "
          "expected a deleter that does not throw; try catching the exception in the deleter\n");
}

TEST_CASE("buffer: memory without a deleter is left alone, and may be promised constant") {
    const double data = 1;
    buffer_ptr a = wrap_memory(const_cast<double*>(&data), sizeof data, nullptr, true);
    CHECK(a->read_only);
    CHECK(!a->external);
    CHECK(a->deleter == nullptr);
    a.reset();
    CHECK(data == 1);
}

TEST_CASE("buffer: references are counted across threads") {
    int deleted = 0;
    {
        static int data;
        buffer_ptr a = wrap_memory(&data, sizeof data, [&](void*) { ++deleted; }, false);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([a] {
                for (int i = 0; i < 10000; ++i) buffer_ptr copy = a;  // NOLINT: counted
            });
        for (std::thread& t : threads) t.join();
        CHECK(a->references.load() == 1);
    }
    CHECK(deleted == 1);
}
