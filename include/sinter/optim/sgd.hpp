// Gradient descent, with momentum.
#pragma once

#include <sinter/optim/optimizer.hpp>

namespace sinter::inline v1::optim {

/// Options of SGD. libtorch: torch::optim::SGDOptions.
struct SINTER_API SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
    /// Makes options with this learning rate; implicit.
    SGDOptions(double lr) { this->lr(lr); }  // NOLINT: as in libtorch
    SINTER_OPTIMIZER_OPTION(double, lr, 1e-3)
    SINTER_OPTIMIZER_OPTION(double, momentum, 0)
    SINTER_OPTIMIZER_OPTION(double, dampening, 0)
    SINTER_OPTIMIZER_OPTION(double, weight_decay, 0)
    SINTER_OPTIMIZER_OPTION(bool, nesterov, false)

    double get_lr() const override { return lr(); }
    void set_lr(double lr) override { this->lr(lr); }
    void visit(FieldVisitor& v) override;
};

/// What SGD keeps of a parameter. libtorch: torch::optim::SGDParamState.
struct SINTER_API SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
    SINTER_OPTIMIZER_STATE(Tensor, momentum_buffer)

    void visit(FieldVisitor& v) override;
};

/// Subtracts from each parameter its gradient times `lr`. With `weight_decay`, the gradient is that
/// plus the parameter times this number. With `momentum` the step is not the gradient but an
/// average: the last average times `momentum`, plus the gradient times 1 - `dampening`; the first
/// is the gradient. With `nesterov` it is the gradient plus that average times `momentum`. PyTorch:
/// torch.optim.SGD.
class SINTER_API SGD : public Optimizer {
public:
    /// Takes groups of parameters. Throws Error for a negative lr, momentum or weight_decay, and
    /// for nesterov without momentum or with dampening.
    explicit SGD(const std::vector<OptimizerParamGroup>& param_groups, SGDOptions defaults);
    /// Takes parameters.
    explicit SGD(std::vector<Tensor> params, SGDOptions defaults)
        : SGD(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

    Tensor step(LossClosure closure = nullptr) override;

protected:
    std::string name() const override { return "SGD"; }
    void check(const OptimizerOptions& options, std::size_t groups) const override;
    std::unique_ptr<OptimizerParamState> new_state() const override;
};

}  // namespace sinter::inline v1::optim
