// The form of a launch over rows, by sizes and device.
#include "jit/launch/gpu/rows.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using runtime::choose_rows;
using runtime::gpu_rows;
using runtime::row_space;

namespace {

runtime::device_properties device(int multiprocessors, int warp) {
    runtime::device_properties p;
    p.multiprocessors = multiprocessors;
    p.warp = warp;
    p.architecture = warp == 32 ? "sm_90" : "gfx90a";
    p.threads_per_block = 1024;
    p.threads_per_multiprocessor = 2048;
    p.shared_memory = 48 << 10;
    p.most_shared = warp == 32 ? 227 << 10 : 64 << 10;
    return p;
}

const runtime::device_properties large = device(132, 32), other = device(104, 64);

row_space floats(int64_t rows, int64_t length) {
    row_space s;
    s.rows = rows;
    s.length = length;
    s.packs = s.fetches = length % 4 == 0;
    return s;
}

int64_t blocks(const row_space& s, const gpu_rows& r) {
    return runtime::grid_of_rows(s.rows, s.length, r.form, r.span).blocks;
}

}  // namespace

TEST_CASE("gpu_rows: short rows share a block, in accesses of 16 bytes") {
    for (const auto& d : {large, other}) {
        const row_space s = floats(1000000, 16);
        const gpu_rows r = choose_rows(s, d);
        CHECK(r.form.packed);
        CHECK(r.form.lanes == 4);
        CHECK(r.form.rows == 32);
        CHECK(r.form.threads() == 256);
        CHECK(r.form.slots == 1);
        CHECK(blocks(s, r) == 31250);
        // Without alignment threads still have several lanes, so that none is idle.
        CHECK_FALSE(r.unaligned.packed);
        CHECK(r.unaligned.lanes == 8);
    }
    // Few rows do not justify many threads.
    CHECK(choose_rows(floats(3, 16), large).form.threads() == 32);
}

TEST_CASE("gpu_rows: a long row is shared by blocks, whose states a second launch merges") {
    const row_space one = floats(1, 1000000);
    const gpu_rows r = choose_rows(one, large);
    CHECK(r.form.parts);
    CHECK(r.span == 1);
    CHECK(blocks(one, r) == 245);
    CHECK(r.form.steps == 32);
    CHECK(runtime::grid_of_merge(1, one.length, r).blocks == 1);
    CHECK(runtime::grid_of_merge(1, one.length, r).threads == 128);

    const row_space more = floats(1, 256 << 20);
    const gpu_rows m = choose_rows(more, large);
    CHECK(m.form.parts);
    CHECK(m.form.packed);
    CHECK(m.form.threads() == 256);
    CHECK(m.span == 64);
    CHECK(m.form.slots == 64);
    CHECK(blocks(more, m) == 1024);

    // If there are many rows, each has a block.
    const row_space rows = floats(10000, 100000);
    const gpu_rows w = choose_rows(rows, large);
    CHECK_FALSE(w.form.parts);
    CHECK(w.form.slots >= 25);
    CHECK(w.form.threads() == 256);
    CHECK(blocks(rows, w) == 10000);
}

TEST_CASE("gpu_rows: rows that are dense the other way go to adjacent threads") {
    row_space s = floats(300, 1000);
    s.across = true;
    const gpu_rows r = choose_rows(s, large);
    CHECK(r.form.across);
    CHECK_FALSE(r.form.parts);
    CHECK_FALSE(r.form.packed);
    s.pairs = true;
    CHECK(choose_rows(s, large).form.packed);
    CHECK_FALSE(choose_rows(s, large).unaligned.packed);
    // So few rows that each multiprocessor should get at most one.
    CHECK(r.form.rows == 8);
    CHECK(r.form.threads() == 64);
    s.rows = 10000;
    CHECK(choose_rows(s, large).form.rows == 32);
    CHECK(choose_rows(s, large).form.threads() == 256);
    s.rows = 300;
    s.length = 100000;
    const gpu_rows p = choose_rows(s, large);
    CHECK(p.form.parts);
    CHECK(p.form.across);
    CHECK(p.together == 32);
    CHECK(blocks(s, p) == 250);
}

