// nn::functional: the functions of libtorch's namespace that have no weights of their own:
// activations, normalisations, padding, distances and losses. Each is a composition of the
// library's functions, pending and fused unless it says otherwise. Options are set as in libtorch:
// `MSELossFuncOptions().reduction(kSum)`.
#pragma once

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/shape.hpp>

#include <string>
#include <vector>

namespace sinter::inline v1 {

// A type for each choice, as in libtorch.
namespace enumtype {
/// The type of the constant of this name.
///@{
struct kNone {};
struct kMean {};
struct kSum {};
struct kBatchMean {};
struct kConstant {};
struct kReflect {};
struct kReplicate {};
struct kCircular {};
///@}
}  // namespace enumtype
/// Choices of a reduction (kNone, kMean, kSum, kBatchMean) or of a padding (kConstant, kReflect,
/// kReplicate, kCircular).
///@{
inline constexpr enumtype::kNone kNone;
inline constexpr enumtype::kMean kMean;
inline constexpr enumtype::kSum kSum;
inline constexpr enumtype::kBatchMean kBatchMean;
inline constexpr enumtype::kConstant kConstant;
inline constexpr enumtype::kReflect kReflect;
inline constexpr enumtype::kReplicate kReplicate;
inline constexpr enumtype::kCircular kCircular;
///@}

}  // namespace sinter::inline v1

namespace sinter::inline v1::nn::functional {

/// How a loss combines the losses of all elements: leaves them, or takes their mean or sum.
/// kBatchMean, the sum divided by the first size, is accepted by kl_div alone.
class reduction_t {
public:
    /// The choices.
    enum class kind : uint8_t { none, mean, sum, batch_mean };
    /// Made of a choice's name; implicit.
    ///@{
    reduction_t(enumtype::kNone) : kind_(kind::none) {}             // NOLINT: a choice by its name
    reduction_t(enumtype::kMean) : kind_(kind::mean) {}             // NOLINT
    reduction_t(enumtype::kSum) : kind_(kind::sum) {}               // NOLINT
    reduction_t(enumtype::kBatchMean) : kind_(kind::batch_mean) {}  // NOLINT: of kl_div alone
    ///@}
    /// Returns the choice.
    operator kind() const { return kind_; }  // NOLINT

private:
    kind kind_;
};

/// What pad() pads with: a constant, elements mirrored at the ends, the end elements, or those at
/// the other end.
class padding_t {
public:
    /// The choices.
    enum class kind : uint8_t { constant, reflect, replicate, circular };
    /// Made of a choice's name; implicit.
    ///@{
    padding_t(enumtype::kConstant) : kind_(kind::constant) {}    // NOLINT: a choice by its name
    padding_t(enumtype::kReflect) : kind_(kind::reflect) {}      // NOLINT
    padding_t(enumtype::kReplicate) : kind_(kind::replicate) {}  // NOLINT
    padding_t(enumtype::kCircular) : kind_(kind::circular) {}    // NOLINT
    ///@}
    /// Returns the choice.
    operator kind() const { return kind_; }  // NOLINT

private:
    kind kind_;
};

// One option: x.name(value) sets it and returns the options, x.name() reads it.
#define SINTER_OPTION(type, name, ...)                                                        \
private:                                                                                      \
    type name##_ = __VA_ARGS__;                                                               \
                                                                                              \
public:                                                                                       \
    /** Sets the option; returns these options. */ auto name(type value) -> decltype(*this) { \
        name##_ = std::move(value);                                                           \
        return *this;                                                                         \
    }                                                                                         \
    /** Returns the option. */ const type& name() const { return name##_; }
// Options that include the reduction, from which alone they can be made.
#define SINTER_LOSS_OPTIONS(name)                                             \
    /** Makes options with their defaults. */ name() = default;               \
    /** Makes options of the reduction alone; implicit. */ template <class R> \
        requires std::is_convertible_v<R, reduction_t>                        \
    name(R reduction) : reduction_(reduction) {} /* NOLINT: so */             \
    SINTER_OPTION(reduction_t, reduction, kMean)

// ---- activations
/// Options of elu().
struct ELUFuncOptions {
    SINTER_OPTION(double, alpha, 1.0)
};
/// Options of celu().
struct CELUFuncOptions {
    SINTER_OPTION(double, alpha, 1.0)
};
/// Options of gelu().
struct GELUFuncOptions {
    SINTER_OPTION(std::string, approximate, "none")
};
/// Options of glu().
struct GLUFuncOptions {
    /// Makes options of this value; implicit.
    GLUFuncOptions(int64_t dim = -1) : dim_(dim) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, dim, -1)
};
/// Options of hardshrink().
struct HardshrinkFuncOptions {
    /// Makes options of this value; implicit.
    HardshrinkFuncOptions(double lambda = 0.5) : lambda_(lambda) {}  // NOLINT: made of it
    SINTER_OPTION(double, lambda, 0.5)
};
/// Options of softshrink().
struct SoftshrinkFuncOptions {
    /// Makes options of this value; implicit.
    SoftshrinkFuncOptions(double lambda = 0.5) : lambda_(lambda) {}  // NOLINT: made of it
    SINTER_OPTION(double, lambda, 0.5)
};
/// Options of hardtanh().
struct HardtanhFuncOptions {
    SINTER_OPTION(double, min_val, -1.0)
    SINTER_OPTION(double, max_val, 1.0)
};
/// Options of leaky_relu().
struct LeakyReLUFuncOptions {
    SINTER_OPTION(double, negative_slope, 0.01)
};
/// Options of softplus().
struct SoftplusFuncOptions {
    SINTER_OPTION(double, beta, 1.0)
    SINTER_OPTION(double, threshold, 20.0)
};
/// Options of threshold().
struct ThresholdFuncOptions {
    /// Makes options of both values.
    ThresholdFuncOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
    SINTER_OPTION(double, threshold, 0)
    SINTER_OPTION(double, value, 0)
};
/// Options of softmax(), softmin() and log_softmax().
struct SoftmaxFuncOptions {
    /// Makes options of this value; implicit.
    SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, dim, 0)
    SINTER_OPTION(optional<ScalarType>, dtype, nullopt)
};
/// Options of softmin().
using SoftminFuncOptions = SoftmaxFuncOptions;
/// Options of log_softmax().
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;

