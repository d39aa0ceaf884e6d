// Contractions of two tensors with labelled dimensions, for einsum and tensordot.
#pragma once

#include "ops/products/labels.hpp"

#include <sinter/tensor.hpp>

namespace sinter::ops {

/// A tensor without dimensions of size 1, and a label for each dimension. A label without a
/// dimension broadcasts.
struct labelled {
    Tensor value;
    label_list labels;
};

/// Returns a view of `t` whose dimensions have these labels; a repeated label takes the diagonal.
labelled label(const char* op, const Tensor& t, const label_list& labels);

/// Returns the sums over some dimensions.
labelled sum_over(const labelled& t, const label_set& summed, optional<ScalarType> dtype = nullopt);

/// Returns the product, summed over the labels that are in both operands and not in `kept`. All
/// other labels must be in `kept`. A sum that is a matrix product is one library call, on views if
/// the strides allow. Other sums and products are fused kernels. The dimensions of the result are
/// in the order of `target` if that costs nothing.
labelled contract(const char* op, const labelled& a, const labelled& b, const label_set& kept,
                  const label_list& target);

/// Returns a view with its dimensions in this order; missing ones have size 1.
Tensor arranged(const labelled& t, const label_list& order);

}  // namespace sinter::ops
