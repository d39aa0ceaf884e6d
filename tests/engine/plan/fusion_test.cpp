// What is fused into one kernel, what is not and why, and that plans and values are reused.
#include "tests/engine/plan/plan_of.hpp"
#include "tests/ops/check.hpp"

namespace sinter::test {
namespace {

Tensor ready(const Tensor& t) {
    t.eval();
    return t;
}

Tensor noise(IntArrayRef sizes, ScalarType dtype = kFloat) { return ready(randn(sizes, dtype)); }

/// Returns the number of kernels that compute these values.
uint64_t launches(std::initializer_list<Tensor> values) {
    reset_stats();
    eval(values);
    return stats().kernels_launched;
}

#define CHECK_ONE_KERNEL(tensor)              \
    do {                                      \
        const Tensor t_ = (tensor);           \
        const std::string plan = explain(t_); \
        CAPTURE(plan);                        \
        CHECK(launches({t_}) == 1);           \
    } while (false)

template <class F>
void for_each_row_shape(const F& f) {
    for (ScalarType dtype : {kFloat, kDouble, kHalf})
        for (int64_t dim : {-1, 0}) {
            CAPTURE(dtype);
            CAPTURE(dim);
            f(noise({9, 33}, dtype), dim);
        }
}

Tensor softmax(const Tensor& x, int64_t dim) {
    const Tensor e = exp(x - x.amax({dim}, true));
    return e / e.sum({dim}, true);
}

TEST_CASE("patterns over rows, written by hand, are one kernel each") {
    ModeGuard guard(Mode::lazy);
    for_each_row_shape([](const Tensor& x, int64_t dim) {
        SUBCASE("softmax") { CHECK_ONE_KERNEL(softmax(x, dim)); }
        SUBCASE("masked softmax") {
            const Tensor mask = ready(noise({9, 33}) > 0);
            CHECK_ONE_KERNEL(softmax(where(mask, x, -1e4), dim));
        }
        SUBCASE("scaled softmax") { CHECK_ONE_KERNEL(softmax(x * 0.125, dim)); }
        SUBCASE("weighted softmax") {
            const Tensor weight = noise({9, 33}, x.scalar_type());
            CHECK_ONE_KERNEL(softmax(x, dim) * weight);
        }
        SUBCASE("layer norm") {
            const Tensor mean = x.mean({dim}, true), var = x.var({dim}, false, true);
            CHECK_ONE_KERNEL((x - mean) * rsqrt(var + 1e-5));
        }
        SUBCASE("layer norm with weights") {
            const Tensor w = noise({33}, x.scalar_type()), b = noise({33}, x.scalar_type());
            const Tensor mean = x.mean({dim}, true);
            const Tensor d = x - mean;
            CHECK_ONE_KERNEL(d / sqrt((d * d).mean({dim}, true) + 1e-5) * w + b);
        }
        SUBCASE("log-sum-exp") {
            const Tensor m = x.amax({dim}, true);
            CHECK_ONE_KERNEL(log(exp(x - m).sum({dim}, true)) + m);
        }
        SUBCASE("standardisation") {
            CHECK_ONE_KERNEL((x - x.mean({dim}, true)) / x.std({dim}, true, true));
        }
        SUBCASE("standardisation of everything") { CHECK_ONE_KERNEL((x - x.mean()) / x.std()); }
    });
}

TEST_CASE("reductions over one input are one kernel") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({9, 33});
    CHECK(launches({x.mean({1}), x.var({1}, true, false)}) == 1);
    CHECK(launches({x.amin({1}), x.amax({1})}) == 1);
    CHECK(launches({x.amin({0}), x.amax({0})}) == 1);
    CHECK(launches({x.mean(), x.std()}) == 1);
    const Tensor y = exp(x);
    CHECK(launches({y.sum({1}), y.amax({1})}) == 1);
}

TEST_CASE("pointwise chains are one kernel") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({8, 33}), b = noise({33}), c = noise({8, 1}), t = noise({33, 8});
    const Tensor half = noise({8, 33}, kHalf);
    const Tensor whole = ready(arange(8 * 33, kInt).view({8, 33}));
    CHECK_ONE_KERNEL(a * b + c);
    CHECK_ONE_KERNEL(sigmoid(a) * tanh(b) - a.square());
    CHECK_ONE_KERNEL(a + t.t());
    CHECK_ONE_KERNEL(half.to(kFloat) * a + whole);
    CHECK_ONE_KERNEL((a * 3 + whole).to(kHalf));
    CHECK_ONE_KERNEL(where(a > 0, b, c).clamp(-0.5, 0.5));
    CHECK_ONE_KERNEL(a.slice(1, 0, 32, 2) * a.slice(1, 1, 33, 2));
    CHECK_ONE_KERNEL(a.flip({0}) + a);
    CHECK_ONE_KERNEL(rand({8, 33}) < 0.5);
    CHECK_ONE_KERNEL(arange(33, kFloat) * 2 + b);
    const Tensor first = a * 2, second = first + 1;  // named, so held until after the flush
    CHECK_ONE_KERNEL(second * second);
}

