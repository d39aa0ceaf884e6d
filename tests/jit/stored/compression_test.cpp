#include "jit/stored/compression.hpp"

#include "jit/stored/pack.hpp"
#include "jit/stored/write_pack.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <random>

using namespace sinter;
using namespace sinter::code_cache;

namespace {

/// Code as a compiler makes it: it repeats itself.
bytes code_of(std::size_t size) {
    bytes code(size);
    for (std::size_t i = 0; i < size; ++i) code[i] = static_cast<uint8_t>(i % 48 * (i / 1024));
    return code;
}

artefact with_image(const bytes& image) {
    static const bytes key{1, 2, 3};
    artefact a{};
    a.target = "CUDA sm_90";
    a.key = key;
    a.image = image;
    return a;
}

}  // namespace

TEST_CASE("compression: gives back what it took, from packs and files too") {
    const bytes code = code_of(20000);
    bytes memory;
    artefact a = with_image(code);
    compress(a, memory);
    REQUIRE(a.plain_size == code.size());
    CHECK(a.image.size() < code.size() / 4);
    CHECK(plain_image(a) == code);
    const bytes once(a.image.begin(), a.image.end());
    bytes ignored;
    compress(a, ignored);  // it is already
    CHECK(bytes(a.image.begin(), a.image.end()) == once);

    const bytes file = write_artefact(a);
    const std::optional<artefact> read = parse_artefact(file);
    REQUIRE(read);
    CHECK(plain_image(*read) == code);

    const bytes packed = write_pack(std::span(&a, 1));
    std::string why;
    const auto p = pack::in_memory(packed, why);
    REQUIRE(p);
    const std::optional<artefact> found = p->find({a.target, a.key, a.is});
    REQUIRE(found);
    CHECK(plain_image(*found) == code);
}

TEST_CASE("compression: leaves what does not shrink as it is") {
    std::mt19937 random(1);
    bytes code(4096);
    for (uint8_t& b : code) b = static_cast<uint8_t>(random());
    bytes memory;
    artefact a = with_image(code);
    compress(a, memory);
    CHECK(a.plain_size == 0);
    CHECK(a.image.data() == code.data());
    CHECK(plain_image(a) == code);
}

TEST_CASE("compression: damaged images and sizes are errors") {
    const bytes code = code_of(20000);
    bytes memory;
    artefact a = with_image(code);
    compress(a, memory);
    for (const uint64_t size : {uint64_t{1}, code.size() - 1, code.size() + 1, ~uint64_t{0}}) {
        artefact other = a;
        other.plain_size = size;
        CHECK_THROWS_WITH_AS(
            plain_image(other),
            doctest::Contains("compressed code cannot be read; got bytes that are"), Error);
    }
    for (std::size_t n = 0; n < memory.size(); ++n) {
        artefact cut = a;
        cut.image = cut.image.first(n);
        CHECK_THROWS_AS(plain_image(cut), Error);
    }
}
