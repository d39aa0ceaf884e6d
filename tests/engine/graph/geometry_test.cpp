// Index maps, compared with the definition: lists of addresses.
#include "engine/graph/graph.hpp"

#include "tests/seed.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <thread>

using namespace sinter;

namespace {

std::vector<int64_t> addresses(const geometry& g) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < g.numel; ++i) {
        int64_t rest = i, at = g.offset;
        for (int d = g.ndim - 1; d >= 0; --d) {
            at += rest % g.sizes()[d] * g.strides()[d];
            rest /= g.sizes()[d];
        }
        all.push_back(at);
    }
    return all;
}

bool overlap(const geometry& a, const geometry& b) {
    std::vector<int64_t> x = addresses(a);
    std::sort(x.begin(), x.end());
    for (int64_t at : addresses(b))
        if (std::binary_search(x.begin(), x.end(), at)) return true;
    return false;
}

std::string show(const geometry& g) {
    std::string s;
    for (int d = 0; d < g.ndim; ++d)
        s += std::to_string(g.sizes()[d]) + "*" + std::to_string(g.strides()[d]) + " ";
    return s + "+" + std::to_string(g.offset);
}

}  // namespace

TEST_CASE("contiguous geometry") {
    const geometry_ptr g = make_contiguous({2, 3, 4});
    CHECK(g->numel == 24);
    CHECK(g->contiguous);
    CHECK(g->strides_ref() == IntArrayRef({12, 4, 1}));
    CHECK(make_geometry({2, 1, 3}, {3, 77, 1}, 5)->contiguous);
    CHECK_FALSE(make_geometry({2, 3}, {1, 2}, 0)->contiguous);
    CHECK_FALSE(make_geometry({3}, {-1}, 2)->contiguous);
    CHECK(make_contiguous({})->numel == 1);
    CHECK(make_contiguous({0, int64_t{1} << 40, int64_t{1} << 40})->numel == 0);
    CHECK_THROWS_AS(make_contiguous({int64_t{1} << 40, int64_t{1} << 40}), Error);
    CHECK_THROWS_AS(make_contiguous({-1}), Error);
    CHECK_THROWS_AS(make_contiguous(std::vector<int64_t>(65, 1)), Error);
}

TEST_CASE("broadcasting shapes") {
    CHECK(broadcast_shapes("x", {2, 1}, {3}) == std::vector<int64_t>{2, 3});
    CHECK(broadcast_shapes("x", {}, {4, 1}) == std::vector<int64_t>{4, 1});
    CHECK(broadcast_shapes("x", {5, 1, 0}, {1, 7, 1}) == std::vector<int64_t>{5, 7, 0});
    CHECK_THROWS_WITH_AS(
        broadcast_shapes("add", {2, 3}, {4}),
        "[add] The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
        "dimension 1; got shapes [2, 3] and [4], expected sizes that are equal or 1, counted from "
        "the last dimension; try unsqueeze() or reshape() to line up the dimensions",
        Error);
}

TEST_CASE("expanding a geometry") {
    const geometry_ptr g = make_geometry({3, 1}, {2, 9}, 4);
    const geometry_ptr e = expand_to(*g, {5, 3, 7});
    CHECK(e->strides_ref() == IntArrayRef({0, 2, 0}));
    CHECK(e->offset == 4);
    CHECK(expand_to(*g, {3, 1}).get() == g.get());
}

TEST_CASE("which geometries cover a storage") {
    CHECK(covers(*make_contiguous({2, 3}), 6));
    CHECK(covers(*make_geometry({3, 2}, {1, 3}, 0), 6));
    CHECK(covers(*make_geometry({3, 1, 2}, {1, 50, 3}, 0), 6));
    CHECK_FALSE(covers(*make_contiguous({2, 3}), 7));
    CHECK_FALSE(covers(*make_geometry({3}, {1}, 1), 3));
    CHECK_FALSE(covers(*make_geometry({3}, {-1}, 2), 3));
    CHECK_FALSE(covers(*make_geometry({2, 2}, {1, 1}, 0), 4));
    CHECK(covers(*make_contiguous({0}), 0));
}

