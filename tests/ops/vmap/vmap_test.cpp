// func::vmap: the same as a loop over slices, for functions of all kinds of operations.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <sinter/func.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <random>

using namespace sinter;
using autograd::variable_list;
using test::check;
using test::error_of;
using test::values;

namespace {

using one_argument = std::function<Tensor(const Tensor&)>;

/// The definition, with row-major slices, and the same random numbers in each call.
Tensor by_loop(const one_argument& f, const Tensor& x) {
    std::vector<Tensor> rows;
    const Tensor state = get_rng_state();
    for (int64_t i = 0; i < x.size(0); ++i) {
        set_rng_state(state);
        rows.push_back(f(x[i].clone(MemoryFormat::Contiguous)));
    }
    return stack(rows);
}

/// Checks f over the slices of x. `launches`: how many kernels and library calls there may be.
void check_vmap(const one_argument& f, const Tensor& x, uint64_t launches = ~uint64_t{0}) {
    const Tensor state = get_rng_state();
    const Tensor expected = by_loop(f, x).eval();
    set_rng_state(state);
    const stats_report before = stats();
    const Tensor got = func::vmap(f)(x).eval();
    const stats_report after = stats();
    CHECK(got.sizes() == expected.sizes());
    CHECK((got.scalar_type() == expected.scalar_type()));
    CHECK(got.allclose(expected, 1e-12, 1e-12, true));
    CHECK(after.kernels_launched + after.library_calls - before.kernels_launched -
              before.library_calls <=
          launches);
    set_rng_state(state);
    const ModeGuard eager(Mode::eager);
    CHECK(func::vmap(f)(x).allclose(expected, 1e-12, 1e-12, true));
}

}  // namespace

TEST_CASE("vmap: operations have one more dimension") {
    manual_seed(1);
    const Tensor x = randn({20, 3, 4}, kDouble).eval(), w = randn({3, 4}, kDouble).eval();
    const Tensor halves = x.to(kFloat).eval();
    // A loop would launch at least 20 kernels.
    const std::vector<one_argument> all{
        [&](const Tensor& t) { return t * 2 + w; },
        [&](const Tensor& t) { return t.sum(0) * t.mean() - t.prod(1, true).amin(); },
        [&](const Tensor& t) { return t.softmax(1) * t.var(0).unsqueeze(0); },
        [&](const Tensor& t) { return t.sum() * full({}, 2, kFloat); },
        [&](const Tensor&) { return w * 2; },
        [&](const Tensor& t) { return t; },
        [&](const Tensor& t) { return t.t()[1].flip(0); },
        [&](const Tensor& t) { return mm(t, w.t()) + mm(w, t.t()) + mm(t, t.t()); },
        [&](const Tensor& t) { return mv(w, t[0]) + mv(t, w[0]) + matmul(t.select(1, 0), w)[1]; },
        [&](const Tensor& t) { return dot(t[0], w[1]) * inner(t, w); },
        [&](const Tensor& t) { return cat({t, t.flip(1)}, 0).transpose(0, 1).cumsum(1); },
        [&](const Tensor& t) { return diag_embed(t[0]) + arange(4, kDouble); },
        [&](const Tensor& t) { return view_as_real(exp(complex(t, t * w)) * 2); },
        [&](const Tensor& t) { return complex(t, w).mm(complex(w, t).mH()).abs(); },
        [&](const Tensor& t) { return t.argmax(1); },
        [&](const Tensor& t) { return where(t > 0, t, 0).to(kHalf); },
        [&](const Tensor& t) {
            const Tensor z = zeros({3, 4}, kDouble);
            z[1] = t[0];
            z.narrow(1, 0, 2).mul_(t.narrow(1, 2, 2));
            z[2].copy_(w[0]);
            const Tensor before = z * 3;
            z.add_(t);
            return before + z;
        },
        [&](const Tensor& t) {
            t[0].mul_(2);  // a copy
            return t + 1;
        },
        [&](const Tensor& t) { return t + rand({3, 4}, kDouble) * bernoulli(sigmoid(t)); },
        [&](const Tensor& t) { return t.as_strided({2, 2}, {1, 3}, 2).expand({3, 2, 2}); },
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(i);
        check_vmap(all[i], x, 12);
        check_vmap(all[i], x.narrow(0, 3, 1));
        check_vmap(all[i], x.transpose(1, 2).contiguous().transpose(1, 2), 12);
    }
    check<double>(x.narrow(0, 0, 1).sum() - x[0].sum(), {}, {0});  // f wrote to copies
}

