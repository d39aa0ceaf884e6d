// What stands around tensors in programs for libtorch: ranges, gradient guards.
#include "tests/expr/check.hpp"

#include <numeric>

using namespace sinter;

TEST_CASE("irange counts up to its end") {
    std::vector<int64_t> seen;
    for (const auto i : irange(int64_t{4})) seen.push_back(i);
    for (const auto i : irange(2, int64_t{4})) seen.push_back(10 * i);
    for (const auto i : irange(-3)) seen.push_back(i);
    for (const auto i : irange(5, 2)) seen.push_back(i);
    CHECK(seen == std::vector<int64_t>{0, 1, 2, 3, 20, 30});
    const auto five = irange(std::size_t{5});
    CHECK(std::accumulate(five.begin(), five.end(), std::size_t{0}) == 10);
}

TEST_CASE("gradients are refused by name") {
    const NoGradGuard guard;
    const InferenceMode inference;
    CHECK_FALSE(GradMode::is_enabled());
    Tensor t = ones({2});
    CHECK_FALSE(t.requires_grad_(false).requires_grad());
    CHECK_ERROR(NotImplementedError, t.requires_grad_(),
                "[requires_grad_] there is no differentiation yet; got true, expected false; try "
                "requires_grad_(false)");
    CHECK_ERROR(NotImplementedError, t.backward(),
                "[backward] there is no differentiation yet; got backward(), expected values "
                "alone; try a derivative by hand");
    CHECK_ERROR(NotImplementedError, t.grad(),
                "[grad] there is no differentiation yet; got grad(), expected values alone; try a "
                "derivative by hand");
}
