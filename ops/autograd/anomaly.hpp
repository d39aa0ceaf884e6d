// Anomaly mode: each node runs at once, and NaN that it makes is an error at its name.
#pragma once

#include <sinter/autograd/node.hpp>

namespace sinter::inline v1::autograd {

/// In anomaly mode, computes the gradients and throws Error if one has a NaN.
void check_anomaly(const Node& n, const variable_list& gradients);

}  // namespace sinter::inline v1::autograd
