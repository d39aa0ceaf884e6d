// Gradient descent. Its formulas are libtorch's, in the same order of operations.
#include "ops/optim/update.hpp"

#include <sinter/functions/shape.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/optim/sgd.hpp>

namespace sinter::inline v1::optim {

using ops::options_of;
using ops::state_of;
using ops::update;

namespace {

void require_valid(const SGDOptions& o) {
    ops::require_not_negative("SGD", "learning rate", o.lr());
    ops::require_not_negative("SGD", "momentum value", o.momentum());
    ops::require_not_negative("SGD", "weight_decay value", o.weight_decay());
    if (o.nesterov() && (!(o.momentum() > 0) || o.dampening() != 0))
        runtime::fail("SGD", "Nesterov momentum requires a momentum and zero dampening",
                      runtime::text("momentum ", o.momentum(), " and dampening ", o.dampening()),
                      "a positive momentum and dampening 0", ".momentum(0.9)");
}

/// Moves a parameter against a gradient. Returns the new average of gradients.
void move(const Tensor& p, const Tensor& gradient, const SGDOptions& o, SGDParamState* state) {
    if (!state) return update(p, p - gradient * o.lr());
    if (Tensor& average = state->momentum_buffer(); !average.defined())
        average = ops::kept(gradient.clone());
    else
        update(average, average * o.momentum() + gradient * (1 - o.dampening()));
    const Tensor& average = state->momentum_buffer();
    if (o.nesterov())
        update(p, p - (gradient + average * o.momentum()) * o.lr());
    else
        update(p, p - average * o.lr());
}

}  // namespace

void SGDOptions::visit(FieldVisitor& v) {
    v.field("lr", lr());
    v.field("momentum", momentum());
    v.field("dampening", dampening());
    v.field("weight_decay", weight_decay());
    v.field("nesterov", nesterov());
}

void SGDParamState::visit(FieldVisitor& v) { v.field("momentum_buffer", momentum_buffer()); }

SGD::SGD(const std::vector<OptimizerParamGroup>& param_groups, SGDOptions defaults)
    : Optimizer(param_groups, defaults.clone()) {
    require_valid(defaults);
    for (const OptimizerParamGroup& g : param_groups_)
        SGD::check(g.options(), param_groups_.size());
}

void SGD::check(const OptimizerOptions& options, std::size_t) const {
    require_valid(options_of<SGDOptions>("SGD", options));
}

std::unique_ptr<OptimizerParamState> SGD::new_state() const {
    return std::make_unique<SGDParamState>();
}

Tensor SGD::step(LossClosure closure) {
    Tensor loss = ops::evaluated(closure);
    const NoGradGuard unrecorded;
    for (const OptimizerParamGroup& group : param_groups_) {
        const SGDOptions& o = options_of<SGDOptions>("SGD", group.options());
        for (const Tensor& p : group.params()) {
            Tensor gradient = p.grad();
            if (!gradient.defined()) continue;
            if (o.weight_decay() != 0) gradient = gradient + p * o.weight_decay();
            move(p, gradient, o, o.momentum() != 0 ? &state_of<SGDParamState>(state_, p) : nullptr);
        }
    }
    return loss;
}

}  // namespace sinter::inline v1::optim
