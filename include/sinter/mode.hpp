// How operations run: pending and fused, or each at its line.
#pragma once

#include <sinter/tensor.hpp>
#include <sinter/tensor_list.hpp>

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

/// Whether expressions that the calling thread writes from now on may be computed faster than
/// exactly; they may not at first. In fused kernels over floating dtypes a product and a sum then
/// round once (FMA), narrow floats are rounded where they are stored only, and a quotient by a
/// number is a product with its reciprocal. Results differ in their last places from exact ones,
/// and from run to run: work that runs before its kernel is compiled is exact. Reductions keep
/// their order, and special values their meaning but for what an inexact reciprocal makes of the
/// largest and the smallest numbers.
SINTER_API void set_fast_math(bool fast);
SINTER_API bool get_fast_math();

/// Sets fast math until the end of the scope.
class FastMathGuard {
public:
    explicit FastMathGuard(bool fast = true) : before_(get_fast_math()) { set_fast_math(fast); }
    ~FastMathGuard() { set_fast_math(before_); }
    FastMathGuard(const FastMathGuard&) = delete;
    FastMathGuard& operator=(const FastMathGuard&) = delete;

private:
    bool before_;
};

/// The plan of what is still to be computed for `t`, as text: kernels, what fused, why not, bytes
/// moved, whether cached. Runs nothing.
SINTER_API std::string explain(const tensor_base& t);

/// Returns the pending operations that `t` needs, as Graphviz dot text: a node for each operation,
/// a box for each value that is known, an edge for each read, and a cluster for each kernel of the
/// plan. Runs nothing. docs/laziness.md says what each mark means.
SINTER_API std::string dump_graph(const tensor_base& t);
/// Returns that text for what several tensors need together.
SINTER_API std::string dump_graph(TensorList tensors);

}  // namespace sinter::inline v1
