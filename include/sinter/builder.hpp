// Building pointwise expressions at run time: what the operators do, without their types.
#pragma once

#include <sinter/tensor.hpp>

#include <vector>

namespace sinter::inline v1 {

/// A pointwise expression whose structure is known only at run time. Values are plain objects; a
/// finished one crosses into the library once, with the same program as the operators would make.
class SINTER_API expression_builder {
public:
    explicit expression_builder(const tensor_base& t);
    explicit expression_builder(const Scalar& s);
    /// One row of the table. Throws where shapes or dtypes do not fit.
    static expression_builder apply(op::id row, std::vector<expression_builder> operands);
    Tensor finish() const;
    /// Words of the program, to compare with an expression type's.
    const std::vector<uint16_t>& words() const { return words_; }

private:
    expression_builder() = default;
    std::vector<uint16_t> words_;
    std::vector<leaf> leaves_;
    std::vector<Scalar> scalars_;
    expr_meta meta_;
};

}  // namespace sinter::inline v1
