// Derivatives of the digamma function. The operation is opaque because its loop depends on values.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::zeta {

/// Returns the Hurwitz zeta function: the sum of (q + k)^-s over k >= 0, for s >= 2. Infinite at a
/// pole.
double hurwitz_zeta(int64_t s, double q);
struct polygamma_attributes {
    int64_t order;  // 2 or more
    bool operator==(const polygamma_attributes&) const = default;
};

/// inputs[0] is Float or Double. Attributes: polygamma_attributes.
extern const kernel_op polygamma;
/// `polygamma.on_gpu`.
bool polygamma_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::zeta
