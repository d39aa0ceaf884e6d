// Comparison of gradients with finite differences, in all that a function takes.
#pragma once

#include <sinter/autograd.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sinter::test {

/// Checks the derivatives of f in both modes, and those of its gradients.
inline void check_gradients(const std::string& name, const autograd::checked_function& f,
                            const std::vector<Tensor>& inputs, bool twice = true) {
    CAPTURE(name);
    std::string why;
    try {
        autograd::gradcheck(f, inputs, 1e-6, 1e-5, 1e-3, true, true, true);
        if (twice) autograd::gradgradcheck(f, inputs, {}, 1e-6, 1e-5, 1e-3, true, true);
    } catch (const std::exception& e) {
        why = e.what();
    }
    CAPTURE(why);
    CHECK(why.empty());
}

/// A leaf of normal numbers, none of which is near another.
inline Tensor some(IntArrayRef sizes, ScalarType dtype = kDouble) {
    return randn(sizes, dtype).requires_grad_();
}
/// A leaf of distinct numbers that lie at least 0.1 apart, in random order.
inline Tensor apart(IntArrayRef sizes) {
    int64_t n = 1;
    for (const int64_t s : sizes) n *= s;
    return ((randperm(n).to(kDouble) - n / 2) * 0.3 + 0.11).reshape(sizes).requires_grad_();
}

}  // namespace sinter::test
