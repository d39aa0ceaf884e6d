// Adam and AdamW. Their formulas are libtorch's, in the same order of operations.
#include "ops/optim/update.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/optim/adam.hpp>

#include <array>
#include <cmath>
#include <tuple>

namespace sinter::inline v1::optim {

using ops::by_parts_of;
using ops::options_of;
using ops::state_of;
using ops::update;

namespace {

template <class Options>
void require_valid(const char* optimizer, const Options& o) {
    ops::require_not_negative(optimizer, "learning rate", o.lr());
    ops::require_not_negative(optimizer, "epsilon value", o.eps());
    const std::array<double, 2> betas = {std::get<0>(o.betas()), std::get<1>(o.betas())};
    for (std::size_t i = 0; i < betas.size(); ++i)
        if (!(betas[i] >= 0 && betas[i] < 1))
            runtime::fail(optimizer, runtime::text("Invalid beta parameter at index ", i),
                          runtime::text(betas[i]), "a number from 0 on that is less than 1",
                          "{0.9, 0.999}, the default");
    ops::require_not_negative(optimizer, "weight_decay value", o.weight_decay());
}

/// Moves a parameter, which is first multiplied by `decay`.
template <class Options, class State>
void move(const Tensor& parameter, const Tensor& gradient, double decay, const Options& o,
          State& s) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(zeros_like(parameter)).exp_avg_sq(zeros_like(parameter));
        if (o.amsgrad()) s.max_exp_avg_sq(zeros_like(parameter));
    }
    s.step(s.step() + 1);
    const auto [beta1, beta2] = o.betas();
    const auto n = static_cast<double>(s.step());
    const double size = o.lr() / (1 - std::pow(beta1, n));
    const double root = std::sqrt(1 - std::pow(beta2, n));

    const Tensor p = by_parts_of(parameter), g = by_parts_of(gradient);
    const Tensor average = by_parts_of(s.exp_avg()), squares = by_parts_of(s.exp_avg_sq());
    update(average, average * beta1 + g * (1 - beta1));
    update(squares, squares * beta2 + g * (1 - beta2) * g);
    if (!o.amsgrad())
        return update(p, p * decay - average * size / (sqrt(squares) / root + o.eps()));
    const Tensor largest = by_parts_of(s.max_exp_avg_sq());
    update(largest, maximum(largest, squares));
    update(p, p * decay - average * size / (sqrt(largest) / root + o.eps()));
}

}  // namespace

#define SINTER_ADAM_FIELDS(Name)                     \
    void Name##Options::visit(FieldVisitor& v) {     \
        v.field("lr", lr());                         \
        v.field("betas", betas());                   \
        v.field("eps", eps());                       \
        v.field("weight_decay", weight_decay());     \
        v.field("amsgrad", amsgrad());               \
    }                                                \
    void Name##ParamState::visit(FieldVisitor& v) {  \
        v.field("step", step());                     \
        v.field("exp_avg", exp_avg());               \
        v.field("exp_avg_sq", exp_avg_sq());         \
        v.field("max_exp_avg_sq", max_exp_avg_sq()); \
    }
SINTER_ADAM_FIELDS(Adam)
SINTER_ADAM_FIELDS(AdamW)
#undef SINTER_ADAM_FIELDS

Adam::Adam(const std::vector<OptimizerParamGroup>& param_groups, AdamOptions defaults)
    : Optimizer(param_groups, defaults.clone()) {
    require_valid("Adam", defaults);
    for (const OptimizerParamGroup& g : param_groups_)
        Adam::check(g.options(), param_groups_.size());
}

AdamW::AdamW(const std::vector<OptimizerParamGroup>& param_groups, AdamWOptions defaults)
    : Optimizer(param_groups, defaults.clone()) {
    require_valid("AdamW", defaults);
    for (const OptimizerParamGroup& g : param_groups_)
        AdamW::check(g.options(), param_groups_.size());
}

void Adam::check(const OptimizerOptions& options, std::size_t) const {
    require_valid("Adam", options_of<AdamOptions>("Adam", options));
}

void AdamW::check(const OptimizerOptions& options, std::size_t) const {
    require_valid("AdamW", options_of<AdamWOptions>("AdamW", options));
}

std::unique_ptr<OptimizerParamState> Adam::new_state() const {
    return std::make_unique<AdamParamState>();
}

std::unique_ptr<OptimizerParamState> AdamW::new_state() const {
    return std::make_unique<AdamWParamState>();
}

Tensor Adam::step(LossClosure closure) {
    Tensor loss = ops::evaluated(closure);
    const NoGradGuard unrecorded;
    for (const OptimizerParamGroup& group : param_groups_) {
        const AdamOptions& o = options_of<AdamOptions>("Adam", group.options());
        for (const Tensor& p : group.params()) {
            Tensor gradient = p.grad();
            if (!gradient.defined()) continue;
            if (o.weight_decay() != 0) gradient = gradient + p * o.weight_decay();
            move(p, gradient, 1, o, state_of<AdamParamState>(state_, p));
        }
    }
    return loss;
}

Tensor AdamW::step(LossClosure closure) {
    Tensor loss = ops::evaluated(closure);
    const NoGradGuard unrecorded;
    for (const OptimizerParamGroup& group : param_groups_) {
        const AdamWOptions& o = options_of<AdamWOptions>("AdamW", group.options());
        for (const Tensor& p : group.params())
            if (const Tensor gradient = p.grad(); gradient.defined())
                move(p, gradient, 1 - o.lr() * o.weight_decay(), o,
                     state_of<AdamWParamState>(state_, p));
    }
    return loss;
}

}  // namespace sinter::inline v1::optim
