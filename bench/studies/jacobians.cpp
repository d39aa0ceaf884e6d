// What derivatives in forward mode, Jacobians, Hessians and functions over a dimension take: the
// first run, the best of later ones, kernels and library calls. jacobians_peers.py is the same in
// torch.func: study_jacobians
#include <sinter/func.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

namespace {

using namespace sinter;

void measure(const char* name, const std::function<void()>& f) {
    using clock = std::chrono::steady_clock;
    double first = 0, best = 1e300;
    uint64_t kernels = 0, calls = 0;
    for (int run = 0; run < 20; ++run) {
        const stats_report before = stats();
        const auto start = clock::now();
        f();
        const std::chrono::duration<double, std::milli> t = clock::now() - start;
        const stats_report after = stats();
        if (run == 0) first = t.count();
        best = std::min(best, t.count());
        kernels = after.kernels_launched - before.kernels_launched;
        calls = after.library_calls - before.library_calls;
    }
    std::printf("%-36s first %8.2f ms, best %8.3f ms, %llu kernels, %llu library calls\n", name,
                first, best, static_cast<unsigned long long>(kernels),
                static_cast<unsigned long long>(calls));
}

}  // namespace

int main() {
    set_num_threads(2);
    manual_seed(1);
    constexpr ScalarType f64 = kDouble;
    constexpr int64_t n = 400, samples = 1000, prices = 1000000;
    const Tensor at = rand({n}, f64).eval();
    const auto rosenbrock = [](const Tensor& x) {
        const Tensor a = x.narrow(0, 0, n - 1), b = x.narrow(0, 1, n - 1);
        return Tensor(100 * (b - a * a).square() + (1 - a).square()).sum();
    };
    measure("Hessian of Rosenbrock, 400", [&] { func::hessian(rosenbrock)(at).eval(); });

    const Tensor rows = randn({samples, n}, f64).eval(),
                 label = Tensor((rand({samples}, f64) > 0.5).to(f64) * 2 - 1).eval();
    const auto logistic = [&](const Tensor& w) { return softplus(-label * mv(rows, w)).mean(); };
    measure("Hessian of a logistic loss, 400", [&] { func::hessian(logistic)(at).eval(); });

    const Tensor weight = randn({100, 100}, f64).eval(), bias = rand({100}, f64).eval();
    const auto layer = [&](const Tensor& v) { return tanh(mv(weight, v) + bias); };
    measure("jacfwd of a layer, 100 to 100", [&] { func::jacfwd(layer)(bias).eval(); });
    measure("jacrev of a layer, 100 to 100", [&] { func::jacrev(layer)(bias).eval(); });

    const auto elements = [&](const Tensor& v) { return tanh(v.square() + 1); };
    measure("jacfwd of 400 elements", [&] { func::jacfwd(elements)(at).eval(); });
    measure("Hessian of a sum of 400 elements",
            [&] { func::hessian([&](const Tensor& v) { return elements(v).sum(); })(at).eval(); });

    const Tensor data = randn({256, 100}, f64).eval();
    const auto loss = [&](const Tensor& w, const Tensor& v) {
        return tanh(mv(w, v) + bias).square().sum();
    };
    const auto of_samples = func::vmap(func::grad(loss), {nullopt, 0});
    measure("gradients of 256 samples", [&] { of_samples(weight, data).eval(); });

    const Tensor spot = (rand({prices}, f64) * 50 + 75).eval(),
                 strike = (rand({prices}, f64) * 50 + 75).eval(),
                 years = (rand({prices}, f64) + 0.1).eval(),
                 vol = (rand({prices}, f64) * 0.3 + 0.1).eval(), along = ones({prices}, f64).eval();
    const auto price = [&](const Tensor& s) {
        const Tensor spread = vol * sqrt(years);
        const Tensor d1 = (log(s / strike) + (0.03 + vol * vol * 0.5) * years) / spread;
        const Tensor d2 = d1 - spread;
        const auto share = [](const Tensor& d) { return 0.5 * (1 + erf(d * 0.7071067811865476)); };
        return Tensor(s * share(d1) - strike * exp(-0.03 * years) * share(d2));
    };
    measure("Black-Scholes, 1e6 prices", [&] { price(spot).eval(); });
    measure("the same and a derivative", [&] {
        const auto [p, delta] = func::jvp(price, spot, along);
        eval({p, delta});
    });
}
