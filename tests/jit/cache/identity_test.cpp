// What makes stored code usable by another build of the library, and what does not.
#include "jit/cache/identity.hpp"

#include "jit/kernel_ir/call.hpp"
#include "tests/jit/cache/small_kernels.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using namespace sinter;
using namespace sinter::code_cache;
using namespace sinter::kernel_ir;
using namespace sinter::code_cache::testing;

namespace {

uint64_t semantics(const kernel_ir::kernel& k) {
    const std::optional<identity> is = identity_of_kernel(serialize(k));
    REQUIRE(is);
    CHECK(is->abi == kernel_abi);
    return is->semantics;
}

}  // namespace

TEST_CASE("identity: the layout of a call is that of the ABI's number") {
    // If one of these fails, compiled code of older builds would read the wrong fields. Raise
    // kernel_abi, then write the new numbers here.
    REQUIRE(kernel_abi == 1);
    CHECK(sizeof(operand_arg) == 32);
    CHECK(offsetof(operand_arg, ptr) == 0);
    CHECK(offsetof(operand_arg, s1) == 8);
    CHECK(offsetof(operand_arg, s0) == 16);
    CHECK(offsetof(operand_arg, s2) == 24);
    CHECK(sizeof(kernel_call) == 104);
    CHECK(offsetof(kernel_call, operands) == 0);
    CHECK(offsetof(kernel_call, scalars) == 8);
    CHECK(offsetof(kernel_call, status) == 16);
    CHECK(offsetof(kernel_call, n1) == 24);
    CHECK(offsetof(kernel_call, n0) == 32);
    CHECK(offsetof(kernel_call, mode) == 40);
    CHECK(offsetof(kernel_call, stage) == 48);
    CHECK(offsetof(kernel_call, chunk_begin) == 56);
    CHECK(offsetof(kernel_call, chunk_end) == 64);
    CHECK(offsetof(kernel_call, partials) == 72);
    CHECK(offsetof(kernel_call, row_values) == 80);
    CHECK(offsetof(kernel_call, pieces) == 88);
    CHECK(offsetof(kernel_call, n2) == 96);
    CHECK(static_cast<int>(call_mode::runs) == 3);
}

TEST_CASE("identity: kernels of a few operations have the numbers that they had") {
    // Other numbers mean that stored kernels with these operations are compiled again. That is
    // right if a formula or the numerics changed, and wrong if an operation was added.
    REQUIRE(numerics_version == 1);
    CHECK(semantics(map_of(op::mul, kFloat)) == 12867173597492059352U);
    CHECK(semantics(map_of(op::exp, kDouble)) == 419225055115051137U);
    CHECK(semantics(map_of(op::erf, kFloat)) == 3373351311124031448U);
    CHECK(semantics(sum_of(kHalf)) == 10990550222339823294U);
}

TEST_CASE("identity: other formulas have other numbers") {
    const uint64_t all[] = {semantics(map_of(op::mul, kFloat)),  semantics(map_of(op::add, kFloat)),
                            semantics(map_of(op::mul, kDouble)), semantics(map_of(op::exp, kFloat)),
                            semantics(sum_of(kFloat)),           semantics(sum_of(kHalf))};
    for (const uint64_t& a : all)
        for (const uint64_t& b : all) CHECK((a == b) == (&a == &b));
}

TEST_CASE("identity: bytes that are no kernel have none") {
    CHECK_FALSE(identity_of_kernel({}));
    std::vector<uint8_t> bytes = serialize(sum_of(kFloat));
    bytes.pop_back();
    CHECK_FALSE(identity_of_kernel(bytes));
}
