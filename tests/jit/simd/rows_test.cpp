// Every block row, compute type, operand pattern and level against the interpreter.
#include "jit/simd/block.hpp"
#include "tests/seed.hpp"
#include "tests/support/by_interpreter.hpp"
#include "tests/support/formula_flags.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "jit/kernel_ir/opcodes.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace sinter {
namespace {

using testing::bytes;

constexpr ScalarType compute[] = {kBool, kByte, kInt, kLong, kFloat, kDouble};
constexpr block::isa levels[] = {block::isa::baseline, block::isa::v3, block::isa::v4};

bytes random_block(ScalarType type, int64_t n, std::mt19937_64& random) {
    bytes data = testing::make_bytes(type, n);
    const std::size_t size = elementSize(type);
    for (std::size_t at = 0; at < data.size(); at += size) {
        const uint64_t bits = kernel_ir::kernel_call_data::storage_bits(type, random);
        std::memcpy(&data[at], &bits, size);
    }
    return data;
}

struct test_case {
    op::id row;
    ScalarType in, out;
};

std::vector<test_case> all_cases() {
    std::vector<test_case> cases;
    for (int r = 0; r < op::count; r++) {
        const auto row = static_cast<op::id>(r);
        if (op::info(row).rule == dtype_rule::random) {
            const bool integer = row == op::philox_bits;
            if (integer)
                cases.push_back({row, kLong, kLong});
            else
                cases.insert(cases.end(), {{row, kLong, kFloat}, {row, kLong, kDouble}});
            continue;
        }
        for (ScalarType in : compute) {
            if (kernel_ir::testing::allows(op::info(row).rule, in)) {
                cases.push_back({row, in, kernel_ir::testing::result_type(row, in)});
            }
        }
    }
    return cases;
}

ScalarType operand_type(const test_case& c, std::size_t k) {
    return op::info(c.row).rule == dtype_rule::choice && k == 0 ? kBool : c.in;
}

void check_on(const test_case& c, int64_t n, unsigned pattern, bool in_place,
              const std::vector<bytes>& data) {
    const std::size_t arity = op::info(c.row).arity;
    std::vector<testing::dense_input> inputs;
    bool uniform[3] = {};
    for (std::size_t k = 0; k < arity; k++) uniform[k] = (pattern >> k & 1) != 0;
    for (std::size_t k = 0; k < arity; k++) {
        inputs.push_back({operand_type(c, k), data[k].data(), uniform[k]});
    }
    const auto expected = testing::interpret_row(c.row, c.in, c.out, inputs, c.out, n);
    for (block::isa level : levels) {
        if (!block::available(level)) continue;
        block::set_level(level);
        const block::block_fn fn = block::find(c.row, c.in, c.out);
        REQUIRE((fn != nullptr));
        std::vector<bytes> copies = data;
        const void* in[3] = {};
        for (std::size_t k = 0; k < arity; k++) in[k] = copies[k].data();
        bytes out = testing::make_bytes(c.out, n + 1);
        std::memset(out.data(), 0x5a, out.size());
        char* to = in_place ? copies[arity - 1].data() : out.data();
        uint64_t status = 0;
        fn(to, in, uniform, n, &status);
        const int64_t at = testing::first_difference(c.out, to, expected.out.data(), n);
        const auto size = static_cast<int64_t>(elementSize(c.out));
        CHECK_MESSAGE(at == -1, std::string(op::info(c.row).name), " in ",
                      std::string(toString(c.in)), " level ", static_cast<int>(level), " n ", n,
                      " pattern ", pattern, " element ", at, " got ",
                      testing::element_bits(c.out, to + at * size), " expected ",
                      testing::element_bits(c.out, expected.out.data() + at * size));
        CHECK_MESSAGE(status == expected.status, std::string(op::info(c.row).name), " in ",
                      std::string(toString(c.in)));
        if (!in_place) CHECK(static_cast<unsigned char>(out.back()) == 0x5a);
    }
}

void check(const test_case& c, int64_t n, unsigned pattern, bool in_place,
           std::mt19937_64& random) {
    std::vector<bytes> data;
    for (std::size_t k = 0; k < op::info(c.row).arity; k++)
        data.push_back(random_block(operand_type(c, k), (pattern >> k & 1) != 0 ? 1 : n, random));
    check_on(c, n, pattern, in_place, data);
}

TEST_CASE("every row, type, pattern and level equals the interpreter") {
    const block::isa before = block::level();
    std::mt19937_64 random(test::seed());
    INFO("SINTER_TEST_SEED=", test::seed());
    const int64_t lengths[] = {0, 1, 3, 7, 16, 31, 33, 64, 127, 300};
    for (const test_case& c : all_cases()) {
        const unsigned patterns = 1u << op::info(c.row).arity;
        for (unsigned pattern = 0; pattern < patterns; pattern++) {
            for (int i = 0; i < 2; i++) check(c, lengths[random() % 10], pattern, false, random);
        }
        check(c, 300, 0, false, random);
        if (operand_type(c, op::info(c.row).arity - 1u) == c.out) check(c, 129, 0, true, random);
    }
    block::set_level(before);
}

/// n numbers that are ordinary for every function, except for `rare` ones at the end.
bytes ordinary_block(ScalarType type, int64_t n, int64_t rare, std::mt19937_64& random) {
    bytes data = testing::make_bytes(type, n);
    for (int64_t i = 0; i < n; i++) {
        const auto bits = static_cast<int64_t>(random());
        const double x = n - i <= rare ? 0x1p100 : static_cast<double>(bits) * 0x1p-58;
        const float narrow = static_cast<float>(x);
        if (type == kDouble)
            std::memcpy(&data[static_cast<std::size_t>(i) * sizeof x], &x, sizeof x);
        else
            std::memcpy(&data[static_cast<std::size_t>(i) * sizeof narrow], &narrow, sizeof narrow);
    }
    return data;
}

TEST_CASE("rows of ordinary numbers, and of some rare ones among them, equal the interpreter") {
    const block::isa before = block::level();
    std::mt19937_64 random(test::seed());
    INFO("SINTER_TEST_SEED=", test::seed());
    for (const test_case& c : all_cases()) {
        const std::size_t arity = op::info(c.row).arity;
        if (!isFloatingType(c.in) || operand_type(c, 0) == kBool) continue;
        for (int64_t n : {300, 1100}) {
            for (int64_t rare : {0, 1, 30}) {
                std::vector<bytes> data;
                for (std::size_t k = 0; k < arity; k++)
                    data.push_back(ordinary_block(c.in, n, k == 0 ? rare : 0, random));
                check_on(c, n, 0, false, data);
            }
        }
    }
    block::set_level(before);
}

/// Whether the formula of a row asks whether its result will be narrow.
bool has_brief_formula(op::id row) {
    return test::asks_for(&kernel_ir::builder::brief, row, kernel_ir::mtype::f32);
}

TEST_CASE("rows whose formula is another one for narrow floats have a function for them") {
    std::vector<Half> all, other;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        all.push_back(Half::from_bits(static_cast<uint16_t>(bits)));
        other.push_back(Half::from_bits(static_cast<uint16_t>(bits * 40503u)));
    }
    const std::vector<float> a(all.begin(), all.end()), b(other.begin(), other.end());
    const void* const in[] = {a.data(), b.data()};
    const bool uniform[2] = {};
    const auto n = static_cast<int64_t>(all.size());
    for (const test_case& c : all_cases()) {
        if (c.in != kFloat) continue;
        const block::block_fn own = block::find(c.row, kHalf, kHalf);
        INFO(std::string(op::info(c.row).name));
        CHECK((own != block::find(c.row, kFloat, kFloat)) == has_brief_formula(c.row));
        if (!has_brief_formula(c.row)) continue;
        std::vector<testing::dense_input> inputs = {{kHalf, reinterpret_cast<char*>(all.data())}};
        if (op::info(c.row).arity == 2)
            inputs.push_back({kHalf, reinterpret_cast<char*>(other.data())});
        const auto expected = testing::interpret_row(c.row, kHalf, kHalf, inputs, kHalf, n);
        std::vector<float> got(all.size());
        uint64_t status = 0;
        own(got.data(), in, uniform, n, &status);
        const std::vector<Half> rounded(got.begin(), got.end());
        CHECK(testing::first_difference(kHalf, reinterpret_cast<const char*>(rounded.data()),
                                        expected.out.data(), n) == -1);
    }
}

TEST_CASE("rows outside their rule have no function") {
    CHECK((block::find(op::sqrt, kInt, kInt) == nullptr));
    CHECK((block::find(op::neg, kBool, kBool) == nullptr));
    CHECK((block::find(op::logical_and, kFloat, kBool) == nullptr));
    CHECK((block::find(op::bitwise_left_shift, kFloat, kFloat) == nullptr));
    CHECK((block::find(op::philox_uniform, kFloat, kFloat) == nullptr));
    CHECK((block::find(op::add, kHalf, kHalf) == block::find(op::add, kFloat, kFloat)));
}

}  // namespace
}  // namespace sinter
