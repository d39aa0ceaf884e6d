// Complex programs as real ones. Stands right behind type inference, which decides where a value is
// complex, and before all that computes: whatever runs a program sees real values only. A complex
// operand is read twice, once for each part, and a complex result is two results.
#pragma once

#include "engine/graph/infer.hpp"

namespace sinter::inline v1 {

/// Rewrites the operations, and rows on narrow floats that are formulas (narrow_rows.hpp); a
/// program without either stays as it is.
void split_complex(typed_program& p);

}  // namespace sinter::inline v1
