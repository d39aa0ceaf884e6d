// Adam and AdamW: steps scaled by averages of gradients and of their squares.
#pragma once

#include <sinter/optim/optimizer.hpp>

namespace sinter::inline v1::optim {

/// Options of Adam. libtorch: torch::optim::AdamOptions.
struct SINTER_API AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
    /// Makes options with their defaults.
    AdamOptions() = default;
    /// Makes options with this learning rate; implicit.
    AdamOptions(double lr) { this->lr(lr); }  // NOLINT: as in libtorch
    /// Decay rates of the two averages.
    using betas_t = std::tuple<double, double>;
    SINTER_OPTIMIZER_OPTION(double, lr, 1e-3)
    SINTER_OPTIMIZER_OPTION(betas_t, betas, 0.9, 0.999)
    SINTER_OPTIMIZER_OPTION(double, eps, 1e-8)
    SINTER_OPTIMIZER_OPTION(double, weight_decay, 0)
    SINTER_OPTIMIZER_OPTION(bool, amsgrad, false)

    double get_lr() const override { return lr(); }
    void set_lr(double lr) override { this->lr(lr); }
    void visit(FieldVisitor& v) override;
};

/// Options of AdamW. libtorch: torch::optim::AdamWOptions.
struct SINTER_API AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
    /// Makes options with their defaults.
    AdamWOptions() = default;
    /// Makes options with this learning rate; implicit.
    AdamWOptions(double lr) { this->lr(lr); }  // NOLINT: as in libtorch
    /// Decay rates of the two averages.
    using betas_t = std::tuple<double, double>;
    SINTER_OPTIMIZER_OPTION(double, lr, 1e-3)
    SINTER_OPTIMIZER_OPTION(betas_t, betas, 0.9, 0.999)
    SINTER_OPTIMIZER_OPTION(double, eps, 1e-8)
    SINTER_OPTIMIZER_OPTION(double, weight_decay, 1e-2)
    SINTER_OPTIMIZER_OPTION(bool, amsgrad, false)

    double get_lr() const override { return lr(); }
    void set_lr(double lr) override { this->lr(lr); }
    void visit(FieldVisitor& v) override;
};

/// What Adam keeps of a parameter. libtorch: torch::optim::AdamParamState.
struct SINTER_API AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
    SINTER_OPTIMIZER_STATE(int64_t, step, 0)
    SINTER_OPTIMIZER_STATE(Tensor, exp_avg)
    SINTER_OPTIMIZER_STATE(Tensor, exp_avg_sq)
    SINTER_OPTIMIZER_STATE(Tensor, max_exp_avg_sq)

    void visit(FieldVisitor& v) override;
};

/// What AdamW keeps of a parameter. libtorch: torch::optim::AdamWParamState.
struct SINTER_API AdamWParamState : public OptimizerCloneableParamState<AdamWParamState> {
    SINTER_OPTIMIZER_STATE(int64_t, step, 0)
    SINTER_OPTIMIZER_STATE(Tensor, exp_avg)
    SINTER_OPTIMIZER_STATE(Tensor, exp_avg_sq)
    SINTER_OPTIMIZER_STATE(Tensor, max_exp_avg_sq)

    void visit(FieldVisitor& v) override;
};

/// Adam (Kingma and Ba, 2015): a step is `lr` times the average of gradients, over the root of the
/// average of their squares plus `eps`. The averages decay by `betas`; each is divided by the sum
/// of its weights so far. With `amsgrad` the largest average of squares so far is used (Reddi,
/// Kale and Kumar, 2018). With `weight_decay` the gradient is that plus the parameter times this
/// number. The parts of complex numbers are averaged by themselves. PyTorch: torch.optim.Adam.
class SINTER_API Adam : public Optimizer {
public:
    /// Takes groups of parameters. Throws Error for a negative lr, eps or weight_decay, and for
    /// betas outside of [0, 1).
    explicit Adam(const std::vector<OptimizerParamGroup>& param_groups, AdamOptions defaults = {});
    /// Takes parameters.
    explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {})
        : Adam(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

    Tensor step(LossClosure closure = nullptr) override;

protected:
    std::string name() const override { return "Adam"; }
    void check(const OptimizerOptions& options, std::size_t groups) const override;
    std::unique_ptr<OptimizerParamState> new_state() const override;
};

/// Adam with another weight decay (Loshchilov and Hutter, 2019): each step first multiplies the
/// parameter by 1 - `lr` * `weight_decay`; gradients stay as they are. PyTorch: torch.optim.AdamW.
class SINTER_API AdamW : public Optimizer {
public:
    /// Takes groups of parameters. Throws Error as Adam.
    explicit AdamW(const std::vector<OptimizerParamGroup>& param_groups,
                   AdamWOptions defaults = {});
    /// Takes parameters.
    explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {})
        : AdamW(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

    Tensor step(LossClosure closure = nullptr) override;

protected:
    std::string name() const override { return "AdamW"; }
    void check(const OptimizerOptions& options, std::size_t groups) const override;
    std::unique_ptr<OptimizerParamState> new_state() const override;
};

}  // namespace sinter::inline v1::optim
