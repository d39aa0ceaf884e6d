// Derivatives of programs of rows, which are programs of rows.
#pragma once

#include "ops/autograd/rows/row_program.hpp"

#include <span>

namespace sinter::inline v1::autograd {

/// Returns, for each input, whether an output follows it in a way that has a derivative, be it 0
/// everywhere, as that of floor.
std::vector<bool> followed_inputs(const row_program& of);

/// Forward mode. The inputs are those of `of`, then a tangent for each input that `wanted` names;
/// the outputs are the tangents of the outputs of `of`, or no_value where nothing depends on these
/// inputs. Throws NotImplementedError if a row has no derivative yet.
row_program jvp(const row_program& of, std::span<const bool> wanted);

/// Reverse mode. The inputs are those of `of`, then a gradient for each of its outputs; the outputs
/// are the gradients of the inputs that `wanted` names, or no_value where no output depends on one.
/// Throws NotImplementedError if a row has no derivative yet.
row_program vjp(const row_program& of, std::span<const bool> wanted);

}  // namespace sinter::inline v1::autograd
