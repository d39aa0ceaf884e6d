// Eager operations over random strided operands, compared with the interpreter over the gathered
// elements.
#include "jit/interpret/eager/eager.hpp"
#include "jit/simd/block.hpp"
#include "tests/eager/strided.hpp"
#include "tests/seed.hpp"

#include <sinter/threads.hpp>

#include <doctest/doctest.h>

#include <bit>

namespace sinter {
namespace {

using testing::bytes;
using testing::layout;
using testing::strided;

using testing::all_types;

layout any_layout(std::mt19937_64& random) { return static_cast<layout>(random() % 3); }

void check(op::id row, ScalarType in, const std::vector<int64_t>& shape, std::mt19937_64& random,
           bool mixed_types) {
    const std::size_t arity = op::info(row).arity;
    const bool draw = op::info(row).rule == dtype_rule::random;
    const ScalarType stated = row == op::philox_bits ? kLong : random() % 2 ? kHalf : kDouble;
    const ScalarType result = block::result_type(row, in, stated);
    const int64_t n = testing::count_of(shape);
    std::vector<strided> arrays;
    std::vector<eager::operand> ins;
    std::vector<bytes> dense;
    std::vector<testing::dense_input> inputs;
    arrays.reserve(arity);
    dense.reserve(arity);
    for (std::size_t k = 0; k < arity; k++) {
        ScalarType type = op::info(row).rule == dtype_rule::choice && k == 0 ? kBool : in;
        if (mixed_types && !draw && random() % 2) type = all_types[random() % std::size(all_types)];
        arrays.emplace_back(type, shape, any_layout(random), random);
        dense.push_back(arrays.back().gather());
        ins.push_back(arrays.back().operand());
        inputs.push_back({type, dense.back().data()});
    }
    strided out(result, shape, random() % 2 ? layout::contiguous : layout::any, random);
    const auto expected = testing::interpret_row(row, in, result, inputs, result, n);
    const uint64_t status = eager::elementwise(row, in, shape, out.operand(), ins);
    const int64_t at =
        testing::first_difference(result, out.gather().data(), expected.out.data(), n);
    CHECK_MESSAGE(at == -1, std::string(op::info(row).name), " in ", std::string(toString(in)),
                  " element ", at, " of ", n);
    CHECK_MESSAGE(status == expected.status, std::string(op::info(row).name), " in ",
                  std::string(toString(in)));
    CHECK(out.rest_untouched());
}

TEST_CASE("every row and type over random layouts equals the interpreter") {
    std::mt19937_64 random(test::seed());
    INFO("SINTER_TEST_SEED=", test::seed());
    int calls = 0;
    for (int r = 0; r < op::count; r++) {
        const auto row = static_cast<op::id>(r);
        for (ScalarType in : all_types) {
            if (!kernel_ir::testing::allows(op::info(row).rule, in)) continue;
            for (int i = 0; i < test::cases(3); i++) {
                check(row, in, testing::random_shape(random), random, calls++ % 2 == 1);
            }
        }
    }
}

TEST_CASE("short inner runs and long ones, around the block size") {
    std::mt19937_64 random(test::seed() + 1);
    INFO("SINTER_TEST_SEED=", test::seed());
    const std::vector<int64_t> shapes[] = {{},     {1},       {0},      {1023},     {1024},
                                           {1025}, {3, 1025}, {700, 3}, {255, 257}, {2, 2, 2, 700}};
    for (const auto& shape : shapes) {
        for (ScalarType in : {kHalf, kFloat, kLong}) check(op::add, in, shape, random, false);
        check(op::lt, kHalf, shape, random, false);
        check(op::where, kDouble, shape, random, false);
    }
}

TEST_CASE("in place over the identical view") {
    std::mt19937_64 random(test::seed() + 2);
    INFO("SINTER_TEST_SEED=", test::seed());
    for (ScalarType type : {kHalf, kFloat, kInt}) {
        for (layout how : {layout::contiguous, layout::any}) {
            for (const std::vector<int64_t>& shape :
                 {std::vector<int64_t>{3000}, {40, 5, 7}, {9, 700}}) {
                strided x(type, shape, how, random), y(type, shape, layout::any, random);
                const bytes dx = x.gather(), dy = y.gather();
                const int64_t n = testing::count_of(shape);
                const auto expected = testing::interpret_row(
                    op::sub, type, type, {{type, dx.data()}, {type, dy.data()}}, type, n);
                const eager::operand ins[] = {x.operand(), y.operand()};
                eager::elementwise(op::sub, type, shape, x.operand(), ins);
                CHECK(testing::first_difference(type, x.gather().data(), expected.out.data(), n) ==
                      -1);
                CHECK(x.rest_untouched());
            }
        }
    }
}

TEST_CASE("a scalar argument keeps its precision, a tensor of one element does not") {
    std::mt19937_64 random(test::seed() + 3);
    const std::vector<int64_t> shape{100};
    const int64_t zero[] = {0};
    float tenth = 0.1f;
    strided x(kHalf, shape, layout::contiguous, random),
        out(kHalf, shape, layout::contiguous, random);
    const bytes dx = x.gather();
    for (bool tensor : {false, true}) {
        CAPTURE(tensor);
        const eager::operand ins[] = {x.operand(),
                                      {reinterpret_cast<char*>(&tenth), kFloat, zero, tensor}};
        eager::elementwise(op::mul, kHalf, shape, out.operand(), ins);
        const float factor = tensor ? Half::to_float(Half::from_float(tenth)) : tenth;
        const bytes got = out.gather();
        for (std::size_t i = 0; i < 100; i++) {
            const auto bits = static_cast<uint16_t>(testing::element_bits(kHalf, &dx[i * 2]));
            const uint16_t expected = Half::from_float(Half::to_float(bits) * factor);
            CHECK(testing::first_difference(kHalf, &got[i * 2],
                                            reinterpret_cast<const char*>(&expected), 1) == -1);
        }
    }
}

TEST_CASE("any number of threads gives the same bits and the status") {
    std::mt19937_64 random(test::seed() + 4);
    const int before = get_num_threads();
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{100003}, {331, 337}, {40000, 3}}) {
        const int64_t n = testing::count_of(shape);
        strided x(kHalf, shape, layout::any, random), y(kFloat, shape, layout::any, random);
        strided i(kInt, shape, layout::any, random), j(kInt, shape, layout::any, random);
        bytes first, first_integers;
        for (int threads : {1, 2, 3, 7}) {
            set_num_threads(threads);
            strided out(kFloat, shape, layout::contiguous, random);
            const eager::operand ins[] = {x.operand(), y.operand()};
            eager::elementwise(op::mul, kFloat, shape, out.operand(), ins);
            strided integers(kInt, shape, layout::contiguous, random);
            const eager::operand pair[] = {i.operand(), j.operand()};
            const uint64_t status =
                eager::elementwise(op::floor_divide, kInt, shape, integers.operand(), pair);
            CHECK(status == kernel_ir::status_zero_division);
            if (threads == 1) {
                first = out.gather();
                first_integers = integers.gather();
            }
            CHECK(testing::first_difference(kFloat, out.gather().data(), first.data(), n) == -1);
            CHECK(integers.gather() == first_integers);
        }
    }
    set_num_threads(before);
}

