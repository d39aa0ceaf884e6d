// nn::functional as used in libtorch programs. tests/golden/neural.txt compares the values of every
// function with PyTorch's.
#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/nn_functional.hpp>

using namespace sinter;
namespace F = sinter::nn::functional;

TEST_CASE("activations of nn::functional are the library's, with options") {
    const Tensor x = tensor({{-2.0, -0.5}, {0.5, 3.0}}, kDouble);
    const auto same = [](const Tensor& a, const Tensor& b) { CHECK(allclose(a, b, 1e-14, 1e-14)); };
    same(F::relu(x), x.relu());
    same(F::relu6(x), x.relu6());
    same(F::selu(x), selu(x));
    same(F::silu(x), x.silu());
    same(F::mish(x), x.mish());
    same(F::softsign(x), x.softsign());
    same(F::hardsigmoid(x), x.hardsigmoid());
    same(F::hardswish(x), x.hardswish());
    same(F::logsigmoid(x), x.log_sigmoid());
    same(F::tanhshrink(x), x - x.tanh());
    same(F::prelu(x, tensor({0.5}, kDouble)), prelu(x, tensor({0.5}, kDouble)));
    same(F::elu(x, F::ELUFuncOptions().alpha(0.42)), elu(x, 0.42));
    same(F::celu(x, F::CELUFuncOptions().alpha(0.42)), celu(x, 0.42));
    same(F::gelu(x, F::GELUFuncOptions().approximate("tanh")), gelu(x, "tanh"));
    same(F::hardshrink(x, 0.42), hardshrink(x, 0.42));
    same(F::softshrink(x, 0.42), softshrink(x, 0.42));
    same(F::hardtanh(x, F::HardtanhFuncOptions().min_val(-1.5).max_val(2)), hardtanh(x, -1.5, 2));
    same(F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.42)), leaky_relu(x, 0.42));
    same(F::softplus(x, F::SoftplusFuncOptions().beta(0.5).threshold(3)), softplus(x, 0.5, 3));
    same(F::threshold(x, F::ThresholdFuncOptions(0.5, 9)), threshold(x, 0.5, 9));
    same(F::glu(x), x.select(1, 0).unsqueeze(1) * x.select(1, 1).unsqueeze(1).sigmoid());
    same(F::softmax(x, 1), softmax(x, 1));
    same(F::softmax(x, F::SoftmaxFuncOptions(0).dtype(kDouble)), softmax(x, 0));
    same(F::softmin(x, 1), softmax(-x, 1));
    same(F::log_softmax(x, 0), log_softmax(x, 0));
    same(F::normalize(x, F::NormalizeFuncOptions().p(1).dim(-1)), x / abs(x).sum(-1, true));
    same(F::cosine_similarity(x, x + 1, F::CosineSimilarityFuncOptions().dim(0)),
         cosine_similarity(x, x + 1, 0));
    same(F::pairwise_distance(x, x + 1, F::PairwiseDistanceFuncOptions().p(1)),
         pairwise_distance(x, x + 1, 1));
    CHECK(F::one_hot(tensor({1}), 3).sizes() == IntArrayRef({1, 3}));
    CHECK_ERROR(Error, F::glu(ones({3})),
                "[glu] the size is odd; got size 3 in dimension 0, expected an even size; try "
                "narrow() to leave an element out");
}

TEST_CASE("pad: mirrored, repeated and around") {
    const Tensor x = test::counted({1, 3});
    const auto padded = [&](F::padding_t mode) {
        return F::pad(x, F::PadFuncOptions({2, 1}).mode(mode));
    };
    test::for_each_mode([&] {
        test::check<float>(padded(kReflect), {1, 6}, {2, 1, 0, 1, 2, 1});
        test::check<float>(padded(kReplicate), {1, 6}, {0, 0, 0, 1, 2, 2});
        test::check<float>(padded(kCircular), {1, 6}, {1, 2, 0, 1, 2, 0});
        test::check<float>(F::pad(x, F::PadFuncOptions({1, 0}).value(7)), {1, 4}, {7, 0, 1, 2});
    });
    CHECK_ERROR(Error, F::pad(x, F::PadFuncOptions({3, 0}).mode(kReflect)),
                "[pad] the tensor is too small for this padding; got padding [3, 0] for shape [1, "
                "3], expected less padding than the size; try kConstant, which takes any padding");
    CHECK_ERROR(NotImplementedError, F::pad(ones({3}), F::PadFuncOptions({1, 1}).mode(kCircular)),
                "[pad] the mode cannot pad this many dimensions; got 1 padded dimension for shape "
                "[3], expected 1 to 3 padded dimensions after 1 or 2 others; try unsqueeze(0) "
                "first, or kConstant");
}

