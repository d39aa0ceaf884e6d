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

Tensor values(std::vector<double> v) { return tensor(v, kDouble); }

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
