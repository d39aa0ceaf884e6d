// Training by optimisers: parameter groups, closures, schedules, clipped gradients, states.
// A program for libtorch 2.
#include <torch/torch.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

namespace {

using torch::Tensor;
namespace optim = torch::optim;

const auto f64 = torch::TensorOptions().dtype(torch::kFloat64);

/// Nine significant digits, and 0 for what is only a rounding error.
void show(const char* what, const Tensor& t) {
    std::cout << what << ':';
    const Tensor flat = t.detach().to(torch::kFloat64).contiguous().view(-1);
    for (int64_t i = 0; i < flat.numel(); ++i) {
        const double v = flat[i].item<double>();
        std::cout << ' ' << (std::abs(v) < 1e-12 ? 0 : v);
    }
    std::cout << '\n';
}

struct model {
    Tensor w = (torch::arange(6, f64).view({2, 3}) / 4 - 0.5).clone().requires_grad_();
    Tensor b = torch::zeros({3}, f64).requires_grad_();

    Tensor loss() const {
        const Tensor x = (torch::arange(10, f64).view({5, 2}) - 3) / 8;
        const Tensor y = (torch::arange(15, f64).view({5, 3}) - 7) / 16;
        return torch::nn::functional::mse_loss(torch::tanh(torch::addmm(b, x, w)), y);
    }
    std::vector<Tensor> parameters() const { return {w, b}; }
};

void train(const char* what, const model& m, optim::Optimizer& optimizer, int steps) {
    std::cout << what << '\n';
    for (int i = 0; i < steps; ++i) {
        optimizer.zero_grad();
        Tensor loss = m.loss();
        loss.backward();
        optimizer.step();
        show("  loss", loss);
    }
    show("  w", m.w);
    show("  b", m.b);
}

void refused(const char* what, const std::function<void()>& f) {
    try {
        f();
        std::cout << what << ": fine\n";
    } catch (const c10::Error& e) {
        std::cout << what << ": Error\n";
    }
}

}  // namespace

int main() {
    std::cout.precision(9);
    {
        model m;
        optim::SGD sgd(m.parameters(), optim::SGDOptions(0.5).momentum(0.9).nesterov(true));
        train("SGD", m, sgd, 3);
        auto& state =
            static_cast<optim::SGDParamState&>(*sgd.state().at(m.w.unsafeGetTensorImpl()));
        show("  momentum_buffer", state.momentum_buffer());
        std::cout << "  " << sgd.size() << ' ' << sgd.param_groups().size() << '\n';
    }
    {
        model m;
        optim::Adam adam(m.parameters(), optim::AdamOptions(0.05).betas({0.8, 0.9}).amsgrad(true));
        train("Adam", m, adam, 3);
        auto& state =
            static_cast<optim::AdamParamState&>(*adam.state().at(m.b.unsafeGetTensorImpl()));
        std::cout << "  step " << state.step() << '\n';
        show("  exp_avg", state.exp_avg());
        show("  max_exp_avg_sq", state.max_exp_avg_sq());
    }
    {
        model m;
        optim::AdamW adamw(m.parameters(), optim::AdamWOptions().lr(0.1).weight_decay(0.5));
        train("AdamW", m, adamw, 3);
    }
    {
        model m;
        std::vector<optim::OptimizerParamGroup> groups;
        groups.emplace_back(std::vector<Tensor>{m.w});
        groups.emplace_back(std::vector<Tensor>{m.b},
                            std::make_unique<optim::AdamOptions>(optim::AdamOptions(0.5)));
        optim::Adam adam(groups, optim::AdamOptions(0.05).weight_decay(0.25));
        train("groups", m, adam, 2);
        for (auto& group : adam.param_groups()) {
            auto& options = static_cast<optim::AdamOptions&>(group.options());
            std::cout << "  lr " << options.lr() << " weight_decay " << options.weight_decay()
                      << '\n';
            options.lr(options.lr() * 0.5);
        }
        train("slower", m, adam, 2);
    }
    {
        model m;
        optim::LBFGS lbfgs(m.parameters(),
                           optim::LBFGSOptions(1).max_iter(5).line_search_fn("strong_wolfe"));
        std::cout << "LBFGS\n";
        for (int i = 0; i < 3; ++i) {
            const auto closure = [&] {
                lbfgs.zero_grad();
                Tensor loss = m.loss();
                loss.backward();
                return loss;
            };
            show("  loss", lbfgs.step(closure));
        }
        show("  w", m.w);
    }
    {
        model m;
        optim::SGD sgd(m.parameters(), 1.0);
        optim::StepLR schedule(sgd, 2, 0.5);
        std::cout << "StepLR";
        for (int epoch = 0; epoch < 5; ++epoch) {
            sgd.step();
            schedule.step();
            std::cout << ' ' << sgd.param_groups()[0].options().get_lr();
        }
        std::cout << '\n';
        m.loss().backward();
        std::cout << "norm " << torch::nn::utils::clip_grad_norm_(m.parameters(), 0.125) << '\n';
        show("clipped", m.w.grad());
        torch::nn::utils::clip_grad_value_(m.parameters(), 0.01);
        show("limited", m.b.grad());
        sgd.zero_grad(false);
        show("zero", m.w.grad());
        sgd.zero_grad();
        std::cout << m.w.grad().defined() << '\n';
    }
    const Tensor w = torch::ones({2}).requires_grad_(), frozen = torch::ones({2});
    refused("a negative rate", [&] { optim::SGD({w}, -1); });
    refused("Nesterov without momentum",
            [&] { optim::SGD({w}, optim::SGDOptions(1).nesterov(true)); });
    refused("a beta of 1", [&] { optim::Adam({w}, optim::AdamOptions().betas({1, 0.5})); });
    refused("not a leaf", [&] { optim::SGD({w * 2}, 1); });
    refused("no gradient required", [&] { optim::SGD({w, frozen}, 1).step(); });
    refused("two groups of LBFGS", [&] {
        std::vector<optim::OptimizerParamGroup> groups;
        groups.emplace_back(std::vector<Tensor>{w});
        groups.emplace_back(std::vector<Tensor>{frozen});
        optim::LBFGS lbfgs(groups);
    });
    refused("LBFGS without a closure", [&] { optim::LBFGS({w}).step(nullptr); });
}
