// nn::functional: the functions of libtorch's namespace that have no weights of their own:
// activations, normalisations, padding, distances and losses. Each is a composition of the
// library's functions: pending, and fused with what stands around it, unless it says otherwise.
// Options are set as in libtorch: `MSELossFuncOptions().reduction(kSum)`.
#pragma once

#include <sinter/functions.hpp>
#include <sinter/gathering.hpp>
#include <sinter/pointwise.hpp>
#include <sinter/reductions.hpp>
#include <sinter/shape.hpp>

#include <string>
#include <vector>

namespace sinter::inline v1 {

/// Names of choices, each a type of its own as in libtorch.
namespace enumtype {
struct kNone {};
struct kMean {};
struct kSum {};
struct kBatchMean {};
struct kConstant {};
struct kReflect {};
struct kReplicate {};
struct kCircular {};
}  // namespace enumtype
inline constexpr enumtype::kNone kNone;
inline constexpr enumtype::kMean kMean;
inline constexpr enumtype::kSum kSum;
inline constexpr enumtype::kBatchMean kBatchMean;
inline constexpr enumtype::kConstant kConstant;
inline constexpr enumtype::kReflect kReflect;
inline constexpr enumtype::kReplicate kReplicate;
inline constexpr enumtype::kCircular kCircular;

}  // namespace sinter::inline v1

namespace sinter::inline v1::nn::functional {

/// What becomes of the losses of all elements.
class reduction_t {
public:
    enum class kind : uint8_t { none, mean, sum, batch_mean };
    reduction_t(enumtype::kNone) : kind_(kind::none) {}             // NOLINT: a choice by its name
    reduction_t(enumtype::kMean) : kind_(kind::mean) {}             // NOLINT
    reduction_t(enumtype::kSum) : kind_(kind::sum) {}               // NOLINT
    reduction_t(enumtype::kBatchMean) : kind_(kind::batch_mean) {}  // NOLINT: of kl_div alone
    operator kind() const { return kind_; }                         // NOLINT

private:
    kind kind_;
};

class padding_t {
public:
    enum class kind : uint8_t { constant, reflect, replicate, circular };
    padding_t(enumtype::kConstant) : kind_(kind::constant) {}    // NOLINT: a choice by its name
    padding_t(enumtype::kReflect) : kind_(kind::reflect) {}      // NOLINT
    padding_t(enumtype::kReplicate) : kind_(kind::replicate) {}  // NOLINT
    padding_t(enumtype::kCircular) : kind_(kind::circular) {}    // NOLINT
    operator kind() const { return kind_; }                      // NOLINT

private:
    kind kind_;
};

// One option: x.name(value) sets it and gives the options, x.name() reads it.
#define SINTER_OPTION(type, name, ...)         \
private:                                       \
    type name##_ = __VA_ARGS__;                \
                                               \
public:                                        \
    auto name(type value) -> decltype(*this) { \
        name##_ = std::move(value);            \
        return *this;                          \
    }                                          \
    const type& name() const { return name##_; }
// Options that are the reduction, and perhaps others: they can be made of it.
#define SINTER_LOSS_OPTIONS(name)                                 \
    name() = default;                                             \
    template <class R>                                            \
        requires std::is_convertible_v<R, reduction_t>            \
    name(R reduction) : reduction_(reduction) {} /* NOLINT: so */ \
    SINTER_OPTION(reduction_t, reduction, kMean)

// ---- activations
struct ELUFuncOptions {
    SINTER_OPTION(double, alpha, 1.0)
};
struct CELUFuncOptions {
    SINTER_OPTION(double, alpha, 1.0)
};
struct GELUFuncOptions {
    SINTER_OPTION(std::string, approximate, "none")
};
struct GLUFuncOptions {
    GLUFuncOptions(int64_t dim = -1) : dim_(dim) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, dim, -1)
};
struct HardshrinkFuncOptions {
    HardshrinkFuncOptions(double lambda = 0.5) : lambda_(lambda) {}  // NOLINT: made of it
    SINTER_OPTION(double, lambda, 0.5)
};
struct SoftshrinkFuncOptions {
    SoftshrinkFuncOptions(double lambda = 0.5) : lambda_(lambda) {}  // NOLINT: made of it
    SINTER_OPTION(double, lambda, 0.5)
};
struct HardtanhFuncOptions {
    SINTER_OPTION(double, min_val, -1.0)
    SINTER_OPTION(double, max_val, 1.0)
};
struct LeakyReLUFuncOptions {
    SINTER_OPTION(double, negative_slope, 0.01)
};
struct SoftplusFuncOptions {
    SINTER_OPTION(double, beta, 1.0)
    SINTER_OPTION(double, threshold, 20.0)
};
struct ThresholdFuncOptions {
    ThresholdFuncOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
    SINTER_OPTION(double, threshold, 0)
    SINTER_OPTION(double, value, 0)
};
struct SoftmaxFuncOptions {
    SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, dim, 0)
    SINTER_OPTION(optional<ScalarType>, dtype, nullopt)
};
using SoftminFuncOptions = SoftmaxFuncOptions;
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;

