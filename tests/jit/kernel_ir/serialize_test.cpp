// Encodings: round trips, one encoding per kernel, and only kernels decode.
#include "tests/seed.hpp"
#include "tests/support/random_kernel.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

/// Decodes a copy that ends at the end of its allocation, so that a sanitizer sees a read beyond
/// it.
kernel decode(const std::vector<uint8_t>& bytes) {
    const auto exact = std::make_unique<uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), exact.get());
    return deserialize(exact.get(), bytes.size());
}

std::string message(const std::vector<uint8_t>& bytes) {
    try {
        decode(bytes);
    } catch (const InternalError& e) {
        return e.what();
    }
    return "accepted";
}

kernel small_kernel() {
    kernel_builder b;
    const value_id x = b.load(kFloat), s = b.scalar(kFloat);
    b.store(b.row(op::mul, kFloat, {x, s}));
    return b.get();
}

kernel summing_kernel(lanes along = lanes::element) {
    kernel_builder b(along);
    b.store(b.reduce(op::reduction::sum, b.load(kFloat)));
    return b.get();
}

}  // namespace

TEST_CASE("serialize: round trip") {
    for (int i = 0; i < test::cases(200); i++) {
        const kernel k = random_kernel(test::seed() + static_cast<uint64_t>(i));
        const std::vector<uint8_t> bytes = serialize(k);
        const kernel back = decode(bytes);
        CHECK(back == k);
        CHECK(serialize(back) == bytes);
    }
    kernel kept = kept_softmax(kFloat);
    CHECK(decode(serialize(kept)) == kept);
    const std::vector<uint8_t> any_length = serialize(kept);
    kept.form = row_form::one_chunk;
    CHECK(decode(serialize(kept)) == kept);
    CHECK(serialize(kept) != any_length);
    kernel runs = summing_kernel();
    const std::vector<uint8_t> whole = serialize(runs);
    runs.form = row_form::runs;
    CHECK(decode(serialize(runs)) == runs);
    CHECK(serialize(runs) != whole);
    kernel few = summing_kernel(lanes::row);
    const std::vector<uint8_t> many = serialize(few);
    few.form = row_form::few;
    CHECK(decode(serialize(few)) == few);
    CHECK(serialize(few) != many);
    kernel special = small_kernel();
    const std::vector<uint8_t> general = serialize(special);
    special.extent = 24;
    CHECK(decode(serialize(special)) == special);
    CHECK(serialize(special) != general);
    const std::vector<uint8_t> any_scalar = serialize(special);
    special.known = {{0, 0x40490fdb}};
    CHECK(decode(serialize(special)) == special);
    CHECK(serialize(special) != any_scalar);
}

TEST_CASE("serialize: different kernels differ") {
    kernel k = small_kernel(), other = k;
    other.operands[0].lane = stride_class::other;
    CHECK(serialize(k) != serialize(other));
    other = k;
    other.along = lanes::row;
    CHECK(serialize(k) != serialize(other));
    other = k;
    other.body[2].row = op::add;
    CHECK(serialize(k) != serialize(other));
}

TEST_CASE("serialize: operations have their names, in the order of their first use") {
    const auto text = [](const kernel& k) {
        const std::vector<uint8_t> bytes = serialize(k);
        return std::string(bytes.begin(), bytes.end());
    };
    CHECK(text(small_kernel()).substr(4, 10) == std::string("\4\1\0\0\0\0\3mul", 10));
    kernel_builder b;
    const value_id x = b.load(kFloat);
    const value_id y = b.row(op::mul, kFloat, {x, x});
    b.store(b.row(op::mul, kFloat, {b.row(op::add, kFloat, {x, y}), y}));
    const std::string two = text(b.get());
    CHECK(two.find("mul") < two.find("add"));
    CHECK(two.find("mul") == two.rfind("mul"));
}

TEST_CASE("serialize: only row-level kernels") {
    CHECK_THROWS_WITH_AS(serialize(decompose(small_kernel())),
                         "[serialize] the kernel is at primitive level, which has no encoding; "
                         "this is a bug in Sinter, please report it",
                         InternalError);
}

TEST_CASE("deserialize: malformed bytes") {
    const std::vector<uint8_t> good = serialize(small_kernel());
    REQUIRE(message(good) == "accepted");
    for (std::size_t n = 0; n < good.size(); n++) {
        CHECK(message({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n)}) ==
              "[deserialize] the bytes are not a kernel: they end too early; this is a bug in "
              "Sinter, please report it");
    }
    const auto spoiled = [&](std::size_t at, uint8_t byte) {
        std::vector<uint8_t> bad = good;
        bad[at] = byte;
        return message(bad);
    };
    CHECK(spoiled(0, 'X') ==
          "[deserialize] the bytes are not a kernel: they do not begin with SKIR; this is a bug in "
          "Sinter, please report it");
    CHECK(spoiled(4, 99) ==
          "[deserialize] the bytes are not a kernel: they have another format version; this is a "
          "bug in Sinter, please report it");
    CHECK(spoiled(11, 'X') ==
          "[deserialize] the bytes are not a kernel: this library has no operation of a name in "
          "them; this is a bug in Sinter, please report it");
    CHECK(spoiled(9, 1) == spoiled(11, 'X'));  // no reduction has the row's name
    const std::string outside =
        "[deserialize] the bytes are not a kernel: a value is outside its enumeration; this is a "
        "bug in Sinter, please report it";
    CHECK(spoiled(14, 2) == outside);   // lanes
    CHECK(spoiled(15, 6) == outside);   // form of rows
    CHECK(spoiled(20, 3) == outside);   // role of operand 0
    CHECK(spoiled(21, 17) == outside);  // its type
    CHECK(spoiled(19, 255) ==
          "[deserialize] the bytes are not a kernel: they end too early; this is a bug in Sinter, "
          "please report it");
    std::vector<uint8_t> longer = good;
    longer.push_back(0);
    CHECK(message(longer) ==
          "[deserialize] the bytes are not a kernel: more bytes follow the kernel; this is a bug "
          "in Sinter, please report it");
    // Well-formed, but not a kernel.
    CHECK(spoiled(21, static_cast<uint8_t>(kHalf)).find("[kernel_ir]") == 0);
}

TEST_CASE("deserialize: random mutations are refused or are kernels") {
    std::mt19937_64 random(test::seed());
    int accepted = 0, refused = 0;
    for (int i = 0; i < test::cases(20000); i++) {
        std::vector<uint8_t> bytes = serialize(random_kernel(random() % 64));
        const int changes = 1 + static_cast<int>(random() % 3);
        for (int c = 0; c < changes; c++) {
            const std::size_t at = random() % bytes.size();
            switch (random() % 4) {
                case 0: bytes[at] = static_cast<uint8_t>(random()); break;
                case 1: bytes[at] ^= static_cast<uint8_t>(1 << random() % 8); break;
                case 2: bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at)); break;
                default: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes[at]);
            }
        }
        try {
            const kernel k = decode(bytes);
            CHECK(serialize(k) == bytes);
            accepted++;
        } catch (const InternalError&) {
            refused++;
        }
    }
    CHECK(accepted > 0);
    CHECK(refused > 0);
}
