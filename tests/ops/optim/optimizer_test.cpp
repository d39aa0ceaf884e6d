// Groups, options, gradients and errors of optimisers; where they go is in tests/golden/optim.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <sinter/optim.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using optim::AdamOptions;
using optim::AdamWOptions;
using optim::LBFGSOptions;
using optim::OptimizerParamGroup;
using optim::SGDOptions;
using test::check;

namespace {

Tensor parameter(const std::vector<double>& values) {
    return tensor(values, kDouble).requires_grad_();
}

/// A parameter whose gradient is 1.
Tensor with_gradient(const std::vector<double>& values) {
    Tensor p = parameter(values);
    p.sum().backward();
    return p;
}

std::vector<OptimizerParamGroup> groups(std::vector<std::vector<Tensor>> lists) {
    return {lists.begin(), lists.end()};
}

const SGDOptions& sgd_options(const optim::Optimizer& o, std::size_t group) {
    return static_cast<const SGDOptions&>(o.param_groups().at(group).options());
}

}  // namespace

TEST_CASE("optimizers change what has a gradient, and nothing else") {
    test::for_each_mode([] {
        const Tensor a = with_gradient({1, 2}), b = parameter({3}), c = tensor({4.0}, kDouble);
        optim::SGD sgd({a, b, c}, SGDOptions(0.25).momentum(0.5));
        CHECK(!sgd.step().defined());
        check<double>(a, {2}, {0.75, 1.75});
        check<double>(b, {1}, {3});
        check<double>(c, {1}, {4});
        CHECK(sgd.state().size() == 1);
        CHECK(sgd.state().count(a.unsafeGetTensorImpl()) == 1);
        CHECK(sgd.size() == 3);
        CHECK(sgd.parameters().at(2).is_same(c));
        // The parameter is the tensor of the program, and stays a leaf.
        CHECK(a.is_leaf());
        CHECK(a.requires_grad());
    });
}

TEST_CASE("optimizers forget gradients, or set them to 0") {
    test::for_each_mode([] {
        const Tensor a = with_gradient({1, 2}), b = parameter({3});
        optim::SGD sgd({a, b}, 0.5);
        const Tensor gradient = a.grad();
        sgd.zero_grad(false);
        check<double>(a.grad(), {2}, {0, 0});
        check<double>(gradient, {2}, {0, 0});  // it is the same memory
        CHECK(!b.grad().defined());
        sgd.zero_grad();
        CHECK(!a.grad().defined());
        sgd.step();
        check<double>(a, {2}, {1, 2});
        // A gradient with a gradient loses it.
        autograd::backward({a.square().sum()}, {}, true, true);
        CHECK(a.grad().requires_grad());
        sgd.zero_grad(false);
        CHECK(!a.grad().requires_grad());
    });
}

TEST_CASE("optimizers break the circle of a parameter and a gradient with a gradient") {
    test::for_each_mode([] {
        const auto token = std::make_shared<int>(0);
        {
            const Tensor a = parameter({1, 2});
            a.register_hook([token](const Tensor& g) { return g; });  // dies with the parameter
            optim::SGD sgd({a}, 0.5);
            autograd::backward({a.square().sum()}, {}, true, true);
            CHECK(a.grad().requires_grad());
            sgd.zero_grad(false);
            CHECK(!a.grad().requires_grad());
        }
        CHECK(token.use_count() == 1);
    });
}

TEST_CASE("optimizers count as writes: old graphs that saved a parameter refuse it") {
    test::for_each_mode([] {
        const Tensor w = with_gradient({2, 3}), x = parameter({5, 7});
        const Tensor loss = (w * x).sum(), plain = (w + x).sum();
        const uint64_t version = w._version();
        optim::Adam adam({w}, 0.1);
        adam.step();
        CHECK(w._version() == version + 1);
        plain.backward();  // saved nothing
        CHECK_ERROR(
            Error, loss.backward(),
            "[backward] one of the variables needed for gradient computation has been modified "
            "by an inplace operation; got a Double tensor of shape [2] that MulBackward0 saved "
            "and that has been written since, expected the value that was saved; try clone() "
            "before the write, or an operation that is not in place");
    });
}

TEST_CASE("optimizers record the gradients of a closure, and no others") {
    const NoGradGuard off;
    const Tensor w = parameter({2, 3});
    optim::SGD sgd({w}, 0.5);
    bool recorded = false;
    const Tensor loss = sgd.step([&] {
        recorded = GradMode::is_enabled();
        sgd.zero_grad();
        Tensor l = w.square().sum();
        l.backward();
        return l;
    });
    CHECK(recorded);
    CHECK(!GradMode::is_enabled());
    CHECK(loss.item<double>() == 13);
    check<double>(w, {2}, {0, 0});
}

