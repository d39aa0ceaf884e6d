// Tensors that streams, threads and devices share: every reader finds what was written, with
// drivers that are delayed at random. No test synchronises explicitly.
#include "tests/on_gpu/emulator_control.hpp"
#include "tests/runtime/again.hpp"
#include "tests/seed.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

using namespace sinter;
using testing::has_emulator;
using testing::has_gpu;

namespace {

constexpr int64_t elements = 3000;

/// Tensors and their contents; all elements of a tensor are equal.
struct shared_tensors {
    std::vector<Tensor> there;
    std::vector<int64_t> values;
};

/// A random program over streams and devices. It uses integers, so that only the order matters.
void run_program(uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](int m) {
        return static_cast<int>(random() % static_cast<uint64_t>(m));
    };
    const int devices = static_cast<int>(std::min<std::size_t>(2, cuda::device_count()));
    std::vector<Stream> streams;
    for (int d = 0; d < devices; ++d)
        for (int i = 0; i < 4; ++i)
            streams.push_back(cuda::getStreamFromPool(i == 3, static_cast<int8_t>(d)));
    shared_tensors t;
    for (int i = 0; i < 6; ++i) {
        t.values.push_back(i);
        t.there.push_back(full(
            {elements}, i, TensorOptions(kLong).device(kCUDA, static_cast<int8_t>(i % devices))));
    }
    for (int step = 0; step < 60; ++step) {
        const StreamGuard guard(
            streams[static_cast<std::size_t>(below(static_cast<int>(streams.size())))]);
        const auto a = static_cast<std::size_t>(below(6)), b = static_cast<std::size_t>(below(6));
        Tensor &x = t.there[a], &y = t.there[b];
        const Tensor other = y.to(x.device());
        int64_t &v = t.values[a], w = t.values[b];
        switch (below(8)) {
            case 0:
                x.add_(other);
                v += w;
                break;
            case 1:
                x = x * 3 - other;
                v = v * 3 - w;
                break;
            case 2:
                x.copy_(y);
                v = w;
                break;
            case 3:
                x = other.clone();
                v = w;
                break;
            case 4:
                x.slice(0, 0, elements / 2).fill_(7);
                x.slice(0, elements / 2).fill_(7);
                v = 7;
                break;
            case 5:
                x = x.flip(0) + 1;
                v += 1;
                break;
            case 6:
                x = y.to(kCPU, true).to(x.device(), true);
                v = w;
                break;
            default:
                x = (x + other).sum(0, true).floor_divide(elements).expand({elements}).contiguous();
                v += w;
                break;
        }
        v &= 0xffff;
        x.bitwise_and_(0xffff);
        if (below(2)) x.eval();
        if (below(10) == 0) x = x.clone();  // frees the old memory, used or not
    }
    for (std::size_t i = 0; i < 6; ++i) {
        INFO("seed " << seed << ", tensor " << i);
        const Tensor here = t.there[i].cpu();
        CHECK(here.min().item<int64_t>() == t.values[i]);
        CHECK(here.max().item<int64_t>() == t.values[i]);
    }
}

}  // namespace

TEST_CASE("gpu late: a random program over streams and devices" * doctest::skip()) {
    REQUIRE(has_gpu());
    for (int round = 0; round < test::cases(3, 10); ++round)
        run_program(test::seed() + static_cast<uint64_t>(round));
}

TEST_CASE("gpu late: a write waits for what other streams read" * doctest::skip()) {
    REQUIRE(has_gpu());
    const Stream reading = cuda::getStreamFromPool(), writing = cuda::getStreamFromPool();
    Tensor x = zeros({1 << 16}, TensorOptions(kLong).device(kCUDA)).eval();
    (void)x.const_data_ptr();  // its address stays
    for (int64_t round = 0; round < 20; ++round) {
        Tensor sum;
        {
            const StreamGuard guard(reading);
            sum = (x + 1).eval();
        }
        {
            const StreamGuard guard(writing);
            x.fill_(round + 1);
            x.eval();
        }
        CHECK(sum.max().item<int64_t>() == round + 1);
        CHECK(sum.min().item<int64_t>() == round + 1);
    }
}

