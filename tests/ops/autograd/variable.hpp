// Tensors that require a gradient.
#pragma once

#include <sinter/sinter.hpp>

#include <vector>

namespace sinter::test {

inline Tensor variable(std::vector<double> values) {
    return tensor(values, kDouble).requires_grad_();
}

}  // namespace sinter::test