TEST_CASE("optimizers' groups have options of their own") {
    const Tensor a = with_gradient({0}), b = with_gradient({0}), c = with_gradient({0}),
                 d = with_gradient({0});
    std::vector<OptimizerParamGroup> lists;
    lists.emplace_back(std::vector<Tensor>{a});
    lists.emplace_back(std::vector<Tensor>{b}, std::make_unique<SGDOptions>(0.5));
    lists.emplace_back(std::vector<Tensor>{c},
                       std::make_unique<SGDOptions>(SGDOptions(0.25).momentum(0)));
    optim::SGD sgd(lists, SGDOptions(0.125).momentum(0.5));
    sgd.add_param_group(std::vector<Tensor>{d});
    CHECK(sgd_options(sgd, 0).lr() == 0.125);
    CHECK(sgd_options(sgd, 1).lr() == 0.5);
    CHECK(sgd_options(sgd, 1).momentum() == 0.5);  // not set, so the optimiser's
    CHECK(sgd_options(sgd, 2).momentum() == 0);
    CHECK(sgd_options(sgd, 3).lr() == 0.125);
    CHECK(static_cast<SGDOptions&>(sgd.defaults()).momentum() == 0.5);
    CHECK(lists[0].has_options() == false);
    sgd.step();
    sgd.step();
    check<double>(a, {1}, {-0.3125});
    check<double>(b, {1}, {-1.25});
    check<double>(c, {1}, {-0.5});
    check<double>(d, {1}, {-0.3125});

    static_cast<SGDOptions&>(sgd.param_groups()[0].options()).lr(1).momentum() = 0;
    sgd.param_groups()[1].options().set_lr(0);
    CHECK(sgd.param_groups()[1].options().get_lr() == 0);
    sgd.step();
    check<double>(a, {1}, {-1.3125});
    check<double>(b, {1}, {-1.25});
}

TEST_CASE("optimizers have libtorch's defaults") {
    const AdamOptions adam;
    CHECK(adam.lr() == 1e-3);
    CHECK(adam.betas() == std::tuple(0.9, 0.999));
    CHECK(adam.eps() == 1e-8);
    CHECK(adam.weight_decay() == 0);
    CHECK(!adam.amsgrad());
    CHECK(AdamWOptions().weight_decay() == 1e-2);
    CHECK(AdamWOptions().lr() == 1e-3);
    const SGDOptions sgd(0.5);
    CHECK(sgd.momentum() == 0);
    CHECK(sgd.dampening() == 0);
    CHECK(sgd.weight_decay() == 0);
    CHECK(!sgd.nesterov());
    const LBFGSOptions lbfgs;
    CHECK(lbfgs.lr() == 1);
    CHECK(lbfgs.max_iter() == 20);
    CHECK(!lbfgs.max_eval());
    CHECK(lbfgs.tolerance_grad() == 1e-7);
    CHECK(lbfgs.tolerance_change() == 1e-9);
    CHECK(lbfgs.history_size() == 100);
    CHECK(!lbfgs.line_search_fn());
    const optim::LBFGS optimizer({parameter({1})});
    CHECK(static_cast<const LBFGSOptions&>(optimizer.defaults()).max_eval() == 25);
}