TEST_CASE("gpu late: threads with streams of their own read what others wrote" * doctest::skip()) {
    REQUIRE(has_gpu());
    // Each thread adds to the result of the previous one, on its own stream.
    const int devices = static_cast<int>(std::min<std::size_t>(2, cuda::device_count()));
    std::vector<Tensor> made{zeros({elements}, TensorOptions(kLong).device("cuda:0"))};
    for (int i = 0; i < 12; ++i) {
        Tensor next;
        std::thread([&, i] {
            const auto device = static_cast<int8_t>(i % devices);
            const StreamGuard guard(cuda::getStreamFromPool(false, device));
            next = (made.back().to(Device(kCUDA, device)) + 1).eval();
        }).join();
        made.push_back(next);
    }
    // All threads read the same tensors concurrently, and write their own.
    std::vector<std::thread> threads;
    std::vector<int64_t> sums(8);
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&, i] {
            const auto device = static_cast<int8_t>(i % devices);
            const StreamGuard guard(cuda::getStreamFromPool(true, device));
            Tensor mine = zeros({elements}, TensorOptions(kLong).device(Device(kCUDA, device)));
            for (const Tensor& t : made) mine.add_(t.to(Device(kCUDA, device)));
            sums[static_cast<std::size_t>(i)] = mine.sum().item<int64_t>();
        });
    for (std::thread& t : threads) t.join();
    for (int64_t s : sums) CHECK(s == elements * 78);
}

TEST_CASE("gpu dependencies: late drivers, several seeds") {
    if (!has_emulator()) return;
    for (const char* seed : {"1", "20", "300"}) {
        if (test::sanitized() && *seed != '1') continue;  // seeds change only values
        INFO("SINTER_EMULATOR_DELAY=" << seed);
        CHECK(test::run_again("gpu late: *", "SINTER_EMULATOR_DELAY", seed) == 0);
    }
    const char* others = "gpu pinned: *,gpu borrowed: *,gpu memory: *,gpu surface: record*";
    CHECK(test::run_again(others, "SINTER_EMULATOR_DELAY", "3") == 0);
}

TEST_CASE("gpu dependencies: tasks of streams in any legal order, several seeds") {
    if (!has_emulator()) return;
    for (const char* seed : {"1", "20", "300", "4000"}) {
        if (test::sanitized() && *seed != '1') continue;
        INFO("SINTER_EMULATOR_SEED=" << seed);
        CHECK(test::run_again("gpu late: *", "SINTER_EMULATOR_SEED", seed) == 0);
    }
    const char* others =
        "gpu pinned: *,gpu borrowed: *,gpu memory: *,gpu surface: *,gpu streams: *,gpu tensors: *,"
        "gpu replay: other*,gpu replay: values*,gpu replay: threads*,gpu replay: a graph*";
    CHECK(test::run_again(others, "SINTER_EMULATOR_SEED", "5") == 0);
}

TEST_CASE("gpu dependencies: many threads, each with a stream and tensors") {
    if (!has_gpu()) return;
    // Each iteration is slow and takes the same path.
    const int count = test::sanitized() ? 100 : 1000;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    (ones({64}, kCUDA) * 2 + 1).sum().eval();  // compiles the kernel once
    for (int t = 0; t < count; ++t)
        threads.emplace_back([t, &wrong] {
            const auto device =
                static_cast<int8_t>(static_cast<std::size_t>(t) % cuda::device_count());
            const StreamGuard guard(cuda::getStreamFromPool(t % 2 == 0, device));
            const Tensor x = full({64}, t, TensorOptions(kFloat).device(Device(kCUDA, device)));
            if ((x * 2 + 1).sum().item<float>() != static_cast<float>(64 * (2 * t + 1))) ++wrong;
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}
