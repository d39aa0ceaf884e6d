// Limits on gradients.
#include "tests/ops/check.hpp"

#include <sinter/functions/clip_grad.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace sinter;
using namespace sinter::nn::utils;
using test::check;

namespace {

Tensor with_gradient(std::vector<double> gradient) {
    const Tensor p = zeros({static_cast<int64_t>(gradient.size())}, kDouble).requires_grad_();
    p.mutable_grad() = tensor(gradient, kDouble);
    return p;
}

/// `gradients` divided by norm + 1e-6.
std::vector<double> unit(std::vector<double> gradients, double norm) {
    for (double& g : gradients) g *= 1 / (norm + 1e-6);
    return gradients;
}

}  // namespace

TEST_CASE("gradients are scaled to a norm of all together") {
    test::for_each_mode([] {
        const Tensor a = with_gradient({1, 2}), b = with_gradient({-2, 4}), c = zeros({2}, kDouble);
        CHECK(clip_grad_norm_({a, c, b}, 1) == 5);
        check<double>(a.grad(), {2}, unit({1, 2}, 5));
        check<double>(b.grad(), {2}, unit({-2, 4}, 5));
        CHECK(!c.grad().defined());

        const Tensor d = with_gradient({3, 4});
        CHECK(clip_grad_norm_(d, 5.5) == 5);  // short enough
        check<double>(d.grad(), {2}, {3, 4});
        CHECK(clip_grad_norm_(d, 1, 1) == 7);
        check<double>(d.grad(), {2}, unit({3, 4}, 7));
        const Tensor e = with_gradient({-8, 4});
        CHECK(clip_grad_norm_({e, with_gradient({2})}, 1, INFINITY) == 8);
        check<double>(e.grad(), {2}, unit({-8, 4}, 8));
        CHECK(clip_grad_norm_(std::vector<Tensor>{c}, 1) == 0);
    });
}

TEST_CASE("gradients without a finite norm are scaled, or refused") {
    const Tensor a = with_gradient({1, INFINITY}), b = with_gradient({1, 2});
    CHECK_ERROR(Error, clip_grad_norm_({a, b}, 1, 2, true),
                "[clip_grad_norm_] The total norm of order 2 for gradients from `parameters` is "
                "non-finite, so it cannot be clipped; got inf, expected a finite norm; try "
                "error_if_nonfinite = false, to scale them all the same");
    check<double>(b.grad(), {2}, {1, 2});
    CHECK(std::isinf(clip_grad_norm_({a, b}, 1)));
    check<double>(a.grad(), {2}, {0, test::nan64});
    check<double>(b.grad(), {2}, {0, 0});
}

TEST_CASE("elements of gradients are limited") {
    test::for_each_mode([] {
        const Tensor a = with_gradient({-3, -1, 0.5, 2}), b = zeros({2}, kDouble);
        clip_grad_value_({a, b}, 1);
        check<double>(a.grad(), {4}, {-1, -1, 0.5, 1});
        clip_grad_value_(a, 0.25);
        check<double>(a.grad(), {4}, {-0.25, -0.25, 0.25, 0.25});
        const Tensor z = zeros({1}, kComplexDouble);
        z.mutable_grad() = ones({1}, kComplexDouble);
        CHECK_THROWS_AS(clip_grad_value_(z, 1), Error);
    });
}
