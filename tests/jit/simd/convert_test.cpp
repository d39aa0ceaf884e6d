// Loads and stores of every pair of types against the interpreter's casts, at every level.
#include "jit/simd/block.hpp"

#include "jit/kernel_ir/rows/primitive.hpp"
#include "tests/seed.hpp"
#include "tests/support/by_interpreter.hpp"
#include "jit/interpret/kernel_call_data.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <random>

namespace sinter {
namespace {

using testing::bytes;

using testing::all_types;
constexpr block::isa isa_levels[] = {block::isa::baseline, block::isa::v3, block::isa::v4};

template <class F>
void at_every_level(F f) {
    const block::isa before = block::level();
    for (block::isa level : isa_levels) {
        if (!block::available(level)) continue;
        block::set_level(level);
        f(static_cast<int>(level));
    }
    block::set_level(before);
}

/// Elements of `type`, and the numbers at which conversions change: bounds of integers, ties of
/// Half.
bytes values(ScalarType type, int64_t n, std::mt19937_64& random) {
    static constexpr double edges[] = {
        2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 255.5,        256.0,    -1.0,
        -0.5,         0x1p63,       -0x1p63,       0x1p64,        65504.0,      65519.99, 65520.0,
        0x1p-24,      0x1p-25,      0x1.002p0,     0x1.006p0,     4294967295.0, 0x1.8p-25};
    bytes data = testing::make_bytes(type, n);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = kernel_ir::kernel_call_data::storage_bits(type, random);
        const double edge = edges[random() % std::size(edges)];
        if (random() % 2 == 0 && type == kFloat) {
            bits = std::bit_cast<uint32_t>(static_cast<float>(edge));
        }
        if (random() % 2 == 0 && type == kDouble) bits = std::bit_cast<uint64_t>(edge);
        std::memcpy(&data[static_cast<std::size_t>(i) * elementSize(type)], &bits,
                    elementSize(type));
    }
    return data;
}

/// Spreads dense elements `stride` bytes apart; returns the address of element 0.
char* spread(bytes& memory, const bytes& dense, ScalarType type, int64_t stride, int64_t n) {
    const auto size = static_cast<int64_t>(elementSize(type));
    const int64_t span = (stride < 0 ? -stride : stride) * n + size;
    memory.assign(static_cast<std::size_t>(span), 0x5a);
    char* first = memory.data() + (stride < 0 ? -stride * (n - 1) : 0);
    for (int64_t i = 0; i < n && !dense.empty(); i++) {
        std::memcpy(first + i * stride, dense.data() + (stride == 0 ? 0 : i) * size,
                    elementSize(type));
    }
    return first;
}

/// Returns a block in the compute form of `logical` as dense elements of that type.
bytes from_block(ScalarType logical, const bytes& block, int64_t n) {
    bytes out = testing::make_bytes(logical, n);
    const std::size_t size = elementSize(logical), held = block::block_size(logical);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); i++) {
        uint64_t value = 0;
        std::memcpy(&value, block.data() + i * held, held);
        const uint64_t bits = kernel_ir::narrowed(logical, value);
        const bool exact =
            testing::is_nan(logical, bits) || kernel_ir::widened(logical, bits) == value;
        CHECK_MESSAGE(exact, "what was loaded is no value of the type");
        std::memcpy(out.data() + i * size, &bits, size);
    }
    return out;
}

TEST_CASE("loads convert by the rules, with any stride") {
    std::mt19937_64 random(test::seed());
    INFO("SINTER_TEST_SEED=", test::seed());
    for (ScalarType storage : all_types) {
        for (ScalarType logical : all_types) {
            for (int64_t n : {1, 5, 16, 37, 200}) {
                const auto size = static_cast<int64_t>(elementSize(storage));
                for (int64_t stride : {size, int64_t{0}, 3 * size, -size}) {
                    bytes dense = values(storage, n, random);
                    if (stride == 0) {
                        for (int64_t i = 1; i < n; i++)
                            std::memcpy(&dense[static_cast<std::size_t>(i * size)], dense.data(),
                                        elementSize(storage));
                    }
                    const bytes expected =
                        testing::interpret_cast(storage, {logical}, dense.data(), n);
                    bytes memory;
                    const char* from = spread(memory, dense, storage, stride, n);
                    at_every_level([&](int level) {
                        bytes block(static_cast<std::size_t>(n) * 8);
                        block::find_load(storage, logical)(block.data(), from, stride, n);
                        const bytes got = from_block(logical, block, n);
                        const int64_t at =
                            testing::first_difference(logical, got.data(), expected.data(), n);
                        CHECK_MESSAGE(at == -1, std::string(toString(storage)), " to ",
                                      std::string(toString(logical)), " level ", level, " stride ",
                                      stride, " n ", n, " element ", at);
                    });
                }
            }
        }
    }
}