/// Returns the function of this name of each element. logsigmoid is log(1 / (1 + exp(-x))).
///@{
inline Tensor relu(const tensor_base& x) { return x.relu(); }
inline Tensor relu6(const tensor_base& x) { return x.relu6(); }
inline Tensor selu(const tensor_base& x) { return v1::selu(x); }
inline Tensor silu(const tensor_base& x) { return x.silu(); }
inline Tensor mish(const tensor_base& x) { return x.mish(); }
inline Tensor softsign(const tensor_base& x) { return x.softsign(); }
inline Tensor hardsigmoid(const tensor_base& x) { return x.hardsigmoid(); }
inline Tensor hardswish(const tensor_base& x) { return x.hardswish(); }
inline Tensor logsigmoid(const tensor_base& x) { return x.log_sigmoid(); }
///@}
/// Returns x - tanh x, element by element. Throws NotImplementedError for Bool.
inline Tensor tanhshrink(const tensor_base& x) { return x.self() - x.tanh(); }
/// Returns each element, below zero times weight: one number, or one for each channel (dimension
/// 1). Throws Error for another number of weights or another dtype, and NotImplementedError unless
/// floating.
inline Tensor prelu(const tensor_base& x, const tensor_base& weight) { return x.prelu(weight); }
/// Returns the activation of this name in pointwise.hpp with these options.
///@{
inline Tensor elu(const tensor_base& x, const ELUFuncOptions& options = {}) {
    return v1::elu(x, options.alpha());
}
inline Tensor celu(const tensor_base& x, const CELUFuncOptions& options = {}) {
    return v1::celu(x, options.alpha());
}
inline Tensor gelu(const tensor_base& x, const GELUFuncOptions& options = {}) {
    return v1::gelu(x, options.approximate());
}
inline Tensor hardshrink(const tensor_base& x, const HardshrinkFuncOptions& options = {}) {
    return v1::hardshrink(x, options.lambda());
}
inline Tensor softshrink(const tensor_base& x, const SoftshrinkFuncOptions& options = {}) {
    return v1::softshrink(x, options.lambda());
}
inline Tensor hardtanh(const tensor_base& x, const HardtanhFuncOptions& options = {}) {
    return v1::hardtanh(x, options.min_val(), options.max_val());
}
inline Tensor leaky_relu(const tensor_base& x, const LeakyReLUFuncOptions& options = {}) {
    return v1::leaky_relu(x, options.negative_slope());
}
inline Tensor softplus(const tensor_base& x, const SoftplusFuncOptions& options = {}) {
    return v1::softplus(x, options.beta(), options.threshold());
}
inline Tensor threshold(const tensor_base& x, const ThresholdFuncOptions& options) {
    return v1::threshold(x, options.threshold(), options.value());
}
///@}
/// Returns the first half of a dimension times the sigmoid of the second: that dimension has half
/// its size. Throws Error if the size is odd or the tensor 0-d, IndexError if there is no such
/// dimension, and NotImplementedError unless floating.
SINTER_API Tensor glu(const tensor_base& x, const GLUFuncOptions& options = {});
/// Returns sinter::softmax() along the options' dimension, in the tensor's sizes. Throws
/// NotImplementedError unless floating, and IndexError if there is no such dimension.
inline Tensor softmax(const tensor_base& x, const SoftmaxFuncOptions& options) {
    return v1::softmax(x, options.dim(), options.dtype());
}
/// Returns softmax of -x, in the tensor's sizes. Throws NotImplementedError unless floating, and
/// IndexError if there is no such dimension.
inline Tensor softmin(const tensor_base& x, const SoftminFuncOptions& options) {
    return v1::softmax(-x.self(), options.dim(), options.dtype());
}
/// Returns the logarithm of softmax, in the tensor's sizes. Throws NotImplementedError unless
/// floating, and IndexError if there is no such dimension.
inline Tensor log_softmax(const tensor_base& x, const LogSoftmaxFuncOptions& options) {
    return v1::log_softmax(x, options.dim(), options.dtype());
}

