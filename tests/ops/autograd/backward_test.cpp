// Leaves, backward passes and what they leave behind.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using autograd::variable_list;
using test::check;
using test::variable;

TEST_CASE("backward: a leaf gets the gradient of what is computed from it") {
    test::for_each_mode([] {
        const Tensor x = variable({1, 2, 3});
        CHECK(x.requires_grad());
        CHECK(x.is_leaf());
        CHECK_FALSE(x.grad().defined());
        const Tensor y = (x * x + 3 * x).sum();
        CHECK(y.requires_grad());
        CHECK_FALSE(y.is_leaf());
        CHECK(y.grad_fn()->name() == "SumBackward0");
        y.backward();
        check<double>(x.grad(), {3}, {5, 7, 9});
        CHECK_FALSE(x.grad().requires_grad());
    });
}

TEST_CASE("backward: a statement is one node") {
    const Tensor x = variable({1, 2}), w = variable({3, 4});
    const Tensor y = tanh(x * w + exp(w));
    CHECK(y.grad_fn()->name() == "TanhBackward0");
    REQUIRE(y.grad_fn()->num_outputs() == 3);
    for (const autograd::Edge& e : y.grad_fn()->next_edges())
        CHECK(e.function->name() == "AccumulateGrad");
}

TEST_CASE("backward: nothing is computed before a value is read") {
    const Tensor x = variable({1, 2, 3}).eval();
    reset_stats();
    const Tensor y = (x.sin() * x).sum();
    y.backward();
    CHECK(stats().kernels_launched == 0);
    CHECK(x.grad().sum().item<double>() ==
          doctest::Approx((x.detach().sin() + x.detach() * x.detach().cos()).sum().item<double>()));
}

TEST_CASE("backward: gradients add up") {
    test::for_each_mode([] {
        const Tensor x = variable({1, 2});
        (x * 2).sum().backward();
        (x * x).sum().backward();
        check<double>(x.grad(), {2}, {4, 6});
        x.grad().zero_();
        (x * 5).sum().backward();
        check<double>(x.grad(), {2}, {5, 5});
        x.mutable_grad() = Tensor();
        CHECK_FALSE(x.grad().defined());
    });
}

TEST_CASE("backward: leaves have gradients of their own") {
    const Tensor x = variable({1, 2}), y = variable({3, 4});
    const Tensor g = tensor({1.0, 1.0}, kDouble);
    (x + y).backward(g);
    x.grad().mul_(10);
    check<double>(y.grad(), {2}, {1, 1});
    check<double>(g, {2}, {1, 1});
}

TEST_CASE("backward: of several elements needs their gradient") {
    const Tensor x = variable({1, 2, 3});
    CHECK_ERROR(Error, (x * 2).backward(),
                "[backward] grad can be implicitly created only for scalar outputs; got a tensor "
                "of shape [3], expected one element, or a gradient for it; try sum() first");
    CHECK_ERROR(Error, (x * 2).backward(ones({2}, kDouble)),
                "[backward] Mismatch in shape: a gradient has another shape than its tensor; got "
                "shape [2] for shape [3], expected shape [3]; try expand_as() on the gradient");
    (x * 2).backward(tensor({1.0, 10.0, 100.0}, kDouble));
    check<double>(x.grad(), {3}, {2, 20, 200});
    CHECK_ERROR(Error, ones({1}).backward(),
                "[backward] element of tensors does not require grad and does not have a grad_fn; "
                "got a Float tensor of shape [1] without a gradient, expected a tensor that was "
                "computed from one that requires a gradient; try requires_grad_() on a leaf before "
                "the computation");
}

