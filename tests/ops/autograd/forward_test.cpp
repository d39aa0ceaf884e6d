// Forward mode: levels, dual tensors, and functions with rules of their own. That each function has
// a derivative in forward mode is checked beside its gradient (gradient_rows.hpp).
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <sinter/func.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using test::check;
using test::error_of;
using test::values;
using test::variable;
namespace forward_ad = sinter::autograd::forward_ad;
using autograd::AutogradContext;
using autograd::variable_list;

namespace {

/// x^2 with the derivative 5 t, and 7 g in reverse, which tells them apart.
struct own_rules : autograd::Function<own_rules> {
    static Tensor forward(AutogradContext* c, const Tensor& x, double) {
        c->save_for_backward({x});
        return x * x;
    }
    static variable_list backward(AutogradContext*, variable_list g) {
        return {g[0] * 7, Tensor()};
    }
    static variable_list jvp(AutogradContext* c, variable_list t) {
        CHECK(t.size() == 2);
        CHECK_FALSE(t[1].defined());
        CHECK(c->get_saved_variables().size() == 1);
        return {t[0] * 5};
    }
};

/// x^3 without jvp.
struct cube : autograd::Function<cube> {
    static Tensor forward(AutogradContext* c, const Tensor& x) {
        c->save_for_backward({x});
        return x * x * x;
    }
    static variable_list backward(AutogradContext* c, variable_list g) {
        const Tensor x = c->get_saved_variables()[0];
        return {g[0] * 3 * x * x};
    }
};

struct too_many : autograd::Function<too_many> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x + 1; }
    static variable_list backward(AutogradContext*, variable_list g) { return g; }
    static variable_list jvp(AutogradContext*, variable_list t) { return {t[0], t[0]}; }
};

}  // namespace

TEST_CASE("forward_ad: tangents follow statements, views and writes") {
    test::for_each_mode([] {
        const forward_ad::dual_level level;
        const Tensor x = values({1, 2, 3}), t = values({1, 10, 100});
        const Tensor d = forward_ad::make_dual(x, t);
        const auto [same, own] = forward_ad::unpack_dual(d);
        check<double>(same, {3}, {1, 2, 3});
        check<double>(own, {3}, {1, 10, 100});
        const auto [y, dy] = forward_ad::unpack_dual(d * d + 1);
        check<double>(y, {3}, {2, 5, 10});
        check<double>(dy, {3}, {2, 40, 600});
        CHECK_FALSE(y.requires_grad());
        CHECK_FALSE(dy.requires_grad());
        check<double>(forward_ad::unpack_dual(d.flip(0).narrow(0, 0, 2).sum()).tangent, {}, {110});
        const Tensor w = d * 2;
        w[1] = 7;
        w.narrow(0, 0, 1).mul_(d[2]);
        const auto [z, dz] = forward_ad::unpack_dual(w);
        check<double>(z, {3}, {6, 7, 6});
        check<double>(dz, {3}, {206, 0, 200});
        CHECK_FALSE(forward_ad::unpack_dual(x * 2).tangent.defined());
    });
}

TEST_CASE("forward_ad: levels end, and nest") {
    const Tensor x = values({2}), one = values({1});
    CHECK_FALSE(forward_ad::unpack_dual(x).tangent.defined());
    Tensor left;
    {
        const forward_ad::dual_level outer;
        const Tensor a = forward_ad::make_dual(x, one);
        {
            const forward_ad::dual_level inner;
            const Tensor b = forward_ad::make_dual(a, one);
            const auto [y, dy] = forward_ad::unpack_dual(b * b * b);
            check<double>(dy, {1}, {12});
            CHECK_FALSE(forward_ad::unpack_dual(dy).tangent.defined());
            check<double>(forward_ad::unpack_dual(dy, 0).tangent, {1}, {12});  // 6 x
            check<double>(forward_ad::unpack_dual(y, 0).tangent, {1}, {12});
            // A tangent of the outer level alone has nothing to do with this one.
            CHECK_FALSE(forward_ad::unpack_dual(a * a).tangent.defined());
        }
        check<double>(forward_ad::unpack_dual(a * a).tangent, {1}, {4});
        left = a * 3;
    }
    CHECK_FALSE(forward_ad::unpack_dual(left).tangent.defined());
    const forward_ad::dual_level next;
    CHECK_FALSE(forward_ad::unpack_dual(left).tangent.defined());
    check<double>(left, {1}, {6});
}

