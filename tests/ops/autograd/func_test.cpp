// Functions of functions, and trees of tensors.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <sinter/hana.hpp>

#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/tuple.hpp>
#include <doctest/doctest.h>

namespace hana = boost::hana;

using namespace sinter;
using test::check;
using test::error_of;
using test::values;
using test::variable;

namespace {

struct layer {
    BOOST_HANA_DEFINE_STRUCT(layer, (Tensor, weight), (Tensor, bias));
};
struct network {
    layer first;
    std::vector<Tensor> rest;
    hana::tuple<Tensor, layer> last;
};

}  // namespace

BOOST_HANA_ADAPT_STRUCT(network, first, rest, last);

TEST_CASE("func::grad: of functions of one argument and several") {
    test::for_each_mode([] {
        const auto cube = [](const Tensor& x) { return (x * x * x).sum(); };
        const Tensor x = values({1, 2});
        check<double>(func::grad(cube)(x), {2}, {3, 12});
        CHECK_FALSE(func::grad(cube)(x).requires_grad());
        const auto [g, y] = func::grad_and_value(cube)(x);
        check<double>(y, {}, {9});
        check<double>(g, {2}, {3, 12});
        const auto scaled = [](const Tensor& a, const Tensor& b, double c) {
            return (a * b).sum() * c;
        };
        check<double>(func::grad(scaled)(x, x + 1, 2.0), {2}, {4, 6});
    });
}

TEST_CASE("func::grad: nested, and beside backward()") {
    const auto f = [](const Tensor& x) { return x.pow(4).sum(); };
    const auto third = func::grad([&](const Tensor& x) {
        return func::grad([&](const Tensor& y) { return func::grad(f)(y).sum(); })(x).sum();
    });
    check<double>(third(values({1, 2})), {2}, {24, 48});
    const Tensor x = variable({1, 2});
    func::grad(f)(x).sum().backward();  // 4 x^3
    check<double>(x.grad(), {2}, {12, 48});
    const NoGradGuard guard;  // transformations have a mode of their own
    check<double>(func::grad(f)(values({1})), {1}, {4});
}

TEST_CASE("func: trees have the type of the argument") {
    const network n{{values({1}), values({2})},
                    {values({3}), values({4})},
                    hana::make_tuple(values({5}), layer{values({6}), values({7})})};
    const auto f = [](const network& p) {
        const layer& last = p.last[hana::size_c<1>];
        return (p.first.weight * p.first.bias + p.rest[0] * p.rest[1] +
                p.last[hana::size_c<0>] * last.weight * last.bias)
            .sum();
    };
    const network g = func::grad(f)(n);
    check<double>(g.first.weight, {1}, {2});
    check<double>(g.first.bias, {1}, {1});
    check<double>(g.rest[1], {1}, {3});
    check<double>(g.last[hana::size_c<0>], {1}, {42});
    check<double>(g.last[hana::size_c<1>].bias, {1}, {30});
    CHECK_FALSE(n.first.weight.requires_grad());
    const auto pairs = [](const std::tuple<Tensor, std::array<Tensor, 2>>& t) {
        return (std::get<0>(t) * std::get<1>(t)[1]).sum();
    };
    const std::tuple<Tensor, std::array<Tensor, 2>> t{values({2}), {values({1}), values({5})}};
    const auto h = func::grad(pairs)(t);
    check<double>(std::get<0>(h), {1}, {5});
    check<double>(std::get<1>(h)[0], {1}, {0});  // it has no part in it
}

