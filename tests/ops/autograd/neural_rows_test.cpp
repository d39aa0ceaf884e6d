// Gradients of losses, normalisations and padding.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

namespace testing {

using namespace sinter;
namespace F = sinter::nn::functional;

namespace {

const auto classes = [] { return tensor({1, 0, 2}); };

/// The row with each of the three reductions.
template <class Call>
void add_loss(std::vector<gradient_row>& all, const std::string& name,
              std::vector<random_operand> operands, Call call) {
    const std::pair<const char*, F::reduction_t> reductions[] = {
        {"/mean", kMean}, {"/sum", kSum}, {"/none", kNone}};
    for (const auto& [suffix, reduction] : reductions)
        all.push_back({name + suffix, operands, [call, reduction](const variable_list& v) {
                           return listed(Tensor(call(v, reduction)));
                       }});
}

}  // namespace

std::vector<gradient_row> neural_rows() {
    const random_operand x{{2, 3}}, high{{2, 3}, 2, 3}, probability{{2, 3}, 0.2, 0.8};
    const random_operand rows{{3, 4}};
    std::vector<gradient_row> all = {
        GRADIENT_ROW("nn::functional::softmax", real, F::softmax(a, 1), {{2, 3}}),
        GRADIENT_ROW("nn::functional::softmin", real, F::softmin(a, 1), {{2, 3}}),
        GRADIENT_ROW("nn::functional::log_softmax", real, F::log_softmax(a, 1), {{2, 3}}),
        GRADIENT_ROW("nn::functional::layer_norm", real,
                     F::layer_norm(a, F::LayerNormFuncOptions({3}).weight(b).bias(c)), {{2, 3}},
                     {{3}}, {{3}}),
        GRADIENT_ROW("nn::functional::layer_norm/of matrices", real,
                     F::layer_norm(a, F::LayerNormFuncOptions({2, 3})), {{2, 2, 3}}),
        GRADIENT_ROW("nn::functional::group_norm", real,
                     F::group_norm(a, F::GroupNormFuncOptions(2).weight(b).bias(c)), {{2, 4, 2}},
                     {{4}}, {{4}}),
        GRADIENT_ROW(
            "nn::functional::batch_norm", real,
            F::batch_norm(a, {}, {}, F::BatchNormFuncOptions().weight(b).bias(c).training(true)),
            {{3, 2}}, {{2}}, {{2}}),
        GRADIENT_ROW("nn::functional::batch_norm/given", real,
                     F::batch_norm(a, tensor({0.5, 1.0}), tensor({2.0, 1.5}),
                                   F::BatchNormFuncOptions().weight(b).bias(c)),
                     {{3, 2}}, {{2}}, {{2}}),
        GRADIENT_ROW("nn::functional::instance_norm", real,
                     F::instance_norm(a, F::InstanceNormFuncOptions().weight(b).bias(c)),
                     {{2, 2, 3}}, {{2}}, {{2}}),
        GRADIENT_ROW("nn::functional::local_response_norm", real,
                     F::local_response_norm(a, F::LocalResponseNormFuncOptions(3).alpha(0.5)),
                     {{2, 4, 2}}),
        GRADIENT_ROW("nn::functional::pad", complex_too,
                     F::pad(a, F::PadFuncOptions({1, 2}).value(3)), {{2, 3}}),
        GRADIENT_ROW("constant_pad_nd", complex_too, constant_pad_nd(a, {1, 2, -1, 1}, 3),
                     {{2, 3}}),
        GRADIENT_ROW("nn::functional::smooth_l1_loss/beta", real, F::smooth_l1_loss(a, b, {}, 0.3),
                     {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("nn::functional::huber_loss/delta", real,
                     F::huber_loss(a, b, F::HuberLossFuncOptions().delta(0.4)), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("nn::functional::binary_cross_entropy/weighted", real,
                     F::binary_cross_entropy(a, b, F::BinaryCrossEntropyFuncOptions().weight(c)),
                     {{2, 3}, 0.2, 0.8}, {{2, 3}, 0.2, 0.8}, {{3}}),
        GRADIENT_ROW(
            "nn::functional::binary_cross_entropy_with_logits/weighted", real,
            F::binary_cross_entropy_with_logits(
                a, b, F::BinaryCrossEntropyWithLogitsFuncOptions().weight(c).pos_weight(d)),
            {{2, 3}}, {{2, 3}, 0.2, 0.8}, {{3}}, {{3}, 0.5, 2}),
        GRADIENT_ROW("nn::functional::kl_div/of logarithms", real,
                     F::kl_div(a, b, F::KLDivFuncOptions(kBatchMean).log_target(true)), {{2, 3}},
                     {{2, 3}}),
        GRADIENT_ROW(
            "nn::functional::poisson_nll_loss/full", real,
            F::poisson_nll_loss(a, b, F::PoissonNLLLossFuncOptions().log_input(false).full(true)),
            {{2, 3}, 0.5, 2}, {{2, 3}, 1.2, 2}),
        GRADIENT_ROW(
            "nn::functional::triplet_margin_loss/swapped", real,
            F::triplet_margin_loss(a, b, c, F::TripletMarginLossFuncOptions().swap(true).margin(4)),
            {{2, 3}}, {{2, 3}}, {{2, 3}}),
    };
#define LOSS(name, options, ...)                                                     \
    add_loss(all, "nn::functional::" #name, {__VA_ARGS__},                           \
             [](const variable_list& v, const F::reduction_t& r) {                   \
                 return F::name(v[0], v[1], F::options##FuncOptions().reduction(r)); \
             });
#define CLASS_LOSS(name, target, options)                               \
    add_loss(all, "nn::functional::" #name, {rows},                     \
             [](const variable_list& v, const F::reduction_t& r) {      \
                 return F::name(v[0], target, F::options.reduction(r)); \
             });
    LOSS(l1_loss, L1Loss, x, high)
    LOSS(mse_loss, MSELoss, x, x)
    LOSS(smooth_l1_loss, SmoothL1Loss, x, x)
    LOSS(huber_loss, HuberLoss, x, x)
    LOSS(binary_cross_entropy, BinaryCrossEntropy, probability, probability)
    LOSS(binary_cross_entropy_with_logits, BinaryCrossEntropyWithLogits, x, probability)
    LOSS(kl_div, KLDiv, x, probability)
    LOSS(soft_margin_loss, SoftMarginLoss, x, x)
    LOSS(multilabel_soft_margin_loss, MultiLabelSoftMarginLoss, x, probability)
    LOSS(poisson_nll_loss, PoissonNLLLoss, x, probability)
    CLASS_LOSS(nll_loss, classes(), NLLLossFuncOptions())
    CLASS_LOSS(cross_entropy, classes(), CrossEntropyFuncOptions())
    CLASS_LOSS(cross_entropy, classes(), CrossEntropyFuncOptions().label_smoothing(0.2))
    CLASS_LOSS(cross_entropy, classes(), CrossEntropyFuncOptions().ignore_index(0))
    CLASS_LOSS(multi_margin_loss, classes(), MultiMarginLossFuncOptions())
    CLASS_LOSS(multi_margin_loss, classes(), MultiMarginLossFuncOptions().p(2))
    CLASS_LOSS(multilabel_margin_loss, tensor({{0, 2, -1, 0}, {3, -1, 0, 0}, {1, 2, 3, -1}}),
               MultilabelMarginLossFuncOptions())
    CLASS_LOSS(hinge_embedding_loss, tensor({1, -1, 1, -1}), HingeEmbeddingLossFuncOptions())
    add_loss(all, "nn::functional::nll_loss/weighted", {rows},
             [](const variable_list& v, const F::reduction_t& r) {
                 const Tensor weight = tensor({0.5, 1.5, 1.0, 0.75}, kDouble);
                 return F::nll_loss(v[0], classes(),
                                    F::NLLLossFuncOptions().reduction(r).weight(weight));
             });
    add_loss(all, "nn::functional::cross_entropy/of probabilities", {rows, {{3, 4}, 0.1, 1}},
             [](const variable_list& v, const F::reduction_t& r) {
                 return F::cross_entropy(v[0], v[1], F::CrossEntropyFuncOptions().reduction(r));
             });
    add_loss(all, "nn::functional::margin_ranking_loss", {x, x},
             [](const variable_list& v, const F::reduction_t& r) {
                 return F::margin_ranking_loss(
                     v[0], v[1], tensor({{1, -1, 1}}),
                     F::MarginRankingLossFuncOptions().margin(0.5).reduction(r));
             });
    add_loss(all, "nn::functional::cosine_embedding_loss", {{{2, 3}}, {{2, 3}, 0.2, 1}},
             [](const variable_list& v, const F::reduction_t& r) {
                 return F::cosine_embedding_loss(v[0], v[1], tensor({1, -1}),
                                                 F::CosineEmbeddingLossFuncOptions().reduction(r));
             });
    add_loss(all, "nn::functional::triplet_margin_loss", {x, x, x},
             [](const variable_list& v, const F::reduction_t& r) {
                 return F::triplet_margin_loss(
                     v[0], v[1], v[2], F::TripletMarginLossFuncOptions().margin(4).reduction(r));
             });
    for (const F::padding_t mode :
         {F::padding_t(kReflect), F::padding_t(kReplicate), F::padding_t(kCircular)})
        all.push_back({"nn::functional::pad/mode " +
                           std::to_string(static_cast<int>(static_cast<F::padding_t::kind>(mode))),
                       {{{2, 3}}},
                       [mode](const variable_list& v) {
                           return listed(F::pad(v[0], F::PadFuncOptions({2, 1}).mode(mode)));
                       }});
    return all;
}

TEST_CASE("gradients of losses, normalisations and padding" * doctest::test_suite("host")) {
    for (const gradient_row& r : neural_rows()) check_gradients(r);
}

TEST_CASE("running statistics have no gradient") {
    manual_seed(2);
    const Tensor x = rand({3, 2}, kDouble).detach().requires_grad_();
    const Tensor mean = zeros({2}, kDouble), var = ones({2}, kDouble);
    const Tensor y = F::batch_norm(x, mean, var, F::BatchNormFuncOptions().training(true));
    CHECK(y.requires_grad());
    CHECK_FALSE(mean.requires_grad());
    CHECK_FALSE(var.requires_grad());
    const Tensor z = rand({2, 2, 3}, kDouble).detach().requires_grad_();
    const Tensor w =
        F::instance_norm(z, F::InstanceNormFuncOptions().running_mean(mean).running_var(var));
    CHECK(w.requires_grad());
    CHECK_FALSE(mean.requires_grad());
    CHECK_FALSE(var.requires_grad());
}

}  // namespace testing
