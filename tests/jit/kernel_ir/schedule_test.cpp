// Stages, what each computes, and the states that reductions store.
#include "tests/seed.hpp"
#include "tests/support/random_kernel.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

using ids = std::vector<value_id>;

TEST_CASE("schedule: a map kernel has one stage") {
    kernel_builder b;
    const value_id x = b.load(kFloat), s = b.scalar(kFloat), unused = b.load(kFloat);
    const value_id y = b.row(op::mul, kFloat, {x, s});
    const value_id w = b.store(y);
    const schedule plan = make_schedule(b.get());
    REQUIRE(plan.stages.size() == 1);
    CHECK(plan.stages[0].before == ids{s});
    CHECK(plan.stages[0].elements == ids{x, y});
    CHECK(plan.stages[0].reduces.empty());
    CHECK(plan.stages[0].stores == ids{w});
    CHECK(plan.after.empty());
    CHECK(plan.stage_of[static_cast<std::size_t>(unused)] == -1);
}

TEST_CASE("schedule: row softmax has three passes") {
    kernel_builder b;
    const value_id x = b.load(kFloat);
    const value_id m = b.reduce(op::reduction::amax, x);
    const value_id d = b.row(op::sub, kFloat, {x, m});
    const value_id e = b.row(op::exp, kFloat, {d});
    const value_id s = b.reduce(op::reduction::sum, e);
    const value_id r = b.row(op::reciprocal, kFloat, {s});
    const value_id y = b.row(op::mul, kFloat, {e, r});
    const value_id w = b.store(y);
    const schedule plan = make_schedule(b.get());
    REQUIRE(plan.stages.size() == 3);
    CHECK(plan.stages[0].elements == ids{x});
    CHECK(plan.stages[0].reduces == ids{m});
    CHECK(plan.stages[1].before.empty());
    CHECK(plan.stages[1].elements == ids{x, d, e});
    CHECK(plan.stages[1].reduces == ids{s});
    CHECK(plan.stages[2].before == ids{r});
    CHECK(plan.stages[2].elements == ids{x, d, e, y});
    CHECK(plan.stages[2].stores == ids{w});
    CHECK(plan.after.empty());
    CHECK(plan.stage_of == std::vector<int32_t>{0, 0, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("schedule: what an output keeps is loaded behind the stage that stores it") {
    const schedule plan = make_schedule(kept_softmax(kFloat));
    REQUIRE(plan.stages.size() == 3);
    CHECK(plan.stages[1].elements == ids{0, 2, 3});
    CHECK(plan.stages[1].stores == ids{4});
    CHECK(plan.stages[1].reduces == ids{6});
    CHECK(plan.stages[2].elements == ids{5, 7});
    CHECK(plan.stages[2].stores == ids{8});
}

TEST_CASE("schedule: siblings share a pass, dead reductions have none") {
    kernel_builder b;
    const value_id x = b.load(kFloat);
    const value_id lo = b.reduce(op::reduction::amin, x), hi = b.reduce(op::reduction::amax, x);
    b.reduce(op::reduction::sum, x);
    const value_id range = b.row(op::sub, kFloat, {hi, lo});
    const value_id w = b.store(range);
    const schedule plan = make_schedule(b.get());
    REQUIRE(plan.stages.size() == 1);
    CHECK(plan.stages[0].reduces == ids{lo, hi});
    CHECK(plan.after == ids{range, w});
    CHECK(plan.stage_of[3] == -1);
}

TEST_CASE("schedule: an element store of a row value waits for it") {
    kernel_builder b;
    const value_id x = b.load(kFloat);
    const value_id s = b.reduce(op::reduction::sum, x);
    const value_id w = b.store(s, stride_class::unit, domain::element);
    const schedule plan = make_schedule(b.get());
    REQUIRE(plan.stages.size() == 2);
    CHECK(plan.stages[1].elements.empty());
    CHECK(plan.stages[1].stores == ids{w});
}

TEST_CASE("schedule: a reduction of a row value") {
    kernel_builder b;
    const value_id s = b.reduce(op::reduction::sum, b.scalar(kFloat));
    b.store(s);
    const schedule plan = make_schedule(b.get());
    REQUIRE(plan.stages.size() == 1);
    CHECK(plan.stages[0].elements.empty());
    CHECK(plan.stages[0].reduces == ids{s});
}

TEST_CASE("schedule: of random kernels, everything is computed before it is read") {
    for (int n = 0; n < test::cases(300); n++) {
        const kernel k = random_kernel(test::seed() + static_cast<uint64_t>(n));
        const schedule plan = make_schedule(k);
        std::set<value_id> rows, stored;
        const auto readable = [&](value_id v, const std::set<value_id>& elements) {
            return rows.count(v) || elements.count(v);
        };
        const auto compute_rows = [&](const ids& list) {
            for (value_id v : list) {
                const instr& i = k.body[static_cast<std::size_t>(v)];
                CHECK(i.dom == domain::row);
                for_each_value(i, [&](value_id u) { CHECK(rows.count(u) == 1); });
                CHECK(rows.insert(v).second);
                if (i.op == opcode::store) CHECK(stored.insert(v).second);
            }
        };
        for (const stage& s : plan.stages) {
            compute_rows(s.before);
            std::set<value_id> elements;
            for (value_id v : s.elements) {
                const instr& i = k.body[static_cast<std::size_t>(v)];
                CHECK(i.dom == domain::element);
                for_each_value(i, [&](value_id u) { CHECK(readable(u, elements)); });
                CHECK(elements.insert(v).second);
            }
            for (value_id v : s.stores) {
                CHECK(readable(k.body[static_cast<std::size_t>(v)].b, elements));
                CHECK(stored.insert(v).second);
            }
            for (value_id v : s.reduces) {
                const instr& i = k.body[static_cast<std::size_t>(v)];
                CHECK(readable(i.a, elements));
                if (i.b != none) CHECK(rows.count(i.b) == 1);
            }
            for (value_id v : s.reduces) CHECK(rows.insert(v).second);
        }
        compute_rows(plan.after);
        std::size_t stores = 0;
        for (const instr& i : k.body) stores += i.op == opcode::store;
        CHECK(stored.size() == stores);
    }
}

TEST_CASE("schedule: accumulators and states") {
    const auto accumulator = [](op::reduction r, ScalarType in) {
        return accumulator_type(static_cast<uint16_t>(r), in);
    };
    using enum op::reduction;
    CHECK(accumulator(sum, kHalf) == mtype::f32);
    CHECK(accumulator(prod, kDouble) == mtype::f64);
    CHECK(accumulator(sum, kBool) == mtype::i64);
    CHECK(accumulator(sum, kByte) == mtype::i64);
    CHECK(accumulator(prod, kInt) == mtype::i64);
    CHECK(accumulator(mean, kHalf) == mtype::f32);
    CHECK(accumulator(var, kDouble) == mtype::f64);
    CHECK(accumulator(amax, kByte) == mtype::u8);
    CHECK(accumulator(amin, kBool) == mtype::b1);
    CHECK(accumulator(any, kFloat) == mtype::b1);
    CHECK(accumulator(all, kLong) == mtype::b1);
    CHECK(accumulator(argmax, kInt) == mtype::i32);

    kernel_builder b;
    const value_id x = b.load(kFloat), c = b.scalar(kFloat);
    const value_id s = b.reduce(sum, x), a = b.reduce(argmin, x), v = b.reduce(var, x, c);
    CHECK(state_words(b.at(s)) == 1);
    CHECK(state_words(b.at(a)) == 2);
    CHECK(state_words(b.at(v)) == 2);
    b.store(s), b.store(a), b.store(v);
    const partial_layout layout = make_partial_layout(b.get(), make_schedule(b.get()).stages[0]);
    CHECK(layout.words == 5);
    CHECK(layout.offsets == std::vector<int64_t>{0, 1, 3});
}
