// Declarations of what tensor.hpp names before it is defined.
#pragma once

#include <sinter/config.hpp>
#include <sinter/op/op.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sinter::inline v1 {

using std::nullopt;
using std::optional;

class Tensor;
class tensor_base;
class Stream;  // cuda.hpp
class TypedStorage;
struct TensorImpl;
class TensorIndex;
class number_list;
/// Counts the handles of a tensor, for intrusive_ptr.
///@{
SINTER_API void retain(TensorImpl* t);
SINTER_API void release(TensorImpl* t);
///@}

/// The plain pointer with which accessors hold their elements.
template <class T>
struct DefaultPtrTraits {
    /// The pointer's type.
    using PtrType = T*;
};
/// The pointer of an accessor that promises that no other pointer reaches its elements.
template <class T>
struct RestrictPtrTraits {
    /// The pointer's type.
    using PtrType = T* __restrict__;
};
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class I = int64_t>
class TensorAccessor;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class I = int64_t>
class GenericPackedTensorAccessor;

/// Stands for a tensor in an expression's type.
struct tensor_operand {
    /// How many tensors and numbers it stands for.
    ///@{
    static constexpr int leaves = 1, scalars = 0;
    ///@}
};
/// Stands for a number in an expression's type.
struct number_operand {
    /// How many tensors and numbers it stands for.
    ///@{
    static constexpr int leaves = 0, scalars = 1;
    ///@}
};
/// A pointwise expression: one operation on operands, which are of the two types above or
/// expressions. Defined in expr/expr.hpp.
template <op::id Op, class... Operands>
class expr;

/// The expressions that one operation on tensors, or on a tensor and a number, returns.
///@{
template <op::id Op>
using unary_expr = expr<Op, tensor_operand>;
template <op::id Op>
using binary_expr = expr<Op, tensor_operand, tensor_operand>;
template <op::id Op>
using scalar_expr = expr<Op, tensor_operand, number_operand>;
///@}

namespace detail {
class expr_base;  // of all expressions
}

}  // namespace sinter::inline v1