TEST_CASE("casts and copies, every pair of types") {
    std::mt19937_64 random(test::seed() + 5);
    INFO("SINTER_TEST_SEED=", test::seed());
    for (ScalarType from : all_types) {
        for (ScalarType to : all_types) {
            for (int i = 0; i < test::cases(6); i++) {
                const auto shape = testing::random_shape(random);
                strided x(from, shape, any_layout(random), random);
                strided out(to, shape, random() % 2 ? layout::contiguous : layout::any, random);
                const bytes dense = x.gather();
                const int64_t n = testing::count_of(shape);
                eager::cast(shape, out.operand(), x.operand());
                if (from == to) {
                    CHECK(out.gather() == dense);  // including NaN payloads
                } else {
                    const bytes expected = testing::interpret_cast(from, {to}, dense.data(), n);
                    CHECK(testing::first_difference(to, out.gather().data(), expected.data(), n) ==
                          -1);
                }
                CHECK(out.rest_untouched());
            }
        }
    }
}

TEST_CASE("fill and index") {
    std::mt19937_64 random(test::seed() + 6);
    INFO("SINTER_TEST_SEED=", test::seed());
    for (int i = 0; i < test::cases(60); i++) {
        const auto shape = testing::random_shape(random);
        const ScalarType type = all_types[random() % std::size(all_types)];
        const uint64_t bits = kernel_ir::testing::kernel_call_data::storage_bits(type, random);
        strided out(type, shape, layout::any, random);
        eager::fill(shape, out.operand(), bits);
        const bytes filled = out.gather();
        for (std::size_t at = 0; at < filled.size(); at += elementSize(type)) {
            CHECK(testing::element_bits(type, &filled[at]) == bits);
        }
        CHECK(out.rest_untouched());

        strided positions(kLong, shape, layout::any, random);
        std::vector<int64_t> steps(shape.size());
        for (int64_t& s : steps) s = static_cast<int64_t>(random() % 9) - 4;
        eager::index(shape, positions.operand(), -7, steps);
        const bytes got = positions.gather();
        int64_t element = 0;
        testing::for_each_offset(shape, steps, [&](int64_t offset) {
            const uint64_t value =
                testing::element_bits(kLong, &got[static_cast<std::size_t>(element++) * 8]);
            CHECK(static_cast<int64_t>(value) == offset - 7);
        });
        CHECK(positions.rest_untouched());
    }
}

}  // namespace
}  // namespace sinter
