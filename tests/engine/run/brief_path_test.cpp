// Values that are computed the shortest way have the bits of eager mode, are counted as all others
// are, and see every change of what they read.
#include "tests/engine/run/same_bits.hpp"
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace sinter {
namespace {

/// Returns elements that are ready, some of them special.
Tensor elements(ScalarType dtype, const std::vector<int64_t>& sizes, std::mt19937_64& random) {
    int64_t n = 1;
    for (const int64_t s : sizes) n *= s;
    std::vector<double> values;
    const double special[] = {0.0, -0.0, 1e30, std::numeric_limits<double>::infinity(), -3, 1};
    for (int64_t i = 0; i < n; ++i)
        values.push_back(isFloatingType(dtype) && random() % 8 == 0
                             ? special[random() % std::size(special)]
                             : static_cast<double>(random() % 1000) / 10 - 50);
    return tensor(values, kDouble).to(dtype).reshape(sizes).clone().eval();
}

Tensor eagerly(const std::function<Tensor()>& f) {
    const ModeGuard eager(Mode::eager);
    return f();
}

/// Runs a statement several times: the first is planned, the others may go the short way.
void check_statement(const std::function<Tensor()>& f) {
    const Tensor wanted = eagerly(f);
    for (int i = 0; i < 3; ++i) {
        const Tensor got = f();
        CHECK(same_bits(got.eval(), wanted));
    }
}

}  // namespace

TEST_CASE("brief path: statements of one dense layout") {
    std::mt19937_64 random(test::seed());
    CAPTURE(test::seed());
    for (const ScalarType dtype : {kFloat, kDouble, kLong, kInt, kHalf, kBFloat16})
        for (const int64_t n : {1, 2, 16, 1000, 5000}) {
            const Tensor a = elements(dtype, {n}, random), b = elements(dtype, {n}, random),
                         c = elements(dtype, {n}, random);
            CAPTURE(toString(dtype));
            CAPTURE(n);
            check_statement([&] { return a * b + c; });
            check_statement([&] { return a * a + a; });
            check_statement([&] { return a + b * a - b + c; });
            check_statement([&] { return a * 2 + 1; });
            check_statement([&] { return 3 - b; });
            check_statement([&] { return (a < b) & (c < a); });
            check_statement([&] { return maximum(a, b); });
            check_statement(
                [&] { return a + b + c + a + b + c + a + b + c + a; });  // more than 8 operands
        }
}

TEST_CASE("brief path: reductions of few elements") {
    std::mt19937_64 random(test::seed());
    CAPTURE(test::seed());
    for (const ScalarType dtype : {kFloat, kDouble, kLong, kHalf})
        for (const std::vector<int64_t>& sizes :
             {std::vector<int64_t>{1}, {16}, {1000}, {4, 16}, {16, 4}, {3, 5, 7}, {2, 1, 9}}) {
            const Tensor a = elements(dtype, sizes, random), b = elements(dtype, sizes, random);
            CAPTURE(toString(dtype));
            CAPTURE(a.sizes());
            check_statement([&] { return a.sum(); });
            check_statement([&] { return a.amax(); });
            check_statement([&] { return b.sum(); });
            check_statement([&] { return a.argmax(); });
            check_statement([&] { return a.any(); });
            if (isFloatingType(dtype)) {
                check_statement([&] { return a.mean(); });
                check_statement([&] { return a.var(0, false); });
                check_statement([&] { return a.var(0, true); });
            }
            for (int64_t d = 0; d < a.dim(); ++d) {
                check_statement([&] { return a.sum(d); });
                check_statement([&] { return a.sum(d, true); });
                check_statement([&] { return b.prod(d); });
                check_statement([&] { return a.amin(d); });
            }
        }
}

TEST_CASE("brief path: a reduction of another layout or dtype is another one") {
    const Tensor a = arange(12, kFloat).reshape({3, 4}).clone().eval();
    for (int i = 0; i < 3; ++i) {
        CHECK(equal(a.sum(0).eval(), tensor({12.0, 15.0, 18.0, 21.0}, kFloat)));
        CHECK(equal(a.t().sum(0).eval(), tensor({6.0, 22.0, 38.0}, kFloat)));
        CHECK(equal(a.slice(1, 1, 3).sum(0).eval(), tensor({15.0, 18.0}, kFloat)));
        CHECK(equal(a.slice(0, 1, 3).sum(0).eval(), tensor({12.0, 14.0, 16.0, 18.0}, kFloat)));
        CHECK(equal(a.sum(0, false, kDouble).eval(), tensor({12.0, 15.0, 18.0, 21.0}, kDouble)));
        CHECK(a.view(kInt).sum().item<int64_t>() ==
              eagerly([&] { return a.view(kInt).sum(); }).item<int64_t>());
    }
}

TEST_CASE("brief path: runs are counted") {
    const Tensor a = ones({16}).eval(), b = ones({16}).eval();
    const auto statements = [&] {
        Tensor(a * b).eval();
        a.sum().eval();
        static_cast<void>(b.sum().item<float>());
    };
    statements();
    statements();
    reset_stats();
    statements();
    const stats_report s = stats();
    CHECK(s.kernels_launched == 3);
    CHECK(s.plans_replayed == 3);
    CHECK(s.plans_built == 0);
    CHECK(s.flushed(flush_reason::eval) == 2);
    CHECK(s.nodes_pending == 0);
}

TEST_CASE("brief path: writes over what was read, and over themselves") {
    Tensor x = ones({16}).eval();
    const Tensor a = full({16}, 3.0f).eval();
    for (int i = 0; i < 4; ++i) {
        const Tensor before = x + a;  // pending: it keeps the value of its line
        const Tensor sum = x.sum();
        const float was = 1.0f + static_cast<float>(i);
        x.add_(1).eval();
        CHECK(equal(x, full({16}, was + 1)));
        CHECK(equal(before, full({16}, was + 3)));
        CHECK(sum.item<float>() == 16 * was);
    }
    float* const known = x.data_ptr<float>();
    x.mul_(2).eval();
    CHECK(x.data_ptr<float>() == known);
    CHECK(known[3] == 10);
    Tensor y = x.slice(0, 4, 8);
    y.mul_(0);
    CHECK(x.sum().item<float>() == 120);
    x.add_(x).mul_(x).eval();
    CHECK(known[0] == 400);
    CHECK(known[5] == 0);
}

TEST_CASE("brief path: in-place rows take numbers, tensors and nothing, of every dtype") {
    std::mt19937_64 random(test::seed());
    CAPTURE(test::seed());
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kInt, kLong}) {
        const Tensor a = elements(dtype, {16}, random), b = elements(dtype, {16}, random);
        CAPTURE(toString(dtype));
        check_statement([&] { return a.clone().mul_(3); });
        check_statement([&] { return a.clone().add_(b); });
        check_statement([&] { return a.clone().neg_(); });
        check_statement([&] { return a.clone().sub_(b).mul_(b); });
        check_statement([&] { return a.clone().clamp_min_(1); });
        check_statement([&] { return a.clone().lt_(b); });
        if (isFloatingType(dtype)) {
            check_statement([&] { return a.clone().div_(3); });
            check_statement([&] { return a.clone().exp_(); });
            check_statement([&] { return a.clone().add_(0.5); });
        }
        const Tensor own = a.clone().eval();
        CHECK_THROWS_AS(ones({4}, kInt).add_(ones({4}, kFloat)), Error);
        CHECK(same_bits(own, a));
    }
}

}  // namespace sinter
