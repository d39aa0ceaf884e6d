// L-BFGS: quasi-Newton steps from a history of gradients.
#pragma once

#include <sinter/optim/optimizer.hpp>

namespace sinter::inline v1::optim {

/// Options of LBFGS. libtorch: torch::optim::LBFGSOptions.
struct SINTER_API LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
    /// Makes options with their defaults.
    LBFGSOptions() = default;
    /// Makes options with this learning rate; implicit.
    LBFGSOptions(double lr) { this->lr(lr); }  // NOLINT: as in libtorch
    SINTER_OPTIMIZER_OPTION(double, lr, 1)
    SINTER_OPTIMIZER_OPTION(int64_t, max_iter, 20)
    SINTER_OPTIMIZER_OPTION(std::optional<int64_t>, max_eval)
    SINTER_OPTIMIZER_OPTION(double, tolerance_grad, 1e-7)
    SINTER_OPTIMIZER_OPTION(double, tolerance_change, 1e-9)
    SINTER_OPTIMIZER_OPTION(int64_t, history_size, 100)
    SINTER_OPTIMIZER_OPTION(std::optional<std::string>, line_search_fn)

    double get_lr() const override { return lr(); }
    void set_lr(double lr) override { this->lr(lr); }
    void visit(FieldVisitor& v) override;
};

/// What LBFGS keeps, for all parameters in one row: as the state of the first parameter. libtorch:
/// torch::optim::LBFGSParamState.
struct SINTER_API LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
    SINTER_OPTIMIZER_STATE(int64_t, func_evals, 0)
    SINTER_OPTIMIZER_STATE(int64_t, n_iter, 0)
    SINTER_OPTIMIZER_STATE(double, t, 0)
    SINTER_OPTIMIZER_STATE(double, prev_loss, 0)
    SINTER_OPTIMIZER_STATE(Tensor, d)
    SINTER_OPTIMIZER_STATE(Tensor, H_diag)
    SINTER_OPTIMIZER_STATE(Tensor, prev_flat_grad)
    SINTER_OPTIMIZER_STATE(std::deque<Tensor>, old_dirs)
    SINTER_OPTIMIZER_STATE(std::deque<Tensor>, old_stps)
    SINTER_OPTIMIZER_STATE(std::deque<Tensor>, ro)

    void visit(FieldVisitor& v) override;
};

/// L-BFGS (Nocedal, 1980; Liu and Nocedal, 1989): each of up to `max_iter` iterations of a step
/// goes along the product of the gradient with an approximate inverse Hessian, made of the last
/// `history_size` changes of gradients and parameters. It goes `lr` times that product, or with
/// `line_search_fn("strong_wolfe")` to a point that satisfies the strong Wolfe conditions, found by
/// bracketing and cubic interpolation (Nocedal and Wright, Numerical Optimization, algorithms 3.5
/// and 3.6). A step ends when the closure was called `max_eval` times (by default 5/4 of
/// `max_iter`), when no part of the gradient exceeds `tolerance_grad`, or when loss or parameters
/// change by less than `tolerance_change`. All parameters are one group. PyTorch:
/// torch.optim.LBFGS.
class SINTER_API LBFGS : public Optimizer {
public:
    /// Takes a list of one group. Throws Error for another number of groups, and for a line search
    /// of another name.
    explicit LBFGS(const std::vector<OptimizerParamGroup>& param_groups,
                   LBFGSOptions defaults = {});
    /// Takes parameters.
    explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {})
        : LBFGS(std::vector<OptimizerParamGroup>{std::move(params)}, std::move(defaults)) {}

    /// Calls the closure several times, and reads the losses; returns the first one. Throws Error
    /// without a closure.
    Tensor step(LossClosure closure) override;

protected:
    std::string name() const override { return "LBFGS"; }
    void check(const OptimizerOptions& options, std::size_t groups) const override;
    std::unique_ptr<OptimizerParamState> new_state() const override;
    Tensor state_like(const Tensor& parameter) const override;
};

}  // namespace sinter::inline v1::optim
