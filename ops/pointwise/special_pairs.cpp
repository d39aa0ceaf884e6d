// Special functions of two operands: opaque nodes over operands of one dtype and shape.
#include "engine/run/record.hpp"
#include "kernels/special/pairs.hpp"
#include "ops/autograd/function.hpp"
#include "ops/autograd/names.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/common/out.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/special.hpp>

namespace sinter::inline v1 {

using ops::body;

namespace {

Tensor computed_pair(const kernel_op& op, const tensor_base& a, const tensor_base& b,
                     ScalarType common) {
    const ScalarType dtype = isFloatingType(common) ? common : get_default_dtype().toScalarType();
    const ScalarType computed = dtype == kDouble ? kDouble : kFloat;
    const std::vector<int64_t> sizes = broadcast_shapes(op.name, a.sizes(), b.sizes());
    const Tensor left = a.to(computed).expand(sizes), right = b.to(computed).expand(sizes);
    const leaf inputs[] = {ops::read(body(op.name, left)), ops::read(body(op.name, right))};
    const geometry_ptr shape = make_contiguous(sizes);
    const Tensor y(make_pending(library_node(&op, inputs, computed, shape), shape));
    return y.to(dtype);
}

// The derivatives in the second operand. Those in the first are no functions that PyTorch has.
using second_derivative = Tensor (*)(const Tensor& a, const Tensor& b);
Tensor of_zeta(const Tensor& a, const Tensor& b) { return -a * special::zeta(a + 1, b); }
Tensor of_igamma(const Tensor& a, const Tensor& b) { return exp((a - 1) * log(b) - b - lgamma(a)); }
Tensor of_igammac(const Tensor& a, const Tensor& b) { return -of_igamma(a, b); }

second_derivative derivative_of(const kernel_op& op) {
    if (&op == &special_pairs::zeta) return of_zeta;
    if (&op == &special_pairs::igamma) return of_igamma;
    if (&op == &special_pairs::igammac) return of_igammac;
    return nullptr;
}

/// Returns the function of two operands whose common dtype is given.
Tensor paired(const kernel_op& op, const tensor_base& a, const tensor_base& b, ScalarType common) {
    ops::require_real(op.name, common);
    const second_derivative derivative = derivative_of(op);
    if (!derivative) return computed_pair(op, a, b, common);
    return autograd::with_rule(
        op.name, {&a, &b}, {.operands = 3, .batched = true},
        [&] { return computed_pair(op, a, b, common); },
        [name = op.name, derivative](const autograd::rule_call& c) -> autograd::variable_list {
            if (c.needs(0)) autograd::refuse_missing(name);
            return {Tensor(), c.grad() * derivative(c.operand(0), c.operand(1))};
        });
}
Tensor paired(const kernel_op& op, const tensor_base& a, const tensor_base& b) {
    body(op.name, a);
    body(op.name, b);
    return paired(op, a, b, result_type(a, b));
}
/// Returns a number as a double tensor on the device of `t`.
Tensor number_beside(const char* op, const tensor_base& t, const Scalar& number) {
    if (number.isComplex()) runtime::refuse_complex(op, runtime::to_text(number));
    return full({}, number.toDouble(), ops::beside(body(op, t), kDouble));
}
Tensor paired(const kernel_op& op, const Scalar& a, const tensor_base& b) {
    const Tensor left = number_beside(op.name, b, a);
    return paired(op, left, b, result_type(a, b));
}
Tensor paired(const kernel_op& op, const tensor_base& a, const Scalar& b) {
    const Tensor right = number_beside(op.name, a, b);
    return paired(op, a, right, result_type(a, b));
}

Tensor gamma_of(const kernel_op& op, const tensor_base& a, const tensor_base& b) {
    body(op.name, a);
    body(op.name, b);
    const ScalarType common = result_type(a, b);
    ops::require_real(op.name, common);
    ops::require_floating(op.name, common);
    return paired(op, a, b, common);
}
Tensor& written(const char* name, const tensor_base& self, const Tensor& value) {
    ops::require_castable(name, value.scalar_type(), self.scalar_type());
    ops::require_same_shape(name, body(name, self), value.sizes());
    return self.copy_(value);
}

template <class A, class B>
Tensor& paired_into(const kernel_op& op, const char* name, Tensor& out, const A& a, const B& b) {
    const Tensor value = paired(op, a, b);
    if constexpr (std::is_same_v<A, Tensor> && std::is_same_v<B, Tensor>)
        return ops::store(name, out, value, {&a, &b});
    else if constexpr (std::is_same_v<A, Tensor>)
        return ops::store(name, out, value, {&a});
    else
        return ops::store(name, out, value, {&b});
}

}  // namespace

Tensor tensor_base::igamma(const tensor_base& other) const {
    return gamma_of(special_pairs::igamma, *this, other);
}
Tensor tensor_base::igammac(const tensor_base& other) const {
    return gamma_of(special_pairs::igammac, *this, other);
}
Tensor& tensor_base::igamma_(const tensor_base& other) const {
    return written("igamma_", *this, autograd::before_write(*this).igamma(other));
}
Tensor& tensor_base::igammac_(const tensor_base& other) const {
    return written("igammac_", *this, autograd::before_write(*this).igammac(other));
}
Tensor igamma(const tensor_base& self, const tensor_base& other) { return self.igamma(other); }
Tensor igammac(const tensor_base& self, const tensor_base& other) { return self.igammac(other); }

}  // namespace sinter::inline v1

namespace sinter::inline v1::special {

#define SINTER_SPECIAL(name)                                              \
    Tensor name(const tensor_base& a, const tensor_base& b) {             \
        return paired(special_pairs::name, a, b);                         \
    }                                                                     \
    Tensor name(const Scalar& a, const tensor_base& b) {                  \
        return paired(special_pairs::name, a, b);                         \
    }                                                                     \
    Tensor name(const tensor_base& a, const Scalar& b) {                  \
        return paired(special_pairs::name, a, b);                         \
    }                                                                     \
    Tensor& name##_out(Tensor& out, const Tensor& a, const Tensor& b) {   \
        return paired_into(special_pairs::name, #name "_out", out, a, b); \
    }                                                                     \
    Tensor& name##_out(Tensor& out, const Scalar& a, const Tensor& b) {   \
        return paired_into(special_pairs::name, #name "_out", out, a, b); \
    }                                                                     \
    Tensor& name##_out(Tensor& out, const Tensor& a, const Scalar& b) {   \
        return paired_into(special_pairs::name, #name "_out", out, a, b); \
    }
#include <sinter/functions/special_pairs.def>
#undef SINTER_SPECIAL

}  // namespace sinter::inline v1::special
