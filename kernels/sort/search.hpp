// Searches in sorted rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

struct search_attributes {
    bool right;  // insert after equal elements
    bool operator==(const search_attributes&) const = default;
};
struct isin_attributes {
    bool invert;
    bool operator==(const isin_attributes&) const = default;
};

/// inputs: values, then sorted rows along the last dimension with the other sizes of the values,
/// then optionally indices (Long) that sort those rows. Returns the insertion position of each
/// value, as Int or Long. Attributes: search_attributes.
extern const kernel_op searchsorted_op;
/// inputs: elements, then a vector, both of one dtype. Returns Bool: true if an element is in the
/// vector, or, with `invert`, if it is not. Attributes: isin_attributes.
extern const kernel_op isin_op;

}  // namespace sinter::ordering