TEST_CASE("forward_ad: beside gradients") {
    const forward_ad::dual_level level;
    const Tensor x = variable({2, 3}), t = variable({1, 4});
    const Tensor d = forward_ad::make_dual(x, t);
    const auto [y, dy] = forward_ad::unpack_dual((d * d * d).sum());
    // dy = sum of 3 x^2 t
    check<double>(dy, {}, {12 + 108});
    const variable_list g = autograd::grad({dy}, {x, t});
    check<double>(g[0], {2}, {12, 72});
    check<double>(g[1], {2}, {12, 27});
    check<double>(autograd::grad({y}, {x})[0], {2}, {12, 27});
    CHECK_FALSE(forward_ad::unpack_dual(y).tangent.defined());
    {
        const NoGradGuard guard;
        CHECK_FALSE(forward_ad::unpack_dual(d * 2).tangent.defined());
    }
}

TEST_CASE("forward_ad: tangents that their own dual tensors were added to are freed") {
    const int64_t before = stats().bytes_live;
    {
        const forward_ad::dual_level level;
        const Tensor t = ones({100}, kDouble), d = forward_ad::make_dual(ones({100}, kDouble), t);
        t.add_(d);
        t.eval();
    }
    CHECK(stats().bytes_live == before);
}

TEST_CASE("forward_ad: errors") {
    const Tensor x = values({1, 2});
    CHECK(
        error_of([&] { forward_ad::make_dual(x, x); }) ==
        "[make_dual] Trying to create a dual Tensor for forward AD but no level exists, make sure "
        "to enter_dual_level() first; got no level, expected a level; try a "
        "forward_ad::dual_level object");
    CHECK(error_of([&] { forward_ad::exit_dual_level(0); }) ==
          "[exit_dual_level] Trying to exit a forward AD level that was not the last one that was "
          "created. This is not supported; got level 0, expected no level at all; try leaving "
          "levels in the opposite order");
    const uint64_t level = forward_ad::enter_dual_level();
    CHECK(level == 0);
    CHECK(error_of([&] { forward_ad::make_dual(x, x, 3); }) ==
          "[make_dual] there is no such forward AD level; got level 3, expected one of 1 levels, "
          "counted from 0; try the number that enter_dual_level() returned");
    CHECK(error_of([&] { forward_ad::make_dual(x, values({1})); }) ==
          "[make_dual] the tangent does not have the shape of the primal; got shapes [2] and [1], "
          "expected the same shape; try expand_as() on the tangent");
    const Tensor whole = tensor({1, 2}, kLong);
    CHECK(error_of([&] { forward_ad::make_dual(whole, whole); }) ==
          "[make_dual] the primal is neither floating point nor complex; got dtype Long, expected "
          "a floating point or complex dtype; try to(kFloat)");
    const Tensor d = forward_ad::make_dual(x, x);
    CHECK(error_of([&] {
              forward_ad::unpack_dual(airy_ai(d));
          }).find("the derivative for 'airy_ai' is not implemented") != std::string::npos);
    const Tensor y = exp(d) * d;
    d.add_(1);
    CHECK(error_of([&] {
              forward_ad::unpack_dual(y);
          }).find("has been modified by an inplace operation") != std::string::npos);
    forward_ad::exit_dual_level(level);
}

TEST_CASE("forward_ad: functions with rules of their own") {
    const auto of = [](const auto& f) {
        return std::get<1>(func::jvp(f, values({1, 2}), values({1, 10})));
    };
    check<double>(of([](const Tensor& x) { return own_rules::apply(x, 2.0); }), {2}, {5, 50});
    check<double>(of([](const Tensor& x) { return Tensor(own_rules::apply(x * 3, 2.0) * 2); }), {2},
                  {30, 300});
    check<double>(of([](const Tensor& x) { return cube::apply(x); }), {2}, {3, 120});
    check<double>(
        func::jacfwd([](const Tensor& x) { return own_rules::apply(x, 2.0); })(values({1, 2})),
        {2, 2}, {5, 0, 0, 5});
    check<double>(func::jacfwd([](const Tensor& x) { return cube::apply(x); })(values({1, 2})),
                  {2, 2}, {3, 0, 0, 12});
    CHECK(error_of([&] { of([](const Tensor& x) { return too_many::apply(x); }); }) ==
          "[jvp] function too_many returned an incorrect number of tangents; got 2, expected 1; "
          "try one tangent for each result of forward, undefined for 0");
}
