// A launch over a range of several dimensions gives the same bits as one over dense copies of its
// operands, and accesses no byte outside of them.
#include "jit/launch/nested_range.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/reduction_plan.hpp"
#include "runtime/threads/threads.hpp"
#include "tests/seed.hpp"

#include <sinter/op/op.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace sinter;
using namespace sinter::kernel_ir;

namespace {

// z = sum(x * y); where = argmax(x * y), each row scaled
kernel product_kernel(lanes along, stride_class x, stride_class y) {
    const auto load = [](value_id operand) {
        return instr{.op = opcode::load, .type = kFloat, .mt = mtype::f32, .a = operand};
    };
    const auto reduce = [](op::reduction r, ScalarType type) {
        return instr{.op = opcode::reduce,
                     .type = type,
                     .in = kFloat,
                     .mt = compute_type(type),
                     .dom = domain::row,
                     .row = static_cast<uint16_t>(r),
                     .a = 2};
    };
    const auto store = [](ScalarType type, value_id operand, value_id v) {
        return instr{.op = opcode::store,
                     .type = type,
                     .mt = compute_type(type),
                     .dom = domain::row,
                     .a = operand,
                     .b = v};
    };
    kernel k;
    k.along = along;
    k.operands = {{role::input, kFloat, x},
                  {role::input, kFloat, y},
                  {role::output, kFloat, stride_class::other},
                  {role::output, kLong, stride_class::other}};
    k.body = {load(0),
              load(1),
              {.op = opcode::row,
               .type = kFloat,
               .in = kFloat,
               .mt = mtype::f32,
               .row = op::mul,
               .a = 0,
               .b = 1},
              reduce(op::reduction::sum, kFloat),
              reduce(op::reduction::argmax, kLong),
              store(kFloat, 2, 3),
              store(kLong, 3, 4)};
    return k;
}

struct results {
    std::vector<float> sum;
    std::vector<int64_t> place;
    bool operator==(const results&) const = default;
};

/// Runs with operands x and y whose strides, in elements, are over [rows, extents...].
results run(const kernel& k, std::vector<int64_t> extents, int reduced, const std::vector<float>& x,
            std::vector<int64_t> xs, const std::vector<float>& y, std::vector<int64_t> ys) {
    const interpreter code(k);
    const runtime::reduction_plan plan = runtime::make_reduction_plan(k);
    const auto rows = static_cast<std::size_t>(extents[0]);
    results r{std::vector<float>(rows, -1), std::vector<int64_t>(rows, -1)};
    std::vector<int64_t> zs(extents.size(), 0), ws(extents.size(), 0);
    zs[0] = 4, ws[0] = 8;
    for (auto* s : {&xs, &ys})
        for (int64_t& stride : *s) stride *= 4;
    const auto bytes = [](const std::vector<float>& v) {
        return reinterpret_cast<char*>(const_cast<float*>(v.data()));
    };
    const runtime::launch_operand operands[] = {
        {bytes(x), xs.data(), 4},
        {bytes(y), ys.data(), 4},
        {bytes(r.sum), zs.data(), 4},
        {reinterpret_cast<char*>(r.place.data()), ws.data(), 8}};
    CHECK(runtime::launch({.runner = &code,
                           .reductions = &plan,
                           .along = k.along,
                           .reduction = true,
                           .rank = static_cast<int>(extents.size()),
                           .reduced = reduced,
                           .extents = extents.data(),
                           .operands = operands}) == 0);
    return r;
}

}  // namespace

TEST_CASE("nested ranges: dimensions that walk as one") {
    const int64_t extents[] = {3, 4, 5}, dense[] = {20, 5, 1}, every_second[] = {40, 10, 2},
                  sliced[] = {24, 6, 1}, still[] = {0, 0, 0}, factor[] = {1, 0, 0};
    CHECK(runtime::walks_as_one(3, extents, dense));
    CHECK(runtime::walks_as_one(3, extents, every_second));
    CHECK_FALSE(runtime::walks_as_one(3, extents, sliced));
    CHECK(runtime::walks_as_one(3, extents, still));
    CHECK_FALSE(runtime::walks_as_one(3, extents, factor));
    CHECK(runtime::walks_as_one(1, extents, sliced));
}

TEST_CASE("nested ranges: the bits of dense operands") {
    std::mt19937_64 random(test::seed());
    const auto noise = [&](int64_t n) {
        std::vector<float> v(static_cast<std::size_t>(n));
        for (float& x : v) x = static_cast<float>(static_cast<int64_t>(random() % 2001) - 1000) / 7;
        return v;
    };
    const int before = get_num_threads();
    for (auto [rows, n, m] : {std::tuple<int64_t, int64_t, int64_t>{1, 5, 7},
                              {70, 9, 31},
                              {3, 64, 64},
                              {3, 65, 64},
                              {1, 100, 777},
                              {5, 3, 20000}}) {
        // For each row, x is all but one column of a table, and y has one factor per row of the
        // range.
        const int64_t wide = m + 1;
        const std::vector<float> x = noise((rows * n - 1) * wide + m), y = noise(n);
        std::vector<float> dense_x, dense_y;
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < m; ++j) {
                    dense_x.push_back(x[static_cast<std::size_t>((r * n + i) * wide + j)]);
                    dense_y.push_back(y[static_cast<std::size_t>(i)]);
                }
        const kernel along_elements =
            product_kernel(lanes::element, stride_class::unit, stride_class::unit);
        const results expected =
            run(along_elements, {rows, n * m}, 1, dense_x, {n * m, 1}, dense_y, {n * m, 1});
        for (int threads : {1, 2, 3}) {
            CAPTURE(threads);
            CAPTURE(n);
            CAPTURE(m);
            set_num_threads(threads);
            CHECK(run(along_elements, {rows, n, m}, 2, x, {n * wide, wide, 1}, y, {0, 1, 0}) ==
                  expected);
            if (n * m > reduce_chunk) continue;
            const kernel along_rows =
                product_kernel(lanes::row, stride_class::unit, stride_class::zero);
            CHECK(run(along_rows, {rows, n, m}, 2, x, {n * wide, wide, 1}, y, {0, 1, 0}) ==
                  expected);
        }
    }
    set_num_threads(before);
}