TEST_CASE("func: products with Jacobians") {
    const auto f = [](const Tensor& x) { return x * x * values({1, 10, 100}); };
    const Tensor x = values({1, 2, 3});
    const auto [y, pull] = func::vjp(f, x);
    check<double>(y, {3}, {1, 40, 900});
    check<double>(pull(values({1, 1, 0})), {3}, {2, 40, 0});
    check<double>(pull(values({0, 0, 2})), {3}, {0, 0, 1200});
    const auto [same, along] = func::jvp(f, x, values({1, 0, 2}));
    check<double>(same, {3}, {1, 40, 900});
    check<double>(along, {3}, {2, 0, 1200});
    check<double>(func::jacrev(f)(x), {3, 3}, {2, 0, 0, 0, 40, 0, 0, 0, 600});
    const auto outer = [](const Tensor& v) { return v.unsqueeze(1) * v.narrow(0, 0, 2); };
    CHECK(func::jacrev(outer)(x).sizes() == IntArrayRef({3, 2, 3}));
    check<double>(func::jacrev(outer)(values({2, 3, 5}))[2], {2, 3}, {5, 0, 2, 0, 5, 3});
}

TEST_CASE("func: second derivatives") {
    const auto f = [](const Tensor& x) { return (x * x).sum() * x.sum(); };
    const Tensor x = values({1, 2}), v = values({1, -1});
    // H = 2 sum(x) I + 2 (x 1^T + 1 x^T)
    check<double>(func::hessian(f)(x), {2, 2}, {10, 6, 6, 14});
    const auto [y, product] = func::hvp(f, x, v);
    check<double>(y, {}, {15});
    check<double>(product, {2}, {4, -8});
}

TEST_CASE("func::jvp: trees, results of several tensors, and what does not depend") {
    using pair = std::pair<Tensor, Tensor>;
    const pair x{values({1, 2}), values({3})}, t{values({1, 0}), values({2})};
    const auto [y, dy] = func::jvp(
        [](const pair& p) {
            return std::vector<Tensor>{p.first * p.second, p.second.exp(), ones({2}, kDouble)};
        },
        x, t);
    check<double>(y[0], {2}, {3, 6});
    check<double>(dy[0], {2}, {5, 4});
    CHECK(dy[1].allclose(2 * values({3}).exp()));
    check<double>(dy[2], {2}, {0, 0});
    CHECK(error_of([&] { func::jvp([](const Tensor& v) { return v; }, x.first, x.second); }) ==
          "[jvp] a tangent does not have the shape of its primal; got shape [1] for a primal of "
          "shape [2], expected the same shape; try expand_as() on the tangent");
    const auto [z, push] = func::linearize([](const Tensor& v) { return v * v; }, x.first);
    check<double>(z, {2}, {1, 4});
    check<double>(push(values({1, 0})), {2}, {2, 0});
    check<double>(push(values({0, 1})), {2}, {0, 4});
}

TEST_CASE("func: transformations nest in both modes") {
    const auto f = [](const Tensor& x) { return Tensor(x.pow(4) * x.sum()); };
    const Tensor x = values({1, 2}), u = values({1, 0.5}), v = values({-1, 3});
    const auto along = [](const auto& g, const Tensor& at, const Tensor& t) {
        return std::get<1>(func::jvp(g, at, t));
    };
    const auto total = [&](const Tensor& at) { return f(at).sum(); };
    const Tensor h = func::jacrev(func::grad(total))(x);
    // jvp of grad, grad of jvp, jvp of jvp
    CHECK(along(func::grad(total), x, u).allclose(mv(h, u)));
    CHECK(func::grad([&](const Tensor& at) { return along(total, at, u); })(x).allclose(mv(h, u)));
    CHECK(along([&](const Tensor& at) { return along(total, at, u); }, x, v)
              .allclose(dot(v, mv(h, u))));
    CHECK(func::jacfwd(func::grad(total))(x).allclose(h));
    CHECK(func::jacrev(func::jacfwd(total))(x).allclose(h));
    CHECK(func::jacfwd(func::jacfwd(total))(x).allclose(h));
    CHECK(func::jacfwd(func::jacrev(total))(x).allclose(h));
    CHECK(func::jacfwd(func::jacfwd(func::jacfwd(total)))(x).allclose(
        func::jacrev(func::jacrev(func::jacrev(total)))(x)));
    // Derivatives by what a function captures.
    const auto of_captured = [&](const Tensor& w) {
        return func::jacfwd([&](const Tensor& at) { return at * at * w; })(x).sum();
    };
    check<double>(func::grad(of_captured)(values({3, 4})), {2}, {2, 4});
}