// ---- distances, classes, padding
/// Options of cosine_similarity().
struct CosineSimilarityFuncOptions {
    SINTER_OPTION(int64_t, dim, 1)
    SINTER_OPTION(double, eps, 1e-8)
};
/// Options of pairwise_distance().
struct PairwiseDistanceFuncOptions {
    SINTER_OPTION(double, p, 2.0)
    SINTER_OPTION(double, eps, 1e-6)
    SINTER_OPTION(bool, keepdim, false)
};
/// Options of pad().
struct PadFuncOptions {
    /// Makes options of this value; implicit.
    PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}  // NOLINT: made of it
    SINTER_OPTION(std::vector<int64_t>, pad, {})
    SINTER_OPTION(padding_t, mode, kConstant)
    SINTER_OPTION(double, value, 0)
};
/// Returns the function of this name in reductions.hpp with these options.
///@{
inline Tensor cosine_similarity(const tensor_base& x1, const tensor_base& x2,
                                const CosineSimilarityFuncOptions& options = {}) {
    return v1::cosine_similarity(x1, x2, options.dim(), options.eps());
}
inline Tensor pairwise_distance(const tensor_base& x1, const tensor_base& x2,
                                const PairwiseDistanceFuncOptions& options = {}) {
    return v1::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}
///@}
/// Returns the p-norms of the differences of all pairs of rows of a matrix (n, m), the first row's
/// first: a vector of n (n - 1) / 2. Throws Error unless `x` is a matrix, and for p < 0;
/// NotImplementedError unless floating.
SINTER_API Tensor pdist(const tensor_base& x, double p = 2);
/// Returns the function of this name in gathering.hpp.
inline Tensor one_hot(const tensor_base& x, int64_t num_classes = -1) {
    return v1::one_hot(x, num_classes);
}
/// Returns the tensor padded with a constant (constant_pad_nd: fused), or with its own elements
/// (opaque gathers) in the last one to three dimensions, whose sizes grow by the numbers, two a
/// dimension, the last one first. Throws Error if the tensor is too small for the padding, for an
/// odd number of numbers and for a value beside its own elements, and NotImplementedError for other
/// dimensions.
SINTER_API Tensor pad(const tensor_base& x, const PadFuncOptions& options);

