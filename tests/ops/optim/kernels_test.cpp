// When steps of optimisers run, and in how many kernels.
#include "tests/ops/check.hpp"

#include <sinter/optim.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using optim::AdamOptions;
using optim::SGDOptions;

namespace {

/// Parameters of different sizes, and a gradient for each.
std::vector<Tensor> parameters(int count, int64_t size, int64_t more) {
    std::vector<Tensor> all;
    for (int i = 0; i < count; ++i) all.push_back(ones({size + more * i}).eval().requires_grad_());
    return all;
}
void give_gradients(const std::vector<Tensor>& all) {
    for (const Tensor& p : all) p.mutable_grad() = full_like(p.detach(), 0.5).eval();
}

/// Returns a number that depends on all of them.
Tensor total(const std::vector<Tensor>& all) {
    Tensor sum = all[0].detach().sum();
    for (std::size_t i = 1; i < all.size(); ++i) sum = sum + all[i].detach().sum();
    return sum;
}

/// A step runs nothing, and then in `least` to `most` kernels, with its states.
template <class Optimizer, class Options>
void check_kernels(const Options& options, uint64_t least, uint64_t most, int64_t more) {
    const std::vector<Tensor> all = parameters(6, 1000, more);
    Optimizer optimizer(all, options);
    for (int step = 0; step < 4; ++step) {
        give_gradients(all);
        reset_stats();
        optimizer.step();
        CHECK(stats().kernels_launched == 0);
        CHECK(stats().flushes == decltype(stats().flushes){});
        total(all).eval();
        const uint64_t launched = stats().kernels_launched;
        CHECK(launched >= least);
        CHECK(launched <= most);
        // Nothing is left to do: states were stored with their parameters.
        optimizer.zero_grad();
        CHECK(stats().nodes_pending == 0);
    }
}

}  // namespace

TEST_CASE("steps are pending, and run in one kernel for each size" * doctest::test_suite("host")) {
    check_kernels<optim::SGD>(SGDOptions(0.1), 6, 6, 1);
    check_kernels<optim::SGD>(SGDOptions(0.1).momentum(0.5).weight_decay(0.1), 6, 6, 1);
    check_kernels<optim::SGD>(SGDOptions(0.1).momentum(0.5).nesterov(true), 6, 6, 1);
    check_kernels<optim::Adam>(AdamOptions(), 6, 6, 1);
    check_kernels<optim::Adam>(AdamOptions().amsgrad(true).weight_decay(0.1), 6, 6, 1);
    check_kernels<optim::AdamW>(optim::AdamWOptions(), 6, 6, 1);
    // Of one size: a kernel has at most 128 operations.
    check_kernels<optim::SGD>(SGDOptions(0.1), 1, 1, 0);
    check_kernels<optim::Adam>(AdamOptions(), 1, 4, 0);
}

TEST_CASE("numbers that change from step to step compile nothing" * doctest::test_suite("host")) {
    const std::vector<Tensor> all = parameters(3, 1000, 1);
    optim::Adam adam(all);
    uint64_t compiled = 0, plans = 0;
    for (int step = 0; step < 100; ++step) {
        give_gradients(all);
        adam.param_groups()[0].options().set_lr(0.1 / (step + 1));
        adam.step();
        total(all).eval();
        synchronize();
        if (step < 2) {
            compiled = stats().kernels_compiled + stats().kernels_loaded;
            plans = stats().plans_built;
        }
    }
    CHECK(stats().kernels_compiled + stats().kernels_loaded == compiled);
    CHECK(stats().plans_built == plans);
}

TEST_CASE("states are written in place" * doctest::test_suite("host")) {
    constexpr int64_t size = 100000, bytes = 4 * size;
    const std::vector<Tensor> all = parameters(1, size, 0);
    optim::Adam adam(all);
    const auto step = [&] {
        give_gradients(all);
        adam.step();
        adam.zero_grad();
        all[0].eval();
    };
    for (int i = 0; i < 3; ++i) step();
    const int64_t live = stats().bytes_live;
    for (int i = 0; i < 50; ++i) {
        reset_stats();
        step();
        CHECK(stats().bytes_live == live);
        CHECK(stats().bytes_peak <= live + bytes);  // the gradient
    }
}

TEST_CASE("steps that nobody reads stay bounded" * doctest::test_suite("host")) {
    const std::vector<Tensor> all = parameters(2, 1000, 0);
    optim::Adam adam(all);
    int64_t most = 0, live = 0;
    for (int step = 0; step < 10000; ++step) {
        for (const Tensor& p : all) p.mutable_grad() = p.detach() * 0.5;
        adam.step();
        adam.zero_grad();
        most = std::max(most, stats().nodes_pending);
        live = std::max(live, stats().bytes_live);
    }
    CHECK(most <= 131072 + 16);  // SINTER_MAX_PENDING
    CHECK(live <= 100 * 4 * 1000 * 2);
    all[0].eval();
    all[1].eval();
    CHECK(stats().nodes_pending == 0);

    // The same in eager mode.
    const std::vector<Tensor> others = parameters(2, 1000, 0);
    const ModeGuard eager(Mode::eager);
    optim::Adam same(others);
    for (int step = 0; step < 10000; ++step) {
        for (const Tensor& p : others) p.mutable_grad() = p.detach() * 0.5;
        same.step();
    }
    for (int i = 0; i < 2; ++i)
        test::check<float>(all[i], others[i].sizes(), test::elements<float>(others[i]));
}
