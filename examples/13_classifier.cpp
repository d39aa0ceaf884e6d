// A classifier of handwritten digits: a network of two layers, trained by Adam on 1,408 pictures of
// 8 by 8 pixels, and tested on 389 others.
#include "support.hpp"

#include <sinter/optim.hpp>

using namespace sinter;
namespace F = sinter::nn::functional;

namespace {

constexpr int64_t batch = 64, trained_on = 22 * batch, hidden = 48, epochs = 20;

struct network {
    Tensor w1 = (randn({64, hidden}) * std::sqrt(2.0 / 64)).eval().requires_grad_();
    Tensor b1 = zeros({hidden}, requires_grad());
    Tensor w2 = (randn({hidden, 10}) * std::sqrt(1.0 / hidden)).eval().requires_grad_();
    Tensor b2 = zeros({10}, requires_grad());

    std::vector<Tensor> parameters() const { return {w1, b1, w2, b2}; }
    Tensor operator()(const Tensor& x) const { return addmm(b2, relu(addmm(b1, x, w1)), w2); }
};

/// Returns the digits that the network takes the pictures for.
Tensor guesses(const network& net, const Tensor& pictures) {
    const NoGradGuard unrecorded;
    return net(pictures).argmax(1);
}

double share_right(const network& net, const Tensor& pictures, const Tensor& digits) {
    return guesses(net, pictures).eq(digits).to(kFloat).mean().item<double>();
}

/// Draws pictures side by side.
void draw(const Tensor& pictures) {
    const auto pixel = pictures.accessor<float, 2>();
    for (int64_t y = 0; y < 8; ++y) {
        for (int64_t i = 0; i < pictures.size(0); ++i) {
            std::printf("  ");
            for (int64_t x = 0; x < 8; ++x)
                for (int twice = 0; twice < 2; ++twice)
                    std::putchar(" .:-=+*#%@"[static_cast<int>(pixel[i][8 * y + x] * 9.5F)]);
        }
        std::putchar('\n');
    }
}

}  // namespace

int main() {
    manual_seed(1);
    const Tensor order = randperm(1797, kLong);
    Tensor x = load_npy(example::data("digits_x.npy")).view({-1, 64}).to(kFloat) / 16;
    Tensor y = load_npy(example::data("digits_y.npy")).to(kLong);
    x = x.index_select(0, order).eval();
    y = y.index_select(0, order).eval();
    const Tensor x_test = x.slice(0, trained_on), y_test = y.slice(0, trained_on);

    const network net;
    optim::Adam adam(net.parameters(), optim::AdamOptions(0.01).weight_decay(1e-4));
    optim::StepLR schedule(adam, 5, 0.5);

    std::printf("epoch   loss    right of the trained, of the others\n");
    double right = 0;
    for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
        schedule.step();
        reset_stats();
        const Tensor shuffled = randperm(trained_on, kLong).eval();
        double sum = 0;
        for (int64_t at = 0; at < trained_on; at += batch) {
            const Tensor chosen = shuffled.slice(0, at, at + batch);
            const Tensor loss =
                F::cross_entropy(net(x.index_select(0, chosen)), y.index_select(0, chosen));
            adam.zero_grad();
            loss.backward();
            adam.step();
            sum += loss.item<double>();
        }
        right = share_right(net, x_test, y_test);
        std::printf("%5lld  %6.4f    %5.1f %%  %5.1f %%  %s\n", static_cast<long long>(epoch),
                    sum / (trained_on / batch),
                    100 * share_right(net, x.slice(0, 0, trained_on), y.slice(0, 0, trained_on)),
                    100 * right, std::string(static_cast<std::size_t>(40 * right), '#').c_str());
    }

    const stats_report last = stats();
    const Tensor guessed = guesses(net, x_test);
    const Tensor wrong = guessed.ne(y_test).nonzero().flatten();
    const Tensor few = wrong.slice(0, 0, 4);
    std::printf(
        "\nThe last epoch, 22 steps and two tests: %llu products, %llu kernels, %llu of them new\n",
        static_cast<unsigned long long>(last.library_calls),
        static_cast<unsigned long long>(last.kernels_launched),
        static_cast<unsigned long long>(last.kernels_compiled));
    std::printf("%lld of %lld were taken for another digit:\n\n",
                static_cast<long long>(wrong.numel()), static_cast<long long>(y_test.numel()));
    for (int64_t i = 0; i < few.numel(); ++i) {
        const Tensor at = few[i];
        std::printf("  %lld taken for %lld    ",
                    static_cast<long long>(y_test.index({at}).item<int64_t>()),
                    static_cast<long long>(guessed.index({at}).item<int64_t>()));
    }
    std::printf("\n");
    draw(x_test.index_select(0, few));
    example::check(right > 0.95, "more than 95 % are right");
}
