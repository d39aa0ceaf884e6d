// The gradient node of a hand-written kernel or a library call.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

intrusive_ptr<recorded_gradient> make_library_gradient(const kernel_op& op,
                                                       std::span<const leaf> inputs,
                                                       const attributes_ptr& attributes);

}  // namespace sinter::inline v1::autograd