// ---- normalisation: Half and BFloat16 are computed in Float
/// Options of normalize().
struct NormalizeFuncOptions {
    SINTER_OPTION(double, p, 2.0)
    SINTER_OPTION(int64_t, dim, 1)
    SINTER_OPTION(double, eps, 1e-12)
};
/// Options of layer_norm().
struct LayerNormFuncOptions {
    /// Makes options of this value; implicit.
    LayerNormFuncOptions(std::vector<int64_t> normalized_shape)  // NOLINT: made of it
        : normalized_shape_(std::move(normalized_shape)) {}
    SINTER_OPTION(std::vector<int64_t>, normalized_shape, {})
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(double, eps, 1e-5)
};
/// Options of batch_norm().
struct BatchNormFuncOptions {
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(bool, training, false)
    SINTER_OPTION(optional<double>, momentum, 0.1)
    SINTER_OPTION(double, eps, 1e-5)
};
/// Options of instance_norm().
struct InstanceNormFuncOptions {
    SINTER_OPTION(Tensor, running_mean, {})
    SINTER_OPTION(Tensor, running_var, {})
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(bool, use_input_stats, true)
    SINTER_OPTION(double, momentum, 0.1)
    SINTER_OPTION(double, eps, 1e-5)
};
/// Options of group_norm().
struct GroupNormFuncOptions {
    /// Makes options of this value; implicit.
    GroupNormFuncOptions(int64_t num_groups) : num_groups_(num_groups) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, num_groups, 1)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(double, eps, 1e-5)
};
/// Options of local_response_norm().
struct LocalResponseNormFuncOptions {
    /// Makes options of this value; implicit.
    LocalResponseNormFuncOptions(int64_t size) : size_(size) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, size, 1)
    SINTER_OPTION(double, alpha, 1e-4)
    SINTER_OPTION(double, beta, 0.75)
    SINTER_OPTION(double, k, 1.0)
};
/// Returns x divided by its p-norm along a dimension, which counts as eps at least, in the tensor's
/// sizes. Throws NotImplementedError for integers and Bool, and IndexError if there is no such
/// dimension.
SINTER_API Tensor normalize(const tensor_base& x, const NormalizeFuncOptions& options = {});
/// Returns (x - mean) / sqrt(var + eps) over the last dimensions, which have the shape
/// normalized_shape; then times weight plus bias of that shape, in the tensor's sizes. Half and
/// BFloat16 are computed in Float. Throws Error if a shape does not fit and NotImplementedError
/// unless floating.
SINTER_API Tensor layer_norm(const tensor_base& x, const LayerNormFuncOptions& options);
/// As layer_norm over all dimensions but 1, with a number of weight and bias for each channel, in
/// the tensor's sizes. When training, the running mean and variance, if given, move by `momentum`
/// towards the batch's (they are written); otherwise they take the place of the batch's. Throws
/// Error if they are missing then, if vectors are not of one number a channel and below 2
/// dimensions, ValueError for one element a channel when training, and NotImplementedError unless
/// floating.
SINTER_API Tensor batch_norm(const tensor_base& x, const Tensor& running_mean,
                             const Tensor& running_var, const BatchNormFuncOptions& options = {});
/// As batch_norm over all dimensions from 2 on, of each sample, in the tensor's sizes.
/// use_input_stats false takes the running statistics. Throws what batch_norm throws.
SINTER_API Tensor instance_norm(const tensor_base& x, const InstanceNormFuncOptions& options = {});
/// As layer_norm over groups of channels of each sample, in the tensor's sizes. Throws Error unless
/// the groups divide the channels, if weight or bias are not of one number a channel and below 2
/// dimensions, ValueError for one element a group, and NotImplementedError unless floating.
SINTER_API Tensor group_norm(const tensor_base& x, const GroupNormFuncOptions& options);
/// Returns x / (k + alpha mean(x^2))^beta, the mean over `size` neighbouring channels, in the
/// tensor's sizes. Throws ValueError below 3 dimensions, Error for a size below 1, and
/// NotImplementedError unless floating.
SINTER_API Tensor local_response_norm(const tensor_base& x,
                                      const LocalResponseNormFuncOptions& options);

