// Products of two tensors with labelled dimensions, of which some are summed over: what einsum and
// tensordot are made of.
#pragma once

#include "ops/products/labels.hpp"

#include <sinter/tensor.hpp>

namespace sinter::front {

/// A tensor without dimensions of size 1, and a label for each dimension. The labels of the missing
/// ones are missing: they broadcast.
struct labelled {
    Tensor value;
    label_list labels;
};

/// A view of `t`, whose dimensions have these labels: the diagonal where one is repeated.
labelled label(const char* op, const Tensor& t, const label_list& labels);

/// The sums over some dimensions.
labelled sum_over(const labelled& t, const label_set& summed, optional<ScalarType> dtype = nullopt);

/// The product of both, summed over the labels that both have and `kept` has not; all others are in
/// `kept`. A sum over the product of matrices is one library call, of views where their strides
/// allow; other sums, and products, are fused kernels. The dimensions of the result come in some
/// order, if nothing speaks against it that of `target`.
labelled contract(const char* op, const labelled& a, const labelled& b, const label_set& kept,
                  const label_list& target);

/// A view whose dimensions come in this order; those that are missing have size 1.
Tensor arranged(const labelled& t, const label_list& order);

}  // namespace sinter::front
