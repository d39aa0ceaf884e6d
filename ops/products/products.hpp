// Products of vectors and matrices as nodes, for the functions that are made of them.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::front {

/// Throws unless both operands have one dtype and it is a number's; `name` is whose error it is.
ScalarType product_dtype(const char* name, const TensorImpl& a, const TensorImpl& b);
/// Throws unless they have as many dimensions.
void require_ranks(const char* name, const TensorImpl& a, const TensorImpl& b, int32_t a_dims,
                   int32_t b_dims);
/// Throws unless they are batches of as many matrices.
void require_batches(const char* name, const TensorImpl& a, const TensorImpl& b);

struct conjugates {
    bool a = false, b = false;
};

/// matmul of operands with one dimension or more, as a pending library call that is named by `op`;
/// either operand may be taken conjugated.
Tensor product(const char* name, const kernel_op& op, const TensorImpl& a, const TensorImpl& b,
               conjugates c = {});

/// "shapes [2, 3] and [3]"
std::string shapes(const TensorImpl& a, const TensorImpl& b);

}  // namespace sinter::front