TEST_CASE("normalisations: one mean, one variance, and running ones") {
    const Tensor x = test::counted({2, 2, 2}).to(kDouble);
    const double r = 1 / std::sqrt(0.25 + 1e-5);
    test::check_near(F::layer_norm(x, std::vector<int64_t>{2}), kDouble, {2, 2, 2},
                     {-0.5 * r, 0.5 * r, -0.5 * r, 0.5 * r, -0.5 * r, 0.5 * r, -0.5 * r, 0.5 * r},
                     8);
    CHECK(allclose(F::instance_norm(x), F::layer_norm(x, std::vector<int64_t>{2})));
    CHECK(allclose(F::group_norm(x, 1), F::layer_norm(x, std::vector<int64_t>{2, 2})));
    Tensor mean = zeros({2}, kDouble), var = ones({2}, kDouble);
    F::batch_norm(x, mean, var, F::BatchNormFuncOptions().training(true).momentum(0.5));
    test::check_near(mean, kDouble, {2}, {1.25, 2.25}, 4);
    CHECK(allclose(F::batch_norm(x, mean, var),
                   (x - mean.view({2, 1})) / sqrt(var.view({2, 1}) + 1e-5)));
    test::check_near(F::local_response_norm(ones({1, 1, 1}, kDouble),
                                            F::LocalResponseNormFuncOptions(1).alpha(3).beta(1)),
                     kDouble, {1, 1, 1}, {0.25}, 4);
    CHECK_ERROR(Error, F::batch_norm(x, Tensor(), Tensor()),
                "[batch_norm] the running statistics are undefined; got an undefined tensor, "
                "expected a mean and a variance for each channel; try training(true), which "
                "computes them from the batch");
    CHECK_ERROR(ValueError, F::instance_norm(ones({2, 3})),
                "[instance_norm] a channel has one value, which has no variance; got shape [2, 3], "
                "expected more than 1 value; try a larger batch, or training(false)");
}

TEST_CASE("losses: options by name, reductions, one kernel where nothing is gathered") {
    const Tensor x = tensor({0.5, -1.0, 2.0}, kDouble), y = tensor({1.0, -1.0, 0.0}, kDouble);
    test::check_near(F::mse_loss(x, y), kDouble, {}, {4.25 / 3}, 4);
    test::check_near(F::mse_loss(x, y, F::MSELossFuncOptions().reduction(kSum)), kDouble, {},
                     {4.25});
    test::check_near(F::l1_loss(x, y, F::L1LossFuncOptions(kNone)), kDouble, {3}, {0.5, 0, 2});
    test::check_near(F::smooth_l1_loss(x, y, kNone), kDouble, {3}, {0.125, 0, 1.5});
    test::check_near(F::huber_loss(x, y, F::HuberLossFuncOptions(kSum).delta(0.25)), kDouble, {},
                     {0.25 * 0.375 + 0.25 * 1.875});
    test::check_near(F::kl_div(x, y.abs(), F::KLDivFuncOptions(kBatchMean)), kDouble, {}, {0.5 / 3},
                     4);
    test::check_near(F::hinge_embedding_loss(x, y, kNone), kDouble, {3}, {0.5, 2, 2});
    test::check_near(F::margin_ranking_loss(x, -x, y, kNone), kDouble, {3}, {0, 0, 0});
    test::check_near(F::soft_margin_loss(x, y, kNone), kDouble, {3},
                     {std::log1p(std::exp(-0.5)), std::log1p(std::exp(-1.0)), std::log(2.0)}, 8);
    test::check_near(F::poisson_nll_loss(x, y, kSum), kDouble, {},
                     {std::exp(0.5) - 0.5 + std::exp(-1.0) - 1 + std::exp(2.0)}, 8);
    const Tensor p = tensor({0.25, 0.5}, kDouble), q = tensor({1.0, 0.0}, kDouble);
    test::check_near(F::binary_cross_entropy(p, q), kDouble, {}, {1.5 * std::log(2.0)}, 8);
    CHECK(allclose(F::binary_cross_entropy_with_logits(x, y.abs()),
                   F::binary_cross_entropy(x.sigmoid(), y.abs())));
    CHECK(allclose(F::multilabel_soft_margin_loss(x, y.abs()),
                   F::binary_cross_entropy_with_logits(x, y.abs())));
    const uint64_t before = stats().library_calls;
    F::mse_loss(x + 1, y).eval();
    F::smooth_l1_loss(x * 2, y).eval();
    CHECK(stats().library_calls == before);
    CHECK_ERROR(ValueError, F::binary_cross_entropy_with_logits(ones({2}), ones({3})),
                "[binary_cross_entropy_with_logits] the target's shape does not match the input's; "
                "got a target of shape [3] for an input of shape [2], expected equal shapes; try "
                "expand_as(input) on the target");
    CHECK_ERROR(Error, F::binary_cross_entropy(x, y),
                "[binary_cross_entropy] an element of the input is not a probability; got -1, "
                "expected 0 to 1; try sigmoid() first, or binary_cross_entropy_with_logits()");
    CHECK_ERROR(ValueError, F::mse_loss(x, y, kBatchMean),
                "[mse_loss] the reduction is not supported; got kBatchMean, expected kNone, kMean "
                "or kSum; try kMean, the default");
}

