// Random draws. The call fixes their place in the stream.
//
// With a philox generator, the default, draws are pending and fuse with what reads them; an
// element's bits depend on the seed, its place and the dtype, not on device, thread count or mode.
// With an mt19937 generator they run at once, in PyTorch's order: rand, randn, randint and randperm
// of Float and Double give PyTorch's bits. `multinomial` reads its weights at once with either.
//
// Parameters in tensors (probabilities, deviations) are checked only if their values are known at
// the call; pending ones are not computed for that.
#pragma once

#include <sinter/generator.hpp>
#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

// ---- new tensors; dtype defaults to the default dtype, of integers to Long
/// Returns draws of these sizes, uniform in [0, 1). The dtype is floating or complex, the default
/// dtype unless the options name one. The call fixes their place in the stream; an mt19937
/// generator draws at the call. Throws Error for a negative size, and NotImplementedError for
/// another dtype.
///@{
SINTER_API Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor rand(IntArrayRef sizes, const optional_generator& generator,
                       const TensorOptions& options = {});
///@}
/// Returns standard normal draws of these sizes: dtypes as rand. Throws Error for a negative size,
/// and NotImplementedError for another dtype.
///@{
SINTER_API Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor randn(IntArrayRef sizes, const optional_generator& generator,
                        const TensorOptions& options = {});
///@}
/// Returns integers of these sizes, uniform in [low, high), low 0 by default: Long unless the
/// options name a dtype. Throws ValueError if the dtype does not hold them, and Error if the range
/// is empty or 2^62 wide or wider.
///@{
SINTER_API Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor randint(int64_t high, IntArrayRef sizes, const optional_generator& generator,
                          const TensorOptions& options = {});
SINTER_API Tensor randint(int64_t low, int64_t high, IntArrayRef sizes,
                          const TensorOptions& options = {});
SINTER_API Tensor randint(int64_t low, int64_t high, IntArrayRef sizes,
                          const optional_generator& generator, const TensorOptions& options = {});
///@}
/// Returns 0 to n - 1 in random order (Fisher and Yates), a vector: Long unless the options name a
/// dtype. Throws Error if n < 0 and ValueError if the dtype does not hold the numbers.
///@{
SINTER_API Tensor randperm(int64_t n, const TensorOptions& options = {});
SINTER_API Tensor randperm(int64_t n, const optional_generator& generator,
                           const TensorOptions& options = {});
///@}
/// Returns draws with the sizes, dtype, device and, if it is dense, order in memory of `t`: else as
/// rand, randn and randint, and throws what these throw.
///@{
SINTER_API Tensor rand_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor randn_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor randint_like(const tensor_base& t, int64_t high,
                               const TensorOptions& options = {});
SINTER_API Tensor randint_like(const tensor_base& t, int64_t low, int64_t high,
                               const TensorOptions& options = {});
///@}

// ---- with parameters; deviations of 0 or more, else they throw
/// Returns normal draws of this mean and standard deviation, of the sizes given or those to which
/// the tensors broadcast. Throws NotImplementedError unless floating (or complex, with sizes), and
/// Error if the sizes do not broadcast or a deviation is negative; a tensor of deviations is
/// checked only if it is not pending.
///@{
SINTER_API Tensor normal(double mean, double std, IntArrayRef sizes,
                         const optional_generator& generator = std::nullopt,
                         const TensorOptions& options = {});
SINTER_API Tensor normal(const tensor_base& mean, double std = 1,
                         const optional_generator& generator = std::nullopt);
SINTER_API Tensor normal(double mean, const tensor_base& std,
                         const optional_generator& generator = std::nullopt);
SINTER_API Tensor normal(const tensor_base& mean, const tensor_base& std,
                         const optional_generator& generator = std::nullopt);
///@}
/// Returns 1 with the probability that the element gives, or `p`, else 0, in the tensor's sizes and
/// dtype. Throws Error for a probability outside [0, 1] (in a pending tensor none is checked) and
/// NotImplementedError unless the probabilities are floating.
///@{
SINTER_API Tensor bernoulli(const tensor_base& probabilities,
                            const optional_generator& generator = std::nullopt);
SINTER_API Tensor bernoulli(const tensor_base& like, double p,
                            const optional_generator& generator = std::nullopt);
///@}
/// Returns indices (Long) of a vector of weights, or of each row of a matrix, drawn in proportion
/// to the weights: sizes (n) give (num_samples), (m, n) give (m, num_samples). The weights are read
/// at the call, with either generator. Throws Error for other numbers of dimensions, unless
/// floating, for weights that are negative or not finite, if none is positive, for no samples, and
/// for more samples than weights without replacement.
SINTER_API Tensor multinomial(const tensor_base& weights, int64_t num_samples,
                              bool replacement = false,
                              const optional_generator& generator = std::nullopt);

}  // namespace sinter::inline v1
