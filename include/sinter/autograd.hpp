// Differentiation: gradients of tensors that require them. Nothing here computes values: gradients
// are pending, and fuse with each other and with what is still pending of the statements that they
// belong to. Names and errors are libtorch's.
#pragma once

#include <sinter/autograd/forward_ad.hpp>
#include <sinter/autograd/function.hpp>
#include <sinter/autograd/gradcheck.hpp>
#include <sinter/autograd/node.hpp>
#include <sinter/core/tensor_list.hpp>
#include <sinter/grad_mode.hpp>

namespace sinter::inline v1::autograd {

/// Adds the gradients of the sum of `tensors`, each times its gradient in `grad_tensors`, to the
/// `grad()` of the leaves that it depends on; or to those of `inputs` alone, if there are any. A
/// tensor of one element needs no gradient: it is 1. Throws Error for another one without, for a
/// tensor that does not require a gradient, for shapes that differ, and for a graph whose saved
/// values are freed, as they are unless `retain_graph` is true (by default the value of
/// `create_graph`). With `create_graph` the gradients have gradients themselves.
SINTER_API void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
                         std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                         const variable_list& inputs = {});

/// Returns the gradients of the sum of `outputs`, each times its gradient in `grad_outputs`, with
/// respect to `inputs`. No `grad()` changes. Throws Error as backward(), and if an input does not
/// require a gradient or no output depends on it; with `allow_unused` its gradient is undefined
/// instead.
SINTER_API variable_list grad(const variable_list& outputs, const variable_list& inputs,
                              const variable_list& grad_outputs = {},
                              std::optional<bool> retain_graph = std::nullopt,
                              bool create_graph = false, bool allow_unused = false);

/// The state of anomaly mode. libtorch: torch::autograd::AnomalyMode.
struct SINTER_API AnomalyMode {
    /// Returns true if the mode is on for this thread.
    static bool is_enabled();
    /// Turns it on or off for this thread.
    static void set_enabled(bool enabled, bool check_nan = true);
    /// Returns true if gradients are searched for NaN.
    static bool should_check_nan();
};

/// While it lives, backward passes run each node at once and throw Error if it makes a NaN. Slow.
class SINTER_API DetectAnomalyGuard {
public:
    /// Turns anomaly mode on.
    explicit DetectAnomalyGuard(bool check_nan = true)
        : before_(AnomalyMode::is_enabled()), nan_before_(AnomalyMode::should_check_nan()) {
        AnomalyMode::set_enabled(true, check_nan);
    }
    /// Sets the mode from before.
    ~DetectAnomalyGuard() { AnomalyMode::set_enabled(before_, nan_before_); }
    /// Guards are not copied.
    ///@{
    DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
    DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;
    ///@}

private:
    bool before_, nan_before_;
};

/// While it lives, a backward pass may read saved values that have been written since they were
/// saved: the gradient is that of the values that were read. PyTorch:
/// torch.autograd.graph.allow_mutation_on_saved_tensors.
class SINTER_API AllowMutationOnSavedTensors {
public:
    /// Allows it for this thread.
    AllowMutationOnSavedTensors();
    /// Sets what was allowed before.
    ~AllowMutationOnSavedTensors();
    /// Guards are not copied.
    ///@{
    AllowMutationOnSavedTensors(const AllowMutationOnSavedTensors&) = delete;
    AllowMutationOnSavedTensors& operator=(const AllowMutationOnSavedTensors&) = delete;
    ///@}

private:
    bool before_;
};

}  // namespace sinter::inline v1::autograd
