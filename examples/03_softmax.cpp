// A row softmax written from primitives. The library has no special case for it, yet it is one
// kernel: the maximum, the exponentials, their sum and the division run row by row.
#include "support.hpp"

#include <iostream>

using namespace sinter;

namespace {

Tensor softmax(const Tensor& x) {
    Tensor e = exp(x - x.amax({1}, true));
    return e / e.sum({1}, true);
}

/// A custom variant: softened by a temperature, with some columns masked out.
Tensor masked_softmax(const Tensor& x, const Tensor& mask, double temperature) {
    Tensor shifted = where(mask, x / temperature, -INFINITY);
    Tensor e = exp(shifted - shifted.amax({1}, true));
    return e / e.sum({1}, true);
}

}  // namespace

int main() {
    manual_seed(1);
    Tensor x = randn({256, 1000});
    Tensor mask = arange(1000) % 3 != 0;
    eval({x, mask});

    Tensor y = softmax(x), z = masked_softmax(x, mask, 2.0);
    std::string plan = explain(y), masked_plan = explain(z);
    std::cout << plan << masked_plan;
    example::check(example::kernels(plan) == 1, "a softmax is one kernel");
    example::check(example::kernels(masked_plan) == 1, "a masked softmax is one kernel");

    Tensor sums = y.to(kFloat64).sum({1});
    std::printf("row sums from %.7f to %.7f\n", sums.min().item<double>(),
                sums.max().item<double>());
    example::check(allclose(sums, ones({256}, kFloat64), 1e-6), "every row sums to 1");
    example::check(z.select(1, 0).amax().item<float>() == 0, "a masked column is 0");

    ModeGuard eager(Mode::eager);
    example::check(equal(softmax(x), y), "lazy and eager give the same bits");
    example::check(equal(masked_softmax(x, mask, 2.0), z), "and so they do with a mask");
}
