// How operations run: pending and fused, or each at its line.
#pragma once

#include <sinter/tensor.hpp>

#include <string>

namespace sinter::inline v1 {

enum class Mode { lazy, eager };

/// The calling thread's mode; SINTER_MODE=lazy|eager sets the first one.
SINTER_API void set_mode(Mode mode);
SINTER_API Mode get_mode();

/// Sets the mode until the end of the scope.
class ModeGuard {
public:
    explicit ModeGuard(Mode mode) : before_(get_mode()) { set_mode(mode); }
    ~ModeGuard() { set_mode(before_); }
    ModeGuard(const ModeGuard&) = delete;
    ModeGuard& operator=(const ModeGuard&) = delete;

private:
    Mode before_;
};

/// The plan of what is still to be computed for `t`, as text: kernels, what fused, why not, bytes
/// moved, whether cached. Runs nothing.
SINTER_API std::string explain(const tensor_base& t);

}  // namespace sinter::inline v1
