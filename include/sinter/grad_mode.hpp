// The guards that programs put around numerical code. There is no differentiation yet, so they
// change nothing.
#pragma once

#include <sinter/config.hpp>

namespace sinter::inline v1 {

struct NoGradGuard {
    NoGradGuard() {}  // NOLINT: a user's guard is no unused variable
};

struct AutoGradMode {
    explicit AutoGradMode(bool) {}
};

struct InferenceMode {
    explicit InferenceMode(bool enabled = true) : enabled_(enabled) {}
    static bool is_enabled() { return false; }

private:
    [[maybe_unused]] bool enabled_;
};

struct GradMode {
    static bool is_enabled() { return false; }
    static void set_enabled(bool) {}
};

}  // namespace sinter::inline v1
