// Fused kernels by block rows against the interpreter, bit for bit.
#include "jit/interpret/block_kernel.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/launch.hpp"
#include "tests/jit/codegen/llvm/guarded_call.hpp"
#include "tests/seed.hpp"
#include "tests/support/random_kernel.hpp"

#include <sinter/threads.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;
using block::block_kernel;

namespace {

constexpr int64_t C = reduce_chunk;

void check(const kernel& k, int64_t n1, int64_t n0, uint64_t seed, bool finite = false) {
    INFO("seed " << seed << ", n1 " << n1 << ", n0 " << n0 << "\n" << print(k));
    kernel_call_data data(k, n1, n0, seed);
    if (finite) make_finite(data, k, n1, n0, seed);
    const guard_side side = seed & 1 ? guard_side::before : guard_side::after;
    guarded_call expected(k, data, side, seed & 2);
    interpret(k, expected.call());
    guarded_call got(k, data, side, seed & 2);
    block_kernel(k).run_call(got.call());
    CHECK(got.difference(expected) == "");
}

/// Runs one row of many chunks on several threads, which share the row if it has reductions.
void check_shared(const kernel& k, int64_t n0, uint64_t seed) {
    INFO("shared, seed " << seed << ", n0 " << n0 << "\n" << print(k));
    kernel_call_data data(k, 1, n0, seed);
    make_finite(data, k, 1, n0, seed);
    guarded_call expected(k, data, guard_side::after, false);
    interpret(k, expected.call());
    guarded_call got(k, data, guard_side::after, false);
    const kernel_call call = got.call();
    std::vector<int64_t> strides;
    std::vector<runtime::launch_operand> operands;
    for (std::size_t o = 0; o < k.operands.size(); ++o) strides.push_back(call.operands[o].s0);
    for (std::size_t o = 0; o < k.operands.size(); ++o)
        operands.push_back({call.operands[o].ptr, &strides[o]});
    const block_kernel blocks(k);
    runtime::launch_request r;
    r.runner = &blocks;
    r.reductions = blocks.reductions();
    r.reduction = k.has_reduction();
    r.rank = 1;
    r.extents = &n0;
    r.operands = operands;
    r.scalars = {call.scalars, k.scalars.size()};
    const int before = get_num_threads();
    set_num_threads(3);
    *call.status = runtime::launch(r);
    set_num_threads(before);
    CHECK(got.difference(expected) == "");
}

int64_t edge(std::mt19937_64& random) {
    constexpr int64_t edges[] = {0,  1,  2,  3,  7,  8,  9,  15, 16, 17,
                                 31, 32, 33, 47, 63, 64, 65, 97, 130};
    return edges[random() % std::size(edges)];
}

}  // namespace

TEST_CASE("block kernel: without rows no guard is raised") {
    kernel_builder b;
    const value_id zero = b.scalar(kInt);
    b.store(b.row(op::remainder, kInt, {b.load(kInt), b.row(op::remainder, kInt, {zero, zero})}));
    const kernel k = b.get();
    for (const int64_t rows : {0, 1}) {
        kernel_call_data data(k, rows, 20, 5);
        data.scalar(0) = 0;
        block_kernel(k).run_call(data.call());
        CHECK(data.status() == (rows ? uint64_t{status_zero_division} : 0));
    }
}

TEST_CASE("block kernel: random kernels equal the interpreter") {
    std::mt19937_64 random(test::seed());
    const int count = test::cases(300);
    for (int n = 0; n < count; n++) {
        const kernel k = random_kernel(test::seed() + static_cast<uint64_t>(n));
        for (int times = 0; times < 3; times++) check(k, edge(random), edge(random), random());
        if (random() % 8 == 0) check(k, 1, C - 1 + static_cast<int64_t>(random() % 3), random());
        if (random() % 8 == 0) check(k, 500 + static_cast<int64_t>(random() % 100), 3, random());
    }
}

