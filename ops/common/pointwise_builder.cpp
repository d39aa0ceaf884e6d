#include "ops/common/pointwise_builder.hpp"

#include "engine/graph/infer.hpp"
#include "ops/common/opmath.hpp"
#include "runtime/types/default_dtype.hpp"

namespace sinter::ops {

term term::apply(op::id row, term a) {
    a.code_.row(row);
    return a;
}
term term::apply(op::id row, term a, const term& b) {
    a.code_.append(b.code_).row(row);
    return a;
}
term term::apply(op::id row, term a, const term& b, const term& c) {
    a.code_.append(b.code_).append(c.code_).row(row);
    return a;
}

namespace {

operand_type as_operand(const TensorImpl& t) {
    return {t.dtype,
            t.shape->ndim == 0 ? operand_type::rank::zero_dim : operand_type::rank::dimensioned};
}

}  // namespace

formula::formula(const char* name, std::initializer_list<const TensorImpl*> tensors) : name_(name) {
    std::vector<operand_type> operands;
    for (const TensorImpl* t : tensors) {
        const IntArrayRef sizes = t->shape->sizes_ref();
        sizes_ = operands.empty() ? sizes.vec() : broadcast_shapes(name, sizes_, sizes);
        operands.push_back(as_operand(*t));
        tensors_.at(count_++) = t;
    }
    set_dtype(common_dtype(operands));
}

void formula::set_dtype(ScalarType dtype) {
    dtype_ = dtype;
    compute_ = opmath_type(dtype);
}

void formula::floating() {
    if (!is_inexact(dtype_)) set_dtype(default_floating());
}

void formula::require_floating() const { ops::require_floating(name_, dtype_); }

void formula::require_numbers() const { require_numeric(name_, dtype_); }

void formula::require_equal_dtypes() const {
    for (std::size_t i = 1; i < count_; ++i) require_same_dtype(name_, *tensors_[0], *tensors_[i]);
}

Scalar formula::number(const Scalar& s) const {
    if (isComplexType(dtype_)) return s;
    if (isFloatingType(dtype_)) return s.toDouble();
    return s.toLong();
}

term formula::read(const TensorImpl& t) const {
    sequence code;
    code.read(ops::read(t));
    if (t.dtype != compute_) code.cast(compute_);
    return term(std::move(code));
}

void formula::finish(term& value, ScalarType to) const {
    if (dtype_ != compute_) value.code().cast(dtype_);
    if (dtype_ != to) value.code().cast(to);
}

Tensor formula::pending(term value) const {
    finish(value, dtype_);
    return value.code().pending(dtype_, make_contiguous(sizes_));
}

void formula::write(term value, const TensorImpl& target) const {
    require_writable(name_, target);
    require_castable(name_, dtype_, target.dtype);
    require_same_shape(name_, target, sizes_);
    for (std::size_t i = 0; i < count_; ++i)
        if (tensors_[i] != &target) require_no_partial_overlap(name_, target, *tensors_[i]);
    finish(value, target.dtype);
    value.code().write(target);
}

}  // namespace sinter::ops
