// Rewrites complex programs as real ones. Runs directly after type inference, which decides which
// values are complex, so that everything that executes a program sees real values only. A complex
// operand is read twice, once per part, and a complex result becomes two results.
#pragma once

#include "engine/graph/infer.hpp"

namespace sinter::inline v1 {

/// Rewrites complex operations, and rows on 16-bit floats that expand into formulas
/// (narrow_rows.hpp). Leaves a program without either unchanged.
void split_complex(typed_program& p);

}  // namespace sinter::inline v1
