// Window functions, by which a signal is multiplied before its spectrum is taken. Each is one fused
// formula of an index. Periodic windows, the default of the functions with _window, are the
// symmetric window of one more element without its last; one element is 1. The dtype is the default
// dtype, or a floating one that the options name.
#pragma once

#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

/// Returns the triangle that begins at 0, a vector of window_length elements. Throws Error for a
/// negative length and unless the dtype is floating.
///@{
SINTER_API Tensor bartlett_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor bartlett_window(int64_t window_length, bool periodic,
                                  const TensorOptions& options = {});
///@}
/// Returns 0.42 - 0.5 cos a + 0.08 cos 2a, where a goes from 0 to 2 pi: a vector of window_length
/// elements. Throws Error for a negative length and unless the dtype is floating.
///@{
SINTER_API Tensor blackman_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor blackman_window(int64_t window_length, bool periodic,
                                  const TensorOptions& options = {});
///@}
/// Returns alpha - beta cos a, by default 0.54 - 0.46 cos a: a vector of window_length elements.
/// Throws Error for a negative length and unless the dtype is floating.
///@{
SINTER_API Tensor hamming_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor hamming_window(int64_t window_length, bool periodic,
                                 const TensorOptions& options = {});
SINTER_API Tensor hamming_window(int64_t window_length, bool periodic, double alpha,
                                 const TensorOptions& options = {});
SINTER_API Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                                 const TensorOptions& options = {});
///@}
/// Returns 0.5 - 0.5 cos a: a vector of window_length elements. Throws Error for a negative length
/// and unless the dtype is floating.
///@{
SINTER_API Tensor hann_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor hann_window(int64_t window_length, bool periodic,
                              const TensorOptions& options = {});
///@}
/// Returns I0(beta sqrt(1 - x^2)) / I0(beta), x from -1 to 1; beta is 12 by default: a vector of
/// window_length elements. Throws Error for a negative length and unless the dtype is floating.
///@{
SINTER_API Tensor kaiser_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor kaiser_window(int64_t window_length, bool periodic,
                                const TensorOptions& options = {});
SINTER_API Tensor kaiser_window(int64_t window_length, bool periodic, double beta,
                                const TensorOptions& options = {});
///@}

}  // namespace sinter::inline v1

/// PyTorch: torch.signal.windows. Windows are symmetric; if `sym` is false they are periodic, and M
/// stands for M - 1 in the formulas below. A namespace `signal` would hide the C function from
/// programs that open this one.
namespace sinter::inline v1::windows {

/// Returns the window that bartlett_window or blackman_window gives, a vector of M elements. Throws
/// ValueError if M < 0 and unless Float or Double.
///@{
SINTER_API Tensor bartlett(int64_t M, bool sym = true, const TensorOptions& options = {});
SINTER_API Tensor blackman(int64_t M, bool sym = true, const TensorOptions& options = {});
///@}
/// Returns sin(pi (k + 1/2) / M); if periodic, with M + 1 for M: a vector of M elements. Throws
/// ValueError if M < 0 and unless Float or Double.
SINTER_API Tensor cosine(int64_t M, bool sym = true, const TensorOptions& options = {});
/// Returns exp(-|k - center| / tau), a vector of M elements; center is (M - 1) / 2 by default.
/// Throws ValueError if tau <= 0 or M < 0, if a center is given although `sym` is true, and unless
/// Float or Double.
SINTER_API Tensor exponential(int64_t M, optional<double> center = nullopt, double tau = 1,
                              bool sym = true, const TensorOptions& options = {});
/// Returns exp(-(k - (M - 1) / 2)^2 / (2 std^2)), a vector of M elements. Throws ValueError if std
/// <= 0 or M < 0, and unless Float or Double.
SINTER_API Tensor gaussian(int64_t M, double std = 1, bool sym = true,
                           const TensorOptions& options = {});
/// Returns the sum of (-1)^i a[i] cos(2 pi i k / (M - 1)), a vector of M elements. Throws
/// ValueError if there are no coefficients or M < 0, and unless Float or Double.
SINTER_API Tensor general_cosine(int64_t M, ArrayRef<double> a, bool sym = true,
                                 const TensorOptions& options = {});
/// Returns alpha - (1 - alpha) cos(2 pi k / (M - 1)), a vector of M elements. Throws ValueError if
/// M < 0 and unless Float or Double.
SINTER_API Tensor general_hamming(int64_t M, double alpha = 0.54, bool sym = true,
                                  const TensorOptions& options = {});
/// Returns the window that hamming_window, hann_window or kaiser_window gives, a vector of M
/// elements. Throws ValueError if M < 0 and unless Float or Double; kaiser also if beta < 0.
///@{
SINTER_API Tensor hamming(int64_t M, bool sym = true, const TensorOptions& options = {});
SINTER_API Tensor hann(int64_t M, bool sym = true, const TensorOptions& options = {});
SINTER_API Tensor kaiser(int64_t M, double beta = 12, bool sym = true,
                         const TensorOptions& options = {});
///@}
/// Returns Nuttall's cosine window of four terms, a vector of M elements. Throws ValueError if M <
/// 0 and unless Float or Double.
SINTER_API Tensor nuttall(int64_t M, bool sym = true, const TensorOptions& options = {});

}  // namespace sinter::inline v1::windows
