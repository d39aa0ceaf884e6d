// What a call of a compiled function costs beside the function itself and a loop written by hand,
// for 20 operations on few elements: study_compiled_function [ELEMENTS...]. `calls N ELEMENTS` only
// calls the compiled function, for counting instructions.
#include "bench/studies/best_of.hpp"

#include <sinter/functions/compile.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace sinter;

using bench::best_of;

/// 20 operations in lines, as a program has them.
Tensor twenty(const Tensor& x, const Tensor& y) {
    const Tensor a = x * 2 + y;
    const Tensor b = a * a - x;
    const Tensor c = (b + 1) * (y - 3);
    const Tensor d = c.clamp(-4, 4) + a;
    const Tensor e = d * 0.5 + b.abs();
    const Tensor f = (e - c) * 0.25;
    const Tensor g = f.square() + e;
    return g * 0.125 - d + 1;
}

float twenty(float x, float y) {
    const float a = x * 2 + y, b = a * a - x, c = (b + 1) * (y - 3);
    const float d = std::min(std::max(c, -4.0F), 4.0F) + a, e = d * 0.5F + std::abs(b);
    const float f = (e - c) * 0.25F, g = f * f + e;
    return g * 0.125F - d + 1;
}

[[gnu::noinline]] void loop(const float* x, const float* y, float* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = twenty(x[i], y[i]);
}

void compare(int64_t n) {
    const Tensor x = rand({n}).eval(), y = rand({n}).eval();
    const auto f = [](const Tensor& p, const Tensor& q) { return twenty(p, q); };
    const auto step = compile(f);
    for (int warm = 0; warm < 100; ++warm) {
        step(x, y).eval();
        f(x, y).eval();
    }
    const float *p = x.const_data_ptr<float>(), *q = y.const_data_ptr<float>();
    std::vector<float> out(static_cast<std::size_t>(n));
    const int calls = static_cast<int>(std::max<int64_t>(2000000 / (n + 200), 10));
    const double as_always = best_of(20, calls / 8 + 1, [&] { f(x, y).eval(); });
    const double compiled = best_of(40, calls, [&] { step(x, y); });
    const double by_hand = best_of(40, calls, [&] { loop(p, q, out.data(), n); });
    std::printf("%8lld elements: function %9.1f ns, compiled %9.1f ns, loop %9.1f ns\n",
                static_cast<long long>(n), as_always, compiled, by_hand);
}

void only_call(int calls, int64_t n) {
    const Tensor x = rand({n}).eval(), y = rand({n}).eval();
    const auto step = compile([](const Tensor& p, const Tensor& q) { return twenty(p, q); });
    for (int i = 0; i < calls; ++i) step(x, y);
}

}  // namespace

int main(int argc, char** argv) {
    set_num_threads(1);
    if (argc == 4 && std::string(argv[1]) == "calls") {
        only_call(std::atoi(argv[2]), std::atoll(argv[3]));
        return 0;
    }
    if (argc == 1)
        for (const int64_t n : {16, 1000, 100000}) compare(n);
    for (int i = 1; i < argc; ++i) compare(std::atoll(argv[i]));
}
