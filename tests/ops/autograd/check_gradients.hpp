// Checks of gradients at random inputs, and inputs at which functions of matrices have gradients.
#pragma once

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace sinter::test::gradients {

using autograd::checked_function;
using autograd::gradcheck;
using autograd::gradgradcheck;
using autograd::variable_list;

using sizes_list = std::vector<std::vector<int64_t>>;

inline constexpr ScalarType real_and_complex[] = {kDouble, kComplexDouble};

/// Checks first and second derivatives of `f`, in both modes, at random numbers of these sizes.
inline void check_function(const checked_function& f, const sizes_list& sizes, bool twice = true) {
    for (const ScalarType dtype : real_and_complex) {
        variable_list inputs;
        for (const auto& s : sizes) inputs.push_back(randn(s, dtype).eval().requires_grad_());
        CAPTURE(dtype);
        CAPTURE(sizes[0]);
        CHECK(gradcheck(f, inputs, 1e-6, 1e-5, 1e-3, true, true, true));
        if (twice) CHECK(gradgradcheck(f, inputs, {}, 1e-6, 1e-5, 1e-3, true, true));
        if (inputs.size() < 2) continue;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            variable_list one;
            for (std::size_t k = 0; k < inputs.size(); ++k)
                one.push_back(k == i ? inputs[k] : inputs[k].detach());
            CHECK(gradcheck(f, one, 1e-6, 1e-5, 1e-3, true, true, true));
        }
    }
}

/// Checks a function of one matrix.
inline void check_matrices(const std::function<Tensor(const Tensor&)>& f, const sizes_list& of,
                           bool twice = true) {
    for (const auto& sizes : of)
        check_function([&](const variable_list& x) -> variable_list { return {f(x[0])}; }, {sizes},
                       twice);
}

/// A matrix with a positive definite Hermitian part.
inline Tensor positive_definite(const Tensor& x) {
    return matmul(x, x.mH()) + eye(x.size(-1), x.detach().options());
}
inline Tensor hermitian_of(const Tensor& x) { return x + x.mH(); }
/// A matrix with singular values and eigenvalues apart from each other and from 0.
inline Tensor spread_out(const Tensor& x) {
    const int64_t m = x.size(-2), n = x.size(-1);
    return x * 0.3 +
           diag_embed(arange(1, std::max(m, n) + 1, kDouble) * 2).narrow(0, 0, m).narrow(1, 0, n);
}
/// The part of a decomposition's vectors that phases do not change.
inline Tensor magnitudes(const Tensor& vectors) { return abs(vectors).square(); }

}  // namespace sinter::test::gradients
