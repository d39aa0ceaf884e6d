// Hooks, kept gradients, anomaly mode, and functions with gradients of the program's own.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace sinter;
using autograd::AutogradContext;
using autograd::variable_list;
using test::check;
using test::variable;

namespace {

struct scaled_cube : autograd::Function<scaled_cube> {
    static Tensor forward(AutogradContext* c, const Tensor& x, double scale) {
        c->save_for_backward({x});
        c->saved_data["scale"] = scale;
        return scale * x * x * x;
    }
    static variable_list backward(AutogradContext* c, variable_list g) {
        const Tensor x = c->get_saved_variables()[0];
        return {g[0] * 3 * std::any_cast<double>(c->saved_data["scale"]) * x * x, Tensor()};
    }
};

/// Saves its result, and has one that is not differentiable.
struct exp_and_sign : autograd::Function<exp_and_sign> {
    static variable_list forward(AutogradContext* c, const Tensor& x) {
        Tensor y = x.exp(), sign = x.sign();
        c->save_for_backward({y});
        c->mark_non_differentiable({sign});
        return {y, sign};
    }
    static variable_list backward(AutogradContext* c, variable_list g) {
        return {g[0] * c->get_saved_variables()[0]};
    }
};

struct doubled_in_place : autograd::Function<doubled_in_place> {
    static Tensor forward(AutogradContext* c, Tensor x) {
        x.mul_(2);
        c->mark_dirty({x});
        return x;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2}; }
};

/// Returns its operand.
struct same : autograd::Function<same> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 7}; }
};

struct wrong_count : autograd::Function<wrong_count> {
    static Tensor forward(AutogradContext*, const Tensor& x, const Tensor& y) { return x * y; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
};

struct two_of_three : autograd::Function<two_of_three> {
    static variable_list forward(AutogradContext* c, const Tensor& x, const Tensor& y) {
        CHECK(c->needs_input_grad(0));
        CHECK_FALSE(c->needs_input_grad(1));
        return {x * 2, x * y};
    }
    static variable_list backward(AutogradContext*, variable_list g) {
        CHECK(g[1].defined());  // zeros
        return {g[0] * 2 + g[1], Tensor()};
    }
};

}  // namespace

TEST_CASE("hooks: of a tensor") {
    const Tensor x = variable({1, 2});
    const Tensor y = x * 2;
    int calls = 0;
    y.register_hook([&](const Tensor& g) {
        ++calls;
        return g * 10;
    });
    y.register_hook([&](Tensor g) { CHECK(g.sizes() == IntArrayRef({2})); });
    const unsigned number = x.register_hook([](const Tensor& g) { return g + 1; });
    y.sum().backward({}, true);
    check<double>(x.grad(), {2}, {21, 21});
    CHECK(calls == 1);
    x.remove_hook(number);
    y.sum().backward();
    check<double>(x.grad(), {2}, {41, 41});
    CHECK_ERROR(IndexError, x.remove_hook(9),
                "[remove_hook] there is no hook of this number; got 9, expected a number that "
                "register_hook() returned; try keeping that number");
    // Hooks of leaves run in each pass, and for grad().
    x.register_hook([](const Tensor& g) { return g * 0; });
    check<double>(autograd::grad({(x * 3).sum()}, {x})[0], {2}, {0, 0});
}

TEST_CASE("hooks: of a node") {
    const Tensor x = variable({1, 2});
    const Tensor y = (x * 2).sum();
    y.grad_fn()->add_post_hook([](const variable_list& out, const variable_list& in) {
        CHECK(in[0].dim() == 0);
        return variable_list{out[0] * 3};
    });
    y.grad_fn()->add_pre_hook([](const variable_list& in) { return variable_list{in[0] * 5}; });
    y.backward();
    check<double>(x.grad(), {2}, {30, 30});
}

