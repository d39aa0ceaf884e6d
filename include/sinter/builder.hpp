// Pointwise expressions that are built at run time.
#pragma once

#include <sinter/tensor.hpp>

#include <vector>

namespace sinter::inline v1 {

/// A pointwise expression whose structure is known only at run time. finish() makes the same
/// program as the operators would.
class SINTER_API expression_builder {
public:
    /// A tensor, or a number, as an operand. Throws Error if the tensor is undefined.
    ///@{
    explicit expression_builder(const tensor_base& t);
    explicit expression_builder(const Scalar& s);
    ///@}
    /// Returns the operation of a row (`op::add`, `op::exp`, ...) on operands. Throws ValueError
    /// for a wrong number of operands, or if none is a tensor; Error if shapes or dtypes do not
    /// fit.
    static expression_builder apply(op::id row, std::vector<expression_builder> operands);
    /// Returns the pending tensor. Fused. Throws ValueError for a number.
    Tensor finish() const;
    /// Returns the program's words, to compare with an expression type's.
    const std::vector<uint16_t>& words() const { return words_; }

private:
    expression_builder() = default;
    std::vector<uint16_t> words_;
    std::vector<leaf> leaves_;
    std::vector<Scalar> scalars_;
    expr_meta meta_;
};

}  // namespace sinter::inline v1