inline Tensor relu(const tensor_base& x) { return x.relu(); }
inline Tensor relu6(const tensor_base& x) { return x.relu6(); }
inline Tensor selu(const tensor_base& x) { return v1::selu(x); }
inline Tensor silu(const tensor_base& x) { return x.silu(); }
inline Tensor mish(const tensor_base& x) { return x.mish(); }
inline Tensor softsign(const tensor_base& x) { return x.softsign(); }
inline Tensor hardsigmoid(const tensor_base& x) { return x.hardsigmoid(); }
inline Tensor hardswish(const tensor_base& x) { return x.hardswish(); }
inline Tensor logsigmoid(const tensor_base& x) { return x.log_sigmoid(); }
/// x - tanh x.
inline Tensor tanhshrink(const tensor_base& x) { return x.self() - x.tanh(); }
inline Tensor prelu(const tensor_base& x, const tensor_base& weight) { return x.prelu(weight); }
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
/// The first half of a dimension times the sigmoid of the second.
SINTER_API Tensor glu(const tensor_base& x, const GLUFuncOptions& options = {});
inline Tensor softmax(const tensor_base& x, const SoftmaxFuncOptions& options) {
    return v1::softmax(x, options.dim(), options.dtype());
}
/// softmax of -x.
inline Tensor softmin(const tensor_base& x, const SoftminFuncOptions& options) {
    return v1::softmax(-x.self(), options.dim(), options.dtype());
}
inline Tensor log_softmax(const tensor_base& x, const LogSoftmaxFuncOptions& options) {
    return v1::log_softmax(x, options.dim(), options.dtype());
}

// ---- distances, classes, padding
struct CosineSimilarityFuncOptions {
    SINTER_OPTION(int64_t, dim, 1)
    SINTER_OPTION(double, eps, 1e-8)
};
struct PairwiseDistanceFuncOptions {
    SINTER_OPTION(double, p, 2.0)
    SINTER_OPTION(double, eps, 1e-6)
    SINTER_OPTION(bool, keepdim, false)
};
struct PadFuncOptions {
    PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}  // NOLINT: made of it
    SINTER_OPTION(std::vector<int64_t>, pad, {})
    SINTER_OPTION(padding_t, mode, kConstant)
    SINTER_OPTION(double, value, 0)
};
inline Tensor cosine_similarity(const tensor_base& x1, const tensor_base& x2,
                                const CosineSimilarityFuncOptions& options = {}) {
    return v1::cosine_similarity(x1, x2, options.dim(), options.eps());
}
inline Tensor pairwise_distance(const tensor_base& x1, const tensor_base& x2,
                                const PairwiseDistanceFuncOptions& options = {}) {
    return v1::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}
/// The distances of all pairs of rows of a matrix, the first row's first.
SINTER_API Tensor pdist(const tensor_base& x, double p = 2);
inline Tensor one_hot(const tensor_base& x, int64_t num_classes = -1) {
    return v1::one_hot(x, num_classes);
}
/// constant_pad_nd, or elements that are mirrored at the ends, those at the ends, or those at the
/// other end. These three are gathers (opaque), of the last one to three dimensions.
SINTER_API Tensor pad(const tensor_base& x, const PadFuncOptions& options);

