// Random draws. The place in the stream is fixed by the call.
//
// From a philox generator, which is the default, draws are pending and fuse with what reads them;
// an element's bits depend on the seed, its place and the dtype, not on device, thread count or
// mode. From an mt19937 generator they are drawn at the call, in PyTorch's order: rand, randn,
// randint and randperm of Float and Double give its bits. `multinomial` reads its weights at the
// call with either.
//
// Checks of parameters that are tensors (probabilities, deviations) look at values that are known
// at the call; pending ones are not computed for that.
#pragma once

#include <sinter/generator.hpp>
#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

// ---- new tensors; dtype defaults to the default dtype, of integers to Long
/// Uniform in [0, 1).
SINTER_API Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor rand(IntArrayRef sizes, const optional_generator& generator,
                       const TensorOptions& options = {});
/// Standard normal.
SINTER_API Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor randn(IntArrayRef sizes, const optional_generator& generator,
                        const TensorOptions& options = {});
/// Integers in [low, high). Throws ValueError where that is empty, or 2^62 wide or wider.
SINTER_API Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor randint(int64_t high, IntArrayRef sizes, const optional_generator& generator,
                          const TensorOptions& options = {});
SINTER_API Tensor randint(int64_t low, int64_t high, IntArrayRef sizes,
                          const TensorOptions& options = {});
SINTER_API Tensor randint(int64_t low, int64_t high, IntArrayRef sizes,
                          const optional_generator& generator, const TensorOptions& options = {});
/// 0 to n - 1 in random order (Fisher and Yates). A pending step of its own.
SINTER_API Tensor randperm(int64_t n, const TensorOptions& options = {});
SINTER_API Tensor randperm(int64_t n, const optional_generator& generator,
                           const TensorOptions& options = {});
/// With sizes, dtype and, where it is dense, layout of a tensor.
SINTER_API Tensor rand_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor randn_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor randint_like(const tensor_base& t, int64_t high,
                               const TensorOptions& options = {});
SINTER_API Tensor randint_like(const tensor_base& t, int64_t low, int64_t high,
                               const TensorOptions& options = {});

// ---- with parameters; deviations of 0 or more, else they throw
SINTER_API Tensor normal(double mean, double std, IntArrayRef sizes,
                         const optional_generator& generator = std::nullopt,
                         const TensorOptions& options = {});
SINTER_API Tensor normal(const tensor_base& mean, double std = 1,
                         const optional_generator& generator = std::nullopt);
SINTER_API Tensor normal(double mean, const tensor_base& std,
                         const optional_generator& generator = std::nullopt);
SINTER_API Tensor normal(const tensor_base& mean, const tensor_base& std,
                         const optional_generator& generator = std::nullopt);
/// 1 with the probability that the element gives, or `p`, else 0.
SINTER_API Tensor bernoulli(const tensor_base& probabilities,
                            const optional_generator& generator = std::nullopt);
SINTER_API Tensor bernoulli(const tensor_base& like, double p,
                            const optional_generator& generator = std::nullopt);
/// Indices of a vector of weights, or of each row of a matrix, drawn in proportion to them. Throws
/// on weights that are negative or not finite, and where none is positive. Runs at its line.
SINTER_API Tensor multinomial(const tensor_base& weights, int64_t num_samples,
                              bool replacement = false,
                              const optional_generator& generator = std::nullopt);

}  // namespace sinter::inline v1
