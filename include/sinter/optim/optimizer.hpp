// What optimisers share: groups of parameters with options, a state for each parameter, and both in
// a file.
#pragma once

#include <sinter/optim/fields.hpp>
#include <sinter/tensor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace sinter::inline v1::optim {

/// Parameters and the options for them. libtorch: torch::optim::OptimizerParamGroup.
class SINTER_API OptimizerParamGroup {
public:
    /// Copies the list of parameters, which are shared, and the options, which are not.
    OptimizerParamGroup(const OptimizerParamGroup& other);
    /// Moves the group.
    ///@{
    OptimizerParamGroup(OptimizerParamGroup&&) = default;
    OptimizerParamGroup& operator=(OptimizerParamGroup&&) noexcept = default;
    ///@}
    /// Makes a group that gets the options of its optimiser.
    OptimizerParamGroup(std::vector<Tensor> params)  // NOLINT: implicit, as in libtorch
        : params_(std::move(params)) {}
    /// Makes a group with options of its own. Those that were not set get the optimiser's values.
    OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
        : params_(std::move(params)), options_(std::move(options)) {}

    /// Returns true if the group has options.
    bool has_options() const { return static_cast<bool>(options_); }
    /// Returns the options. Throws Error if there are none. PyTorch: group["lr"] and others.
    ///@{
    OptimizerOptions& options();
    const OptimizerOptions& options() const;
    ///@}
    /// Replaces the options.
    void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
    /// Returns the parameters.
    ///@{
    std::vector<Tensor>& params() { return params_; }
    const std::vector<Tensor>& params() const { return params_; }
    ///@}

private:
    std::vector<Tensor> params_;
    std::unique_ptr<OptimizerOptions> options_;
};

/// The base of all optimisers. It holds handles of the parameters, so `step()` changes the tensors
/// of the program. libtorch: torch::optim::Optimizer.
///
/// The parameters of a step and the state that goes with them are computed together, in one kernel
/// for all parameters of one shape (docs/differentiation.md).
class SINTER_API Optimizer {
public:
    /// Computes a loss and its gradients: it calls `zero_grad()` and `backward()` itself.
    using LossClosure = std::function<Tensor()>;

    /// Adds the groups; those without options get `defaults`. Throws Error as add_param_group().
    explicit Optimizer(const std::vector<OptimizerParamGroup>& param_groups,
                       std::unique_ptr<OptimizerOptions> defaults);
    /// As above, with one group.
    explicit Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
        : Optimizer(std::vector<OptimizerParamGroup>{std::move(parameters)}, std::move(defaults)) {}
    /// Optimisers are moved and not copied: save() and load() take the state of one to another.
    ///@{
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;
    Optimizer(Optimizer&&) = default;
    Optimizer& operator=(Optimizer&&) = default;
    ///@}
    /// Drops the state.
    virtual ~Optimizer() = default;

    /// Changes each parameter that has a gradient, under NoGradGuard; the others stay as they are.
    /// With a closure it first computes the loss by that, with gradients recorded, and returns it;
    /// else it returns an undefined tensor. Pending, except where a class says otherwise. Throws
    /// Error where in-place writes do, such as for read-only memory. PyTorch:
    /// torch.optim.Optimizer.step.
    virtual Tensor step(LossClosure closure = nullptr) = 0;
    /// Drops the gradients of all parameters, or sets them to 0. PyTorch:
    /// torch.optim.Optimizer.zero_grad.
    void zero_grad(bool set_to_none = true);
    /// Adds a group, after those that are there. Throws Error for a tensor that is no leaf, for one
    /// that is in a group already, for options of another optimiser and for values that the
    /// optimiser does not take; then nothing is added. PyTorch:
    /// torch.optim.Optimizer.add_param_group.
    void add_param_group(const OptimizerParamGroup& param_group);

    /// Returns the parameters of all groups. PyTorch: none.
    std::vector<Tensor> parameters() const;
    /// Returns the number of parameters. libtorch: torch::optim::Optimizer::size.
    std::size_t size() const noexcept;
    /// Returns the groups, whose options may be changed between steps. PyTorch:
    /// torch.optim.Optimizer.param_groups.
    ///@{
    std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
    const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
    ///@}
    /// Returns the options of groups without options of their own. PyTorch:
    /// torch.optim.Optimizer.defaults.
    ///@{
    OptimizerOptions& defaults() noexcept { return *defaults_; }
    const OptimizerOptions& defaults() const noexcept { return *defaults_; }
    ///@}
    /// States by the address of their parameter, `unsafeGetTensorImpl()`.
    using state_map = std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>;
    /// Returns the states. A parameter that no step has changed has none. PyTorch:
    /// torch.optim.Optimizer.state.
    ///@{
    state_map& state() noexcept { return state_; }
    const state_map& state() const noexcept { return state_; }
    ///@}

    /// Writes options and states to a NumPy archive, which takes the place of the file once it is
    /// complete; parameters are not in it. Computes pending states at once. Throws Error if the
    /// file cannot be written. PyTorch: torch.save of state_dict().
    void save(const std::string& path) const;
    /// Reads what save() wrote: options and states, which become those of the groups and parameters
    /// of the same places. States take the dtype and device of their parameter. Throws Error for a
    /// file of another optimiser, for another number of groups or parameters, for shapes that do
    /// not match and for a file that cannot be read; then nothing changes. PyTorch:
    /// torch.optim.Optimizer.load_state_dict.
    void load(const std::string& path);

protected:
    /// Returns the name of the class, for files and errors.
    virtual std::string name() const { return "Optimizer"; }
    /// Throws Error if the options of a group are those of another optimiser or have values that
    /// this one does not take, or if it does not take so many groups. Constructors call it
    /// themselves.
    virtual void check(const OptimizerOptions& options, std::size_t groups) const;
    /// Returns a state without values, which load() fills; null for an optimiser without states.
    virtual std::unique_ptr<OptimizerParamState> new_state() const { return nullptr; }
    /// Returns a tensor with the sizes, dtype and device that the tensors of a parameter's state
    /// have; by default the parameter.
    virtual Tensor state_like(const Tensor& parameter) const;

    /// What the functions above return.
    ///@{
    std::vector<OptimizerParamGroup> param_groups_;
    state_map state_;
    std::unique_ptr<OptimizerOptions> defaults_;
    ///@}
};

}  // namespace sinter::inline v1::optim