TEST_CASE("vmap: indices and orders have one more dimension, too") {
    manual_seed(2);
    const Tensor x = randn({20, 3, 4}, kDouble).eval();
    const Tensor index = tensor({0, 1, 2, 2, 1, 0}, kLong).reshape({3, 2}),
                 row = tensor({2, 0}, kLong);
    const auto own = [](const Tensor& t) { return (t.abs() * 10).to(kLong) % 3; };
    const std::vector<one_argument> all{
        [&](const Tensor& t) { return t.gather(1, index) * 2; },
        [&](const Tensor& t) { return t.gather(0, own(t)); },
        [&](const Tensor& t) { return x[0].gather(0, own(t)) - t; },
        [&](const Tensor& t) { return t.index({row}) + t.index_select(0, row); },
        [&](const Tensor& t) { return t.index({Slice(), own(t)[0]}); },
        [&](const Tensor& t) { return t.index({own(t)[1], row.repeat(2)}) * t.take(index)[0][0]; },
        [&](const Tensor& t) { return t.index_add(0, row, t.narrow(0, 0, 2)); },
        [&](const Tensor& t) { return x[0].scatter_add(1, own(t), t.exp()); },
        [&](const Tensor& t) { return zeros({5}, kDouble).index_put({own(t)[0]}, t[1], true); },
        [&](const Tensor& t) {
            const Tensor z = t.clone();
            z.index_put_({row, row}, t[0].narrow(0, 0, 2));
            z.scatter_(0, index.narrow(0, 0, 1), 5.0);
            return z;
        },
        [&](const Tensor& t) { return t.argsort(1, true) + t.argsort(0); },
        [&](const Tensor& t) { return t.median() + t.cumprod(0).logcumsumexp(1); },
        [&](const Tensor& t) { return std::get<1>(own(t).mode(1)); },
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(i);
        check_vmap(all[i], x, 15);
        check_vmap(all[i], x.transpose(1, 2).contiguous().transpose(1, 2), 15);
    }
    CHECK(
        error_of([&] {
            func::vmap([&](const Tensor& t) { return t.index_select(0, row + 1); })(x).cpu().eval();
        }).find("is out of bounds") != std::string::npos);
}

TEST_CASE("vmap: kernels that take no more dimensions run for each slice") {
    manual_seed(2);
    const Tensor x = randn({4, 3, 4}, kDouble).eval();
    check_vmap([&](const Tensor& t) { return std::get<0>(t.sort(1)) + t; }, x);
    check_vmap([&](const Tensor& t) { return std::get<1>(t.cummax(0)); }, x);
    check_vmap(
        [&](const Tensor& t) { return linalg_inv(matmul(t, t.t()) + eye(3, kDouble)) + t[0][0]; },
        x);
    check_vmap([&](const Tensor& t) { return t.masked_scatter(t > 0, x[0]); }, x);
    // Values decide.
    check_vmap([](const Tensor& t) { return t * t[0][0].item<double>(); }, x);
    check_vmap([](const Tensor& t) { return t.sum().item<double>() > 0 ? t : t * -2; }, x);
}

