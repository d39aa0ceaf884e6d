// The planted faults of the code generator give wrong results or are refused.
#include "jit/codegen/protocol.hpp"
#include "jit/interpret/interpret.hpp"
#include "tests/jit/codegen/llvm/compiled.hpp"
#include "tests/jit/codegen/llvm/guarded_call.hpp"
#include "tests/support/compiler.hpp"
#include "tests/support/kernel_builder.hpp"

#include <sinter/error.hpp>

#include <atomic>
#include <bit>
#include <random>
#include <thread>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

kernel product_plus() {
    kernel_builder b;
    const value_id product = b.row(op::mul, kFloat, {b.load(kFloat), b.load(kFloat)});
    b.store(b.row(op::add, kFloat, {product, b.load(kFloat)}));
    return b.get();
}

kernel sum() {
    kernel_builder b;
    b.store(b.reduce(op::reduction::sum, b.load(kFloat)));
    return b.get();
}

struct fault_case {
    uint32_t mode;
    kernel k;
};

std::vector<fault_case> cases() {
    return {{codegen::mode_fault_tail_mask, product_plus()},
            {codegen::mode_fault_lane_order, sum()},
            {codegen::mode_fault_contract, product_plus()}};
}

}  // namespace

#ifdef SINTER_FAULTS

TEST_CASE("codegen: each planted fault changes what a kernel does") {
    if (!test::has_compiler()) return;
    for (const fault_case& f : cases()) {
        INFO(print(f.k));
        for (codegen::target level : sinter::testing::levels()) {
            const kernel_fn fn = sinter::testing::compile({f.k}, level, f.mode)[0];
            kernel_call_data data(f.k, 1, 4001, 1);
            std::mt19937 random(1);
            for (std::size_t o = 0; o < f.k.operands.size(); o++) {
                if (f.k.operands[o].use != role::input) continue;
                for (int64_t e = 0; e < 4001; e++) {  // finite, so that rounding shows
                    const float x = 1 + 0x1p-32f * static_cast<float>(random());
                    data.set_element(o, 0, e, std::bit_cast<uint32_t>(x));
                }
            }
            // The guard is before the buffer, so a store after the last element is detected, not
            // fatal.
            guarded_call expected(f.k, data, guard_side::before, false);
            interpret(f.k, expected.call());
            guarded_call got(f.k, data, guard_side::before, false);
            const kernel_call call = got.call();
            fn(&call);
            CHECK(got.difference(expected) != "");
        }
    }
}

#else

TEST_CASE("codegen: a build without planted faults refuses them") {
    if (!test::has_compiler()) return;
    for (const fault_case& f : cases()) {
        const code_cache::bytes serialized = serialize(f.k);
        for (codegen::target level : sinter::testing::levels()) {
            CHECK_THROWS_WITH_AS(code_cache::compile_kernels(level, f.mode, {serialized}),
                                 "[jit] the compiler refused a request: [codegen] the mode is "
                                 "unknown; this is a bug in Sinter, please report it",
                                 InternalError);
        }
    }
}

#endif

TEST_CASE("codegen: a request's broken kernel does not spoil the others") {
    if (!test::has_compiler()) return;
    const code_cache::bytes good = serialize(product_plus()), bad(good.begin(), good.end() - 1);
    for (codegen::target level : sinter::testing::levels()) {
        const auto replies = code_cache::compile_kernels(level, 0, {good, bad, good});
        REQUIRE(replies.size() == 3);
        CHECK(replies[0].error == "");
        CHECK(replies[1].error != "");
        CHECK(replies[2].error == "");
        CHECK(replies[0].image == replies[2].image);
    }
    const auto unknown = code_cache::compile_kernels(codegen::target{2}, 0, {good});
    CHECK(unknown[0].error == "there is no code generator for this target level");
}

TEST_CASE("codegen: threads compile at once, more than there are back ends, to the same images") {
    if (!test::has_compiler()) return;
    const code_cache::bytes a = serialize(product_plus()), b = serialize(sum());
    for (codegen::target level : sinter::testing::levels()) {
        const auto alone = code_cache::compile_kernels(level, 0, {a, b});
        std::vector<std::thread> threads;
        std::atomic<int> same{0};
        for (int t = 0; t < 20; ++t)
            threads.emplace_back([&] {
                const auto here = code_cache::compile_kernels(level, 0, {b, a});
                same += here[1].image == alone[0].image && here[0].image == alone[1].image;
            });
        for (std::thread& t : threads) t.join();
        CHECK(same == 20);
    }
}

TEST_CASE("codegen: equal requests give equal images, whatever else is compiled with them") {
    if (!test::has_compiler()) return;
    const code_cache::bytes a = serialize(product_plus()), b = serialize(sum());
    for (codegen::target level : sinter::testing::levels()) {
        const auto alone = code_cache::compile_kernels(level, 0, {a});
        const auto together = code_cache::compile_kernels(level, 0, {b, a, b});
        CHECK(alone[0].image == together[1].image);
        CHECK(alone[0].entry == together[1].entry);
        CHECK(together[0].image == together[2].image);
    }
}
