// Forward mode: derivatives along tangents, without a pass in reverse.
#pragma once

#include <sinter/autograd/node.hpp>

namespace sinter::inline v1::autograd::forward_ad {

/// Begins a level, on this thread. Returns its number: 0 for the outermost. libtorch:
/// torch::autograd::forward_ad::enter_dual_level.
SINTER_API uint64_t enter_dual_level();
/// Ends the level: tensors lose the tangents that they got in it. Throws Error if it is not the
/// innermost one. libtorch: torch::autograd::forward_ad::exit_dual_level.
SINTER_API void exit_dual_level(uint64_t level);

/// A level that lasts as long as the object. PyTorch: torch.autograd.forward_ad.dual_level.
class SINTER_API dual_level {
public:
    /// Begins a level.
    dual_level() : level_(enter_dual_level()) {}
    /// Ends it, and those that began in it.
    ~dual_level();
    /// Levels are not copied.
    ///@{
    dual_level(const dual_level&) = delete;
    dual_level& operator=(const dual_level&) = delete;
    ///@}

private:
    uint64_t level_;
};

/// What unpack_dual() returns.
struct unpacked_dual {
    /// The value.
    Tensor primal;
    /// The derivative along the tangents; undefined if the value depends on none.
    Tensor tangent;
};

/// Returns the tensor with a tangent in the innermost level, or in `level`. It shares the primal's
/// memory. What is computed from it is recorded, as for a tensor that requires a gradient, so it
/// must not be under NoGradGuard. Throws Error without a level, for a tangent of another shape, and
/// for a primal that is neither floating nor complex. The tangent is converted to the dtype of the
/// primal. PyTorch: torch.autograd.forward_ad.make_dual.
SINTER_API Tensor make_dual(const Tensor& primal, const Tensor& tangent,
                            optional<uint64_t> level = nullopt);

/// Returns the value of a tensor and its derivative along the tangents of the innermost level, or
/// of `level`. Nothing is computed before either is read. The derivative is one pass over what was
/// recorded: in the order of the statements, each once. Both are without tangents of that level,
/// and have gradients and tangents of other levels. Throws NotImplementedError for a function
/// without a derivative. PyTorch: torch.autograd.forward_ad.unpack_dual.
SINTER_API unpacked_dual unpack_dual(const Tensor& dual, optional<uint64_t> level = nullopt);

}  // namespace sinter::inline v1::autograd::forward_ad
