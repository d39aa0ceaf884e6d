// What tensor.hpp names before it is defined.
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
SINTER_API void retain(TensorImpl* t);
SINTER_API void release(TensorImpl* t);

/// How an accessor holds its pointer: plainly, or promised to be the only one to its elements.
template <class T>
struct DefaultPtrTraits {
    using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
    using PtrType = T* __restrict__;
};
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class I = int64_t>
class TensorAccessor;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class I = int64_t>
class GenericPackedTensorAccessor;

/// What stands in an expression's type for a tensor, and for a number.
struct tensor_operand {
    static constexpr int leaves = 1, scalars = 0;
};
struct number_operand {
    static constexpr int leaves = 0, scalars = 1;
};
/// A pointwise expression: one operation on operands, which are of the two types above or
/// expressions. Defined in expr/expr.hpp.
template <op::id Op, class... Operands>
class expr;

template <op::id Op>
using unary_expr = expr<Op, tensor_operand>;
template <op::id Op>
using binary_expr = expr<Op, tensor_operand, tensor_operand>;
template <op::id Op>
using scalar_expr = expr<Op, tensor_operand, number_operand>;

namespace detail {
class expr_base;  // of all expressions
}

}  // namespace sinter::inline v1
