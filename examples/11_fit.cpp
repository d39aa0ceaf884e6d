// A fit by optimisers beside its closed form: the regression of 02_regression.cpp once more, where
// only the loss is written. Its gradient is derived, and an optimiser goes down along it.
#include "support.hpp"

#include <sinter/optim.hpp>

using namespace sinter;

namespace {

struct problem {
    Tensor a, y;  // standardised measurements after a column of ones; what they shall explain

    Tensor loss(const Tensor& w) const { return (mv(a, w) - y).square().mean(); }
};

problem load() {
    Tensor x = load_npy(example::data("diabetes_x.npy"));
    Tensor y = load_npy(example::data("diabetes_y.npy"));
    Tensor standardised = (x - x.mean({0}, true)) / x.std({0}, false, true);
    return {cat({ones({x.size(0), 1}, kDouble), standardised}, 1), y};
}

/// Steps until the loss stays the same to 13 digits; returns the number of steps.
int descend(optim::Optimizer& optimizer, const problem& p, const Tensor& w) {
    double before = INFINITY;
    for (int step = 1;; ++step) {
        const Tensor loss = optimizer.step([&] {
            optimizer.zero_grad();
            Tensor now = p.loss(w);
            now.backward();
            return now;
        });
        const double now = loss.item<double>();
        const bool done = std::abs(before - now) < 1e-13 * now;
        if (step <= 3 || step % 500 == 0 || done)
            std::printf("  step %4d  loss %14.8f\n", step, now);
        if (done) return step;
        before = now;
    }
}

double largest_difference(const Tensor& a, const Tensor& b) {
    return (a - b).abs().max().item<double>();
}

}  // namespace

int main() {
    const problem p = load();
    const Tensor closed = std::get<0>(linalg::lstsq(p.a, p.y.unsqueeze(1))).squeeze(1);

    std::printf("L-BFGS with a line search, up to 20 iterations a step\n");
    const Tensor by_lbfgs = zeros({p.a.size(1)}, kDouble).requires_grad_();
    optim::LBFGS lbfgs(
        {by_lbfgs}, optim::LBFGSOptions().line_search_fn("strong_wolfe").tolerance_change(1e-14));
    const int lbfgs_steps = descend(lbfgs, p, by_lbfgs);

    std::printf("\ngradient descent with momentum, all patients in each step\n");
    const Tensor by_sgd = zeros({p.a.size(1)}, kDouble).requires_grad_();
    optim::SGD sgd({by_sgd}, optim::SGDOptions(0.1).momentum(0.9));
    const int sgd_steps = descend(sgd, p, by_sgd);

    const char* const names[] = {"intercept",       "age",           "sex",        "body mass",
                                 "blood pressure",  "cholesterol",   "LDL",        "HDL",
                                 "cholesterol/HDL", "triglycerides", "blood sugar"};
    std::printf("\n%-18s %14s %14s %14s\n", "", "closed form", "L-BFGS", "momentum");
    for (int64_t i = 0; i < closed.numel(); ++i)
        std::printf("%-18s %14.8f %14.8f %14.8f\n", names[i], closed[i].item<double>(),
                    by_lbfgs[i].item<double>(), by_sgd[i].item<double>());
    const double off_lbfgs = largest_difference(by_lbfgs, closed);
    const double off_sgd = largest_difference(by_sgd, closed);
    std::printf("%-18s %14s %14.1e %14.1e\n", "largest difference", "", off_lbfgs, off_sgd);
    std::printf("%-18s %14s %14d %14d\n", "steps", "1", lbfgs_steps, sgd_steps);

    example::check(example::near(closed[0].item<double>(), 152.13348416289594),
                   "the intercept of the closed form is 152.13348416");
    example::check(off_lbfgs < 1e-6, "L-BFGS finds the closed form");
    example::check(off_sgd < 1e-3, "gradient descent finds the closed form");
}
