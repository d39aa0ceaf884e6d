// How optimisers change tensors.
#pragma once

#include "ops/common/op_checks.hpp"

#include <sinter/optim/optimizer.hpp>

#include <memory>
#include <utility>

namespace sinter::ops {

/// Writes a value into a parameter or a state, pending. The flush that computes it for others
/// stores it, so that parameters and states are computed in one kernel.
void update(const Tensor& target, detail::expr_base&& value);
/// Returns a new state, which is stored as update() does.
Tensor kept(Tensor state);
/// Returns the tensor, or the parts of its complex numbers, which share its memory.
Tensor by_parts_of(const Tensor& t);
/// Returns what the closure returns, with gradients recorded; undefined without a closure.
Tensor evaluated(const optim::Optimizer::LossClosure& closure);

/// Returns a group's options. Throws Error if they are of another optimiser.
template <class Options>
const Options& options_of(const char* optimizer, const optim::OptimizerOptions& options) {
    if (const auto* o = dynamic_cast<const Options*>(&options)) return *o;
    runtime::fail(optimizer, "the options of a group are those of another optimizer",
                  "options of another type", runtime::text(optimizer, "Options"),
                  "a group without options, which gets the optimizer's");
}

/// Returns the state of a parameter, which is new before its first step.
template <class State>
State& state_of(optim::Optimizer::state_map& states, const Tensor& parameter) {
    std::unique_ptr<optim::OptimizerParamState>& s = states[parameter.unsafeGetTensorImpl()];
    if (!s) s = std::make_unique<State>();
    return static_cast<State&>(*s);
}

/// Throws Error if an option, named by `what` in the error, is less than 0 or NaN.
void require_not_negative(const char* optimizer, const char* what, double value);

}  // namespace sinter::ops
