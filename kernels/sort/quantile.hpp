// Quantiles of rows.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

enum class interpolation : uint8_t { linear, lower, higher, midpoint, nearest };

struct quantile_attributes {
    int64_t dim;
    interpolation how;
    bool ignore_nan;
    bool operator==(const quantile_attributes&) const = default;
};

/// inputs: Float or Double rows along the dimension of the attributes, and a vector q of the same
/// dtype. The result has the size of q along that dimension. Arithmetic is in the dtype.
/// Attributes: quantile_attributes.
extern const kernel_op quantile_op;

}  // namespace sinter::ordering
