// explain() shows what will run: it prints the kernels, what fused into each, and the reason for
// every cut. It computes nothing.
#include "support.hpp"

#include <iostream>

using namespace sinter;

namespace {

void show(const char* title, const Tensor& t, int kernels, const char* reason = nullptr) {
    std::string plan = explain(t);
    std::cout << "-- " << title << "\n" << plan << "\n";
    example::check(example::kernels(plan) == kernels, title);
    if (reason) example::check(plan.find(reason) != std::string::npos, reason);
}

}  // namespace

int main() {
    Tensor x = rand({200, 300}), column = rand({300}), w = rand({300, 40}), bias = rand({40});
    eval({x, column, w, bias});  // otherwise the draws would be part of the plans

    show("a chain is one kernel", exp(-square(x)) * 0.5 + x, 1);
    show("a view or a cast does not end it", (x * 2).to(kFloat64) + x.flip({1}).slice(0, 0, 1), 1);
    show("a producer and a reduction", square(x - 0.5).sum({1}), 1);
    show("a product is a library call, with kernels around it", relu((x * 2).mm(w) + bias), 2,
         "a library call");

    Tensor scale = exp(column);
    show("an exponential for each column is kept, not computed anew in every row", x * scale, 2,
         "it would be computed many times over");

    // A value that is fused away is not stored; reading it later computes it again.
    Tensor passed = x * 3, after = passed + 1;
    show("a tensor that is still held", after, 1, "held");

    // So far nothing has run.
    after.eval();
    example::check(explain(after) == "nothing to compute\n", "a value is computed once");
    example::check(after[0][0].item<float>() == x[0][0].item<float>() * 3 + 1, "3x + 1");

    stats_report s = stats();
    std::printf("%llu kernels launched, %llu compiled, %llu loaded from disk\n",
                static_cast<unsigned long long>(s.kernels_launched),
                static_cast<unsigned long long>(s.kernels_compiled),
                static_cast<unsigned long long>(s.kernels_loaded));
}
