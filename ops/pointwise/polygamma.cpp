#include "engine/run/record.hpp"
#include "kernels/special/polygamma.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/op_checks.hpp"
#include "runtime/types/default_dtype.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/pointwise.hpp>

namespace sinter::inline v1 {

using ops::body;

namespace {

Tensor computed(const Tensor& self, int64_t n) {
    const ScalarType own = self.scalar_type();
    const ScalarType dtype = isFloatingType(own) ? own : default_floating();
    const ScalarType computed = dtype == kDouble ? kDouble : kFloat;
    const Tensor x = self.to(computed);
    const TensorImpl& t = body("polygamma", x);
    const leaf input = ops::read(t);
    const geometry_ptr shape = make_contiguous(t.shape->sizes_ref());
    const Tensor y(make_pending(library_node(&zeta::polygamma, {&input, 1}, computed, shape,
                                             make_attributes(zeta::polygamma_attributes{n})),
                                shape));
    return y.to(dtype);
}

}  // namespace

Tensor tensor_base::polygamma(int64_t n) const {
    if (n < 0)
        runtime::fail("polygamma", "the order is negative", runtime::text(n), "0 or more",
                      "0, which gives digamma()");
    if (n == 0) return sinter::digamma(self());
    if (n == 1) return sinter::trigamma(self());
    ops::require_real("polygamma", body("polygamma", *this).dtype);
    return autograd::with_rule(
        "polygamma", {this}, {.operands = 1, .batched = true}, [&] { return computed(self(), n); },
        [n](const autograd::rule_call& c) -> autograd::variable_list {
            return {c.grad() * c.operand(0).polygamma(n + 1)};
        });
}
Tensor& tensor_base::polygamma_(int64_t n) const {
    const Tensor value = autograd::before_write(*this).polygamma(n);
    ops::require_castable("polygamma_", value.scalar_type(), scalar_type());
    return copy_(value);
}
Tensor polygamma(int64_t n, const tensor_base& t) { return t.polygamma(n); }

}  // namespace sinter::inline v1
