#include "jit/stored/artefact.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace sinter::code_cache;

namespace {

bytes sequence(std::size_t n, int first) {
    bytes b(n);
    for (std::size_t i = 0; i < n; i++)
        b[i] = static_cast<uint8_t>(static_cast<int>(i) * 7 + first);
    return b;
}

}  // namespace

TEST_CASE("artefact: what is written is read") {
    const bytes key = sequence(33, 1), image = sequence(200, 5);
    const bytes file = write_artefact({"x86-64-v3", key, image, 16, {2, 3}, "LLVM 1"});
    const auto a = parse_artefact(file);
    REQUIRE(a);
    CHECK(std::ranges::equal(a->key, key));
    CHECK(std::ranges::equal(a->image, image));
    CHECK(a->entry == 16);
    CHECK(a->is == identity{2, 3});
    CHECK(a->producer == "LLVM 1");
    CHECK(a->target == "x86-64-v3");
}

TEST_CASE("artefact: every truncation, every flipped bit and every addition is refused") {
    const bytes key = sequence(9, 1), image = sequence(40, 5);
    const bytes file = write_artefact({"x86-64-v3", key, image, 8, {2, 3}, "LLVM 1"});
    for (std::size_t n = 0; n < file.size(); n++) {
        CHECK_FALSE(parse_artefact(byte_view(file).first(n)));
        for (int bit = 0; bit < 8; bit++) {
            bytes damaged = file;
            damaged[n] = static_cast<uint8_t>(damaged[n] ^ 1 << bit);
            CHECK_FALSE(parse_artefact(damaged));
        }
    }
    bytes longer = file;
    longer.push_back(0);
    CHECK_FALSE(parse_artefact(longer));
}

TEST_CASE("artefact: an entry outside the image is refused") {
    const bytes key = sequence(9, 1), image = sequence(40, 5);
    CHECK_FALSE(parse_artefact(write_artefact({"", key, image, 40})));
    CHECK_FALSE(parse_artefact(write_artefact({"", key, {}, 0})));
}
