// InferenceMode, and the tensors that are made in it.
#include "tests/ops/autograd/variable.hpp"
#include "tests/ops/check.hpp"

#include <sinter/functions/compile.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using test::check;
using test::error_of;
using test::variable;

namespace {

/// Calls f in inference mode.
template <class F>
auto inferred(const F& f) {
    const InferenceMode mode;
    return f();
}

}  // namespace

TEST_CASE("InferenceMode: nothing is recorded, whatever AutoGradMode says") {
    test::for_each_mode([] {
        const Tensor x = variable({1, 2});
        {
            const InferenceMode mode;
            CHECK(InferenceMode::is_enabled());
            CHECK_FALSE((x * 2).requires_grad());
            const AutoGradMode on(true);
            CHECK_FALSE(GradMode::is_enabled());
            CHECK_FALSE((x * 2).requires_grad());
            const InferenceMode off(false);
            CHECK_FALSE(InferenceMode::is_enabled());
            CHECK((x * 2).requires_grad());
        }
        CHECK_FALSE(InferenceMode::is_enabled());
        CHECK(GradMode::is_enabled());
    });
}

TEST_CASE("InferenceMode: what it makes, and views of that, are inference tensors") {
    test::for_each_mode([] {
        const Tensor x = variable({1, 2, 3});
        CHECK_FALSE(x.is_inference());
        const Tensor y = inferred([&] { return Tensor(x * 2); });
        CHECK(y.is_inference());
        CHECK(y[0].is_inference());
        CHECK(y.detach().is_inference());
        CHECK(inferred([] { return zeros({2}); }).is_inference());
        CHECK(inferred([&] { return x.sum(); }).is_inference());
        CHECK(inferred([&] { return std::get<0>(x.sort()); }).is_inference());
        CHECK(inferred([&] { return x.clone(); }).is_inference());
        CHECK_FALSE(inferred([&] { return x.slice(0, 1); }).is_inference());
        CHECK_FALSE(inferred([&] { return x.detach(); }).is_inference());
        CHECK_FALSE(y.clone().is_inference());
        CHECK_FALSE(Tensor(y + 1).is_inference());
        check<double>(y + x.detach(), {3}, {3, 6, 9});
    });
}

TEST_CASE("InferenceMode: a write outside throws, and changes nothing") {
    test::for_each_mode([] {
        Tensor y = inferred([] { return test::values({1, 2, 3}); });
        const std::string said = error_of([&] { y.add_(1); });
        CHECK(said.find("[add_] Inplace update to inference tensor outside InferenceMode is not "
                        "allowed; got a tensor that was made in inference mode, expected an "
                        "ordinary tensor; try clone() first") != std::string::npos);
        const auto refused = [](const auto& f) {
            return error_of(f).find("Inplace update to inference tensor") != std::string::npos;
        };
        CHECK(refused([&] { y += test::values({1, 1, 1}); }));
        CHECK(refused([&] { y[0] = 5.0; }));
        CHECK(refused([&] { y.slice(0, 1).zero_(); }));
        CHECK(refused([&] { y.copy_(test::values({1, 1, 1})); }));
        CHECK(refused([&] { y.index_put_({tensor({0})}, test::values({9})); }));
        CHECK(refused([&] { y.masked_fill_(y > 1, 0); }));
        CHECK(refused([&] { y.normal_(); }));
        CHECK(refused([&] { add_out(y, y, y); }));
        CHECK(refused([&] { cumsum_out(y, y, 0); }));
        {
            const NoGradGuard guard;
            CHECK(refused([&] { y.mul_(2); }));
        }
        check<double>(y, {3}, {1, 2, 3});
        inferred([&] { return y.add_(1); });
        check<double>(y, {3}, {2, 3, 4});
        Tensor own = y.clone();
        own.add_(1);
        check<double>(own, {3}, {3, 4, 5});
        // An ordinary tensor may be written inside.
        Tensor x = test::values({1, 2});
        const uint64_t before = x._version();
        inferred([&] { return x.add_(1); });
        CHECK(x._version() == before + 1);
        CHECK_FALSE(x.is_inference());
        check<double>(x.add_(1), {2}, {3, 4});
    });
}

TEST_CASE("InferenceMode: its tensors are not saved for a gradient") {
    test::for_each_mode([] {
        const Tensor w = variable({1, 2}), y = inferred([] { return test::values({3, 4}); });
        const std::string said = error_of([&] { (w * y).sum().backward(); });
        CHECK(said.find("Inference tensors cannot be saved for backward; got a Double tensor of "
                        "shape [2] that was made in inference mode, expected an ordinary tensor; "
                        "try clone() outside of InferenceMode, or NoGradGuard instead of it") !=
              std::string::npos);
        CHECK_FALSE(w.grad().defined());
        // A sum does not read its operands.
        (w + y).sum().backward();
        check<double>(w.grad(), {2}, {1, 1});
        (w * y.clone()).sum().backward();
        check<double>(w.grad(), {2}, {4, 5});
        CHECK(error_of([&] { matmul(w, y).backward(); }).find("cannot be saved") !=
              std::string::npos);
        CHECK(error_of([&] { (w * y[0]).sum().backward(); }).find("cannot be saved") !=
              std::string::npos);
        {
            const NoGradGuard guard;
            check<double>(w * y, {2}, {3, 8});
        }
    });
}

TEST_CASE("InferenceMode: versions and leaves") {
    const Tensor y = inferred([] { return test::values({1, 2}); });
    CHECK(error_of([&] {
              y._version();
          }).find("[_version] Inference tensors do not track version counter") !=
          std::string::npos);
    CHECK(error_of([&] { y.requires_grad_(); })
              .find("Setting requires_grad=True on inference tensor outside InferenceMode is not "
                    "allowed") != std::string::npos);
    CHECK_FALSE(y.requires_grad());
    CHECK_FALSE(y.requires_grad_(false).requires_grad());
    const Tensor leaf = inferred([] { return test::values({1, 2}).requires_grad_(); });
    CHECK(leaf.requires_grad());
    (leaf + 1).sum().backward();
    check<double>(leaf.grad(), {2}, {1, 1});
}

TEST_CASE("InferenceMode: compiled functions give tensors of the mode of the call") {
    const auto twice = compile([](const Tensor& x) { return Tensor(x * 2 + 1); });
    const auto adding = compile([](Tensor x) { x.add_(1); });
    const Tensor x = test::values({1, 2});
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(twice(x).is_inference());
        const Tensor y = inferred([&] { return twice(x); });
        CHECK(y.is_inference());
        check<double>(y, {2}, {3, 5});
        Tensor ordinary = x.clone();
        adding(ordinary);
        check<double>(ordinary, {2}, {2, 3});
        CHECK(error_of([&] { adding(y); }).find("Inplace update") != std::string::npos);
        inferred([&] { adding(y); });
        check<double>(y, {2}, {4, 6});
    }
}