TEST_CASE("backward: saved values are freed, unless the graph is kept") {
    const Tensor x = variable({1, 2});
    const Tensor y = (x * x).sum();
    y.backward({}, true);
    y.backward();
    check<double>(x.grad(), {2}, {4, 8});
    CHECK_ERROR(Error, y.backward(),
                "[backward] Trying to backward through the graph a second time (or directly access "
                "saved tensors after they have already been freed); got a graph whose saved values "
                "have been freed, expected a graph that is kept; try retain_graph = true in the "
                "first call");
    const Tensor z = (x * 2).sum();  // needs nothing saved
    z.backward();
    z.backward();
    check<double>(x.grad(), {2}, {8, 12});
}

TEST_CASE("backward: only what is wanted") {
    const Tensor x = variable({1, 2}), y = variable({3, 4});
    (x * y).sum().backward({}, std::nullopt, false, {x});
    check<double>(x.grad(), {2}, {3, 4});
    CHECK_FALSE(y.grad().defined());
    const Tensor z = x * 2;
    CHECK_ERROR(Error, z.sum().backward({}, std::nullopt, false, {z}),
                "[backward] one of the inputs is no leaf, so nothing is added to its grad(); got "
                "shape [2], made by MulBackward0, expected leaves; try autograd::grad(), which "
                "returns gradients of any tensor");
}

TEST_CASE("grad: returns gradients and adds none") {
    test::for_each_mode([] {
        const Tensor x = variable({1, 2}), y = variable({3, 4});
        const Tensor z = x * y, s = (z * z).sum();
        const variable_list g = autograd::grad({s}, {x, z, y});
        check<double>(g[0], {2}, {18, 64});
        check<double>(g[1], {2}, {6, 16});
        check<double>(g[2], {2}, {6, 32});
        CHECK_FALSE(x.grad().defined());
    });
    const Tensor x = variable({1, 2}), unused = variable({1});
    CHECK_ERROR(Error, autograd::grad({(x * x).sum()}, {unused}),
                "[grad] One of the differentiated Tensors appears to not have been used in the "
                "graph; got input 0 of shape [1], expected inputs that the outputs depend on; try "
                "allow_unused = true");
    const variable_list g =
        autograd::grad({(x * x).sum()}, {unused, x}, {}, std::nullopt, false, true);
    CHECK_FALSE(g[0].defined());
    check<double>(g[1], {2}, {2, 4});
    CHECK_ERROR(Error, autograd::grad({(x * x).sum()}, {ones({2})}),
                "[grad] One of the differentiated Tensors does not require grad; got a tensor of "
                "shape [2], expected tensors that require a gradient; try requires_grad_() before "
                "the computation");
}

TEST_CASE("grad: gradients of gradients") {
    test::for_each_mode([] {
        const Tensor x = variable({0.5, 2});
        const Tensor first = autograd::grad({x.pow(4).sum()}, {x}, {}, std::nullopt, true)[0];
        CHECK(first.requires_grad());
        const Tensor second = autograd::grad({first.sum()}, {x}, {}, std::nullopt, true)[0];
        const Tensor third = autograd::grad({second.sum()}, {x})[0];
        check<double>(first, {2}, {0.5, 32});
        check<double>(second, {2}, {3, 48});
        check<double>(third, {2}, {12, 48});
        // backward() with create_graph: grad() has a gradient itself.
        (x * x * x).sum().backward({}, true, true);
        CHECK(x.grad().requires_grad());
        x.mutable_grad() = Tensor();
    });
}

TEST_CASE("backward: gradients are summed over broadcast dimensions, in the dtype of the leaf") {
    const Tensor a = tensor({{1.0, 2.0}, {3.0, 4.0}}, kFloat).requires_grad_();
    const Tensor b = tensor({10.0, 20.0}, kDouble).requires_grad_();
    const Tensor c = tensor({2.0}, kFloat).squeeze().requires_grad_();
    (a * b * c).sum().backward();
    check<float>(a.grad(), {2, 2}, {20, 40, 20, 40});
    check<double>(b.grad(), {2}, {8, 12});
    check<float>(c.grad(), {}, {160});
}