TEST_CASE("block kernel: more live values than blocks of the usual size") {
    std::mt19937_64 random(test::seed());
    for (int n = 0; n < test::cases(8); n++) {
        const kernel k = random_kernel(test::seed() + static_cast<uint64_t>(n),
                                       {.operations = 150, .reductions = 2});
        check(k, 2, 2 * C + 70, random());
        check(k, 270, 65, random());
    }
}

TEST_CASE("block kernel: every cast equals the interpreter") {
    std::mt19937_64 random(test::seed());
    for (ScalarType from : sinter::testing::all_types)
        for (ScalarType to : sinter::testing::all_types) {
            kernel_builder b;
            const value_id x = b.cast(b.load(from), to);
            b.store(b.row(op::maximum, to, {x, x}));
            b.store(x);
            check(b.get(), 1, 600, random());
        }
}

TEST_CASE("block kernel: every reduction of every type equals the interpreter") {
    std::mt19937_64 random(test::seed());
    for (lanes along : {lanes::element, lanes::row})
        for (uint16_t r = 0; r < static_cast<uint16_t>(op::reduction::count); r++) {
            const auto reduction = static_cast<op::reduction>(r);
            const op::reduction_info& info = op::info(reduction);
            for (ScalarType type : sinter::testing::all_types) {
                if (info.result == op::reduction_result::floating && !isFloatingType(type))
                    continue;
                kernel_builder b(along);
                value_id parameter = none;
                if (info.kind == op::reduction_kind::moments)
                    parameter = b.scalar(compute_type(type) == mtype::f64 ? kDouble : kFloat);
                value_id x = b.load(type);
                if (random() & 1) x = b.row(op::maximum, type, {x, b.load(type)});
                b.store(b.reduce(reduction, x, parameter));
                const kernel k = b.get();
                for (int64_t n0 : {0, 1, 31, 32, 33, 95}) check(k, edge(random) % 20, n0, random());
                check(k, 300, 70, random(), true);
                const int64_t lengths[] = {C - 1, C, C + 1, 2 * C + 3, 5 * C + 65};
                check(k, 1 + static_cast<int64_t>(random() % 2), lengths[random() % 5], random(),
                      true);
                if (along == lanes::element) check_shared(k, 17 * C + 5, random());
            }
        }
}

TEST_CASE("block kernel: a row chain that keeps values in its output") {
    std::mt19937_64 random(test::seed());
    for (lanes along : {lanes::element, lanes::row})
        for (ScalarType type : {kFloat, kDouble}) {
            const kernel k = kept_softmax(type, along);
            for (int64_t n0 : {0, 1, 15, 16, 17, 31, 32, 33, 95, 1000})
                check(k, edge(random) % 20, n0, random(), true);
            check(k, 2, 2 * C + 3, random(), true);
            check(k, 300, 40, random(), true);
        }
}

TEST_CASE("block kernel: reductions and element stores of one stage share a long row") {
    std::mt19937_64 random(test::seed());
    kernel_builder b;
    const value_id x = b.row(op::square, kFloat, {b.load(kFloat)});
    const value_id sum = b.reduce(op::reduction::sum, x);
    b.store(x);
    b.store(b.row(op::div, kFloat, {x, sum}));
    b.store(sum);
    check_shared(b.get(), 40 * C + 7, random());
    check(b.get(), 3, 3 * C + 7, random(), true);
}

TEST_CASE("block kernel: a value is stored over its operand, and the operand elsewhere") {
    // A plan may place the first output in the memory of the input.
    kernel_builder b;
    const value_id x = b.load(kFloat);
    b.store(b.row(op::neg, kFloat, {x}));
    b.store(x);
    std::vector<float> in(5000), copy(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    const std::vector<float> before = in;
    const auto bytes = reinterpret_cast<char*>(in.data());
    const operand_arg operands[] = {
        {bytes, 0, 4}, {bytes, 0, 4}, {reinterpret_cast<char*>(copy.data()), 0, 4}};
    uint64_t status = 0;
    kernel_call call{};
    call.operands = operands;
    call.status = &status;
    call.n1 = 1;
    call.n0 = static_cast<int64_t>(in.size());
    block_kernel(b.get()).run_call(call);
    CHECK(copy == before);
    CHECK(in[4999] == -4999);
}
