// Window functions: what a signal is multiplied with before its spectrum is taken. Each is one
// fused formula of an index. Periodic ones, the default, are what is left of the symmetric one of a
// size more when its last element is dropped; one element is 1. Of the default dtype, or of a
// floating one that the options name.
#pragma once

#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

/// A triangle that begins at 0.
SINTER_API Tensor bartlett_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor bartlett_window(int64_t window_length, bool periodic,
                                  const TensorOptions& options = {});
/// 0.42 - 0.5 cos a + 0.08 cos 2a.
SINTER_API Tensor blackman_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor blackman_window(int64_t window_length, bool periodic,
                                  const TensorOptions& options = {});
/// alpha - beta cos a.
SINTER_API Tensor hamming_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor hamming_window(int64_t window_length, bool periodic,
                                 const TensorOptions& options = {});
SINTER_API Tensor hamming_window(int64_t window_length, bool periodic, double alpha,
                                 const TensorOptions& options = {});
SINTER_API Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                                 const TensorOptions& options = {});
/// 0.5 - 0.5 cos a.
SINTER_API Tensor hann_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor hann_window(int64_t window_length, bool periodic,
                              const TensorOptions& options = {});
/// I0(beta sqrt(1 - x^2)) / I0(beta), x from -1 to 1.
SINTER_API Tensor kaiser_window(int64_t window_length, const TensorOptions& options = {});
SINTER_API Tensor kaiser_window(int64_t window_length, bool periodic,
                                const TensorOptions& options = {});
SINTER_API Tensor kaiser_window(int64_t window_length, bool periodic, double beta,
                                const TensorOptions& options = {});

}  // namespace sinter::inline v1

/// PyTorch's torch.signal.windows: symmetric unless `sym` is false. Float and Double only. A
/// namespace `signal` would hide the C function from programs that open this one.
namespace sinter::inline v1::windows {

SINTER_API Tensor bartlett(int64_t M, bool sym = true, const TensorOptions& options = {});
SINTER_API Tensor blackman(int64_t M, bool sym = true, const TensorOptions& options = {});
/// sin(pi (k + 1/2) / M)
SINTER_API Tensor cosine(int64_t M, bool sym = true, const TensorOptions& options = {});
/// exp(-|k - center| / tau), center (M - 1) / 2 where it is not given.
SINTER_API Tensor exponential(int64_t M, optional<double> center = nullopt, double tau = 1,
                              bool sym = true, const TensorOptions& options = {});
/// exp(-(k - (M - 1) / 2)^2 / (2 std^2))
SINTER_API Tensor gaussian(int64_t M, double std = 1, bool sym = true,
                           const TensorOptions& options = {});
/// The sum of (-1)^i a[i] cos(2 pi i k / (M - 1)).
SINTER_API Tensor general_cosine(int64_t M, ArrayRef<double> a, bool sym = true,
                                 const TensorOptions& options = {});
SINTER_API Tensor general_hamming(int64_t M, double alpha = 0.54, bool sym = true,
                                  const TensorOptions& options = {});
SINTER_API Tensor hamming(int64_t M, bool sym = true, const TensorOptions& options = {});
SINTER_API Tensor hann(int64_t M, bool sym = true, const TensorOptions& options = {});
SINTER_API Tensor kaiser(int64_t M, double beta = 12, bool sym = true,
                         const TensorOptions& options = {});
/// The cosine window of four terms by Nuttall.
SINTER_API Tensor nuttall(int64_t M, bool sym = true, const TensorOptions& options = {});

}  // namespace sinter::inline v1::windows
