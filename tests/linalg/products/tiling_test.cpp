// The tile function covers every product, ignores the number of threads, and makes tiles large
// enough for a call.
#include "kernels/linalg/tiling.hpp"

#include "tests/seed.hpp"

#include <sinter/threads.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace sinter;
using blas::choose_tiling;
using blas::tiling;

namespace {

bool covers(int64_t size, int64_t tile, int64_t count) {
    return tile >= 1 && (count - 1) * tile < size && count * tile >= size;
}

}  // namespace

TEST_SUITE_BEGIN("host");

TEST_CASE("tiles cover the product exactly, and BLAS can count them") {
    std::mt19937_64 random(test::seed());
    auto size = [&] {
        return int64_t{1} + static_cast<int64_t>(std::exp2(random() % 2200 / 100.0));
    };
    for (int i = 0; i < test::cases(20000); ++i) {
        const int64_t m = i % 7 == 0 ? 1 : size(), n = i % 11 == 0 ? 1 : size(), k = size();
        const ScalarType dtype = i % 3 == 0 ? kFloat : i % 3 == 1 ? kDouble : kInt;
        const tiling t = choose_tiling(m, n, k, dtype);
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        REQUIRE(covers(m, t.m, t.m_count));
        REQUIRE(covers(n, t.n, t.n_count));
        REQUIRE(covers(k, t.k, t.k_count));
    }
    const tiling huge = choose_tiling(1, 1, int64_t{1} << 40, kFloat);
    CHECK(covers(int64_t{1} << 40, huge.k, huge.k_count));
    CHECK(huge.k <= INT32_MAX);
    const tiling tall = choose_tiling(int64_t{1} << 40, 2, 3, kFloat);
    CHECK(covers(int64_t{1} << 40, tall.m, tall.m_count));
    CHECK(tall.m <= INT32_MAX);
}

TEST_CASE("small products are one call, large ones are enough for several threads") {
    CHECK(choose_tiling(64, 64, 64, kFloat).tiles() == 1);
    CHECK(choose_tiling(200, 200, 200, kDouble).tiles() == 1);
    CHECK(choose_tiling(1, 1, 10000, kFloat).tiles() == 1);
    CHECK(choose_tiling(100, 1, 100, kFloat).tiles() == 1);
    for (int64_t n : {256, 316, 400}) CHECK(choose_tiling(n, n, n, kFloat).tiles() == 2);
    CHECK(choose_tiling(3000, 10, 100, kFloat).tiles() == 1);
    for (int64_t n : {1000, 2000, 4000}) CHECK(choose_tiling(n, n, n, kFloat).tiles() >= 8);
    CHECK(choose_tiling(1, 1, 10'000'000, kFloat).k_count == 8);
    CHECK(choose_tiling(10, 10, 10'000'000, kDouble).k_count == 8);
    CHECK(choose_tiling(4000, 1, 4000, kFloat).m_count == 8);
    // Square products are not cut along the summed dimension.
    CHECK(choose_tiling(1000, 1000, 1000, kFloat).k_count == 1);
}

TEST_CASE("rows that join are cut into small tiles of all columns") {
    std::mt19937_64 random(test::seed() + 1);
    for (int i = 0; i < test::cases(2000); ++i) {
        const auto size = [&] {
            return int64_t{1} + static_cast<int64_t>(std::exp2(random() % 1600 / 100.0));
        };
        const int64_t m = size(), n = size(), k = size();
        const tiling t = choose_tiling(m, n, k, kFloat, true);
        if (!t.joins) continue;
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        REQUIRE(t.n == n);
        REQUIRE(t.k == k);
        REQUIRE(t.m % blas::row_unit == 0);
        REQUIRE(t.m * n * k >= blas::least_call);
        REQUIRE(t.m_count >= 2);
        REQUIRE(t.m_count * t.m <= m);
        REQUIRE((t.m_count + 1) * t.m > m);  // the last tile is smaller than one more tile would be
        REQUIRE(t.tiles() == t.m_count);
    }
    for (int64_t n : {220, 500, 1000, 2000})
        for (ScalarType type : {kFloat, kDouble, kHalf, kComplexDouble})
            CHECK(choose_tiling(n, n, n, type, true).joins);
    CHECK_FALSE(choose_tiling(190, 190, 190, kFloat, true).joins);        // too little to do
    CHECK_FALSE(choose_tiling(100, 4000, 4000, kFloat, true).joins);      // few rows
    CHECK_FALSE(choose_tiling(100, 100, 1'000'000, kFloat, true).joins);  // a long sum
    CHECK_FALSE(choose_tiling(100'000, 1, 1000, kFloat, true).joins);     // a vector
}

TEST_CASE("the cut does not depend on the number of threads") {
    const int before = get_num_threads();
    const tiling one = choose_tiling(1234, 567, 890, kFloat);
    for (int threads : {1, 2, 7, 64}) {
        set_num_threads(threads);
        const tiling t = choose_tiling(1234, 567, 890, kFloat);
        CHECK(t.m == one.m);
        CHECK(t.n == one.n);
        CHECK(t.k == one.k);
    }
    set_num_threads(before);
}

TEST_SUITE_END();
