// Searches in sorted rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

struct search_attributes {
    bool right;  // after equal elements
    bool operator==(const search_attributes&) const = default;
};
struct isin_attributes {
    bool invert;
    bool operator==(const isin_attributes&) const = default;
};

/// inputs: values, then sorted rows along the last dimension with the values' other sizes, then
/// perhaps indices (Long) that sort those. Where each value belongs, as Int or Long. Attributes:
/// search_attributes.
extern const kernel_op searchsorted_op;
/// inputs: elements, then a vector, both of one dtype. True (Bool) where an element is in the
/// vector, or is not where `invert`. Attributes: isin_attributes.
extern const kernel_op isin_op;

}  // namespace sinter::ordering
