// Whether operations are recorded for differentiation: a state of each thread.
#pragma once

#include <sinter/config.hpp>

namespace sinter::inline v1 {

/// The thread's gradient mode, which is on at first. libtorch: at::GradMode.
struct SINTER_API GradMode {
    /// Returns true if operations are recorded.
    static bool is_enabled();
    /// Turns recording on or off.
    static void set_enabled(bool enabled);
};

/// Turns recording on or off while it lives. An expression belongs to the mode in which it was
/// written. PyTorch: torch.set_grad_enabled.
class AutoGradMode {
public:
    /// Sets the mode.
    explicit AutoGradMode(bool enabled) : before_(GradMode::is_enabled()) {
        GradMode::set_enabled(enabled);
    }
    /// Sets the mode from before.
    ~AutoGradMode() { GradMode::set_enabled(before_); }
    /// Guards are not copied.
    ///@{
    AutoGradMode(const AutoGradMode&) = delete;
    AutoGradMode& operator=(const AutoGradMode&) = delete;
    ///@}

private:
    bool before_;
};

/// Operations are not recorded while it lives. PyTorch: torch.no_grad.
struct NoGradGuard : AutoGradMode {
    /// Turns recording off.
    NoGradGuard() : AutoGradMode(false) {}
};

/// As NoGradGuard, also within an AutoGradMode that turns recording on. What is made meanwhile, but
/// no view of an earlier tensor, is an inference tensor: so is each view of it. Outside of the mode
/// it may be read, but throws Error where it would be written in place, saved for a gradient or
/// made to require one. clone() then gives an ordinary tensor. PyTorch: torch.inference_mode.
class SINTER_API InferenceMode {
public:
    /// Turns inference mode on or off.
    explicit InferenceMode(bool enabled = true);
    /// Sets the modes from before.
    ~InferenceMode();
    /// Guards are not copied.
    ///@{
    InferenceMode(const InferenceMode&) = delete;
    InferenceMode& operator=(const InferenceMode&) = delete;
    ///@}
    /// Returns true within such a guard.
    static bool is_enabled();

private:
    bool before_, recorded_before_;
};

}  // namespace sinter::inline v1
