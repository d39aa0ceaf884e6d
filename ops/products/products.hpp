// Products of vectors and matrices as nodes, for functions composed of them.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns the common dtype. Throws unless the operands have one dtype, which must not be Bool.
/// `name` is used in errors.
ScalarType product_dtype(const char* name, const TensorImpl& a, const TensorImpl& b);
inline constexpr const char* no_bool_product = ".to(kLong) first, or & and any()";
/// Throws Error unless the sizes that a product sums over are equal.
void require_inner(const char* name, const TensorImpl& a, const TensorImpl& b, int64_t a_size,
                   int64_t b_size);
[[noreturn]] void refuse_inner(const char* name, const TensorImpl& a, const TensorImpl& b,
                               const std::string& expected,
                               const char* remedy = "transpose(-2, -1) on one of them");
/// Throws Error unless the operands have these numbers of dimensions.
void require_ranks(const char* name, const TensorImpl& a, const TensorImpl& b, int32_t a_dims,
                   int32_t b_dims);
/// Throws Error unless both operands are batches of equally many matrices.
void require_batches(const char* name, const TensorImpl& a, const TensorImpl& b);

struct conjugates {
    bool a = false, b = false;
};

/// Returns the matmul of operands with at least one dimension, as a pending library call named by
/// `op`. Either operand may be taken conjugated.
Tensor product(const char* name, const kernel_op& op, const tensor_base& a, const tensor_base& b,
               conjugates c = {});

}  // namespace sinter::ops