TEST_CASE("overlap agrees with the lists of addresses") {
    std::mt19937_64 random(test::seed());
    const auto draw = [&](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    const auto any_geometry = [&](int dims) {
        std::vector<int64_t> sizes, strides;
        for (int d = 0; d < dims; ++d) {
            sizes.push_back(draw(0, 12) == 0 ? 0 : draw(1, 6));
            strides.push_back(draw(0, 3) == 0 ? draw(0, 3) : draw(-24, 24));
        }
        return make_geometry(sizes, strides, draw(0, 40));
    };
    int together = 0, apart = 0;
    for (int i = 0; i < test::cases(20000); ++i) {
        const geometry_ptr a = any_geometry(static_cast<int>(draw(0, 4)));
        const geometry_ptr b = any_geometry(static_cast<int>(draw(0, 4)));
        const bool expected = overlap(*a, *b);
        ++(expected ? together : apart);
        if (may_overlap(*a, *b) == expected) continue;
        const std::string pair = show(*a) + " and " + show(*b);
        CAPTURE(pair);
        CHECK(may_overlap(*a, *b) == expected);
    }
    CHECK(together > 100);
    CHECK(apart > 100);
}

TEST_CASE("overlap of large strided views") {
    const int64_t w = 100000;
    // Even and odd columns, upper and lower half, a matrix and its transpose.
    CHECK_FALSE(
        may_overlap(*make_geometry({w, w / 2}, {w, 2}, 0), *make_geometry({w, w / 2}, {w, 2}, 1)));
    CHECK(
        may_overlap(*make_geometry({w, w / 2}, {w, 2}, 0), *make_geometry({w, w / 2}, {w, 2}, 2)));
    CHECK_FALSE(may_overlap(*make_geometry({w, w / 2}, {w, 1}, 0),
                            *make_geometry({w, w / 2}, {w, 1}, w / 2)));
    CHECK(may_overlap(*make_geometry({w, w}, {w, 1}, 0), *make_geometry({w, w}, {1, w}, 0)));
    // The diagonal and the one next to it.
    CHECK_FALSE(may_overlap(*make_geometry({w}, {w + 1}, 0), *make_geometry({w - 1}, {w + 1}, 1)));
    CHECK(may_overlap(*make_geometry({w}, {w + 1}, 0), *make_geometry({w}, {w}, w + 1)));
}

TEST_CASE("equal dense geometries are one, on all threads, for good, up to some thousands") {
    const geometry* here = make_contiguous({3, 5, 7}).get();
    CHECK(here->lasting);
    const geometry* there = nullptr;
    std::thread([&there] { there = make_contiguous({3, 5, 7}).get(); }).join();
    CHECK(here == there);
    for (int i = 0; i < 3; ++i) const geometry_ptr dropped(here);
    CHECK(make_contiguous({3, 5, 7}).get() == here);
    CHECK_FALSE(make_geometry({3, 5, 7}, {35, 7, 1}, 0)->lasting);

    std::vector<const geometry*> made[4];
    std::vector<std::thread> threads;
    for (auto& list : made)
        threads.emplace_back([&list] {
            for (int64_t i = 0; i < 500; ++i) list.push_back(make_contiguous({i, 977}).get());
        });
    for (std::thread& t : threads) t.join();
    for (const auto& list : made) CHECK(list == made[0]);

    bool kept_all = true;
    for (int64_t i = 0; i < 30000; ++i) {
        const geometry_ptr g = make_contiguous({i, 3});
        kept_all = kept_all && g->lasting;
        const bool right = g->numel == 3 * i && g->contiguous && g->offset == 0 &&
                           g->sizes_ref() == IntArrayRef({i, 3}) &&
                           g->strides_ref() == IntArrayRef({3, 1});
        if (!right) CHECK(right);
    }
    CHECK_FALSE(kept_all);
    CHECK(make_contiguous({3, 5, 7}).get() == here);
}
