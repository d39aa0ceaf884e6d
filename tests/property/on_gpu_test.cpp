// Random programs on a GPU: the values equal the CPU's, bit for bit.
#include "engine/run/executable/gpu_replay.hpp"
#include "jit/launch/gpu/launch.hpp"
#include "tests/property/shrink.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

namespace sinter::test {
namespace {

constexpr int statements = 150;

void check_on(uint64_t seed, Device device, coverage& counts, Mode mode);

void check_program(uint64_t seed, Device device, coverage& counts, Mode mode = Mode::lazy) {
    // Every other program has its plans replayed as graphs, and of both sorts every other one runs
    // in base forms, as where nothing compiles.
    plan::force_replays(seed % 2 ? plan::replay_mode::on : plan::replay_mode::off);
    runtime::limit_gpu_forms(seed / 2 % 2 ? runtime::gpu_forms::base : runtime::gpu_forms::all);
    check_on(seed, device, counts, mode);
    runtime::limit_gpu_forms(runtime::gpu_forms::all);
}

void check_on(uint64_t seed, Device device, coverage& counts, Mode mode) {
    const program p = for_a_device(random_program(seed, statements));
    const auto d = compare_devices(p, &counts, device, mode);
    if (d) {
        std::cout << "random program " << seed << " differs on " << device << " at statement "
                  << d->statement << "\n"
                  << d->text << "\nshrinking..." << std::endl;
        const program less = shrink(p, 200, [&](const program& some) {
            return compare_devices(some, nullptr, device, mode).has_value();
        });
        std::cout << "SINTER_TEST_PROGRAM=" << seed << " replays it. Smallest:\n" << listing(less);
        if (const auto again = compare_devices(less, nullptr, device, mode))
            std::cout << again->text << std::endl;
    }
    REQUIRE_FALSE(d.has_value());
}

TEST_SUITE("on a GPU") {
    TEST_CASE("random programs give the CPU's bits on a GPU" *
              doctest::skip(!std::getenv("SINTER_TEST_DEVICE"))) {
        const Device device(std::getenv("SINTER_TEST_DEVICE"));
        coverage counts;
        if (const char* text = std::getenv("SINTER_TEST_PROGRAM"))
            return check_program(std::strtoull(text, nullptr, 0), device, counts);
        reset_stats();
        std::cout << "programs (SINTER_TEST_PROGRAM replays one): ";
        for (int i = 0; i < cases(12, 8); ++i) {
            const uint64_t one = chooser(seed() + 7000 + static_cast<uint64_t>(i)).bits() >> 32;
            INFO("SINTER_TEST_PROGRAM=", one);
            std::cout << one << " " << std::flush;
            check_program(one, device, counts);
        }
        const auto s = stats();
        std::cout << "\n"
                  << counts.statements << " statements, " << counts.reads << " reads, "
                  << s.kernels_launched << " launches, " << s.graph_launches << " graphs, "
                  << s.host_fallbacks << " operations by the CPU\n";
        CHECK(s.kernels_launched > 0);
    }

    TEST_CASE("random programs where no kernel is stored, which the CPU runs" *
              doctest::skip(!std::getenv("SINTER_TEST_DEVICE"))) {
        const Device device(std::getenv("SINTER_TEST_DEVICE"));
        coverage counts;
        runtime::limit_gpu_forms(runtime::gpu_forms::none);
        for (int i = 0; i < cases(2, 8); ++i) {
            const uint64_t one = chooser(seed() + 9000 + static_cast<uint64_t>(i)).bits() >> 32;
            INFO("SINTER_TEST_PROGRAM=", one);
            check_on(one, device, counts, Mode::lazy);
        }
        runtime::limit_gpu_forms(runtime::gpu_forms::all);
    }

    TEST_CASE("random programs in eager mode, which has a kernel for each operation" *
              doctest::skip(!std::getenv("SINTER_TEST_DEVICE"))) {
        const Device device(std::getenv("SINTER_TEST_DEVICE"));
        coverage counts;
        if (const char* text = std::getenv("SINTER_TEST_PROGRAM"))
            return check_program(std::strtoull(text, nullptr, 0), device, counts, Mode::eager);
        std::cout << "programs (SINTER_TEST_PROGRAM replays one): ";
        for (int i = 0; i < cases(2, 8); ++i) {
            const uint64_t one = chooser(seed() + 8000 + static_cast<uint64_t>(i)).bits() >> 32;
            INFO("SINTER_TEST_PROGRAM=", one);
            std::cout << one << " " << std::flush;
            check_program(one, device, counts, Mode::eager);
        }
        std::cout << "\n" << counts.statements << " statements, " << counts.reads << " reads\n";
    }
}

}  // namespace
}  // namespace sinter::test