TEST_CASE("producers fuse into a reduction, and consumers behind it") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({8, 33}), b = noise({33});
    CHECK_ONE_KERNEL((a * a.slice(0, 0, 8)).sum());
    CHECK_ONE_KERNEL((a * b).sum({1}));
    CHECK_ONE_KERNEL((exp(a) + b).sum({1}));
    CHECK_ONE_KERNEL(abs(a.t()).amax({0}));
    CHECK_ONE_KERNEL(sqrt((a * a).sum({1})) * 2);
    CHECK_ONE_KERNEL((a > 0).sum({0}));
    CHECK_ONE_KERNEL(a / sqrt((a * a).sum({1}, true)));
}

TEST_CASE("each cut says why") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({6}), b = noise({8, 6}), c = noise({4, 1}), x = noise({4, 6});
    const auto has = [](const std::string& plan, plan::cut why) {
        CAPTURE(plan);
        CHECK(plan.find(plan::to_string(why)) != std::string::npos);
    };
    SUBCASE("wanted") {
        const Tensor e = a + 1, f = e.expand({8, 6}) * b;
        has(plan_of({e, f}), plan::cut::wanted);
    }
    SUBCASE("passed twice") {
        const Tensor e = a + 1, f = e.expand({8, 6}) * b, g = e.expand({8, 6}) - b;
        f.eval();
        has(explain(g), plan::cut::passed_twice);
    }
    SUBCASE("shared") {
        const Tensor e = exp(x);
        has(plan_of({e.sum({0}), e.sum({1})}), plan::cut::shared);
    }
    SUBCASE("layout") {
        const Tensor e = c + a;
        has(explain(e.flatten() * 2), plan::cut::layout);
    }
    SUBCASE("ranges") {
        has(explain(x.sum({1}).expand({5, 4}) * noise({5, 4})), plan::cut::ranges);
    }
    SUBCASE("merge") { has(explain((x * a).sum()), plan::cut::merge); }
    SUBCASE("size") {
        Tensor r = a;
        for (int i = 0; i < 600; ++i) r = r * 0.5 + a;
        has(explain(r), plan::cut::size);
        CHECK(launches({r}) <= 20);
    }
    SUBCASE("cost") {
        has(explain(exp(noise({600})).expand({800, 600}) * noise({800, 600})), plan::cut::cost);
    }
    SUBCASE("library") { has(explain((x * 2).mm(x.t()) + 1), plan::cut::library); }
    SUBCASE("nested") { has(explain(x.sum({1}).sum()), plan::cut::nested); }
}

TEST_CASE("equal structure replays the plan") {
    ModeGuard guard(Mode::lazy);
    const auto step = [](const Tensor& x, double scale) {
        return ((x * scale).sum({1}, true) + x).self();
    };
    const Tensor x = noise({5, 17}), y = noise({5, 17});
    step(x, 2).eval();
    reset_stats();
    for (int i = 0; i < 10; ++i) {
        const Tensor r = step(i % 2 ? x : y, i * 0.25);
        r.eval();
    }
    CHECK(stats().plans_built == 0);
    CHECK(stats().plans_replayed == 10);
    // Scalars are arguments, so their values are not part of the structure; shapes are.
    const Tensor z = noise({6, 17});
    reset_stats();
    step(z, 2).eval();
    CHECK(stats().plans_built == 1);
}

TEST_CASE("a held value that is passed through is computed at most twice") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({100});
    const Tensor e = exp(a);
    (e * 2).self().eval();
    CHECK(pending(e));  // fused away, and marked
    const Tensor g = e * 3;
    CHECK(explain(g).find("plan: 2 op") != std::string::npos);
    CHECK(launches({g}) == 1);
    CHECK_FALSE(pending(e));  // stored, as an extra output
    const Tensor h = e * 4;
    CHECK(explain(h).find("plan: 1 op") != std::string::npos);
    CHECK(equal(h, exp(a) * 4));
}

