// The price of options by Black and Scholes, and its derivatives ("greeks") by differentiation: the
// formula of the price is all that is written. They agree with the closed forms, which are written
// here only to compare.
#include "support.hpp"

#include <iostream>

using namespace sinter;

namespace {

struct market {
    Tensor spot, strike, volatility, years, rate;
};

/// d1 of the closed form; d2 is less by the deviation of the logarithm.
Tensor first_quantile(const market& m) {
    Tensor deviation = m.volatility * sqrt(m.years);
    return (log(m.spot / m.strike) + (m.rate + square(m.volatility) / 2) * m.years) / deviation;
}

Tensor call_price(const market& m) {
    Tensor d1 = first_quantile(m), d2 = d1 - m.volatility * sqrt(m.years);
    return m.spot * special::ndtr(d1) - m.strike * exp(-m.rate * m.years) * special::ndtr(d2);
}

Tensor density(const Tensor& x) { return exp(-square(x) / 2) / std::sqrt(2 * M_PI); }

}  // namespace

int main() {
    manual_seed(1);
    constexpr int64_t n = 100000;
    const auto between = [](double low, double high) {
        return (rand({n}, kDouble) * (high - low) + low).eval();
    };
    market m{between(80, 120), between(80, 120), between(0.1, 0.4), between(0.2, 2),
             between(0.0, 0.05)};
    for (Tensor* t : {&m.spot, &m.volatility, &m.years, &m.rate}) t->requires_grad_();

    Tensor price = call_price(m);
    // Each option depends on its own numbers alone, so the gradient of the sum has all derivatives.
    const auto greeks = autograd::grad({price.sum()}, {m.spot, m.volatility, m.years, m.rate}, {},
                                       std::nullopt, true);
    Tensor delta = greeks[0], vega = greeks[1], theta = -greeks[2], rho = greeks[3];
    Tensor gamma = autograd::grad({delta.sum()}, {m.spot})[0];

    reset_stats();
    eval({price, delta, vega, theta, rho, gamma});
    std::printf("price, delta, gamma, vega, theta and rho of %lld options: %llu kernels\n",
                static_cast<long long>(n),
                static_cast<unsigned long long>(stats().kernels_launched));

    const NoGradGuard compare;
    Tensor d1 = first_quantile(m), root = sqrt(m.years), d2 = d1 - m.volatility * root;
    Tensor discounted = m.strike * exp(-m.rate * m.years);
    const struct {
        const char* name;
        Tensor derived, closed;
    } all[] = {
        {"delta", delta, special::ndtr(d1)},
        {"gamma", gamma, density(d1) / (m.spot * m.volatility * root)},
        {"vega", vega, m.spot * density(d1) * root},
        {"theta", theta,
         -m.spot * density(d1) * m.volatility / (2 * root) -
             m.rate * discounted * special::ndtr(d2)},
        {"rho", rho, m.years * discounted * special::ndtr(d2)},
    };
    std::printf("first option: price %.4f", price[0].item<double>());
    for (const auto& greek : all) {
        std::printf(", %s %.4f", greek.name, greek.derived[0].item<double>());
        example::check(allclose(greek.derived, greek.closed, 1e-9, 1e-9), greek.name);
    }
    std::printf("\nall derivatives agree with their closed forms\n");
}
