// The gradient node of a reduction.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

/// `reduced`: the dimensions that are reduced, one bit each.
intrusive_ptr<recorded_gradient> make_reduction_gradient(op::reduction row, const leaf& source,
                                                         ScalarType in, uint64_t reduced,
                                                         double correction);

}  // namespace sinter::inline v1::autograd
