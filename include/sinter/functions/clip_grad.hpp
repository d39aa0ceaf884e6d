// nn::utils: limits on gradients, between backward() and a step of an optimiser.
#pragma once

#include <sinter/tensor.hpp>

#include <vector>

namespace sinter::inline v1::nn::utils {

/// Multiplies the gradients of all parameters by one number, so that the norm of them all, as one
/// row, is at most `max_norm`, and returns that norm from before. The number is max_norm / (norm +
/// 1e-6), if that is less than 1. Parameters without a gradient do not count; the norm of none is
/// 0. `norm_type` is the order of the norm, which may be infinite. Computes the norm at once; the
/// gradients stay pending. Throws Error for a norm that is NaN or infinite, if
/// `error_if_nonfinite`. PyTorch: torch.nn.utils.clip_grad_norm_.
///@{
SINTER_API double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                                  double norm_type = 2.0, bool error_if_nonfinite = false);
inline double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
    return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}
///@}

/// Limits each element of the gradients to -clip_value and clip_value. Pending. Throws Error for
/// complex gradients. PyTorch: torch.nn.utils.clip_grad_value_.
///@{
SINTER_API void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
inline void clip_grad_value_(const Tensor& parameter, double clip_value) {
    clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}
///@}

}  // namespace sinter::inline v1::nn::utils