// ---- normalisation: Half and BFloat16 are computed in Float
struct NormalizeFuncOptions {
    SINTER_OPTION(double, p, 2.0)
    SINTER_OPTION(int64_t, dim, 1)
    SINTER_OPTION(double, eps, 1e-12)
};
struct LayerNormFuncOptions {
    LayerNormFuncOptions(std::vector<int64_t> normalized_shape)  // NOLINT: made of it
        : normalized_shape_(std::move(normalized_shape)) {}
    SINTER_OPTION(std::vector<int64_t>, normalized_shape, {})
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(double, eps, 1e-5)
};
struct BatchNormFuncOptions {
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(bool, training, false)
    SINTER_OPTION(optional<double>, momentum, 0.1)
    SINTER_OPTION(double, eps, 1e-5)
};
struct InstanceNormFuncOptions {
    SINTER_OPTION(Tensor, running_mean, {})
    SINTER_OPTION(Tensor, running_var, {})
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(bool, use_input_stats, true)
    SINTER_OPTION(double, momentum, 0.1)
    SINTER_OPTION(double, eps, 1e-5)
};
struct GroupNormFuncOptions {
    GroupNormFuncOptions(int64_t num_groups) : num_groups_(num_groups) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, num_groups, 1)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, bias, {})
    SINTER_OPTION(double, eps, 1e-5)
};
struct LocalResponseNormFuncOptions {
    LocalResponseNormFuncOptions(int64_t size) : size_(size) {}  // NOLINT: made of it
    SINTER_OPTION(int64_t, size, 1)
    SINTER_OPTION(double, alpha, 1e-4)
    SINTER_OPTION(double, beta, 0.75)
    SINTER_OPTION(double, k, 1.0)
};
/// x over its norm along a dimension, which counts as eps at least.
SINTER_API Tensor normalize(const tensor_base& x, const NormalizeFuncOptions& options = {});
/// (x - mean) / sqrt(var + eps) over the last dimensions, which have this shape; then weight and
/// bias of that shape.
SINTER_API Tensor layer_norm(const tensor_base& x, const LayerNormFuncOptions& options);
/// The same over all dimensions but 1, of which weight and bias have one number a channel. While
/// training the running mean and variance, where they are given, move by `momentum` towards the
/// batch's; else they stand in its place.
SINTER_API Tensor batch_norm(const tensor_base& x, const Tensor& running_mean,
                             const Tensor& running_var, const BatchNormFuncOptions& options = {});
/// The same over all dimensions from 2 on.
SINTER_API Tensor instance_norm(const tensor_base& x, const InstanceNormFuncOptions& options = {});
/// The same over groups of channels of each sample.
SINTER_API Tensor group_norm(const tensor_base& x, const GroupNormFuncOptions& options);
/// x / (k + alpha mean(x^2))^beta, over `size` neighbouring channels.
SINTER_API Tensor local_response_norm(const tensor_base& x,
                                      const LocalResponseNormFuncOptions& options);

// ---- losses: of every element, or their mean (the default) or sum
struct L1LossFuncOptions {
    SINTER_LOSS_OPTIONS(L1LossFuncOptions)
};
struct MSELossFuncOptions {
    SINTER_LOSS_OPTIONS(MSELossFuncOptions)
};
struct SmoothL1LossFuncOptions {
    SINTER_LOSS_OPTIONS(SmoothL1LossFuncOptions)
    SINTER_OPTION(optional<double>, beta, nullopt)
};
struct HuberLossFuncOptions {
    SINTER_LOSS_OPTIONS(HuberLossFuncOptions)
    SINTER_OPTION(double, delta, 1.0)
};
struct BinaryCrossEntropyFuncOptions {
    SINTER_LOSS_OPTIONS(BinaryCrossEntropyFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
};
struct BinaryCrossEntropyWithLogitsFuncOptions {
    SINTER_LOSS_OPTIONS(BinaryCrossEntropyWithLogitsFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(Tensor, pos_weight, {})
};
struct KLDivFuncOptions {
    SINTER_LOSS_OPTIONS(KLDivFuncOptions)
    SINTER_OPTION(bool, log_target, false)
};
struct NLLLossFuncOptions {
    SINTER_LOSS_OPTIONS(NLLLossFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(int64_t, ignore_index, -100)
};
struct CrossEntropyFuncOptions {
    SINTER_LOSS_OPTIONS(CrossEntropyFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
    SINTER_OPTION(int64_t, ignore_index, -100)
    SINTER_OPTION(double, label_smoothing, 0.0)
};
struct HingeEmbeddingLossFuncOptions {
    SINTER_LOSS_OPTIONS(HingeEmbeddingLossFuncOptions)
    SINTER_OPTION(double, margin, 1.0)
};
struct MarginRankingLossFuncOptions {
    SINTER_LOSS_OPTIONS(MarginRankingLossFuncOptions)
    SINTER_OPTION(double, margin, 0.0)
};
struct CosineEmbeddingLossFuncOptions {
    SINTER_LOSS_OPTIONS(CosineEmbeddingLossFuncOptions)
    SINTER_OPTION(double, margin, 0.0)
};
struct SoftMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(SoftMarginLossFuncOptions)
};
struct MultiLabelSoftMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(MultiLabelSoftMarginLossFuncOptions)
    SINTER_OPTION(Tensor, weight, {})
};
using MultilabelSoftMarginLossFuncOptions = MultiLabelSoftMarginLossFuncOptions;
struct MultiMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(MultiMarginLossFuncOptions)
    SINTER_OPTION(int64_t, p, 1)
    SINTER_OPTION(double, margin, 1.0)
    SINTER_OPTION(Tensor, weight, {})
};
struct MultilabelMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(MultilabelMarginLossFuncOptions)
};
struct TripletMarginLossFuncOptions {
    SINTER_LOSS_OPTIONS(TripletMarginLossFuncOptions)
    SINTER_OPTION(double, margin, 1.0)
    SINTER_OPTION(double, p, 2.0)
    SINTER_OPTION(double, eps, 1e-6)
    SINTER_OPTION(bool, swap, false)
};
struct PoissonNLLLossFuncOptions {
    SINTER_LOSS_OPTIONS(PoissonNLLLossFuncOptions)
    SINTER_OPTION(bool, log_input, true)
    SINTER_OPTION(bool, full, false)
    SINTER_OPTION(double, eps, 1e-8)
};
#undef SINTER_OPTION
#undef SINTER_LOSS_OPTIONS

