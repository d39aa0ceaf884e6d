// The differentiation API. It is not supported: these functions throw.
#include "ops/common/op_checks.hpp"

namespace sinter::inline v1 {

Tensor& tensor_base::requires_grad_(bool on) const {
    ops::body("requires_grad_", *this);
    if (on) ops::refuse_gradients("requires_grad_", "requires_grad_(true)");
    return self();
}

void tensor_base::backward() const { ops::refuse_gradients("backward", "backward()"); }

Tensor tensor_base::grad() const { ops::refuse_gradients("grad", "grad()"); }

}  // namespace sinter::inline v1