TEST_CASE("stores convert by the rules, with any stride, and touch nothing else") {
    std::mt19937_64 random(test::seed() + 1);
    INFO("SINTER_TEST_SEED=", test::seed());
    for (ScalarType logical : all_types) {
        for (ScalarType storage : all_types) {
            for (int64_t n : {1, 5, 16, 37, 200}) {
                const auto size = static_cast<int64_t>(elementSize(storage));
                for (int64_t stride : {size, 3 * size, -2 * size}) {
                    const ScalarType block_type = block::form_type(logical);
                    const bytes block = values(block_type, n, random);
                    const bytes dense =
                        testing::interpret_cast(block_type, {logical, storage}, block.data(), n);
                    bytes expected;
                    spread(expected, dense, storage, stride, n);
                    at_every_level([&](int level) {
                        bytes memory;
                        char* to = spread(memory, {}, storage, stride, n);
                        block::find_store(logical, storage)(to, stride, block.data(), n);
                        // Elements are compared with NaNs equal, everything else by bytes.
                        for (int64_t i = 0; i < n; i++) {
                            char* mine = to + i * stride;
                            const char* theirs = expected.data() + (mine - memory.data());
                            CHECK_MESSAGE(testing::first_difference(storage, mine, theirs, 1) == -1,
                                          std::string(toString(logical)), " to ",
                                          std::string(toString(storage)), " level ", level,
                                          " stride ", stride, " n ", n, " element ", i);
                            std::memcpy(mine, theirs, elementSize(storage));
                        }
                        CHECK(memory == expected);
                    });
                }
            }
        }
    }
}

TEST_CASE("every half converts exactly, and every halfway point to even") {
    std::vector<uint16_t> halves(65536);
    for (std::size_t i = 0; i < halves.size(); i++) halves[i] = static_cast<uint16_t>(i);
    at_every_level([&](int level) {
        CAPTURE(level);
        std::vector<float> floats(65536), near(65536);
        const auto* from = reinterpret_cast<const char*>(halves.data());
        block::find_load(kHalf, kHalf)(floats.data(), from, 2, 65536);
        int wrong = 0;
        for (std::size_t i = 0; i < halves.size(); i++) {
            const float expected = Half::to_float(halves[i]);
            if (std::isnan(expected)
                    ? !std::isnan(floats[i])
                    : std::bit_cast<uint32_t>(expected) != std::bit_cast<uint32_t>(floats[i])) {
                wrong++;
            }
        }
        CHECK(wrong == 0);
        for (int step = -1; step <= 1; step++) {
            for (std::size_t i = 0; i + 1 < halves.size(); i++) {
                const float middle = (floats[i] + floats[i + 1]) / 2;
                near[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(middle) +
                                               static_cast<uint32_t>(step));
            }
            near.back() = 70000.0f;
            std::vector<uint16_t> got(65536), one(65536);
            block::find_store(kHalf, kHalf)(reinterpret_cast<char*>(got.data()), 2, near.data(),
                                            65536);
            for (std::size_t i = 0; i < got.size(); i++) {
                const uint16_t expected = Half::from_float(near[i]);
                const bool nan = (got[i] & 0x7fff) > 0x7c00 && (expected & 0x7fff) > 0x7c00;
                if (got[i] != expected && !nan) wrong++;
            }
            CHECK(wrong == 0);
        }
    });
}

TEST_CASE("every bfloat16 converts exactly, and what lies between to even") {
    std::vector<float> floats(65536 * 8);
    for (std::size_t i = 0; i < floats.size(); i++) {
        static constexpr uint32_t below[] = {0, 1, 0x4000, 0x7fff, 0x8000, 0x8001, 0xc000, 0xffff};
        floats[i] = std::bit_cast<float>(static_cast<uint32_t>(i / 8) << 16 | below[i % 8]);
    }
    const auto n = static_cast<int64_t>(floats.size());
    at_every_level([&](int level) {
        CAPTURE(level);
        std::vector<uint16_t> stored(floats.size());
        block::find_store(kBFloat16, kBFloat16)(reinterpret_cast<char*>(stored.data()), 2,
                                                floats.data(), n);
        std::vector<float> loaded(floats.size());
        block::find_load(kBFloat16, kBFloat16)(loaded.data(),
                                               reinterpret_cast<const char*>(stored.data()), 2, n);
        int wrong = 0;
        for (std::size_t i = 0; i < floats.size(); i++) {
            wrong += stored[i] != BFloat16::from_float(floats[i]);
            wrong += std::bit_cast<uint32_t>(loaded[i]) !=
                     std::bit_cast<uint32_t>(BFloat16::to_float(stored[i]));
        }
        CHECK(wrong == 0);
    });
}

}  // namespace
}  // namespace sinter