/// |x - y|.
SINTER_API Tensor l1_loss(const tensor_base& input, const tensor_base& target,
                          const L1LossFuncOptions& options = {});
/// (x - y)^2.
SINTER_API Tensor mse_loss(const tensor_base& input, const tensor_base& target,
                           const MSELossFuncOptions& options = {});
/// (x - y)^2 / (2 beta) below beta, |x - y| - beta / 2 from there; beta is 1 by default.
SINTER_API Tensor smooth_l1_loss(const tensor_base& input, const tensor_base& target,
                                 const SmoothL1LossFuncOptions& options = {});
SINTER_API Tensor smooth_l1_loss(const tensor_base& input, const tensor_base& target,
                                 const SmoothL1LossFuncOptions& options, double beta);
/// (x - y)^2 / 2 up to delta, delta (|x - y| - delta / 2) from there.
SINTER_API Tensor huber_loss(const tensor_base& input, const tensor_base& target,
                             const HuberLossFuncOptions& options = {});
/// -(y log x + (1 - y) log(1 - x)), logarithms of -100 at least. Reads the input, which is within
/// [0, 1]; of the target's sizes.
SINTER_API Tensor binary_cross_entropy(const tensor_base& input, const tensor_base& target,
                                       const BinaryCrossEntropyFuncOptions& options = {});
/// The same of the sigmoid of x.
SINTER_API Tensor
binary_cross_entropy_with_logits(const tensor_base& input, const tensor_base& target,
                                 const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// y (log y - x); of `log_target` exp(y) (y - x).
SINTER_API Tensor kl_div(const tensor_base& input, const tensor_base& target,
                         const KLDivFuncOptions& options = {});
/// -x at the class that the target names, in dimension 1 (0 of a vector), times that class's
/// weight. The mean is over the weights. A gather: opaque.
SINTER_API Tensor nll_loss(const tensor_base& input, const tensor_base& target,
                           const NLLLossFuncOptions& options = {});
/// nll_loss of log_softmax; of a target of the input's sizes, whose elements are probabilities, the
/// sum over all classes.
SINTER_API Tensor cross_entropy(const tensor_base& input, const tensor_base& target,
                                const CrossEntropyFuncOptions& options = {});
SINTER_API Tensor hinge_embedding_loss(const tensor_base& input, const tensor_base& target,
                                       const HingeEmbeddingLossFuncOptions& options = {});
SINTER_API Tensor margin_ranking_loss(const tensor_base& input1, const tensor_base& input2,
                                      const tensor_base& target,
                                      const MarginRankingLossFuncOptions& options = {});
SINTER_API Tensor cosine_embedding_loss(const tensor_base& input1, const tensor_base& input2,
                                        const tensor_base& target,
                                        const CosineEmbeddingLossFuncOptions& options = {});
/// log(1 + exp(-y x)).
SINTER_API Tensor soft_margin_loss(const tensor_base& input, const tensor_base& target,
                                   const SoftMarginLossFuncOptions& options = {});
SINTER_API Tensor
multilabel_soft_margin_loss(const tensor_base& input, const tensor_base& target,
                            const MultiLabelSoftMarginLossFuncOptions& options = {});
SINTER_API Tensor multi_margin_loss(const tensor_base& input, const tensor_base& target,
                                    const MultiMarginLossFuncOptions& options = {});
SINTER_API Tensor multilabel_margin_loss(const tensor_base& input, const tensor_base& target,
                                         const MultilabelMarginLossFuncOptions& options = {});
SINTER_API Tensor triplet_margin_loss(const tensor_base& anchor, const tensor_base& positive,
                                      const tensor_base& negative,
                                      const TripletMarginLossFuncOptions& options = {});
/// exp(x) - y x, or x - y log(x + eps) unless `log_input`; `full` adds Stirling's terms.
SINTER_API Tensor poisson_nll_loss(const tensor_base& input, const tensor_base& target,
                                   const PoissonNLLLossFuncOptions& options = {});

}  // namespace sinter::inline v1::nn::functional
