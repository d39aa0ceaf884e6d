// Functions that are computed again for their gradients.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using autograd::variable_list;
using test::check;
using test::variable;

TEST_CASE("checkpoint: the same gradients, from a second run of the function") {
    test::for_each_mode([] {
        manual_seed(3);
        const Tensor w = variable({2, 3});
        int runs = 0;
        const auto f = [&](const variable_list& x) -> variable_list {
            ++runs;
            const Tensor mask = Tensor(rand({2}, kDouble) < 0.5).to(kDouble);
            return {sin(x[0] * w) * mask, x[0] + x[1]};
        };
        const Tensor x = variable({0.5, 1}), y = variable({1, 1});
        manual_seed(7);
        const variable_list plain = f({x, y});
        (plain[0].sum() + (plain[1] * plain[1]).sum()).backward();
        const Tensor expected_x = x.grad().clone().eval(), expected_w = w.grad().clone().eval(),
                     expected_y = y.grad().clone().eval();
        for (const Tensor& t : {x, y, w}) t.grad().zero_();
        manual_seed(7);
        runs = 0;
        const variable_list kept = utils::checkpoint(f, {x, y});
        CHECK(runs == 1);
        CHECK(equal(kept[0].detach(), plain[0].detach()));
        const Tensor later = rand({3}).eval();  // drawing goes on
        (kept[0].sum() + (kept[1] * kept[1]).sum()).backward();
        CHECK(runs == 2);
        CHECK(equal(x.grad(), expected_x));
        CHECK(equal(y.grad(), expected_y));
        CHECK(equal(w.grad(), expected_w));
        CHECK_FALSE(equal(rand({3}), later));
    });
}

TEST_CASE("checkpoint: without gradients, and of gradients") {
    int runs = 0;
    const auto f = [&](const variable_list& x) -> variable_list {
        ++runs;
        return {x[0].exp()};
    };
    CHECK_FALSE(utils::checkpoint(f, {ones({2})})[0].requires_grad());
    CHECK(runs == 1);
    const Tensor x = variable({1, 2});
    const Tensor y = utils::checkpoint(f, {x})[0].sum();
    CHECK_THROWS_AS(autograd::grad({y}, {x}, {}, std::nullopt, true), NotImplementedError);
    check<double>(autograd::grad({y}, {x})[0] / x.detach().exp(), {2}, {1, 1});
}

TEST_CASE("checkpoint: forward mode computes the function again, too") {
    const auto f = [](const variable_list& x) {
        return variable_list{sin(x[0]) * x[1], Tensor(x[1].exp() + rand({2}, kDouble))};
    };
    const auto kept = [&](const variable_list& x) { return f(x); };
    const auto again = [&](const variable_list& x) { return utils::checkpoint(f, x); };
    const variable_list x{tensor({1.0, 2.0}, kDouble), tensor({3.0, 5.0}, kDouble)},
        t{tensor({1.0, -1.0}, kDouble), tensor({0.5, 2.0}, kDouble)};
    const auto [y, dy] = func::jvp(kept, x, t);
    const auto [z, dz] = func::jvp(again, x, t);
    for (std::size_t i = 0; i < 2; ++i) CHECK(dz[i].equal(dy[i]));
    const auto column = [&](const auto& g) {
        return func::jacfwd([&](const Tensor& a) { return g({a, x[1]})[0]; })(x[0]);
    };
    CHECK(column(again).equal(column(kept)));
}
