// Derivatives of the digamma function: an opaque operation, whose loop's length depends on its
// operand.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::zeta {

/// The sum of (q + k)^-s over k >= 0 (Hurwitz's zeta function), s >= 2. Infinite at a pole.
double hurwitz_zeta(int64_t s, double q);
struct polygamma_attributes {
    int64_t order;  // 2 or more
    bool operator==(const polygamma_attributes&) const = default;
};

/// Of inputs[0], a Float or Double. Attributes: polygamma_attributes.
extern const kernel_op polygamma;
/// What it does, as its `on_gpu`.
bool polygamma_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::zeta
