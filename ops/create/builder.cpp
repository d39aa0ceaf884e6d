#include "ops/common/op_checks.hpp"

#include <sinter/builder.hpp>
#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>

namespace sinter::inline v1 {

using runtime::fail;
using runtime::text;

expression_builder::expression_builder(const tensor_base& t) {
    const Tensor& tensor = t.self();
    words_.push_back(token_leaf);
    leaves_.push_back(detail::capture(tensor));
    meta_ = {leaves_[0].shape, tensor.scalar_type()};
}

expression_builder::expression_builder(const Scalar& s) {
    words_.push_back(token_scalar);
    scalars_.push_back(s);
    meta_.dtype = s.type();
}

expression_builder expression_builder::apply(op::id row, std::vector<expression_builder> operands) {
    const op::row_info& info = op::rows[row];
    const bool random = info.rule == dtype_rule::random;
    if (random || operands.size() != info.arity)
        fail<ValueError>(
            info.name, "the number of operands is wrong", text(operands.size(), " operands"),
            random ? "an operation that draws no random numbers" : text(int{info.arity}),
            random ? "a tensor of rand() or randn() as an operand"
                   : text("sinter::", info.name, "(), whose parameters the compiler checks"));
    detail::meta_view metas[3];
    bool any = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        metas[i] = {operands[i].meta_.shape.get(), operands[i].meta_.dtype};
        any = any || metas[i].shape;
    }
    if (!any)
        fail<ValueError>(info.name, "no operand is a tensor", "numbers only", "at least one tensor",
                         "scalar_tensor() of one of the numbers");
    expression_builder r;
    r.meta_ = detail::combine(row, metas);
    for (expression_builder& o : operands) {
        r.words_.insert(r.words_.end(), o.words_.begin(), o.words_.end());
        r.leaves_.insert(r.leaves_.end(), o.leaves_.begin(), o.leaves_.end());
        r.scalars_.insert(r.scalars_.end(), o.scalars_.begin(), o.scalars_.end());
    }
    r.words_.push_back(row);
    return r;
}

Tensor expression_builder::finish() const {
    if (!meta_.shape)
        fail<ValueError>("finish", "the expression is a number", "a scalar",
                         "an expression of a tensor", "scalar_tensor()");
    const program_ref p{
        words_.data(), static_cast<uint16_t>(words_.size()), static_cast<uint16_t>(leaves_.size()),
        static_cast<uint16_t>(scalars_.size()), program_digest(words_.data(), words_.size())};
    auto result = meta_;
    // A single leaf is copied; the copy must not repeat an address.
    if (words_.size() == 1) result.shape = ops::layout_like(*meta_.shape);
    return Tensor(detail::make_pointwise(p, leaves_.data(), scalars_.data(), result));
}

}  // namespace sinter::inline v1