TEST_CASE("backward: through conversions") {
    const Tensor x = tensor({1.0, 2.0}, kFloat).requires_grad_();
    const Tensor y = x.to(kDouble) * tensor({3.0, 4.0}, kDouble);
    y.sum().backward();
    check<float>(x.grad(), {2}, {3, 4});
    CHECK_FALSE(x.to(kInt).requires_grad());
    CHECK_FALSE((x > 0).requires_grad());
    CHECK_FALSE(x.argmax().requires_grad());
}

TEST_CASE("requires_grad_: what can require one") {
    CHECK_ERROR(Error, ones({2}, kInt).requires_grad_(),
                "[requires_grad_] only Tensors of floating point and complex dtype can require "
                "gradients; got Int, expected a floating or complex dtype; try .to(kFloat) first");
    const Tensor x = variable({1});
    CHECK_ERROR(Error, (x * 2).requires_grad_(false),
                "[requires_grad_] you can only change requires_grad flags of leaf variables; got a "
                "tensor that was computed from others, expected a leaf; try detach(), which gives "
                "the same values without a gradient");
    x.requires_grad_(false);
    CHECK_FALSE(x.requires_grad());
    CHECK_FALSE((x * 2).requires_grad());
    CHECK(zeros({2}, requires_grad()).requires_grad());
    CHECK(randn({2}, TensorOptions(kDouble).requires_grad(true)).is_leaf());
    CHECK(full({2}, 3.0, TensorOptions().requires_grad(true)).requires_grad());
}

TEST_CASE("GradMode: an expression belongs to the mode in which it was written") {
    const Tensor x = variable({1, 2});
    {
        const NoGradGuard guard;
        CHECK_FALSE(GradMode::is_enabled());
        CHECK_FALSE((x * 2).requires_grad());
        CHECK(x.requires_grad());
        const AutoGradMode on(true);
        CHECK((x * 2).requires_grad());
    }
    CHECK(GradMode::is_enabled());
    auto named = x * 3;  // computed first where it is used
    Tensor y;
    {
        const NoGradGuard guard;
        y = named;
    }
    CHECK(y.requires_grad());
    const InferenceMode inference;
    CHECK(InferenceMode::is_enabled());
    CHECK_FALSE(x.exp().requires_grad());
}

TEST_CASE("detach: the same memory without a gradient") {
    const Tensor x = variable({1, 2});
    const Tensor y = x * 2, d = y.detach();
    CHECK_FALSE(d.requires_grad());
    CHECK(d.is_leaf());
    CHECK(d.is_alias_of(y));
    CHECK_FALSE(d.is_view());
    (y * d).sum().backward();
    check<double>(x.grad(), {2}, {4, 8});
    const Tensor z = x * 2;
    z.detach_();
    CHECK_FALSE(z.requires_grad());
    // It may require a gradient of its own.
    const Tensor own = y.detach().requires_grad_();
    (own * 3).sum().backward();
    check<double>(own.grad(), {2}, {3, 3});
    check<double>(x.grad(), {2}, {4, 8});
}

TEST_CASE("backward: a loop that learns") {
    manual_seed(1);
    const Tensor x = randn({100, 2}, kDouble), truth = tensor({2.0, -3.0}, kDouble);
    const Tensor y = (x * truth).sum(1);
    Tensor w = zeros({2}, kDouble).requires_grad_();
    for (int step = 0; step < 200; ++step) {
        const Tensor loss = ((x * w).sum(1) - y).square().mean();
        loss.backward();
        const NoGradGuard guard;
        w -= 0.1 * w.grad();
        w.grad().zero_();
    }
    CHECK(allclose(w.detach(), truth));
    CHECK(w.is_leaf());
}

TEST_CASE("backward: a deep graph takes no stack") {
    const Tensor x = variable({1});
    Tensor y = x * 1;
    constexpr int depth = 100000;
    for (int i = 0; i < depth; ++i) y = y + x;
    y.backward(ones({1}, kDouble));
    check<double>(x.grad(), {1}, {depth + 1.0});
    y = Tensor();  // destroyed without recursion
}
