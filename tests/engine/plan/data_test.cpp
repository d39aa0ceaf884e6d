// A plan is plain data: subgraphs of one structure have equal plans, whatever their values are.
#include "tests/ops/check.hpp"

#include "engine/plan/plan.hpp"
#include "engine/run/lower.hpp"

namespace sinter::test {
namespace {

plan::built planned(const Tensor& t) {
    Version* wanted[] = {t.unsafeGetTensorImpl()->storage->current.get()};
    const runtime::arena memory;
    const plan::claimed_work claimed(wanted);
    return plan::build(claimed.w);
}

Tensor ready(IntArrayRef sizes) {
    Tensor t = randn(sizes);
    t.eval();
    return t;
}

Tensor row_chain(const Tensor& x, double factor) {
    const Tensor e = exp(x * factor - x.amax({1}, true));
    return e / e.sum({1}, true);
}

TEST_CASE("equal structures have equal plans") {
    const Tensor x = ready({9, 33}), y = ready({9, 33}), other = ready({9, 34});
    CHECK(planned(row_chain(x, 2)).fused == planned(row_chain(y, 3)).fused);
    CHECK_FALSE(planned(row_chain(x, 2)).fused == planned(row_chain(other, 2)).fused);
    CHECK_FALSE(planned(row_chain(x, 2)).fused == planned(Tensor(x * 2)).fused);
    CHECK(planned(Tensor(x.mm(y.t()) + 1)).fused == planned(Tensor(y.mm(x.t()) + 1)).fused);
}

TEST_CASE("a copy of a plan is the plan, and prints as it does") {
    const Tensor x = ready({64, 64});
    const Tensor result = relu(x.mm(x) + 1) + row_chain(x, 2);
    Version* wanted[] = {result.unsafeGetTensorImpl()->storage->current.get()};
    const runtime::arena memory;
    const plan::claimed_work claimed(wanted);
    const plan::plan p = plan::build(claimed.w).fused;
    plan::plan copy = p;
    plan::verify(copy, claimed.w);
    CHECK(copy == p);
    CHECK(print(copy, claimed.w) == print(p, claimed.w));
    REQUIRE(copy.kernels > 0);
    for (plan::plan_step& s : copy.steps)
        if (s.kernel) s.kernel->extents.push_back(1);
    CHECK_FALSE(copy == p);
}

TEST_CASE("kernels are numbered in the order of the steps") {
    const Tensor x = ready({64, 64});
    const plan::plan p = planned(relu(x.mm(x) + 1) + row_chain(x, 2)).fused;
    int number = 0;
    for (const plan::plan_step& s : p.steps)
        for (const plan::kernel_step* k : s.kernels())
            if (k) CHECK(k->number == number++);
    CHECK(number == p.kernels);
}

}  // namespace
}  // namespace sinter::test