TEST_CASE("gpu_rows: what several passes read is kept while a block can hold it") {
    for (int64_t length : {64, 1000, 4096, 11000, 50000}) {
        CAPTURE(length);
        row_space s = floats(4096, length);
        s.passes = 3;
        s.words = 2;
        const gpu_rows r = choose_rows(s, large);
        CHECK(r.form.kept);
        CHECK_FALSE(r.form.parts);
        CHECK(runtime::kept_bytes(length, r.form, 0, 4, 1) <= 226 << 10);
    }
    // Of longer rows, as many chunks as fit.
    for (int64_t length : {60000, 131072, 200000}) {
        CAPTURE(length);
        row_space s = floats(4096, length);
        s.passes = 3;
        s.words = 2;
        s.repeated = 4;
        const gpu_rows r = choose_rows(s, large);
        CHECK(r.form.kept == 3);
        CHECK(r.span == 14);
        CHECK(r.form.threads() == (length > 100000 ? 1024 : 512));
        CHECK(runtime::kept_bytes(length, r.form, r.span, 4, 1) <= 226 << 10);
        s.kept = 8;
        CHECK(choose_rows(s, large).form.kept == 0);
        s.kept = s.repeated = 0;
        CHECK(choose_rows(s, large).form.kept == 0);
    }
    row_space longest = floats(4096, 250000);
    longest.repeated = 4;
    CHECK(choose_rows(longest, large).form.kept == 0);
    // A warp for each chunk, if enough of them fit a multiprocessor.
    const auto teams = [](int64_t rows, int64_t length, const runtime::device_properties& on) {
        row_space of = floats(rows, length);
        of.passes = 3;
        of.kept = 4;
        return static_cast<int>(choose_rows(of, on).form.teams);
    };
    CHECK(teams(100000, 2048, large) == 1);
    CHECK(teams(100000, 4096, large) == 4);
    CHECK(teams(100000, 16384, large) == 8);
    CHECK(teams(100000, 50000, large) == 16);
    CHECK(teams(100, 2048, large) == 4);
    CHECK(teams(100000, 2048, other) == 4);
    row_space narrow = floats(100000, 4096);
    narrow.passes = 2;
    CHECK(choose_rows(narrow, large).form.teams == 4);
    narrow.dense = narrow.largest = 2;
    CHECK(choose_rows(narrow, large).form.teams == 1);
    // Wider than the numbers that are read, if a value takes their place and there is room.
    row_space h = floats(4096, 50000);
    h.passes = 3;
    h.dense = h.largest = 2;
    h.kept = 4;
    CHECK(choose_rows(h, large).form.kept == 2);
    h.length = 100000;
    CHECK(choose_rows(h, large).form.kept == 1);

    row_space s = floats(4096, 60000);
    s.passes = 3;
    CHECK_FALSE(choose_rows(s, large).form.kept);
    s = floats(4096, 20000);
    s.passes = 3;
    CHECK(choose_rows(s, large).form.kept);
    CHECK_FALSE(choose_rows(s, other).form.kept);
    s = floats(4096, 4096);
    CHECK_FALSE(choose_rows(s, large).form.kept);
}

TEST_CASE("gpu_rows: any sizes give a form that blocks can have") {
    for (int64_t rows : {1, 2, 3, 31, 1000, 1 << 22}) {
        for (int64_t length : {0, 1, 3, 32, 33, 257, 4096, 4097, 8193, 40000, 300000, 1 << 26}) {
            for (int bits = 0; bits < 16; bits++) {
                row_space s = floats(rows, length);
                s.across = bits & 1;
                s.pairs = s.across && rows % 2 == 0;
                s.passes = bits & 2 ? 3 : 1;
                s.loaded = s.dense = s.largest = bits & 4 ? 8 : 1;
                s.packs = s.fetches = s.packs && length % 16 == 0;
                s.words = bits & 8 ? 20 : 1;
                CAPTURE(rows);
                CAPTURE(length);
                CAPTURE(bits);
                const gpu_rows r = choose_rows(s, bits & 8 ? other : large);
                for (const codegen::row_form& f : {r.form, r.unaligned}) {
                    const int64_t chunks = (length + 4095) / 4096;
                    CHECK(f.threads() >= 32);
                    CHECK(f.threads() <= (f.kept ? 512 : 256));
                    CHECK(f.steps >= 1);
                    // Whole rows, or parts of them, have a slot for each chunk.
                    CHECK((f.parts ? std::min(chunks, r.span) : chunks) <= f.slots);
                    CHECK((f.slots > 1 || f.teams == 1));
                    if (f.slots > 1) CHECK(8 * s.words * f.slots * f.rows <= 16 << 10);
                    CHECK((f.parts == r.form.parts));
                    CHECK(!(f.kept && f.parts));
                }
            }
        }
    }
}