TEST_CASE("optimizers refuse what libtorch refuses") {
    const Tensor w = parameter({1, 2}), other = parameter({3});
    CHECK_ERROR(Error, optim::SGD({w}, -1),
                "[SGD] Invalid learning rate; got -1, expected a number that is at least 0; try 0, "
                "which is allowed, or a positive number");
    CHECK_ERROR(Error, optim::SGD({w}, SGDOptions(1).momentum(-0.5)),
                "[SGD] Invalid momentum value; got -0.5, expected a number that is at least 0; try "
                "0, which is allowed, or a positive number");
    CHECK_ERROR(Error, optim::SGD({w}, SGDOptions(1).weight_decay(-0.5)),
                "[SGD] Invalid weight_decay value; got -0.5, expected a number that is at least 0; "
                "try 0, which is allowed, or a positive number");
    CHECK_ERROR(
        Error, optim::SGD({w}, SGDOptions(1).nesterov(true)),
        "[SGD] Nesterov momentum requires a momentum and zero dampening; got momentum 0 and "
        "dampening 0, expected a positive momentum and dampening 0; try .momentum(0.9)");
    CHECK_ERROR(
        Error, optim::Adam({w}, AdamOptions().eps(-1)),
        "[Adam] Invalid epsilon value; got -1, expected a number that is at least 0; try 0, "
        "which is allowed, or a positive number");
    CHECK_ERROR(Error, optim::Adam({w}, AdamOptions().betas({1, 0.5})),
                "[Adam] Invalid beta parameter at index 0; got 1, expected a number from 0 on that "
                "is less than 1; try {0.9, 0.999}, the default");
    CHECK_ERROR(Error, optim::AdamW({w}, AdamWOptions().betas({0.5, -1})),
                "[AdamW] Invalid beta parameter at index 1; got -1, expected a number from 0 on "
                "that is less than 1; try {0.9, 0.999}, the default");
    CHECK_ERROR(Error, optim::SGD({w * 2}, 1),
                "[Optimizer] can't optimize a non-leaf Tensor; got a result of MulBackward0, "
                "expected a tensor that no operation made; try the tensors from which it was "
                "computed, or detach().requires_grad_()");
    CHECK_ERROR(Error, optim::SGD(groups({{w}, {w}}), 1),
                "[Optimizer] some parameters appear in more than one parameter group; got a "
                "parameter of shape [2] for the second time, expected each parameter once; try "
                "taking it out of one of the lists");
    CHECK_ERROR(Error, optim::SGD({Tensor()}, 1),
                "[Optimizer] the tensor is undefined; got a default-constructed Tensor, expected a "
                "defined tensor; try assigning a tensor to it first; defined() tells whether it is "
                "one");

    // A group that is refused is not added.
    optim::SGD sgd({w}, 1);
    CHECK_ERROR(Error, sgd.add_param_group({{other}, std::make_unique<AdamOptions>()}),
                "[SGD] the options of a group are those of another optimizer; got options of "
                "another type, expected SGDOptions; try a group without options, which gets the "
                "optimizer's");
    CHECK_ERROR(Error, sgd.add_param_group({{other}, std::make_unique<SGDOptions>(-2)}),
                "[SGD] Invalid learning rate; got -2, expected a number that is at least 0; try 0, "
                "which is allowed, or a positive number");
    CHECK(sgd.param_groups().size() == 1);
    CHECK_ERROR(
        Error, OptimizerParamGroup(std::vector<Tensor>{w}).options(),
        "[OptimizerParamGroup] the group has no options; got a group that was made without, "
        "expected a group with options; try has_options(), or the groups of an optimizer, "
        "which have some");
}

TEST_CASE("optimizers throw for read-only memory, and change nothing") {
    const double memory[] = {1, 2};
    const Tensor w = from_blob(static_cast<const double*>(memory), {2}, kDouble).requires_grad_();
    w.mutable_grad() = ones_like(w.detach());
    optim::SGD sgd({w}, 1);
    CHECK_ERROR(Error, sgd.step(),
                "[copy_] the tensor's memory is read-only; got memory that from_blob(const T*) or "
                "fromDLPack took as read-only, expected writable memory; try clone() first");
    check<double>(w, {2}, {1, 2});
}

TEST_CASE("optimizers write parameters that are views, or memory of the program") {
    test::for_each_mode([] {
        double memory[] = {1, 2, 3};
        const Tensor w = from_blob(memory, {3}, kDouble).requires_grad_();
        const Tensor table = zeros({2, 2}, kDouble), row = table[1].requires_grad_();
        w.mutable_grad() = ones_like(w.detach());
        row.mutable_grad() = ones_like(row.detach());
        optim::SGD sgd({w, row}, SGDOptions(0.5).momentum(0.5));
        sgd.step();
        CHECK(memory[2] == 2.5);  // written when step() returned
        check<double>(table, {2, 2}, {0, 0, -0.5, -0.5});
        sgd.step();
        CHECK(memory[0] == -0.25);
        check<double>(table, {2, 2}, {0, 0, -1.25, -1.25});
    });
}

TEST_CASE("learning rates follow a schedule") {
    const Tensor a = parameter({0}), b = parameter({0});
    std::vector<OptimizerParamGroup> lists;
    lists.emplace_back(std::vector<Tensor>{a});
    lists.emplace_back(std::vector<Tensor>{b}, std::make_unique<SGDOptions>(0.5));
    optim::SGD sgd(lists, 1);
    optim::StepLR schedule(sgd, 2, 0.5);
    std::vector<double> first, second;
    for (int epoch = 0; epoch < 6; ++epoch) {
        schedule.step();
        first.push_back(sgd.param_groups()[0].options().get_lr());
        second.push_back(sgd.param_groups()[1].options().get_lr());
    }
    CHECK(first == std::vector<double>{1, 1, 0.5, 0.5, 0.25, 0.25});
    CHECK(second == std::vector<double>{0.5, 0.5, 0.25, 0.25, 0.125, 0.125});
    CHECK_ERROR(
        Error, optim::StepLR(sgd, 0),
        "[StepLR] the step size is not positive; got 0, expected a number of epochs; try 1, "
        "to change the rate in each epoch");
}