// ---- losses: of every element, or their mean (the default) or sum
/// Options of l1_loss().
struct L1LossFuncOptions {
    SINTER_LOSS_OPTIONS(L1LossFuncOptions)
};
/// Options of mse_loss().
struct MSELossFuncOptions {
    SINTER_LOSS_OPTIONS(MSELossFuncOptions)
};
/// Options of smooth_l1_loss().
struct SmoothL1LossFuncOptions {
    SINTER_LOSS_OPTIONS(SmoothL1LossFuncOptions)
    SINTER_OPTION(optional<double>, beta, nullopt)
};
/// Options of huber_loss().
struct HuberLossFuncOptions {
    SINTER_LOSS_OPTIONS(HuberLossFuncOptions)
    SINTER_OPTION(double, delta, 1.0)
};
/// Options of binary_cross_entropy().
struct BinaryCrossEntropyFuncOptions {
    SINTER_LOSS_OPTIONS(BinaryCrossEntropyFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
};
/// Options of binary_cross_entropy_with_logits().
struct BinaryCrossEntropyWithLogitsFuncOptions {
    SINTER_LOSS_OPTIONS(BinaryCrossEntropyWithLogitsFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, pos_weight, {})
};
/// Options of kl_div().
struct KLDivFuncOptions {
    SINTER_LOSS_OPTIONS(KLDivFuncOptions)
    SINTER_OPTION(bool, log_target, false)
};
/// Options of nll_loss().
struct NLLLossFuncOptions {
    SINTER_LOSS_OPTIONS(NLLLossFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(int64_t, ignore_index, -100)
};
/// Options of cross_entropy().
struct CrossEntropyFuncOptions {
    SINTER_LOSS_OPTIONS(CrossEntropyFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(int64_t, ignore_index, -100)
    SINTER_OPTION(double, label_smoothing, 0.0)
};
/// Options of hinge_embedding_loss().
struct HingeEmbeddingLossFuncOptions {
    SINTER_LOSS_OPTIONS(HingeEmbeddingLossFuncOptions)
    SINTER_OPTION(double, margin, 1.0)
};
/// Options of margin_ranking_loss().
struct MarginRankingLossFuncOptions {
    SINTER_LOSS_OPTIONS(MarginRankingLossFuncOptions)
    SINTER_OPTION(double, margin, 0.0)
};
/// Options of cosine_embedding_loss().
struct CosineEmbeddingLossFuncOptions {
    SINTER_LOSS_OPTIONS(CosineEmbeddingLossFuncOptions)
    SINTER_OPTION(double, margin, 0.0)
};
/// Options of soft_margin_loss().
struct SoftMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(SoftMarginLossFuncOptions)
};
/// Options of multilabel_soft_margin_loss().
struct MultiLabelSoftMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(MultiLabelSoftMarginLossFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
};
/// libtorch's other spelling of these options.
using MultilabelSoftMarginLossFuncOptions = MultiLabelSoftMarginLossFuncOptions;
/// Options of multi_margin_loss().
struct MultiMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(MultiMarginLossFuncOptions)
    SINTER_OPTION(int64_t, p, 1)
    SINTER_OPTION(double, margin, 1.0)
    SINTER_OPTION(Tensor, weight, {})
};
/// Options of multilabel_margin_loss().
struct MultilabelMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(MultilabelMarginLossFuncOptions)
};
/// Options of triplet_margin_loss().
struct TripletMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(TripletMarginLossFuncOptions)
    SINTER_OPTION(double, margin, 1.0)
    SINTER_OPTION(double, p, 2.0)
    SINTER_OPTION(double, eps, 1e-6)
    SINTER_OPTION(bool, swap, false)
};
/// Options of poisson_nll_loss().
struct PoissonNLLLossFuncOptions {
    SINTER_LOSS_OPTIONS(PoissonNLLLossFuncOptions)
    SINTER_OPTION(bool, log_input, true)
    SINTER_OPTION(bool, full, false)
    SINTER_OPTION(double, eps, 1e-8)
};
#undef SINTER_OPTION
#undef SINTER_LOSS_OPTIONS

/// Returns |x - y|: one number (0-d), the mean over all elements (the default) or their sum, or
/// with kNone the loss of each element; sizes broadcast. Throws Error if they do not, ValueError
/// for kBatchMean, and NotImplementedError for Bool and for a mean of integers.
SINTER_API Tensor l1_loss(const tensor_base& input, const tensor_base& target,
                          const L1LossFuncOptions& options = {});
