// What the graph learns of differentiation.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

/// Makes the graph make gradient nodes. Called before a tensor requires a gradient.
void install_rules();

}  // namespace sinter::inline v1::autograd
