// nn::functional: activations with options, padding, normalisations and losses.
#include "tests/golden/table.hpp"

#include <sinter/functions/nn_functional.hpp>

namespace sinter::golden {
namespace {

namespace F = nn::functional;

F::reduction_t reduction(const arguments& a, std::size_t i) {
    const std::string& name = a.text(i);
    if (name == "none") return kNone;
    if (name == "sum") return kSum;
    if (name == "batchmean") return kBatchMean;
    return kMean;
}

F::padding_t padding(const std::string& mode) {
    if (mode == "reflect") return kReflect;
    if (mode == "replicate") return kReplicate;
    if (mode == "circular") return kCircular;
    return kConstant;
}

double real(const arguments& a, std::size_t i) { return a.s(i).toDouble(); }

/// Returns the tensor, or an undefined one.
Tensor maybe(const arguments& a, std::size_t i) { return a.is_tensor(i) ? a.t(i) : Tensor(); }

}  // namespace

void add_neural(function_table& table) {
    SINTER_CALL(nn_glu, F::glu(a.t(0), a.n(1)));
    SINTER_CALL(nn_tanhshrink, F::tanhshrink(a.t(0)));
    SINTER_CALL(nn_softmin, F::softmin(a.t(0), a.n(1)));
    SINTER_CALL(nn_pdist, F::pdist(a.t(0), real(a, 1)));
    SINTER_CALL(
        nn_normalize,
        F::normalize(a.t(0), F::NormalizeFuncOptions().p(real(a, 1)).dim(a.n(2)).eps(real(a, 3))));
    SINTER_CALL(nn_pad, F::pad(a.t(0), F::PadFuncOptions(a.list(1)).mode(padding(a.text(2)))));
    SINTER_CALL(nn_layer_norm, F::layer_norm(a.t(0), F::LayerNormFuncOptions(a.list(1))
                                                         .weight(maybe(a, 2))
                                                         .bias(maybe(a, 3))
                                                         .eps(real(a, 4))));
    SINTER_CALL(
        nn_group_norm,
        F::group_norm(
            a.t(0),
            F::GroupNormFuncOptions(a.n(1)).weight(maybe(a, 2)).bias(maybe(a, 3)).eps(real(a, 4))));
    SINTER_CALL(
        nn_batch_norm,
        std::tuple(
            F::batch_norm(
                a.t(0), a.t(1), a.t(2),
                F::BatchNormFuncOptions().weight(a.t(3)).bias(a.t(4)).training(a.flag(5)).momentum(
                    0.25)),
            a.t(1), a.t(2)));
    SINTER_CALL(nn_instance_norm,
                std::tuple(F::instance_norm(a.t(0), F::InstanceNormFuncOptions()
                                                        .running_mean(a.t(1))
                                                        .running_var(a.t(2))
                                                        .weight(a.t(3))
                                                        .bias(a.t(4))
                                                        .use_input_stats(a.flag(5))
                                                        .momentum(0.25)),
                           a.t(1), a.t(2)));
    SINTER_CALL(nn_local_response_norm,
                F::local_response_norm(a.t(0), F::LocalResponseNormFuncOptions(a.n(1))
                                                   .alpha(real(a, 2))
                                                   .beta(real(a, 3))
                                                   .k(real(a, 4))));
    SINTER_CALL(nn_l1_loss, F::l1_loss(a.t(0), a.t(1), reduction(a, 2)));
    SINTER_CALL(nn_mse_loss, F::mse_loss(a.t(0), a.t(1), reduction(a, 2)));
    SINTER_CALL(nn_smooth_l1_loss, F::smooth_l1_loss(a.t(0), a.t(1), reduction(a, 2), real(a, 3)));
    SINTER_CALL(
        nn_huber_loss,
        F::huber_loss(a.t(0), a.t(1), F::HuberLossFuncOptions(reduction(a, 2)).delta(real(a, 3))));
    SINTER_CALL(
        nn_binary_cross_entropy,
        F::binary_cross_entropy(
            a.t(0), a.t(1), F::BinaryCrossEntropyFuncOptions(reduction(a, 2)).weight(maybe(a, 3))));
    SINTER_CALL(nn_bce_with_logits, F::binary_cross_entropy_with_logits(
                                        a.t(0), a.t(1),
                                        F::BinaryCrossEntropyWithLogitsFuncOptions(reduction(a, 2))
                                            .weight(maybe(a, 3))
                                            .pos_weight(maybe(a, 4))));
    SINTER_CALL(nn_kl_div, F::kl_div(a.t(0), a.t(1),
                                     F::KLDivFuncOptions(reduction(a, 2)).log_target(a.flag(3))));
    SINTER_CALL(
        nn_nll_loss,
        F::nll_loss(
            a.t(0), a.t(1),
            F::NLLLossFuncOptions(reduction(a, 2)).weight(maybe(a, 3)).ignore_index(a.n(4))));
    SINTER_CALL(nn_cross_entropy, F::cross_entropy(a.t(0), a.t(1),
                                                   F::CrossEntropyFuncOptions(reduction(a, 2))
                                                       .weight(maybe(a, 3))
                                                       .ignore_index(a.n(4))
                                                       .label_smoothing(real(a, 5))));
    SINTER_CALL(
        nn_hinge_embedding_loss,
        F::hinge_embedding_loss(
            a.t(0), a.t(1), F::HingeEmbeddingLossFuncOptions(reduction(a, 2)).margin(real(a, 3))));
    SINTER_CALL(nn_margin_ranking_loss,
                F::margin_ranking_loss(
                    a.t(0), a.t(1), a.t(2),
                    F::MarginRankingLossFuncOptions(reduction(a, 3)).margin(real(a, 4))));
    SINTER_CALL(nn_cosine_embedding_loss,
                F::cosine_embedding_loss(
                    a.t(0), a.t(1), a.t(2),
                    F::CosineEmbeddingLossFuncOptions(reduction(a, 3)).margin(real(a, 4))));
    SINTER_CALL(nn_soft_margin_loss, F::soft_margin_loss(a.t(0), a.t(1), reduction(a, 2)));
    SINTER_CALL(nn_multilabel_soft_margin_loss,
                F::multilabel_soft_margin_loss(
                    a.t(0), a.t(1),
                    F::MultilabelSoftMarginLossFuncOptions(reduction(a, 2)).weight(maybe(a, 3))));
    SINTER_CALL(nn_multi_margin_loss,
                F::multi_margin_loss(a.t(0), a.t(1),
                                     F::MultiMarginLossFuncOptions(reduction(a, 2))
                                         .p(a.n(3))
                                         .margin(real(a, 4))
                                         .weight(maybe(a, 5))));
    SINTER_CALL(nn_multilabel_margin_loss,
                F::multilabel_margin_loss(a.t(0), a.t(1), reduction(a, 2)));
    SINTER_CALL(nn_triplet_margin_loss,
                F::triplet_margin_loss(a.t(0), a.t(1), a.t(2),
                                       F::TripletMarginLossFuncOptions(reduction(a, 3))
                                           .margin(real(a, 4))
                                           .p(real(a, 5))
                                           .swap(a.flag(6))));
    SINTER_CALL(
        nn_poisson_nll_loss,
        F::poisson_nll_loss(
            a.t(0), a.t(1),
            F::PoissonNLLLossFuncOptions(reduction(a, 2)).log_input(a.flag(3)).full(a.flag(4))));
}

}  // namespace sinter::golden
