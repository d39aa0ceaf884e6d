// Writes in place, and views, of tensors that have gradients.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using autograd::gradcheck;
using autograd::gradgradcheck;
using autograd::variable_list;
using test::check;
using test::variable;

namespace {

/// Checks gradients and their gradients, on random operands of these shapes.
void differentiable(const std::function<Tensor(const variable_list&)>& f,
                    const std::vector<std::vector<int64_t>>& shapes) {
    manual_seed(5);
    variable_list operands;
    for (const auto& s : shapes) operands.push_back(randn(s, kDouble).requires_grad_());
    const autograd::checked_function list = [&](const variable_list& v) {
        return variable_list{f(v)};
    };
    test::for_each_mode([&] {
        CHECK_NOTHROW(gradcheck(list, operands, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK_NOTHROW(gradgradcheck(list, operands));
    });
}

}  // namespace

TEST_CASE("in place: leaves and their views may not be written") {
    const Tensor x = variable({1, 2, 3});
    CHECK_ERROR(Error, x.mul_(2),
                "[in-place] a leaf Variable that requires grad is being used in an in-place "
                "operation; got a leaf, expected a tensor that an operation computed; try "
                "NoGradGuard, if the write is not to be differentiated");
    CHECK_ERROR(Error, x[0].zero_(),
                "[in-place] a view of a leaf Variable that requires grad is being used in an "
                "in-place operation; got a view of a leaf, expected a tensor that an operation "
                "computed; try NoGradGuard, if the write is not to be differentiated");
    check<double>(x.detach(), {3}, {1, 2, 3});
    {
        const NoGradGuard guard;
        x.mul_(2);
    }
    check<double>(x.detach(), {3}, {2, 4, 6});
    CHECK(x.is_leaf());
    x.detach().zero_();
    check<double>(x.detach(), {3}, {0, 0, 0});
}

TEST_CASE("in place: a view that was made without recording") {
    const Tensor x = variable({1, 2, 3});
    Tensor y = x * 2, part;
    {
        const NoGradGuard guard;
        part = y.narrow(0, 0, 2);
        CHECK_FALSE(part.requires_grad());
        part.mul_(1);  // both within the guard
    }
    CHECK_ERROR(Error, part.mul_(x.narrow(0, 0, 2)),
                "[in-place] A view was created in no_grad mode and is being modified inplace with "
                "grad mode enabled; got a write through that view, which would not be recorded as "
                "what was written, expected both the view and the write within the guard, or both "
                "outside of it; try moving one of them");
}

TEST_CASE("in place: whole tensors") {
    differentiable(
        [](const variable_list& v) {
            Tensor y = v[0] * 2;
            y.mul_(v[1]);
            y += v[0];
            y.sin_();
            return y;
        },
        {{3}, {3}});
    differentiable(
        [](const variable_list& v) {
            Tensor y = v[0] * 2;
            y.copy_(v[1]);  // v[0] has no part in it
            return y * v[0];
        },
        {{2, 3}, {3}});
    const Tensor x = variable({1, 2});
    Tensor y = x * 3;
    y.zero_();
    CHECK(y.requires_grad());
    y.sum().backward();
    check<double>(x.grad(), {2}, {0, 0});
}

TEST_CASE("in place: a tensor without gradient takes one from what is written") {
    test::for_each_mode([] {
        const Tensor x = variable({1, 2, 3});
        Tensor y = zeros({5}, kDouble);
        const Tensor early = y.narrow(0, 2, 2);  // made before
        y.narrow(0, 1, 3).copy_(x * x);
        CHECK(y.requires_grad());
        CHECK(early.requires_grad());
        (y * 2).sum().backward({}, true);
        check<double>(x.grad(), {3}, {4, 8, 12});
        x.grad().zero_();
        early.sum().backward();
        check<double>(x.grad(), {3}, {0, 4, 6});
    });
}

TEST_CASE("in place: parts, through views of views") {
    differentiable(
        [](const variable_list& v) {
            Tensor y = v[0] * 2;
            y[1] = v[1];
            y.t().narrow(0, 1, 2).select(1, 0).mul_(v[1].narrow(0, 0, 2));
            y.view({-1}).narrow(0, 2, 3).exp_();
            return y * y;
        },
        {{3, 4}, {4}});
    differentiable(
        [](const variable_list& v) {  // the tensor has another order of dimensions
            Tensor y = (v[0] * 2).t().contiguous().t();
            y.select(0, 1).copy_(v[1]);
            return y.sum(0) * v[1];
        },
        {{3, 4}, {4}});
    differentiable(
        [](const variable_list& v) {  // the same view several times
            Tensor y = v[0] * 1;
            Tensor part = y.diagonal();
            part.mul_(v[1]);
            part.add_(v[1].sin());
            return y * part.sum();
        },
        {{3, 3}, {3}});
}

TEST_CASE("in place: values that a gradient needs") {
    const Tensor x = variable({1, 2});
    Tensor y = x.exp(), z = y * 2;
    y.add_(1);  // exp saved its result
    CHECK_ERROR(Error, z.sum().backward(),
                "[backward] one of the variables needed for gradient computation has been modified "
                "by an inplace operation; got a Double tensor of shape [2] that ExpBackward0 saved "
                "and that has been written since, expected the value that was saved; try clone() "
                "before the write, or an operation that is not in place");
    Tensor a = x * 2, b = a + 1;
    a.mul_(5);  // nothing saved it
    b.sum().backward();
    check<double>(x.grad(), {2}, {2, 2});
    // What is written over by the operation that saved it is known.
    Tensor c = x * 2;
    c.mul_(x);
    x.grad().zero_();
    c.sum().backward();
    check<double>(x.grad(), {2}, {4, 8});
    // A write without recording counts.
    Tensor d = x * x;
    {
        const NoGradGuard guard;
        x.add_(1);
    }
    CHECK_THROWS_AS(d.sum().backward(), Error);
    // If it is allowed, the gradient is that of the value that was read.
    const autograd::AllowMutationOnSavedTensors allowed;
    x.grad().zero_();
    d.sum().backward();
    check<double>(x.grad(), {2}, {2, 4});
}

TEST_CASE("views: gradients of each kind") {
    const auto view = [](const std::function<Tensor(const Tensor&)>& f) {
        differentiable([&](const variable_list& v) { return f(v[0]).exp() * 2; }, {{2, 3, 4}});
    };
    view([](const Tensor& x) { return x.permute({2, 0, 1}); });
    view([](const Tensor& x) { return x.view({4, 6}); });
    view([](const Tensor& x) { return x.transpose(0, 2).reshape({-1}); });
    view([](const Tensor& x) { return x.slice(2, 1, 4, 2); });
    view([](const Tensor& x) { return x.select(1, 2).unsqueeze(0).squeeze(); });
    view([](const Tensor& x) { return x.unsqueeze(1).expand({2, 3, 3, 4}); });
    view([](const Tensor& x) { return x.diagonal(1, 0, 2); });
    view([](const Tensor& x) { return x.unfold(2, 2, 2); });
    view([](const Tensor& x) { return x.as_strided({3, 2}, {2, 1}, 5); });
    view([](const Tensor& x) { return x.expand({2, 3, 4}).flip({0, 2}); });
    view([](const Tensor& x) { return x.narrow(1, 1, 2).movedim(0, 2).select(0, 1); });
    view([](const Tensor& x) { return x.unsqueeze(3).expand({2, 3, 4, 2}).transpose(2, 3); });
}

TEST_CASE("views: gradients with respect to a view") {
    const Tensor x = variable({1, 2, 3, 4});
    const Tensor v = x.view({2, 2}), t = v.t(), row = t[1];
    const Tensor y = (row * row).sum() + x.sum() + v.sum() * 10;
    const variable_list g = autograd::grad({y}, {x, v, t, row});
    check<double>(g[0], {4}, {11, 15, 11, 19});
    check<double>(g[1], {2, 2}, {10, 14, 10, 18});
    check<double>(g[2], {2, 2}, {0, 0, 4, 8});
    check<double>(g[3], {2}, {4, 8});
}

TEST_CASE("views: base and kind") {
    const Tensor x = variable({1, 2, 3, 4});
    const Tensor v = x.view({2, 2});
    CHECK(v.is_view());
    CHECK_FALSE(x.is_view());
    CHECK_FALSE(v.is_leaf());
    CHECK(v.t()._base().sizes() == x.sizes());
    CHECK(v.grad_fn()->name() == "ViewBackward0");
    CHECK_ERROR(Error, x._base(),
                "[_base] Can't get base of non-view Tensor; got shape [4], expected a view; try "
                "is_view(), which tells whether it is one");
    // A view that changes the tensor itself.
    Tensor y = x * 2;
    y.unsqueeze_(0);
    y.transpose_(0, 1);
    y.sum().backward();
    check<double>(x.grad(), {4}, {2, 2, 2, 2});
}

TEST_CASE("in place: sizes of a tensor with a gradient stay") {
    Tensor x = variable({1, 2});
    CHECK_ERROR(Error, x.resize_({3}),
                "[resize_] cannot resize variables that require grad; got shape [2], expected a "
                "tensor without a gradient; try detach() first");
}

TEST_CASE("set_data: a leaf stays one") {
    const Tensor x = variable({1, 2});
    (x * 2).sum().backward();
    x.set_data(tensor({5.0, 6.0}, kDouble));
    CHECK(x.requires_grad());
    CHECK(x.is_leaf());
    (x * x).sum().backward();
    check<double>(x.grad(), {2}, {12, 14});
}