TEST_CASE("vmap: dimensions of arguments and results, trees, and other arguments") {
    const Tensor x = arange(6, kDouble).reshape({2, 3}), v = values({10, 20, 30});
    const auto sum = [](const Tensor& a, const Tensor& b) { return a + b; };
    check<double>(func::vmap(sum, {1, 0})(x, v), {3, 2}, {10, 13, 21, 24, 32, 35});
    check<double>(func::vmap(sum, {1, 0}, 1)(x, v), {2, 3}, {10, 21, 32, 13, 24, 35});
    check<double>(func::vmap(sum, {0, nullopt}, -1)(x, v), {3, 2}, {10, 13, 21, 24, 32, 35});
    check<double>(func::vmap(sum, {-1, 0})(x + 0, v * 1), {3, 2}, {10, 13, 21, 24, 32, 35});
    using pair = std::pair<Tensor, Tensor>;
    const auto [d, e] = func::vmap(
        [](const pair& p, double by) {
            return std::make_tuple(dot(p.first, p.second), Tensor(p.first * by));
        },
        {0, nullopt}, {0, 1})(pair(x, x), 2.0);
    check<double>(d, {2}, {5, 50});
    check<double>(e, {3, 2}, {0, 6, 2, 8, 4, 10});
    const auto nested = func::vmap(func::vmap([](const Tensor& a) { return a * a.sum(); }));
    check<double>(nested(x), {2, 3}, {0, 1, 4, 9, 16, 25});
    CHECK(func::vmap([](const Tensor& a) { return a.sum(0); })(zeros({0, 2, 3})).sizes() ==
          IntArrayRef({0, 3}));
    const auto reads = [](const Tensor& a) { return a.sum().item<float>() > 0 ? a : a * 2; };
    CHECK(func::vmap(reads)(zeros({0, 2})).sizes() == IntArrayRef({0, 2}));
}

TEST_CASE("vmap: within derivatives and around them") {
    manual_seed(3);
    const Tensor x = randn({8, 4}, kDouble).eval(), w = randn({3, 4}, kDouble).eval();
    const auto loss = [&](const Tensor& p, const Tensor& one) {
        return (mv(p, one).tanh() * one.sum()).square().sum();
    };
    // The gradient for each sample, in operations with one more dimension.
    const auto each = func::vmap(func::grad(loss), {nullopt, 0});
    const Tensor of_samples = each(w, x);
    CHECK(of_samples.sizes() == IntArrayRef({8, 3, 4}));
    for (int64_t i = 0; i < 8; ++i) CHECK(of_samples[i].allclose(func::grad(loss)(w, x[i])));
    const auto total = [&](const Tensor& p) { return func::vmap(loss, {nullopt, 0})(p, x).sum(); };
    CHECK(func::grad(total)(w).allclose(of_samples.sum(0)));
    CHECK(func::hessian([&](const Tensor& row) { return total(w + row); })(w[0] * 0).allclose(
        func::jacrev(func::grad([&](const Tensor& row) { return total(w + row); }))(w[0] * 0)));
    const auto f = [&](const Tensor& one) { return Tensor(mv(w, one).tanh() * one.sum()); };
    CHECK(func::vmap(func::jacrev(f))(x).allclose(func::vmap(func::jacfwd(f))(x)));
    CHECK(func::vmap(func::hessian([&](const Tensor& one) { return f(one).sum(); }))(x)[5].allclose(
        func::hessian([&](const Tensor& one) { return f(one).sum(); })(x[5])));
    // What is differentiated from outside.
    const Tensor p = w.clone().requires_grad_();
    func::vmap([&](const Tensor& one) { return loss(p, one); })(x).sum().backward();
    CHECK(p.grad().allclose(of_samples.sum(0)));
    const Tensor leaf = x.clone().requires_grad_();
    func::vmap([&](const Tensor& one) { return loss(w, one); })(leaf).sum().backward();
    CHECK(leaf.grad()[2].allclose(func::grad([&](const Tensor& o) { return loss(w, o); })(x[2])));
}

