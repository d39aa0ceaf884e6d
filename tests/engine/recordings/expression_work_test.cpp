// The work of an expression that was not computed is that of one which was, over such operands.
#include "engine/recordings/expression_work.hpp"

#include "engine/plan/plan.hpp"
#include "engine/recordings/portable_work.hpp"
#include "tests/ops/check.hpp"

#include <doctest/doctest.h>

namespace sinter::test {
namespace {

std::vector<std::vector<uint8_t>> kernels(const plan::plan& p) {
    std::vector<std::vector<uint8_t>> keys;
    for (const plan::plan_step& s : p.steps)
        for (const plan::kernel_step* k : s.kernels())
            if (k) keys.push_back(k->key);
    return keys;
}

/// Checks that an expression, and what is written for its program, ask for the same kernels.
template <op::id Op, class... P>
void check_alike(expr<Op, P...>&& e, ScalarType dtype) {
    const program_ref p = e.program();
    const std::vector<uint8_t> work = plan::write_expression({p.words, p.size}, dtype);
    const Tensor t(std::move(e));
    const runtime::arena memory;
    Version* wanted[] = {t.unsafeGetTensorImpl()->storage->current.get()};
    const plan::claimed_work claimed(wanted);
    REQUIRE(claimed.w.nodes.size() == 1);
    const plan::restored_work written(work.data(), work.size());
    const bool alike =
        kernels(plan::build(written.w).fused) == kernels(plan::build(claimed.w).fused);
    CHECK(alike);
    const bool same_dtype = written.w.nodes[0]->dtype == claimed.w.nodes[0]->dtype;
    CHECK(same_dtype);
}

Tensor dense(ScalarType dtype) {
    Tensor t = (rand({70, 30}) * 100).to(dtype);
    t.eval();
    return t;
}

}  // namespace

TEST_CASE("expression work: the kernels of an expression over different dense tensors") {
    for (const ScalarType t :
         {kByte, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kComplexFloat}) {
        const std::string dtype = toString(t);
        CAPTURE(dtype);
        const Tensor a = dense(t), b = dense(t), c = dense(t);
        check_alike(a + 2 * b, t);
        check_alike(a * b / (c - 3), t);
        check_alike(exp(a) == b, t);
        check_alike(a != 0, t);
        if (!isComplexType(t)) check_alike(where(a < 7, maximum(b, c), 1), t);
    }
    const Tensor a = dense(kFloat), b = dense(kFloat);
    check_alike(a * 2.5 - sqrt(b), kFloat);  // kernels do not depend on a number's own type
}

TEST_CASE("expression work: masks are Bool") {
    const Tensor m = dense(kBool), n = dense(kBool), a = dense(kFloat), b = dense(kFloat),
                 i = dense(kInt), j = dense(kInt);
    check_alike(where(m, a, b), kFloat);
    check_alike(m & (a > b), kFloat);
    check_alike(where(m & n, a, b * 2), kFloat);
    check_alike((i & j) + 1, kInt);
    check_alike(where(m, i, j), kInt);
}

TEST_CASE("expression work: operations that do not take a dtype are refused") {
    const uint16_t shift[] = {token_leaf, token_leaf, op::gcd};
    CHECK_THROWS_AS(plan::write_expression(shift, kFloat), Error);
    CHECK_NOTHROW(plan::write_expression(shift, kLong));
}

}  // namespace sinter::test
