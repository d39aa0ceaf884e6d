// Merged dimensions and cursors visit the elements that plain loops visit, in the same order.
#include "runtime/strided/walk.hpp"

#include "runtime/strided/geometry.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <vector>

using namespace sinter;
using runtime::cursor;
using runtime::strided_space;

namespace {

/// Returns the offsets of every operand at each element, one dimension after the other.
std::vector<std::vector<int64_t>> offsets_of(const strided_space& s) {
    std::vector<std::vector<int64_t>> all(s.operands(), {0});
    for (std::size_t d = 0; d < s.rank(); ++d)
        for (std::size_t k = 0; k < s.operands(); ++k) {
            std::vector<int64_t> next;
            for (int64_t before : all[k])
                for (int64_t i = 0; i < s.size(d); ++i) next.push_back(before + i * s.stride(k, d));
            all[k] = next;
        }
    return all;
}

/// Returns a space whose dimensions often merge.
strided_space random_space(std::mt19937_64& g) {
    const auto upto = [&](int64_t n) {
        return static_cast<int64_t>(g() % static_cast<uint64_t>(n));
    };
    strided_space s;
    s.extents.resize(static_cast<std::size_t>(upto(6)));
    for (int64_t& n : s.extents) n = 1 + upto(4);
    s.strides.resize(static_cast<std::size_t>(1 + upto(4)));
    for (auto& strides : s.strides) {
        strides.resize(s.rank());
        int64_t step = 1;
        for (std::size_t d = s.rank(); d-- > 0; step *= s.extents[d]) {
            strides[d] = upto(5) == 0 ? upto(20) - 5 : step;
            if (upto(8) == 0) step = 0;
        }
    }
    return s;
}

int64_t total_of(const strided_space& s) {
    return std::accumulate(s.extents.begin(), s.extents.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

TEST_CASE("walk: dimensions that form one stride for every operand merge") {
    strided_space s{{2, 1, 3, 4}, {{24, 7, 8, 2}, {12, 0, 4, 1}}};
    s.merge();
    CHECK(s.extents == std::vector<int64_t>{24});
    CHECK(s.strides == std::vector<std::vector<int64_t>>{{2}, {1}});

    strided_space gaps{{2, 3, 4}, {{12, 4, 1}, {16, 4, 1}}};
    gaps.merge();
    CHECK(gaps.extents == std::vector<int64_t>{2, 12});
    CHECK(gaps.strides == std::vector<std::vector<int64_t>>{{12, 1}, {16, 1}});

    strided_space ones{{1, 1}, {{5, 3}}};
    ones.merge();
    CHECK(ones.extents.empty());
    ones.at_least_one();
    CHECK(ones.extents == std::vector<int64_t>{1});
    CHECK(ones.strides == std::vector<std::vector<int64_t>>{{0}});
}

TEST_CASE("walk: merging stops where the rank is too large") {
    const int64_t sizes[] = {2, 3, 4}, strides[] = {50, 10, 1};
    int64_t to_sizes[3], to_strides[3];
    const auto merged = [&](std::size_t most) {
        return runtime::merge_dims(
            3, sizes, 1, [&](std::size_t, std::size_t d) { return strides[d]; }, to_sizes,
            [&](std::size_t, std::size_t d) -> int64_t& { return to_strides[d]; }, most);
    };
    CHECK(merged(3) == 3);
    CHECK(merged(2) == 3);
    CHECK(merged(1) == 2);
}

TEST_CASE("walk: merging keeps the elements and their order") {
    std::mt19937_64 g(test::seed());
    for (int i = test::cases(500); i-- > 0;) {
        const strided_space s = random_space(g);
        strided_space merged = s;
        merged.merge();
        CHECK(merged.rank() <= s.rank());
        CHECK(offsets_of(merged) == offsets_of(s));
    }
}

TEST_CASE("walk: a cursor moves from any element to any later one of its run") {
    std::mt19937_64 g(test::seed());
    for (int i = test::cases(500); i-- > 0;) {
        const strided_space s = random_space(g);
        const auto offsets = offsets_of(s);
        const int64_t total = total_of(s);
        int64_t element = static_cast<int64_t>(g() % static_cast<uint64_t>(total));
        cursor<strided_space, 2> at(s, element);
        while (element < total) {
            const int64_t n = 1 + static_cast<int64_t>(g() % static_cast<uint64_t>(at.run()));
            for (std::size_t k = 0; k < s.operands(); ++k) {
                REQUIRE(at.offset(k) == offsets[k][static_cast<std::size_t>(element)]);
                REQUIRE(at.offset(k) + (n - 1) * at.step(k) ==
                        offsets[k][static_cast<std::size_t>(element + n - 1)]);
                REQUIRE(runtime::offset_of(element, s.rank(), s.extents.data(),
                                           s.strides[k].data()) == at.offset(k));
            }
            element += n;
            at.advance(n);
        }
    }
}

TEST_CASE("walk: elements of several arrays") {
    const geometry_ptr a = make_geometry({2, 3}, {3, 1}, 10), b = make_geometry({2, 3}, {1, 2}, 0);
    std::vector<int64_t> first, second;
    runtime::for_each_element({a.get(), b.get()}, 1, 5, [&](int64_t x, int64_t y) {
        first.push_back(x);
        second.push_back(y);
    });
    CHECK(first == std::vector<int64_t>{11, 12, 13, 14});
    CHECK(second == std::vector<int64_t>{2, 4, 1, 3});
    const geometry_ptr one = make_geometry({}, {}, 7), none = make_contiguous({2, 0});
    std::vector<int64_t> all;
    runtime::for_each_element({one.get()}, 0, 1, [&](int64_t x) { all.push_back(x); });
    runtime::for_each_element({none.get()}, 0, 0, [&](int64_t x) { all.push_back(x); });
    CHECK(all == std::vector<int64_t>{7});
}