TEST_CASE("vmap: errors") {
    const auto f = [](const Tensor& a, const Tensor& b) { return a + b; };
    const Tensor x = zeros({2, 3});
    CHECK(
        error_of([&] { func::vmap(f, {0, 1})(x, x); }) ==
        "[vmap] Expected all tensors to have the same size in the mapped dimension; got sizes [2, "
        "3], expected equal sizes; try nullopt as the dimension of what is not to be sliced");
    CHECK(
        error_of([&] { func::vmap(f, {nullopt, nullopt})(x, x); }) ==
        "[vmap] no argument is sliced; got 2 tensors without a dimension, expected a dimension for "
        "at least one; try 0 as a dimension in in_dims");
    CHECK(error_of([&] { func::vmap(f, {0})(x, x); }) ==
          "[vmap] in_dims has not one dimension for each argument; got 1 for 2 arguments, expected "
          "2; try nullopt for what is not sliced");
    CHECK(error_of([&] { func::vmap(f, 0, {0, 0})(x, x); }) ==
          "[vmap] out_dims has not one dimension for each result; got 2 for 1 results, expected 1; "
          "try one number for all");
    CHECK(error_of([&] { func::vmap(f, 0, {nullopt})(x, x); }) ==
          "[vmap] a result has no dimension for the slices; got nullopt, expected a number; try 0");
    CHECK(error_of([&] { func::vmap(f)(x, zeros({})); }) ==
          "[vmap] a tensor without dimensions has no slices; got a 0-d tensor, expected at least 1 "
          "dimension; try nullopt as its dimension, so that it is not sliced");
    CHECK(error_of([&] { func::vmap(f, {0, 2})(x, x); }) ==
          "[vmap] the dimension is out of range; got dimension 2 of a tensor with 2 dimensions, "
          "expected -2 to 1; try -1 for the last dimension");
    CHECK(error_of([&] { func::vmap(f, {0, nullopt})(x, zeros({4})); }).find("[add] The size") ==
          0);
    CHECK(error_of([&] {
              func::vmap([](const Tensor&) { return Tensor(); })(x);
          }).find("[vmap] ") == 0);
    Tensor kept;
    func::vmap([&](const Tensor& a) {
        kept = a * 2;
        return a;
    })(x);
    CHECK(
        error_of([&] { kept.eval(); }) ==
        "[vmap] a value that depends on a slice was read outside of the function that got it; got "
        "a tensor without a value, expected one that the function returned; try returning it from "
        "the function");
}

TEST_CASE("vmap: random programs are the same as loops") {
    std::mt19937_64 random(test::seed());
    const int cases = test::cases(60);
    for (int n = 0; n < cases; ++n) {
        const uint64_t seed = random();
        CAPTURE(seed);
        const auto program = [seed](const Tensor& x) {
            std::mt19937_64 r(seed);
            const auto pick = [&r](int n) {
                return static_cast<int64_t>(r() % static_cast<uint64_t>(n));
            };
            std::vector<Tensor> pool{x, x.t() * 0.5, ones({3, 3}, kDouble)};
            for (int64_t i = 0, count = 3 + pick(8); i < count; ++i) {
                const Tensor a = pool[r() % pool.size()], b = pool[r() % pool.size()];
                switch (pick(9)) {
                    case 0: pool.push_back(a * b + 0.5); break;
                    case 1: pool.push_back(tanh(a - b.sum(0, true))); break;
                    case 2: pool.push_back(matmul(a, b) * 0.25); break;
                    case 3: pool.push_back(a.flip(pick(2))); break;
                    case 4: pool.push_back(a.roll(1, pick(2)).t()); break;
                    case 5: pool.push_back(where(a > b, a, b.softmax(1))); break;
                    case 6: pool.push_back(mv(a, b[0]).unsqueeze(pick(2)).expand({3, 3})); break;
                    case 7: {
                        const Tensor c = a.clone();
                        c.select(pick(2), pick(3)).add_(b.select(pick(2), pick(3)));
                        if (pick(2) == 0) c.narrow(pick(2), pick(2), 2).mul_(2);
                        pool.push_back(c);
                        break;
                    }
                    default: {
                        Tensor& c = pool[r() % pool.size()];
                        const Tensor before = c * 1.5;
                        if (!c.is_same(x)) c = c.contiguous().clone();
                        c[pick(3)].copy_(a[pick(3)]);
                        pool.push_back(before);
                    }
                }
            }
            Tensor sum = zeros({3, 3}, kDouble);
            for (const Tensor& t : pool) sum = sum + t;
            return sum;
        };
        manual_seed(static_cast<int64_t>(seed % 1000));
        check_vmap(program, (randn({5, 3, 3}, kDouble) * 0.5).eval());
    }
}

TEST_CASE("vmap: long functions" * doctest::test_suite("host")) {
    // Pending work has bounds, which a function may meet before it returns.
    const auto f = [](const Tensor& x) {
        Tensor t = x;
        for (int i = 0; i < 30000; ++i) t = t * 1.00001 + 0.00001;
        return t;
    };
    const Tensor x = values({1, 2, 3});
    const Tensor y = func::vmap(f)(x);
    for (int64_t i = 0; i < 3; ++i) CHECK(y[i].allclose(f(x[i])));
}
