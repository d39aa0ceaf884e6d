// Guards of gradient mode, so that programs which use them compile. Sinter does not differentiate
// yet, so they change nothing.
#pragma once

#include <sinter/config.hpp>

namespace sinter::inline v1 {

/// PyTorch: torch.no_grad. Changes nothing.
struct NoGradGuard {
    /// Does nothing.
    NoGradGuard() {}  // NOLINT: a user's guard is no unused variable
};

/// PyTorch: torch.set_grad_enabled. Changes nothing.
struct AutoGradMode {
    /// Does nothing.
    explicit AutoGradMode(bool) {}
};

/// PyTorch: torch.inference_mode. Changes nothing.
struct InferenceMode {
    /// Does nothing.
    explicit InferenceMode(bool enabled = true) : enabled_(enabled) {}
    /// Returns false.
    static bool is_enabled() { return false; }

private:
    [[maybe_unused]] bool enabled_;
};

/// libtorch: at::GradMode. Changes nothing.
struct GradMode {
    /// Returns false.
    static bool is_enabled() { return false; }
    /// Does nothing.
    static void set_enabled(bool) {}
};

}  // namespace sinter::inline v1
