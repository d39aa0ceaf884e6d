#include "ops/common/op_checks.hpp"

#include <sinter/builder.hpp>
#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>

namespace sinter::inline v1 {

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
    if (info.rule == dtype_rule::random || operands.size() != info.arity)
        throw ValueError(std::string("[") + info.name + "] wrong number of operands; got " +
                         std::to_string(operands.size()) + ", expected " +
                         std::to_string(info.rule == dtype_rule::random ? 0 : info.arity) +
                         "; try the function of that name");
    detail::meta_view metas[3];
    bool any = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        metas[i] = {operands[i].meta_.shape.get(), operands[i].meta_.dtype};
        any = any || metas[i].shape;
    }
    if (!any)
        throw ValueError(std::string("[") + info.name +
                         "] no operand is a tensor; got numbers only, expected a tensor; try "
                         "scalar_tensor");
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
        throw ValueError(
            "[finish] a number is no tensor; got a scalar, expected an expression; try "
            "scalar_tensor");
    const program_ref p{
        words_.data(), static_cast<uint16_t>(words_.size()), static_cast<uint16_t>(leaves_.size()),
        static_cast<uint16_t>(scalars_.size()), program_digest(words_.data(), words_.size())};
    auto result = meta_;
    // A single leaf is copied; the copy must not repeat an address.
    if (words_.size() == 1) result.shape = ops::layout_like(*meta_.shape);
    return Tensor(detail::make_pointwise(p, leaves_.data(), scalars_.data(), result));
}

}  // namespace sinter::inline v1
