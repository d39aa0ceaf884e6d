// The gradient node of a pointwise statement.
#pragma once

#include "engine/graph/gradient.hpp"

#include <span>

namespace sinter::inline v1::autograd {

intrusive_ptr<recorded_gradient> make_statement_gradient(const typed_program& code,
                                                         std::span<const leaf> leaves,
                                                         std::span<const Scalar> scalars);

}  // namespace sinter::inline v1::autograd
