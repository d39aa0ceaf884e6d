// Tensors of given values, some of which require a gradient, and the texts of errors.
#pragma once

#include <sinter/sinter.hpp>

#include <string>
#include <vector>

namespace sinter::test {

inline Tensor values(std::vector<double> v) { return tensor(v, kDouble); }

inline Tensor variable(std::vector<double> values) {
    return tensor(values, kDouble).requires_grad_();
}

/// Returns the text of the error that f throws, or "".
template <class F>
std::string error_of(const F& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

}  // namespace sinter::test
