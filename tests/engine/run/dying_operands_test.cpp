// Statements of one operation that have run before: which of them take the memory of an operand.
#include "tests/ops/check.hpp"

#include <functional>
#include <string>

namespace sinter::test {
namespace {

constexpr int64_t n = 100000;  // below, a fresh buffer is cheaper

/// Runs a statement four times, in both modes, from the same values, and compares the results.
/// Returns how many bytes the last run in lazy mode took from operands.
uint64_t donated(const std::function<Tensor(Tensor&)>& statement) {
    std::vector<Tensor> results;
    uint64_t bytes = 0;
    for (const Mode mode : {Mode::eager, Mode::lazy}) {
        ModeGuard guard(mode);
        for (int run = 0; run < 4; ++run) {
            Tensor x = sin(arange(n, kFloat)).eval();
            synchronize();
            reset_stats();
            results.push_back(statement(x).eval());
            bytes = stats().bytes_donated;
            CHECK(equal(results.back(), results.front()));
        }
    }
    return bytes;
}

TEST_CASE("a known statement takes the memory of an operand that dies") {
    const Tensor y = cos(arange(n, kFloat)).eval();
    const std::pair<std::string, std::function<Tensor(Tensor&)>> statements[] = {
        {"in place", [](Tensor& x) { return x.mul_(2); }},
        {"in place, of two tensors", [&](Tensor& x) { return x += y; }},
        {"assigned", [](Tensor& x) { return x = x * 2; }},
        {"moved",
         [](Tensor& x) {
             Tensor z = x + 1;
             x.reset();
             return z;
         }},
        {"into an operand", [&](Tensor& x) { return add_out(x, x, y); }},
        {"of another dtype", [](Tensor& x) { return x = x.to(kInt); }},
    };
    for (const auto& [name, statement] : statements) {
        CAPTURE(name);
        CHECK(donated(statement) == n * sizeof(float));
    }
}

TEST_CASE("a known statement leaves the memory of operands that live") {
    const Tensor y = cos(arange(n, kFloat)).eval();
    Tensor kept;
    const std::pair<std::string, std::function<Tensor(Tensor&)>> statements[] = {
        {"held",
         [&](Tensor& x) {
             kept = x;
             return x * 2;
         }},
        {"a copy is pending",
         [&](Tensor& x) {
             kept = x + 3;
             return x.mul_(2);
         }},
        {"a view lives",
         [&](Tensor& x) {
             kept = x.slice(0, 0, 10);
             Tensor z = x * 2;
             x.reset();
             return z;
         }},
        {"another size of elements", [](Tensor& x) { return x = x.to(kDouble); }},
        {"another order", [](Tensor& x) { return x = x.flip(0) * 2; }},
        {"broadcast", [&](Tensor& x) { return x = x.slice(0, 0, 1) * y; }},
        {"a part",
         [](Tensor& x) {
             Tensor z = x.slice(0, 1, n) * 2;
             x.reset();
             return z;
         }},
        {"read twice", [](Tensor& x) { return x = x * x.flip(0); }},
        {"its address is known",
         [&](Tensor& x) {
             x.data_ptr<float>()[0] += 0;
             kept = x;
             Tensor z = x * 2;
             x.reset();
             return z;
         }},
    };
    for (const auto& [name, statement] : statements) {
        CAPTURE(name);
        kept.reset();
        CHECK(donated(statement) == 0);
        if (kept.defined()) CHECK(kept.isfinite().all().item<bool>());
    }
}

TEST_CASE("a known statement leaves the memory that a gradient reads") {
    for (int run = 0; run < 4; ++run) {
        const Tensor leaf = arange(n, kFloat).eval().requires_grad_();
        Tensor x = (leaf * 0.001).eval();
        const Tensor before = x.detach().clone().eval();
        x = x * x;
        x.eval();
        x = x * 3;
        x.eval();
        x.sum().backward();
        CHECK(allclose(leaf.grad(), before * 0.006, 1e-5, 1e-8));
    }
}

}  // namespace
}  // namespace sinter::test
