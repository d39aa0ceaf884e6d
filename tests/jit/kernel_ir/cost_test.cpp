#include "jit/kernel_ir/rows/cost.hpp"

#include "tests/support/kernel_builder.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

int64_t cost_of(op::id row, ScalarType type, int times) {
    kernel_builder b;
    value_id x = b.load(type);
    for (int i = 0; i < times; ++i) x = b.row(row, type, {x});
    b.store(x);
    return element_cost(b.get());
}

}  // namespace

TEST_CASE("cost: a load, a store and what a formula has") {
    CHECK(cost_of(op::neg, kFloat, 1) == 3);
    CHECK(cost_of(op::neg, kFloat, 4) == 6);
    CHECK(cost_of(op::neg, kDouble, 1) == 6);
    CHECK(cost_of(op::tanh, kFloat, 1) > 12);
    CHECK(cost_of(op::tanh, kFloat, 3) - cost_of(op::tanh, kFloat, 2) ==
          cost_of(op::tanh, kFloat, 2) - cost_of(op::tanh, kFloat, 1));
}

TEST_CASE("cost: what is the same for all of a row counts nothing") {
    kernel_builder b;
    const value_id s = b.scalar(kFloat);
    const value_id t = b.row(op::exp, kFloat, {s});
    b.store(b.row(op::mul, kFloat, {b.load(kFloat), t}));
    CHECK(element_cost(b.get()) == 3);
}