TEST_CASE("losses of classes: picked, weighted, ignored, smoothed") {
    test::for_each_mode([] {
        const Tensor x = tensor({{0.0, 1.0, 2.0}, {4.0, 0.0, 8.0}}, kDouble);
        const Tensor y = tensor({2, 0});
        test::check_near(F::nll_loss(x, y), kDouble, {}, {-3}, 4);
        test::check_near(F::nll_loss(x, y, F::NLLLossFuncOptions(kNone).ignore_index(0)), kDouble,
                         {2}, {-2, 0}, 4);
        const Tensor w = tensor({0.5, 1.0, 2.0}, kDouble);
        test::check_near(F::nll_loss(x, y, F::NLLLossFuncOptions().weight(w)), kDouble, {},
                         {-(4.0 + 2.0) / 2.5}, 4);
        CHECK(allclose(F::cross_entropy(x, y), F::nll_loss(log_softmax(x, 1), y)));
        CHECK(allclose(F::cross_entropy(x, F::one_hot(y, 3).to(kDouble)), F::cross_entropy(x, y)));
        CHECK(allclose(F::cross_entropy(x, y, F::CrossEntropyFuncOptions().label_smoothing(0.3)),
                       F::cross_entropy(x, F::one_hot(y, 3) * 0.7 + 0.1)));
        test::check_near(F::multi_margin_loss(x, y, kNone), kDouble, {2}, {0, 5.0 / 3}, 4);
        test::check_near(F::multilabel_margin_loss(x, tensor({{2, -1, 0}, {1, 0, -1}}), kNone),
                         kDouble, {2}, {0, (9.0 + 5.0) / 3}, 4);
        CHECK(allclose(F::cosine_embedding_loss(x, x, tensor({1, -1}), kNone),
                       tensor({0.0, 1.0}, kDouble)));
        test::check_near(F::triplet_margin_loss(x, x, x, kNone), kDouble, {2}, {1, 1}, 8);
    });
    CHECK_ERROR(IndexError, F::nll_loss(ones({1, 3}), tensor({5})),
                "[nll_loss] a class is out of range; got 5, expected 0 to 2; try ignore_index for "
                "classes to leave out");
    CHECK_ERROR(ValueError, F::nll_loss(ones({2, 3}), tensor({1})),
                "[nll_loss] the target's shape does not match the input's; got a target of shape "
                "[1] for an input of shape [2, 3], expected shape [2], the input's without its "
                "classes; try squeeze() on the target, or argmax() if it is one-hot");
    const Tensor points = tensor({{0.0, 0.0}, {3.0, 4.0}, {0.0, 1.0}}, kDouble);
    test::check_near(F::pdist(points), kDouble, {3}, {5, 1, std::sqrt(18.0)}, 4);
}
