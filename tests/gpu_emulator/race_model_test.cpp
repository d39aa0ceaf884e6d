// Compares race records with a model that remembers all accesses.
#include "tests/gpu_emulator/core/memory/race.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace gpu_emulator;

namespace {

constexpr uint32_t warp = 4;

struct memory_access {
    access_record at;
    bool writes;
};

bool conflict(const memory_access& a, const memory_access& b) {
    const access_record &x = a.at, &y = b.at;
    if ((x.bytes & y.bytes) == 0 || (!a.writes && !b.writes) || (x.atomic && y.atomic))
        return false;
    if (x.block != y.block) return true;
    if (x.thread == y.thread || x.epoch != y.epoch) return false;
    return x.thread / warp != y.thread / warp || x.warp_epoch == y.warp_epoch;
}

bool enter(const race_checker& c, race_shadow& s, const memory_access& a) {
    using kind = race_checker::kind;
    constexpr auto global = race_checker::memory::global;
    if (!a.writes) return c.enter<kind::read, global>(s, a.at) != nullptr;
    return (a.at.atomic ? c.enter<kind::atomic, global>(s, a.at)
                        : c.enter<kind::write, global>(s, a.at)) != nullptr;
}

}  // namespace

TEST_CASE("gpu emulator: a race is reported if and only if there is one") {
    std::mt19937_64 random(sinter::test::seed());
    const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
    int races = 0;
    for (int round = 0; round < sinter::test::cases(20000); round++) {
        const race_checker checker(warp);
        race_shadow shadow;
        std::vector<memory_access> before;
        // If accesses cover only parts of the four bytes, some races may be missed.
        const bool whole = below(2) == 0, atomic = below(3) == 0;
        const uint32_t blocks = 1 + below(3), threads = 1 + below(3 * warp), reads = 1 + below(8);
        bool stop = false;
        for (uint32_t block = 0; block < blocks && !stop; block++) {
            uint32_t epoch = 0, warp_epochs[3] = {};
            for (int n = 0; n < 12 && !stop; n++) {
                if (below(4) == 0) {
                    epoch++;
                    for (uint32_t& w : warp_epochs) w = 0;
                }
                if (below(3) == 0) warp_epochs[below(3)]++;
                memory_access a{};
                a.writes = below(reads + 1) == 0;
                a.at.launch = 1;
                a.at.block = block;
                a.at.epoch = epoch;
                a.at.thread = below(threads);
                a.at.warp_epoch = warp_epochs[a.at.thread / warp];
                a.at.bytes = whole ? 15 : 1u << below(4);
                a.at.atomic = atomic && a.writes;
                bool expected = false;
                for (const memory_access& b : before) expected |= conflict(a, b);
                const bool reported = enter(checker, shadow, a);
                INFO("round " << round << ", access " << before.size());
                if (whole) {
                    REQUIRE(reported == expected);
                } else if (reported) {
                    REQUIRE(expected);
                }
                races += reported;
                stop = reported || expected;
                before.push_back(a);
            }
        }
    }
    CHECK(races > 1000);
}
