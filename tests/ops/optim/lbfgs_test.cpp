// L-BFGS; its trajectories are in tests/golden/optim.
#include "tests/ops/check.hpp"

#include "ops/optim/line_search.hpp"

#include <sinter/optim.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace sinter;
using optim::LBFGSOptions;

namespace {

/// Returns the minimum that a search finds along a line.
ops::line_point searched(const std::function<double(double)>& loss,
                         const std::function<double(double)>& slope, double first, int64_t steps,
                         int64_t& evaluations) {
    const auto at = [&](double t) {
        ++evaluations;
        return ops::line_point{t, loss(t), Tensor(), slope(t)};
    };
    const ops::line_point start{0, loss(0), Tensor(), slope(0)};
    return ops::strong_wolfe(at, start, first, 1, steps);
}

}  // namespace

TEST_CASE("LBFGS finds the minimum of a quadratic function in a step, and stays there") {
    test::for_each_mode([] {
        const Tensor a = tensor({4, 1, 1, 3}, kDouble).view({2, 2}), b = tensor({1, 2}, kDouble);
        const Tensor x = zeros({2}, kDouble).requires_grad_();
        optim::LBFGS lbfgs({x}, LBFGSOptions().line_search_fn("strong_wolfe"));
        int calls = 0;
        const auto closure = [&] {
            ++calls;
            lbfgs.zero_grad();
            Tensor loss = x.dot(mv(a, x)) / 2 - b.dot(x);
            loss.backward();
            return loss;
        };
        CHECK(lbfgs.step(closure).item<double>() == 0);
        CHECK(std::abs(x[0].item<double>() - 1.0 / 11) < 1e-5);
        CHECK(std::abs(x[1].item<double>() - 7.0 / 11) < 1e-5);
        const auto& state =
            static_cast<const optim::LBFGSParamState&>(*lbfgs.state().at(x.unsafeGetTensorImpl()));
        CHECK(state.func_evals() == calls);
        CHECK(state.old_dirs().size() == state.ro().size());
        calls = 0;
        lbfgs.step(closure);
        CHECK(calls <= 2);
        CHECK(x.requires_grad());
        CHECK(x.is_leaf());
    });
}

TEST_CASE("LBFGS takes several parameters, complex ones, and some without a gradient") {
    const Tensor a = zeros({2, 2}, kDouble).requires_grad_(),
                 b = zeros({}, kDouble).requires_grad_(),
                 unused = ones({3}, kDouble).requires_grad_();
    const Tensor target = arange(4, kDouble).view({2, 2});
    optim::LBFGS lbfgs({a, unused, b}, LBFGSOptions().line_search_fn("strong_wolfe"));
    lbfgs.step([&] {
        lbfgs.zero_grad();
        Tensor loss = (a - target).square().sum() + (b + 5).square();
        loss.backward();
        return loss;
    });
    CHECK(allclose(a, target, 1e-6, 1e-6));
    CHECK(std::abs(b.item<double>() + 5) < 1e-6);
    test::check<double>(unused, {3}, {1, 1, 1});

    const Tensor z = zeros({2}, kComplexDouble).requires_grad_();
    const Tensor goal = sinter::complex(tensor({1, 2}, kDouble), tensor({-3, 4}, kDouble));
    optim::LBFGS of_complex({z}, LBFGSOptions().line_search_fn("strong_wolfe"));
    of_complex.step([&] {
        of_complex.zero_grad();
        Tensor loss = (z - goal).abs().square().sum();
        loss.backward();
        return loss;
    });
    CHECK(allclose(z, goal, 1e-6, 1e-6));
}

TEST_CASE("LBFGS refuses groups, other line searches and steps without a closure") {
    const Tensor x = zeros({2}).requires_grad_(), y = zeros({2}).requires_grad_();
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{x});
    groups.emplace_back(std::vector<Tensor>{y});
    CHECK_ERROR(Error, optim::LBFGS(groups),
                "[LBFGS] LBFGS doesn't support per-parameter options (parameter groups); got 2 "
                "groups, expected 1 group; try one list of all parameters");
    optim::LBFGS lbfgs({x});
    CHECK_ERROR(Error, lbfgs.add_param_group(std::vector<Tensor>{y}),
                "[LBFGS] LBFGS doesn't support per-parameter options (parameter groups); got 2 "
                "groups, expected 1 group; try one list of all parameters");
    CHECK_ERROR(
        Error, optim::LBFGS({x}, LBFGSOptions().line_search_fn("wolfe")),
        "[LBFGS] only 'strong_wolfe' is supported; got \"wolfe\", expected \"strong_wolfe\" "
        "or no line search; try .line_search_fn(\"strong_wolfe\")");
    CHECK_ERROR(
        Error, lbfgs.step(nullptr),
        "[LBFGS] LBFGS requires a closure function; got no closure, expected a function that "
        "computes the loss and its gradients; try step([&] { optimizer.zero_grad(); Tensor "
        "loss = ...; loss.backward(); return loss; })");
}

TEST_CASE("line searches satisfy the strong Wolfe conditions" * doctest::test_suite("host")) {
    const struct {
        std::function<double(double)> loss, slope;
    } all[] = {
        {[](double t) { return (t - 3) * (t - 3); }, [](double t) { return 2 * (t - 3); }},
        {[](double t) { return std::cosh(t - 20) - 1; },
         [](double t) { return std::sinh(t - 20); }},
        {[](double t) { return -t / (t * t + 2); },
         [](double t) { return (t * t - 2) / ((t * t + 2) * (t * t + 2)); }},
    };
    for (std::size_t i = 0; i < std::size(all); ++i) {
        CAPTURE(i);
        for (double first : {1e-3, 0.1, 1.0, 10.0, 100.0}) {
            CAPTURE(first);
            int64_t evaluations = 0;
            const ops::line_point found =
                searched(all[i].loss, all[i].slope, first, 25, evaluations);
            CHECK(evaluations <= 26);
            CHECK(found.loss == all[i].loss(found.at));
            CHECK(found.loss <= all[i].loss(0) + 1e-4 * found.at * all[i].slope(0));
            CHECK(std::abs(found.slope) <= -0.9 * all[i].slope(0));
        }
    }
    // Without steps, the better one of both points.
    int64_t evaluations = 0;
    CHECK(searched(all[0].loss, all[0].slope, 100, 0, evaluations).at == 0);
    CHECK(searched(all[0].loss, all[0].slope, 1, 0, evaluations).at == 1);
    CHECK(evaluations == 2);
}