/// Returns (x - y)^2: the mean or sum, 0-d, or with kNone of each element; sizes broadcast. Throws
/// Error if they do not, ValueError for kBatchMean, and NotImplementedError unless floating or
/// complex.
SINTER_API Tensor mse_loss(const tensor_base& input, const tensor_base& target,
                           const MSELossFuncOptions& options = {});
/// Returns (x - y)^2 / (2 beta) for |x - y| below beta, else |x - y| - beta / 2; beta is 1 by
/// default. The mean or sum, 0-d, or with kNone of each element; sizes broadcast. Throws Error if
/// they do not, if beta < 0 or is given twice, ValueError for kBatchMean, and NotImplementedError
/// unless floating or complex.
///@{
SINTER_API Tensor smooth_l1_loss(const tensor_base& input, const tensor_base& target,
                                 const SmoothL1LossFuncOptions& options = {});
SINTER_API Tensor smooth_l1_loss(const tensor_base& input, const tensor_base& target,
                                 const SmoothL1LossFuncOptions& options, double beta);
///@}
/// Returns (x - y)^2 / 2 for |x - y| up to delta, else delta (|x - y| - delta / 2): the mean or
/// sum, 0-d, or with kNone of each element; sizes broadcast. Throws Error if they do not or delta
/// <= 0, ValueError for kBatchMean, and NotImplementedError unless floating or complex.
SINTER_API Tensor huber_loss(const tensor_base& input, const tensor_base& target,
                             const HuberLossFuncOptions& options = {});
/// Returns -(y log x + (1 - y) log(1 - x)), with logarithms of -100 at least: the mean or sum, 0-d,
/// or with kNone of each element; the weights broadcast. Reads the input at the call. Throws Error
/// if an element is outside [0, 1], ValueError if the sizes differ and for kBatchMean, and
/// NotImplementedError unless floating.
SINTER_API Tensor binary_cross_entropy(const tensor_base& input, const tensor_base& target,
                                       const BinaryCrossEntropyFuncOptions& options = {});
