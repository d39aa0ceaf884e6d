// Values that one stage stores for another: which, where, and that no bit changes.
#include "engine/plan/stage_values.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "tests/engine/plan/one_kernel.hpp"
#include "tests/seed.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "tests/support/random_kernel.hpp"

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;
using plan::keep_stage_values;

namespace {

/// Returns how often the stages compute `row` for an element.
int64_t times(const kernel& k, op::id row) {
    int64_t n = 0;
    for (const stage& s : make_schedule(k).stages)
        for (value_id v : s.elements) {
            const instr& i = k.body[static_cast<std::size_t>(v)];
            n += i.op == opcode::row && i.row == row;
        }
    return n;
}

struct softmax_kernel {
    kernel_builder b;
    value_id e = none;

    explicit softmax_kernel(ScalarType type, lanes along = lanes::element) : b(along) {
        const value_id x = b.load(type);
        const value_id top = b.reduce(op::reduction::amax, x);
        e = b.row(op::exp, type, {b.row(op::sub, type, {x, top})});
    }
    /// (e * 2) / sum(e): the product belongs to the last stage.
    kernel doubled(ScalarType type) {
        const value_id sum = b.reduce(op::reduction::sum, e);
        b.store(b.row(op::div, type, {b.row(op::add, type, {e, e}), sum}));
        return b.get();
    }
    kernel plain(ScalarType type, stride_class lane = stride_class::unit) {
        b.store(b.row(op::div, type, {e, b.reduce(op::reduction::sum, e)}), lane);
        return b.get();
    }
};

void check_equal(const kernel& k, const kernel& kept, int64_t n1, int64_t n0, uint64_t seed) {
    CAPTURE(seed);
    INFO(print(kept));
    kernel_call_data expected(k, n1, n0, seed), got(kept, n1, n0, seed);
    make_finite(expected, k, n1, n0, seed);
    make_finite(got, kept, n1, n0, seed);
    interpret(k, expected.call());
    interpret(kept, got.call());
    CHECK(got.difference(expected) == "");
    CHECK(got.canaries_alive());
}

bool same(const Tensor& a, const Tensor& b) { return a.eq(b).all().item<bool>(); }

}  // namespace

TEST_CASE("stage values: exp is computed once in a softmax") {
    for (lanes along : {lanes::element, lanes::row})
        for (ScalarType type : {kFloat, kDouble}) {
            kernel k = softmax_kernel(type, along).plain(type);
            CHECK(times(k, op::exp) == 2);
            keep_stage_values(k, 1000);
            verify(k);
            CHECK(times(k, op::exp) == 1);
            CHECK(times(k, op::sub) == 1);
            check_equal(softmax_kernel(type, along).plain(type), k, 3, 77, test::seed());
        }
    kernel k = softmax_kernel(kFloat).doubled(kFloat);
    keep_stage_values(k, 1000);
    verify(k);
    CHECK(times(k, op::exp) == 1);
    check_equal(softmax_kernel(kFloat).doubled(kFloat), k, 3, 77, test::seed());
}

TEST_CASE("stage values: an output that holds the value anyway keeps it") {
    softmax_kernel s(kFloat);
    s.b.store(s.e);
    const kernel before = s.plain(kFloat);
    kernel k = before;
    keep_stage_values(k, 1000);
    verify(k);
    CHECK(times(k, op::exp) == 1);
    CHECK(k.body.size() == before.body.size() + 1);  // the load
    check_equal(before, k, 3, 77, test::seed());
}

TEST_CASE("stage values: left alone where memory is no better or holds less") {
    const auto unchanged = [](const kernel& before, int64_t n0) {
        kernel k = before;
        keep_stage_values(k, n0);
        return k == before;
    };
    CHECK(unchanged(softmax_kernel(kFloat).plain(kFloat), 1000000));
    CHECK(unchanged(softmax_kernel(kFloat, lanes::row).plain(kFloat), 10000));
    CHECK(unchanged(softmax_kernel(kHalf).plain(kHalf), 1000));
    CHECK(unchanged(softmax_kernel(kFloat).plain(kFloat, stride_class::other), 1000));
    kernel_builder b;  // nothing expensive
    const value_id x = b.load(kFloat), y = b.row(op::mul, kFloat, {x, x});
    b.store(b.row(op::div, kFloat, {y, b.reduce(op::reduction::sum, y)}));
    CHECK(unchanged(b.get(), 1000));
}

TEST_CASE("stage values: random kernels keep their bits") {
    int changed = 0;
    // Few kernels have a value that is worth storing, so the loop continues until one was found.
    for (int n = 0; n < test::cases(3000) || (changed == 0 && n < 100000); n++) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(n);
        kernel before = random_kernel(seed, {.operations = 30, .reductions = 2});
        for (operand& o : before.operands)
            if (o.use == role::output && o.lane == stride_class::other) o.lane = stride_class::unit;
        kernel k = before;
        keep_stage_values(k, 1000);
        verify(k);
        if (k == before) continue;
        ++changed;
        check_equal(before, k, 1 + static_cast<int64_t>(seed % 3), static_cast<int64_t>(seed % 131),
                    seed);
    }
    CHECK(changed > 0);
}

TEST_CASE("stage values: evaluation equals eager mode, beside and over what is read") {
    manual_seed(test::seed());
    for (ScalarType type : {kFloat, kDouble})
        for (int64_t dim : {0, 1}) {
            const Tensor x = randn({70, 90}, type).eval();
            const auto soft = [dim](const Tensor& t) {
                Tensor e = exp(t - t.amax({dim}, true));
                return Tensor(e / e.sum({dim}, true) * t);
            };
            Tensor expected;
            {
                ModeGuard eager(Mode::eager);
                expected = soft(x);
            }
            CHECK(same(soft(x), expected));
            Tensor over = x.clone().eval();
            over.copy_(soft(over));
            CHECK(same(over, expected));
            Tensor e = exp(x - x.amax({dim}, true)), s = e / e.sum({dim}, true) * x;
            eval({e, s});
            CHECK(same(s, expected));
        }
}