TEST_CASE("func::jacfwd: the same as jacrev, whatever functions are made of") {
    manual_seed(3);
    const Tensor x = (rand({2, 3}, kDouble) + 0.3).eval(), a = randn({3, 3}, kDouble).eval();
    const Tensor index = tensor({2, 0, 0}, kLong), mask = x > 0.7;
    const std::vector<std::function<Tensor(const Tensor&)>> all{
        [](const Tensor& v) { return v; },
        [](const Tensor& v) { return v.t().sum(0) * v[0][1]; },
        [&](const Tensor& v) { return matmul(v, a).softmax(1) * v; },
        [&](const Tensor& v) { return matmul(a, v.t()).logsumexp(0); },
        [&](const Tensor& v) {
            return v.index({index.narrow(0, 0, 2) - 1, index.narrow(0, 0, 2)});
        },
        [&](const Tensor& v) { return v.gather(1, index.expand({2, 3})).cumsum(-1); },
        [&](const Tensor& v) { return std::get<0>(v.index_select(1, index).roll(1, 0).sort(1)); },
        [&](const Tensor& v) { return v.masked_select(mask) * v.var(); },
        [&](const Tensor& v) { return cat({v, v.flip(1) * v}, 1).transpose(0, 1); },
        [&](const Tensor& v) { return v.norm(2, 1) * v.amax(1) * v.prod(); },
        [&](const Tensor& v) {
            return linalg_solve(a, v.t()) + linalg_inv(matmul(v.t(), v) + a)[0][0];
        },
        [&](const Tensor& v) { return linalg_det(matmul(v.t(), v) + a) * v.std(1); },
        [&](const Tensor& v) { return constant_pad_nd(v, {1, -1, 0, 2}) * mv(v, v[0]).sum(); },
        [&](const Tensor& v) { return where(mask, v * 2, 1 / v).as_strided({2, 2}, {1, 2}, 1); },
        [&](const Tensor& v) {
            const Tensor w = v.clone();
            w.narrow(1, 1, 2).mul_(v.narrow(1, 0, 2));
            w[1].copy_(v[0].exp());
            return w.expand({2, 2, 3});
        },
        [&](const Tensor& v) { return v.take(index) * 3.0; },
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(i);
        const Tensor forwards = func::jacfwd(all[i])(x), backwards = func::jacrev(all[i])(x);
        CHECK(forwards.sizes() == backwards.sizes());
        CHECK(forwards.allclose(backwards));
        // Nested, everything is recorded.
        const auto summed = [&](const Tensor& v) { return (all[i](v) * all[i](v)).sum(); };
        CHECK(func::hessian(summed)(x).allclose(func::jacrev(func::grad(summed))(x)));
        CHECK(func::grad([&](const Tensor& v) { return func::jacfwd(all[i])(v).sin().sum(); })(x)
                  .allclose(func::grad(
                      [&](const Tensor& v) { return func::jacrev(all[i])(v).sin().sum(); })(x)));
    }
    CHECK(func::jacfwd([](const Tensor& v) { return v * 2; })(zeros({0}, kDouble)).sizes() ==
          IntArrayRef({0, 0}));
    CHECK(func::jacfwd([](const Tensor& v) { return zeros({2}, v.detach().options()); })(x).equal(
        zeros({2, 2, 3}, kDouble)));
}

