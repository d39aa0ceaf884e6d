// How operations run: lazily and fused, or each at its line; and fast math.
#pragma once

#include <sinter/core/tensor_list.hpp>
#include <sinter/tensor.hpp>

#include <string>

namespace sinter::inline v1 {

/// How operations run: `lazy`, when a value is read, or `eager`, at the call. Both give equal bits.
enum class Mode { lazy, eager };

/// Sets or returns the calling thread's mode; the environment's SINTER_MODE=lazy|eager sets the
/// first. PyTorch: none.
///@{
SINTER_API void set_mode(Mode mode);
SINTER_API Mode get_mode();
///@}

/// Sets the mode until the end of the scope.
class ModeGuard {
public:
    /// Sets the mode, and restores the one before.
    ///@{
    explicit ModeGuard(Mode mode) : before_(get_mode()) { set_mode(mode); }
    ~ModeGuard() { set_mode(before_); }
    ///@}
    ModeGuard(const ModeGuard&) = delete;
    ModeGuard& operator=(const ModeGuard&) = delete;

private:
    Mode before_;
};

/// Allows, or tells if allowed (at first not), that expressions which the calling thread writes
/// from now on are computed faster than exactly. In fused kernels over floating dtypes a product
/// and a sum then round once (FMA), narrow floats are rounded only where they are stored, division
/// by a number multiplies by its reciprocal, and many functions, such as exp, tanh and erf, have
/// errors of up to 4 ULP instead of 1 (docs/accuracy.md lists them).
/// Results differ in their last places from exact ones, and from run to run: what runs before its
/// kernel is compiled is exact. Reductions keep their order, and special values keep their meaning,
/// except where an inexact reciprocal of a very large or small number changes them. PyTorch: none.
///@{
SINTER_API void set_fast_math(bool fast);
SINTER_API bool get_fast_math();
///@}

/// Sets fast math until the end of the scope.
class FastMathGuard {
public:
    /// Sets fast math, and restores what was set before.
    ///@{
    explicit FastMathGuard(bool fast = true) : before_(get_fast_math()) { set_fast_math(fast); }
    ~FastMathGuard() { set_fast_math(before_); }
    ///@}
    FastMathGuard(const FastMathGuard&) = delete;
    FastMathGuard& operator=(const FastMathGuard&) = delete;

private:
    bool before_;
};

/// Returns the plan of what is still to be computed for `t`, as text: kernels, what fused, why the
/// rest did not, bytes moved, and whether kernels are cached. Runs nothing. PyTorch: none.
SINTER_API std::string explain(const tensor_base& t);

/// Returns the pending operations that `t` needs, as Graphviz dot text: a node for each operation,
/// a box for each value that is known, an edge for each read, and a cluster for each kernel of the
/// plan. Runs nothing. docs/laziness.md says what each mark means.
/// PyTorch: none.
SINTER_API std::string dump_graph(const tensor_base& t);
/// Returns that text for what several tensors need together. PyTorch: none.
SINTER_API std::string dump_graph(TensorList tensors);

}  // namespace sinter::inline v1
