// The result dtype of operations on tensors and numbers.
#include "engine/graph/infer.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

namespace {

operand_type kind_of(const tensor_base& t) {
    const TensorImpl& impl = ops::body("result_type", t);
    return {impl.dtype,
            impl.shape->ndim == 0 ? operand_type::rank::zero_dim : operand_type::rank::dimensioned};
}
operand_type kind_of(const Scalar& s) { return {s.type(), operand_type::rank::number}; }

template <class A, class B>
ScalarType result_of(const A& a, const B& b) {
    const operand_type both[] = {kind_of(a), kind_of(b)};
    return common_dtype(both);
}

}  // namespace

ScalarType result_type(const tensor_base& a, const tensor_base& b) { return result_of(a, b); }
ScalarType result_type(const tensor_base& a, const Scalar& b) { return result_of(a, b); }
ScalarType result_type(const Scalar& a, const tensor_base& b) { return result_of(a, b); }
ScalarType result_type(const Scalar& a, const Scalar& b) { return result_of(a, b); }

}  // namespace sinter::inline v1
