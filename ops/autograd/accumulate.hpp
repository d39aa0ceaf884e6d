// The gradient node of a leaf, which adds to its `grad`.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

intrusive_ptr<Node> make_accumulator(gradient_family& family);

}  // namespace sinter::inline v1::autograd
