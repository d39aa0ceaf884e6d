#include "ops/optim/update.hpp"

#include "engine/run/record.hpp"

#include <sinter/functions/pointwise.hpp>
#include <sinter/grad_mode.hpp>

namespace sinter::ops {

void update(const Tensor& target, detail::expr_base&& value) {
    const TensorImpl& t = body("step", target);
    keep(t, false);  // if nobody has read it, steps fuse with each other
    target.copy_(std::move(value));
    keep(t, true);
}

Tensor kept(Tensor state) {
    keep(body("step", state), true);
    return state;
}

Tensor by_parts_of(const Tensor& t) { return t.is_complex() ? view_as_real(t.detach()) : t; }

Tensor evaluated(const optim::Optimizer::LossClosure& closure) {
    if (!closure) return {};
    const AutoGradMode recorded(true);
    return closure();
}

void require_not_negative(const char* optimizer, const char* what, double value) {
    if (value >= 0) return;
    runtime::fail(optimizer, runtime::text("Invalid ", what), runtime::text(value),
                  "a number that is at least 0", "0, which is allowed, or a positive number");
}

}  // namespace sinter::ops