TEST_CASE("func: the Jacobian of elements is found in one pass") {
    const Tensor x = values({-1, 0.25, 4}), y = values({3, 5, 7});
    const auto slope = [](double v) { return std::cos(v) * std::exp(std::sin(v)); };
    const auto f = [&](const Tensor& v) { return exp(sin(v)) * 2 + y; };
    const std::vector<double> wanted{2 * slope(-1), 0, 0, 0, 2 * slope(0.25), 0, 0, 0,
                                     2 * slope(4)};
    for (const bool forwards : {false, true}) {
        CAPTURE(forwards);
        const auto jacobian_of = [&](const auto& of, const Tensor& at) {
            return forwards ? func::jacfwd(of)(at) : func::jacrev(of)(at);
        };
        CHECK(jacobian_of(f, x).allclose(tensor(wanted, kDouble).view({3, 3})));
        const Tensor j = jacobian_of(f, x);
        const uint64_t before = stats().kernels_launched;
        j.eval();
        CHECK(stats().kernels_launched - before <= 2);
        // No element reads another one: what is infinite is so on the diagonal alone.
        check<double>(jacobian_of([](const Tensor& v) { return v.sqrt(); }, values({0, 1})), {2, 2},
                      {INFINITY, 0, 0, 0.5});
        const Tensor table = x.narrow(0, 0, 2).unsqueeze(0).expand({2, 2}).clone();
        CHECK(jacobian_of([](const Tensor& v) { return v * v; }, table).sizes() ==
              IntArrayRef({2, 2, 2, 2}));
        CHECK(jacobian_of([](const Tensor& v) { return v * v; }, table)
                  .view({4, 4})
                  .equal(Tensor(table * 2).reshape(-1).diag()));
        // These read other elements.
        check<double>(jacobian_of([](const Tensor& v) { return v * v.flip(0); }, values({2, 3})),
                      {2, 2}, {3, 2, 3, 2});
        check<double>(jacobian_of([](const Tensor& v) { return v * v.sum(); }, values({2, 3})),
                      {2, 2}, {7, 2, 3, 8});
        const Tensor square = values({1, 2, 3, 4}).view({2, 2});
        CHECK(jacobian_of([](const Tensor& v) { return v * v.t(); }, square)
                  .allclose(
                      values({2, 0, 0, 0, 0, 3, 2, 0, 0, 3, 2, 0, 0, 0, 0, 8}).view({2, 2, 2, 2})));
        // Derivatives of the Jacobian, and a Jacobian of each row.
        CHECK(func::grad([&](const Tensor& v) { return jacobian_of(f, v).sum(); })(x).allclose(
            func::grad([&](const Tensor& v) {
                return func::grad([&](const Tensor& w) { return f(w).sum(); })(v).sum();
            })(x)));
        CHECK(func::vmap([&](const Tensor& v) { return jacobian_of(f, v); })(
                  stack({x, Tensor(x + 1)}))
                  .allclose(stack({jacobian_of(f, x), jacobian_of(f, x + 1)})));
    }
    // A hook may mix the elements of a gradient.
    const auto mixing = [](const Tensor& v) {
        const Tensor w = v * 2;
        w.register_hook([](const Tensor& g) { return Tensor(g + g.flip(0)); });
        return w * 3;
    };
    check<double>(func::jacrev(mixing)(values({1, 1})), {2, 2}, {6, 6, 6, 6});
    check<double>(func::hessian([](const Tensor& v) { return v.pow(3).sum(); })(values({1, 2})),
                  {2, 2}, {6, 0, 0, 12});
}

TEST_CASE("func::jacfwd: the number of kernels does not depend on that of variables") {
    const auto kernels_of = [](int64_t n) {
        const auto rosenbrock = [](const Tensor& x) {
            const int64_t last = x.size(0) - 1;
            const Tensor a = x.narrow(0, 0, last), b = x.narrow(0, 1, last);
            return Tensor(100 * (b - a * a).square() + (1 - a).square()).sum();
        };
        const Tensor x = (ones({n}, kDouble) * 0.5).eval();
        const Tensor h = func::hessian(rosenbrock)(x);
        const uint64_t before = stats().kernels_launched;
        h.eval();
        return stats().kernels_launched - before;
    };
    CHECK(kernels_of(40) == kernels_of(20));
    CHECK(kernels_of(40) < 20);
}

TEST_CASE("func::jvp: a long graph takes no stack" * doctest::test_suite("host")) {
    const auto f = [](const Tensor& x) {
        Tensor t = x;
        for (int i = 0; i < 100000; ++i) t = t * 1.00001;
        return t;
    };
    const auto [y, dy] = func::jvp(f, values({2}), values({1}));
    CHECK(dy.allclose(y / 2));
}
