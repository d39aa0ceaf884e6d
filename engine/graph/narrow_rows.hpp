// Rows that depend on the spacing of numbers, for 16-bit floats held in Float. They expand into
// formulas over Float rows; the final rounding to the 16-bit type gives the result.
#pragma once

#include "engine/graph/complex_rows.hpp"
#include "runtime/types/dtypes.hpp"

namespace sinter::inline v1 {

/// Returns true if a row computed in this dtype expands into such a formula.
constexpr bool is_narrow_formula(op::id row, ScalarType in) {
    return row == op::nextafter && is_narrow_float(in);
}
inline bool is_narrow_formula(const typed_op& o) {
    return o.what == typed_op::kind::row && is_narrow_formula(static_cast<op::id>(o.id), o.in);
}

/// Returns an operation for the number of dtype `type` next to `a` in the direction of `b`. Both
/// are operations of that dtype.
int32_t narrow_nextafter(parts_builder& to, ScalarType type, int32_t a, int32_t b);

}  // namespace sinter::inline v1
