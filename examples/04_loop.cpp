// A loop of 100,000 statements whose result is not read until the end. The number of pending
// operations is bounded, so memory is too. Equal iterations share one compiled kernel, and many of
// them run in one launch.
#include "support.hpp"

#include <iostream>

using namespace sinter;

namespace {

constexpr int steps = 100000;

template <class F>
void loop(const char* text, double expected, F&& body) {
    Tensor total = zeros({16}, kFloat64), step = ones({16}, kFloat64);
    eval({total, step});
    reset_stats();
    for (int i = 0; i < steps; ++i) body(total, step, i);
    double got = total[3].item<double>();
    stats_report s = stats();
    std::printf("%-16s %.0f; %llu launches, %llu kernels compiled or loaded, %lld bytes at most\n",
                text, got, static_cast<unsigned long long>(s.kernels_launched),
                static_cast<unsigned long long>(s.kernels_compiled) + s.kernels_loaded,
                static_cast<long long>(s.bytes_peak));
    example::check(got == expected, "the sum of the loop");
    example::check(s.bytes_peak < (1 << 20), "a loop over 128 bytes stays below 1 MiB");
    example::check(s.kernels_launched <= steps / 16, "16 iterations or more in a launch");
    example::check(s.kernels_compiled + s.kernels_loaded <= 8, "a handful of kernels");
}

}  // namespace

int main() {
    loop("r = r + d", steps, [](Tensor& r, const Tensor& d, int) { r = r + d; });
    loop("r.add_(d)", steps, [](Tensor& r, const Tensor& d, int) { r.add_(d); });
    loop("r += d * i", 0.5 * steps * (steps - 1),
         [](Tensor& r, const Tensor& d, int i) { r += d * i; });
}