TEST_CASE("retain_grad: of tensors that are no leaves") {
    const Tensor x = variable({1, 2, 3});
    const Tensor y = x * 2, part = y.narrow(0, 1, 2);
    CHECK_FALSE(y.retains_grad());
    y.retain_grad();
    part.retain_grad();
    CHECK(y.retains_grad());
    (y.sum() + (part * part).sum()).backward();
    check<double>(y.grad(), {3}, {1, 9, 13});
    check<double>(part.grad(), {2}, {8, 12});
    check<double>(x.grad(), {3}, {2, 18, 26});
    CHECK_THROWS_AS(ones({2}).retain_grad(), Error);
}

TEST_CASE("retain_grad: the tensor may be gone when its gradient is known") {
    const Tensor x = variable({1, 2});
    Tensor z;
    {
        const Tensor y = x * 3, part = y.narrow(0, 0, 1);
        y.retain_grad();
        part.retain_grad();
        z = y.sum() + part.sum();
    }
    z.backward();
    check<double>(x.grad(), {2}, {6, 3});
}

TEST_CASE("anomaly mode: NaN is an error that names the function") {
    const Tensor x = variable({0, 1});
    const autograd::DetectAnomalyGuard guard;
    std::string what;
    try {
        (x.sqrt() * 0).sum().backward();
    } catch (const Error& e) {
        what = e.what();
    }
    CHECK(what.rfind("[backward] Function 'MulBackward0'", 0) == 0);
    CHECK(
        what.ends_with(" returned nan values in its 0th output; got a gradient of shape [2] with "
                       "NaN, expected numbers; try a look at the operands of that function"));
    CHECK_NOTHROW(x.sin().sum().backward());
}

TEST_CASE("Function: gradients of the program's own") {
    const Tensor x = variable({1, 2});
    const Tensor y = scaled_cube::apply(x, 2.0);
    CHECK(y.grad_fn()->name() == "scaled_cube");
    CHECK(autograd::gradcheck(
        [](const variable_list& v) { return variable_list{scaled_cube::apply(v[0], 0.5)}; }, {x}));
    CHECK(autograd::gradgradcheck(
        [](const variable_list& v) { return variable_list{scaled_cube::apply(v[0], 0.5)}; }, {x}));
    CHECK(autograd::gradgradcheck(
        [](const variable_list& v) { return variable_list{exp_and_sign::apply(v[0])[0]}; }, {x}));
    CHECK_FALSE(exp_and_sign::apply(x)[1].requires_grad());
    CHECK_FALSE(scaled_cube::apply(ones({2}), 1.0).requires_grad());
    two_of_three::apply(x, ones({2}, kDouble))[0].sum().backward();
    check<double>(x.grad(), {2}, {2, 2});
    const Tensor z = same::apply(x);
    CHECK_FALSE(z.is_same(x));
    x.grad().zero_();
    z.sum().backward();
    check<double>(x.grad(), {2}, {7, 7});
    CHECK_ERROR(Error, wrong_count::apply(x, x).sum().backward(),
                "[backward] function wrong_countBackward returned an incorrect number of "
                "gradients; got 1, expected 2; try one gradient for each argument of forward, "
                "undefined for those that are no tensors");
}

TEST_CASE("Function: writes in place") {
    const Tensor x = variable({1, 2});
    Tensor y = x * 3;
    const Tensor z = doubled_in_place::apply(y);
    CHECK(z.is_same(y));
    check<double>(z.detach(), {2}, {6, 12});
    y.sum().backward();
    check<double>(x.grad(), {2}, {6, 6});
}

TEST_CASE("backward: threads that share leaves") {
    const Tensor x = variable({1, 2, 3});
    constexpr int threads = 4, passes = 50;
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&] {
            for (int pass = 0; pass < passes; ++pass) (x * 2).sum().backward();
        });
    for (std::thread& t : all) t.join();
    check<double>(x.grad(), {3}, {400, 400, 400});
    // A mode belongs to its thread.
    const NoGradGuard guard;
    std::thread([&] { CHECK((x * 2).requires_grad()); }).join();
}
