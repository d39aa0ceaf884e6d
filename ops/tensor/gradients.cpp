// The differentiation API. It is not supported: these functions throw.
#include "ops/common/op_checks.hpp"

namespace sinter::inline v1 {

Tensor& tensor_base::requires_grad_(bool on) const {
    ops::body("requires_grad_", *this);
    if (on)
        ops::fail<NotImplementedError>("requires_grad_", "there is no differentiation yet", "true",
                                       "false", "requires_grad_(false)");
    return self();
}

void tensor_base::backward() const {
    ops::fail<NotImplementedError>("backward", "there is no differentiation yet", "backward()",
                                   "values alone", "a derivative by hand");
}

Tensor tensor_base::grad() const {
    ops::fail<NotImplementedError>("grad", "there is no differentiation yet", "grad()",
                                   "values alone", "a derivative by hand");
}

}  // namespace sinter::inline v1