/// Returns binary_cross_entropy of the sigmoid of x, without overflow; pos_weight weighs the
/// positive targets. The mean or sum, 0-d, or with kNone of each element; weights broadcast. Throws
/// ValueError if the sizes differ and for kBatchMean, and NotImplementedError unless floating.
SINTER_API Tensor
binary_cross_entropy_with_logits(const tensor_base& input, const tensor_base& target,
                                 const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// Returns y (log y - x), or with log_target exp(y) (y - x): the mean or sum, 0-d, or with kNone of
/// each element; sizes broadcast. Throws Error if they do not, and NotImplementedError unless both
/// are floating.
SINTER_API Tensor kl_div(const tensor_base& input, const tensor_base& target,
                         const KLDivFuncOptions& options = {});
/// Returns -x at the class that the target (Long or Byte) names, in dimension 1 (0 of a vector),
/// times that class's weight: the mean, which is weighted, or sum, 0-d, or with kNone of each
/// target. Sizes (n, c, ...) take targets (n, ...). A gather; a target that is not pending is read
/// at the call. Throws IndexError if a class does not exist, ValueError if sizes do not fit and for
/// kBatchMean, Error for a target of another dtype or another number of weights, and
/// NotImplementedError unless floating or complex.
SINTER_API Tensor nll_loss(const tensor_base& input, const tensor_base& target,
                           const NLLLossFuncOptions& options = {});
/// Returns nll_loss of log_softmax, of its sizes and with its errors. A target of the input's sizes
/// holds probabilities: the loss is then the sum over all classes, and fused. Throws Error unless
/// label_smoothing is within [0, 1] and probabilities are floating, and NotImplementedError unless
/// the input is.
SINTER_API Tensor cross_entropy(const tensor_base& input, const tensor_base& target,
                                const CrossEntropyFuncOptions& options = {});
/// Returns x where y is 1 and max(0, margin - x) where y is -1: the mean or sum, 0-d, or with kNone
/// of each element; sizes broadcast. Throws Error if they do not, and ValueError for kBatchMean.
SINTER_API Tensor hinge_embedding_loss(const tensor_base& input, const tensor_base& target,
                                       const HingeEmbeddingLossFuncOptions& options = {});
/// Returns max(0, -y (x1 - x2) + margin): the mean or sum, 0-d, or with kNone of each element;
/// sizes broadcast. Throws Error if they do not or the numbers of dimensions differ, ValueError for
/// kBatchMean, and NotImplementedError for Bool.
SINTER_API Tensor margin_ranking_loss(const tensor_base& input1, const tensor_base& input2,
                                      const tensor_base& target,
                                      const MarginRankingLossFuncOptions& options = {});
/// Returns 1 - cos(x1, x2) where y is 1 and max(0, cos(x1, x2) - margin) where y is -1: the mean or
/// sum, 0-d, or with kNone of each target. Inputs (n, d) have targets (n), inputs (d) one (0-d).
/// Throws Error unless the inputs have one vector a target, and ValueError for kBatchMean.
SINTER_API Tensor cosine_embedding_loss(const tensor_base& input1, const tensor_base& input2,
                                        const tensor_base& target,
                                        const CosineEmbeddingLossFuncOptions& options = {});
/// Returns log(1 + exp(-y x)): the mean or sum, 0-d, or with kNone of each element; sizes
/// broadcast. Throws Error if they do not, ValueError for kBatchMean, and NotImplementedError
/// unless floating.
SINTER_API Tensor soft_margin_loss(const tensor_base& input, const tensor_base& target,
                                   const SoftMarginLossFuncOptions& options = {});
/// Returns the mean over the last dimension of -(y log s(x) + (1 - y) log s(-x)), s the sigmoid,
/// times the weights: of these the mean or sum, 0-d, or with kNone all; sizes broadcast. Throws
/// Error if they do not, ValueError for kBatchMean, and NotImplementedError unless floating.
SINTER_API Tensor
multilabel_soft_margin_loss(const tensor_base& input, const tensor_base& target,
                            const MultiLabelSoftMarginLossFuncOptions& options = {});
/// Returns the mean over the classes i other than y of max(0, margin - x[y] + x[i])^p, p 1 or 2,
/// times the weight of y: the mean or sum, 0-d, or with kNone of each row. Sizes (n, c) have a
/// target (n), Long, which names a class for each row and is read at the call; a vector has one. A
/// gather. Throws Error if a class does not exist or the target does not fit, ValueError for
/// another p and kBatchMean, and NotImplementedError unless floating.
SINTER_API Tensor multi_margin_loss(const tensor_base& input, const tensor_base& target,
                                    const MultiMarginLossFuncOptions& options = {});
/// Returns the sum of max(0, 1 - (x[y] - x[i])) over the classes y that the target names before its
/// first -1 and the classes i that it does not name, divided by the number of classes: the mean or
/// sum, 0-d, or with kNone of each row. The target (Long) has the input's sizes, (n, c) or (c), and
/// is read at the call. A gather. Throws Error if a class does not exist, unless the target is Long
/// and above 2 dimensions, ValueError if sizes differ and for kBatchMean, and NotImplementedError
/// unless floating.
SINTER_API Tensor multilabel_margin_loss(const tensor_base& input, const tensor_base& target,
                                         const MultilabelMarginLossFuncOptions& options = {});
/// Returns max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm of the
/// difference along the last dimension; with `swap`, the smaller of d(anchor, negative) and
/// d(positive, negative). The mean or sum, 0-d, or with kNone of each vector. Throws ValueError if
/// margin <= 0 and for kBatchMean, and Error if the numbers of dimensions differ or sizes do not
/// broadcast.
SINTER_API Tensor triplet_margin_loss(const tensor_base& anchor, const tensor_base& positive,
                                      const tensor_base& negative,
                                      const TripletMarginLossFuncOptions& options = {});
/// Returns exp(x) - y x, or x - y log(x + eps) if log_input is false; `full` adds Stirling's terms
/// where y > 1. The mean or sum, 0-d, or with kNone of each element; sizes broadcast. Throws Error
/// if they do not, and ValueError for kBatchMean.
SINTER_API Tensor poisson_nll_loss(const tensor_base& input, const tensor_base& target,
                                   const PoissonNLLLossFuncOptions& options = {});

}  // namespace sinter::inline v1::nn::functional
