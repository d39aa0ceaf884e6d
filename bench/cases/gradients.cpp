// Values with all their gradients, by one backward pass.
#include "bench/case.hpp"

#include <sinter/autograd.hpp>

namespace bench {
namespace {

using namespace sinter;
using tensors = std::vector<Tensor>;

/// A function to one element, with its gradients with respect to all inputs. The cost counts the
/// inputs and gradients as moved once; `operations` are per element, of function and gradients.
template <class Make, class F>
bench_case gradient(const char* name, std::vector<int64_t> sizes, double operations, Make inputs,
                    F function) {
    return {name, std::move(sizes), [=](contest& k) {
                const tensors all = inputs(k);
                double elements = 0;
                for (const Tensor& t : all) {
                    elements += 2 * static_cast<double>(t.numel());
                    t.requires_grad_();
                }
                k.cost(elements, operations * static_cast<double>(k.n()));
                k.tolerance(1e-3, 1e-9);
                k.lazy_list([=] {
                    const Tensor value = function(all);
                    tensors results = autograd::grad({value}, all);
                    results.insert(results.begin(), value.detach());
                    return results;
                });
            }};
}

auto vectors(int count, double low, double high) {
    return [=](contest& k) {
        tensors all;
        for (int i = 0; i < count; ++i) all.push_back(k.input({k.n()}, low, high));
        return all;
    };
}

tensors table(contest& k) {
    const int64_t columns = k.n() <= 1000 ? 100 : 1000;
    return {k.input({k.n() / columns, columns})};
}

tensors table_and_weights(contest& k) {
    tensors all = table(k);
    for (int i = 0; i < 2; ++i) all.push_back(k.input({all[0].size(1)}));
    return all;
}

/// Rows of 256 numbers, a layer of 256 and one of 16.
tensors network(contest& k) {
    return {k.input({k.n() / 256, 256}), k.input({256, 256}, -0.1, 0.1), k.input({256}),
            k.input({256, 16}, -0.1, 0.1), k.input({16})};
}

Tensor price(const tensors& t) {
    const Tensor &x = t[0], &y = t[1], &z = t[2];
    const Tensor root = sqrt(z) * 0.3, d = (log(x / y) + z * 0.065) / root;
    const Tensor p = 1 + erf(d * 0.70710678118654752),
                 q = 1 + erf((d - root) * 0.70710678118654752);
    return (0.5 * (x * p - y * exp(z * -0.02) * q)).sum();
}

}  // namespace

std::vector<bench_case> gradient_cases() {
    return {
        gradient("grad_black_scholes", in_caches, 90, vectors(3, 0.5, 2), price),
        gradient("grad_tanh_chain", in_caches, 30, vectors(1, -3, 3),
                 [](const tensors& t) {
                     const Tensor inner = tanh(tanh(t[0]) * 1.5 + 0.1);
                     return (tanh(inner * 1.5 - 0.1) * 0.5 + 0.5).sum();
                 }),
        gradient("grad_sines", in_caches, 80, vectors(1, -3, 3),
                 [](const tensors& t) {
                     Tensor y = t[0];
                     for (int i = 0; i < 10; ++i) y = sin(y) * 1.01 + 0.1;
                     return y.sum();
                 }),
        gradient("grad_softmax", in_caches, 12, table,
                 [](const tensors& t) {
                     const Tensor y = softmax(t[0], 1);
                     return (y * y).sum();
                 }),
        gradient("grad_log_softmax", in_caches, 12, table,
                 [](const tensors& t) {
                     const Tensor y = log_softmax(t[0], 1);
                     return (y * y).mean();
                 }),
        gradient(
            "grad_layer_norm", in_caches, 20, table_and_weights,
            [](const tensors& t) {
                const Tensor y = nn::functional::layer_norm(
                    t[0],
                    nn::functional::LayerNormFuncOptions({t[0].size(1)}).weight(t[1]).bias(t[2]));
                return (y * y).mean();
            }),
        gradient("grad_network", {65536, 262144, 1048576}, 3 * 2 * (256 + 16), network,
                 [](const tensors& t) {
                     const Tensor y = matmul(relu(matmul(t[0], t[1]) + t[2]), t[3]) + t[4];
                     return (y * y).mean();
                 }),
    };
}

}  // namespace bench
