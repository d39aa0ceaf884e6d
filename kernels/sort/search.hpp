// Searches in sorted rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// inputs: values, then sorted rows along the last dimension with the other sizes of the values,
/// then optionally indices (Long) that sort those rows. Returns the insertion position of each
/// value, as Int or Long; after equal elements if numbers[0].
extern const kernel_op searchsorted_op;
/// inputs: elements, then a vector, both of one dtype. Returns Bool: true if an element is in the
/// vector; inverted if numbers[0].
extern const kernel_op isin_op;

}  // namespace sinter::ordering