TEST_CASE("a value is stored whole by a kernel that reads some elements twice and others never") {
    // Every view with as many elements as the value: in order, out of order or overlapping.
    int overlapping = 0;
    for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {3, 2}, {4, 1}})
        for (int64_t down = 0; down <= 3; ++down)
            for (int64_t right = 0; right <= 3; ++right) {
                const int64_t n = rows * columns;
                if ((rows - 1) * down + (columns - 1) * right >= n) continue;
                CAPTURE(rows);
                CAPTURE(down);
                CAPTURE(right);
                const Tensor values = ready(arange(n, kInt) * 3 + 1);
                const Tensor whole = arange(n, kInt) * 3 + 1;
                const Tensor part = whole.as_strided({rows, columns}, {down, right}) * 2;
                const Tensor wanted =
                    ready(values.as_strided({rows, columns}, {down, right}).clone() * 2);
                eval({whole, part});
                CHECK(equal(whole, values));
                CHECK(equal(part, wanted));
                const Tensor again = arange(n, kInt) * 3 + 1;
                const Tensor sums = again.as_strided({rows, columns}, {down, right}).sum(1);
                eval({again, sums});
                CHECK(equal(again, values));
                CHECK(equal(sums * 2, wanted.sum(1)));
                overlapping += down <= right && columns > 1;
            }
    CHECK(overlapping > 5);
}

TEST_CASE("a value that nobody holds is never stored") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({1000});
    reset_stats();
    const Tensor r = exp(a * 2) + log(abs(a) + 1);
    r.eval();
    CHECK(stats().bytes_allocated <= 4096 + 4 * 1000);
}

TEST_CASE("an operand that dies gives its memory to the result") {
    ModeGuard guard(Mode::lazy);
    Tensor a = noise({1000});
    const Tensor b = noise({1000});
    reset_stats();
    a = hypot(a, b);  // unique to this test: a fast path, once known, does not touch operands
    a.eval();
    CHECK(stats().bytes_donated == 4000);
}

TEST_CASE("each result of a kernel takes the memory of an operand that dies") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({1000}), b = noise({1000}), c = noise({1000});
    const Tensor expected_a = ready(a * 3 + c), expected_b = ready(b * 5 - expected_a);
    reset_stats();
    a.copy_(a * 3 + c);
    b.copy_(b * 5 - a);
    eval({a, b});
    CHECK(stats().kernels_launched == 1);
    CHECK(stats().bytes_donated == 8000);
    CHECK(stats().bytes_allocated == 0);
    CHECK(equal(a, expected_a));
    CHECK(equal(b, expected_b));
}

TEST_CASE(
    "a tensor that is written over again stays in its memory unless its old value is needed") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = noise({300, 300});
    Tensor z = zeros({300, 300});
    for (int i = 0; i < 3; ++i) {  // the first runs plan, the last takes the fast path
        z.copy_(a + i);
        z.eval();
        z.copy_(a + a.t());
        z.eval();
    }
    reset_stats();
    z.copy_(a + 7);
    z.eval();
    z.copy_(a + a.t());
    z.eval();
    CHECK(stats().bytes_allocated == 0);
    CHECK(equal(z, a + a.t()));
    const Tensor later = z * 2;  // pending: it needs the old value
    z.copy_(a + 7);
    z.eval();
    CHECK(equal(z, a + 7));
    CHECK(equal(later, (a + a.t()) * 2));
    z.copy_(z + z.t());  // reads what it overwrites
    z.eval();
    CHECK(equal(z, a + 7 + (a + 7).t()));
}

TEST_CASE("explain: what a kernel must move, and what its runs took") {
    if (default_executor() != plan::executor::compiled) return;
    ModeGuard guard(Mode::lazy);
    const Tensor x = noise({1 << 17}), y = noise({1 << 17});
    const auto chain = [&] { return Tensor(x * 3 - y * 7 + 11); };
    const std::string before = explain(chain());
    CHECK(before.find("1572864 bytes") != std::string::npos);
    CHECK(before.find("measured") == std::string::npos);
    chain().eval();
    chain().eval();
    const std::string after = explain(chain());
    CHECK(after.find("measured: 2 runs, best ") != std::string::npos);
    CHECK(after.find(" GB/s") != std::string::npos);
}

}  // namespace
}  // namespace sinter::test
