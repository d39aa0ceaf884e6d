// Timing two ways to compute a batch of dot products: a product and its sum, which become one
// kernel, and a product of matrices, which is a call of a library. Rivals are timed in turns.
#include "support.hpp"

#include <sinter/benchmark.hpp>

#include <iostream>

using namespace sinter;

namespace {

constexpr double seconds = 0.05;  // for each rival; more gives more figures

Tensor by_sum(const Tensor& a, const Tensor& b) { return (a * b).sum(-1); }

Tensor by_product(const Tensor& a, const Tensor& b) {
    const int64_t n = a.size(-1);
    return bmm(a.reshape({-1, 1, n}), b.reshape({-1, n, 1})).flatten();
}

}  // namespace

int main() {
    manual_seed(1);
    const Tensor x = rand({1000, 64}).eval(), y = rand({1000, 64}).eval();

    // One statement: what it returns is computed while the clock runs.
    const benchmark::Timer timer([&] { return by_sum(x, y); },
                                 benchmark::TimerOptions()
                                     .label("batched dot")
                                     .sub_label("mul and sum")
                                     .description("1000 vectors of 64"));
    const benchmark::Measurement one = timer.blocked_autorange(seconds);
    std::cout << one << "\n";
    example::check(one.circumstances().call->kernels_launched == 1, "it is one kernel");
    example::check(allclose(by_sum(x, y), by_product(x, y)), "both ways agree");

    // A table: a row for each way and number of threads, a column for each size.
    std::vector<benchmark::Measurement> all;
    for (const int threads : {1, 2})
        for (const int64_t rows : {1, 64, 1024})
            for (const int64_t length : {16, 256}) {
                const Tensor a = rand({rows, length}).eval(), b = rand({rows, length}).eval();
                const auto options = [&](const char* way) {
                    return benchmark::TimerOptions()
                        .label("batched dot")
                        .sub_label(way)
                        .description("[" + std::to_string(rows) + ", " + std::to_string(length) +
                                     "]")
                        .num_threads(threads);
                };
                const std::vector<benchmark::Measurement> both = benchmark::compare(
                    {benchmark::Timer([=] { return by_sum(a, b); }, options("mul and sum")),
                     benchmark::Timer([=] { return by_product(a, b); }, options("bmm"))},
                    seconds);
                all.insert(all.end(), both.begin(), both.end());
            }
    benchmark::Compare table(all);
    table.trim_significant_figures();
    table.print();

    // Both modes of one statement, and whether they give equal bits.
    const benchmark::ModeComparison modes = benchmark::compare_modes(
        [&] { return (x * y + 1).sqrt().sum(-1); },
        benchmark::TimerOptions().label("three operations on 64,000 elements"), seconds);
    std::cout << "\n" << modes;
    example::check(modes.lazy.circumstances().call->kernels_launched <
                       modes.eager.circumstances().call->kernels_launched,
                   "lazy mode has fewer kernels");
}
