// Gradients of tensors whose elements share memory, and of views of them.
#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

using namespace sinter;
using autograd::gradcheck;
using autograd::gradgradcheck;
using autograd::variable_list;

TEST_CASE("views of expanded tensors have gradients, real and complex") {
    manual_seed(1);
    for (const ScalarType dtype : {kDouble, kComplexDouble}) {
        CAPTURE(dtype);
        const Tensor a = randn({1, 2}, dtype).eval().requires_grad_();
        const auto check = [&](auto f) {
            CHECK(gradcheck(f, {a}, 1e-6, 1e-5, 1e-3, true, true, true));
            CHECK(gradgradcheck(f, {a}));
        };
        check([](const variable_list& x) -> variable_list {
            return {x[0].expand({3, 2}).view({3, 2}) * x[0]};
        });
        check([](const variable_list& x) -> variable_list {
            return {x[0].expand({3, 2}).select(0, 1) * x[0]};
        });
        check([](const variable_list& x) -> variable_list {
            return {x[0].expand({3, 2}).t() * x[0].expand({3, 2}).t()};
        });
        check([](const variable_list& x) -> variable_list {
            return {x[0].expand({3, 2}).as_strided({2, 2}, {0, 1}) * x[0]};
        });
    }
}

TEST_CASE("elements of a leaf that share memory share the gradients of its views") {
    for (const ScalarType dtype : {kDouble, kComplexDouble}) {
        const Tensor wide = ones({1, 2}, dtype).expand({3, 2}).detach().requires_grad_();
        const Tensor y = wide.t() * wide.t();
        (y.is_complex() ? real(y) : y).sum().backward();
        CHECK(wide.grad().sizes() == wide.sizes());
        CHECK(allclose(wide.grad(), full({3, 2}, 2, dtype)));
    }
}

TEST_CASE(
    "a saved expanded tensor has the gradient of its elements, not of all that share memory") {
    manual_seed(2);
    const auto f = [](const variable_list& x) -> variable_list {
        const Tensor wide = x[0].expand({3, 2});
        return {matmul(wide.t(), wide)};
    };
    const Tensor a = randn({1, 2}, kDouble).eval().requires_grad_();
    CHECK(gradgradcheck(f, {a}));
}
