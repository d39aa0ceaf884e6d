// Reductions and row chains in every form of a launch: the CPU's bits, whichever threads compute
// them.
#include "engine/run/lower.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "tests/on_gpu/gpu_case.hpp"
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace sinter;
using testing::has_gpu;

namespace {

constexpr int64_t C = kernel_ir::reduce_chunk;

/// Returns true if the bits are equal, except for the payload and sign of NaN.
bool same_bits(const Tensor& got, const Tensor& expected) {
    const Tensor g = got.cpu();
    if (g.scalar_type() != expected.scalar_type() || g.sizes() != expected.sizes()) return false;
    if (!isFloatingType(g.scalar_type())) return g.equal(expected);
    const Tensor nan = isnan(expected);
    if (!isnan(g).equal(nan)) return false;
    // Zeros of both signs are equal, but their quotients are not.
    const Tensor a = where(nan, zeros_like(g), g), b = where(nan, zeros_like(g), expected);
    return a.equal(b) && signbit(a).equal(signbit(b));
}

struct formula {
    const char* name;
    bool floats;
    std::function<std::vector<Tensor>(const Tensor&, int64_t)> f;
};

const std::vector<formula>& formulas() {
    static const std::vector<formula> all = {
        {"sum", false, [](const Tensor& x, int64_t d) { return std::vector{x.sum(d)}; }},
        {"amax and argmax", false,
         [](const Tensor& x, int64_t d) { return std::vector{x.amax(d), x.argmax(d)}; }},
        {"argmin", false, [](const Tensor& x, int64_t d) { return std::vector{x.argmin(d)}; }},
        {"any, all", false,
         [](const Tensor& x, int64_t d) { return std::vector{(x > 2).any(d), (x < 3).all(d)}; }},
        {"prod", false, [](const Tensor& x, int64_t d) { return std::vector{x.prod(d)}; }},
        {"mean and var", true,
         [](const Tensor& x, int64_t d) {
             return std::vector{x.mean(d), x.var(static_cast<int>(d))};
         }},
        {"a sum of a chain", true,
         [](const Tensor& x, int64_t d) { return std::vector<Tensor>{exp(x * 0.25 - 1).sum(d)}; }},
        {"softmax", true, [](const Tensor& x, int64_t d) { return std::vector{softmax(x, d)}; }},
        {"log_softmax", true,
         [](const Tensor& x, int64_t d) { return std::vector{log_softmax(x, d)}; }},
        {"logsumexp", true,
         [](const Tensor& x, int64_t d) { return std::vector{logsumexp(x, d)}; }},
        {"standardised, and of what", true,
         [](const Tensor& x, int64_t d) {
             const Tensor mean = x.mean(d, true), deviation = x.std(d, true, true);
             return std::vector<Tensor>{(x - mean) / deviation, mean, deviation};
         }},
    };
    return all;
}

/// Returns values many of which are equal, so that ties must be broken correctly.
Tensor values(IntArrayRef sizes, ScalarType dtype, std::mt19937_64& random) {
    manual_seed(static_cast<int64_t>(random() % 1000000));
    if (!isFloatingType(dtype))
        return randint(dtype == kByte || dtype == kBool ? 0 : -3, 4, sizes).to(dtype);
    Tensor x = randn(sizes, kFloat);
    if (random() % 4 == 0) x = (x * 2).round();
    return x.to(dtype);
}

}  // namespace

TEST_CASE("gpu rows: random reductions and row chains have the CPU's bits") {
    if (!has_gpu()) return;
    const int64_t lengths[] = {1,     2,   3,     16,        31,    32,        33,   64,
                               100,   128, 255,   256,       257,   1000,      1024, 2048,
                               C - 1, C,   C + 1, 2 * C + 1, 3 * C, 10 * C + 4};
    const int64_t others[] = {1, 2, 3, 5, 8, 31, 33, 70};
    const ScalarType dtypes[] = {kFloat, kFloat, kDouble, kHalf, kBFloat16,
                                 kLong,  kInt,   kByte,   kBool};
    std::mt19937_64 random(test::seed());
    const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
    for (int n = 0; n < test::cases(16, 10); n++) {
        const int64_t length = pick(lengths);
        int64_t other = pick(others);
        if (length * other > 60000) other = 1 + other % 3;
        const int64_t axis = static_cast<int64_t>(random() % 2);
        const formula& what = formulas()[random() % formulas().size()];
        const ScalarType dtype = what.floats ? dtypes[random() % 5] : pick(dtypes);
        const int64_t gap = static_cast<int64_t>(random() % 3),
                      lead = static_cast<int64_t>(random() % 3);
        const bool turned = random() % 3 == 0;
        // Rows that begin at any address, with or without gaps between them, along either
        // dimension.
        const int64_t rows = axis == 1 ? other : length, columns = axis == 1 ? length : other;
        const Tensor whole = turned ? values({columns, rows + gap + lead}, dtype, random)
                                    : values({rows, columns + gap + lead}, dtype, random);
        const auto view = [&](const Tensor& t) {
            return turned ? t.slice(1, lead, lead + rows).transpose(0, 1)
                          : t.slice(1, lead, lead + columns);
        };
        INFO("seed " << test::seed() << ", case " << n << ": " << what.name << ", dtype "
                     << toString(dtype) << ", " << rows << " by " << columns << ", axis " << axis
                     << ", turned " << turned << ", lead " << lead << ", gap " << gap);
        const std::vector<Tensor> expected = what.f(view(whole), axis);
        const std::vector<Tensor> got = what.f(view(whole.to(kCUDA)), axis);
        for (std::size_t i = 0; i < got.size(); i++) {
            INFO("result " << i);
            CHECK(same_bits(got[i], expected[i]));
        }
    }
}

TEST_CASE("gpu rows: several dimensions, operands that repeat, two dtypes, many results") {
    if (!has_gpu()) return;
    std::mt19937_64 random(test::seed() + 1);
    for (int n = 0; n < test::cases(5, 10); n++) {
        std::vector<int64_t> sizes;
        for (int d = 0; d < 4; d++) sizes.push_back(1 + static_cast<int64_t>(random() % 12));
        if (random() % 4 == 0) sizes[random() % 4] = 700;
        std::vector<int64_t> dims, order{0, 1, 2, 3};
        for (int64_t d = 0; d < 4; d++)
            if (random() % 2) dims.push_back(d);
        if (dims.empty()) dims.push_back(static_cast<int64_t>(random() % 4));
        std::shuffle(order.begin(), order.end(), random);
        std::vector<int64_t> dense(4);
        for (std::size_t d = 0; d < 4; d++) dense[static_cast<std::size_t>(order[d])] = sizes[d];
        INFO("seed " << test::seed() << ", case " << n << ": sizes " << sizes[0] << " " << sizes[1]
                     << " " << sizes[2] << " " << sizes[3]);
        std::vector<int64_t> back(4);
        for (std::size_t d = 0; d < 4; d++) back[d] = order[d];
        const Tensor a = values(dense, kFloat, random), b = values({sizes[3]}, kHalf, random),
                     c = values({sizes[1], 1, sizes[3]}, kDouble, random);
        const auto f = [&](const Tensor& p, const Tensor& q, const Tensor& r) {
            const Tensor x = p.permute(back) * q.to(kFloat), y = x + r;
            return std::vector<Tensor>{x.sum(dims), y.sum(dims), y.var(dims, true, true),
                                       x.amax(dims, true), y - y.mean(dims, true)};
        };
        const auto expected = f(a, b, c), got = f(a.to(kCUDA), b.to(kCUDA), c.to(kCUDA));
        for (std::size_t i = 0; i < got.size(); i++) {
            INFO("result " << i);
            CHECK(same_bits(got[i], expected[i]));
        }
    }
}

TEST_CASE("gpu rows: a long row is two launches, which count as two, and is looked up once") {
    if (!has_gpu()) return;
    manual_seed(5);
    const Tensor a = randn({100 * C + 7}, kFloat), x = a.to(kCUDA);
    x.sum().eval();
    reset_stats();
    const Tensor s = x.sum();
    s.eval();
    CHECK(stats().kernels_launched == 2);
    CHECK(stats().kernels_compiled == 0);
    CHECK(same_bits(s, a.sum()));
    // Moments and values computed from them: one merge per stage.
    reset_stats();
    const Tensor z = (x - x.mean()) / x.std();
    z.eval();
    CHECK(stats().kernels_launched >= 3);
    CHECK(same_bits(z, (a - a.mean()) / a.std()));
    CHECK(same_bits(softmax(x, 0), softmax(a, 0)));
    CHECK(same_bits(x.argmax(), a.argmax()));
    // More parts than the merging block has slots.
    const Tensor many = randn({300 * C + 1}, kFloat), most = many.to(kCUDA);
    CHECK(same_bits(most.sum(), many.sum()));
    CHECK(same_bits(most.var(), many.var()));
    // Few columns, too.
    const Tensor b = randn({9 * C + 1, 5}, kFloat), y = b.to(kCUDA);
    reset_stats();
    const Tensor columns = y.sum(0);
    columns.eval();
    CHECK(stats().kernels_launched == 2);
    CHECK(same_bits(columns, b.sum(0)));
    CHECK(same_bits(y.var(0), b.var(0)));
}

TEST_CASE("gpu rows: narrow numbers of adjacent columns are one access") {
    if (!has_gpu()) return;
    std::mt19937_64 random(test::seed() + 2);
    for (ScalarType dtype : {kHalf, kBFloat16, kByte, kBool}) {
        for (auto sizes : {std::vector<int64_t>{3, 40}, {700, 6}, {C + 70, 34}, {9 * C + 1, 4}}) {
            // From an odd column or of an odd number of columns there are no pairs.
            for (int64_t lead : {0, 1, 2}) {
                INFO("seed " << test::seed() << ", " << toString(dtype) << ", " << sizes[0]
                             << " rows, lead " << lead);
                const Tensor whole = values({sizes[0], sizes[1] + lead}, dtype, random),
                             other = randn({sizes[0], sizes[1]}, kFloat);
                const auto f = [&](const Tensor& t, const Tensor& with) {
                    const Tensor x = t.slice(1, lead, lead + sizes[1]);
                    return std::vector<Tensor>{x.sum(0),      x.amax(0),          x.argmax(0),
                                               x.any(0),      (x * with).amin(0), x.flip(1).sum(0),
                                               (x + 1).sum(0)};
                };
                const auto expected = f(whole, other), got = f(whole.to(kCUDA), other.to(kCUDA));
                for (std::size_t i = 0; i < got.size(); i++) {
                    INFO("result " << i);
                    CHECK(same_bits(got[i], expected[i]));
                }
            }
        }
    }
    // Blocks of 64 columns.
    const Tensor wide = values({40, 33830}, kHalf, random), on_gpu = wide.to(kCUDA);
    CHECK(same_bits(on_gpu.sum(0), wide.sum(0)));
    CHECK(same_bits(on_gpu.argmax(0), wide.argmax(0)));
    // Pairs within the rows of a batch.
    for (int64_t columns : {4, 5}) {
        const Tensor b = values({3, 50, columns}, kHalf, random), y = b.to(kCUDA);
        CHECK(same_bits(y.sum(1), b.sum(1)));
        CHECK(same_bits(y.argmin(1), b.argmin(1)));
    }
}

TEST_CASE("gpu rows: a chain is one launch, at any alignment") {
    if (!has_gpu()) return;
    manual_seed(6);
    for (int64_t columns : {5, 64, 1000, 4096, 9000, 30000}) {
        CAPTURE(columns);
        const Tensor a = randn({3, columns + 1}, kFloat), x = a.to(kCUDA);
        for (int64_t lead : {0, 1}) {
            const auto part = [&](const Tensor& t) { return t.slice(1, lead, lead + columns); };
            reset_stats();
            const Tensor s = log_softmax(part(x), 1);
            s.eval();
            CHECK(stats().kernels_launched == 1);
            // The same bits whether the rows fit into a block's memory or not.
            CHECK(same_bits(s, log_softmax(part(a), 1)));
        }
    }
}

TEST_CASE("gpu rows: of rows that do not fit, the first chunks are kept") {
    if (!has_gpu()) return;
    manual_seed(7);
    // 8 chunks at most, so that a row is not shared by blocks; they fit in part into 227 KiB if
    // they are of doubles, and into 64 KiB.
    for (const ScalarType dtype : {kDouble, kFloat, kHalf})
        for (const int64_t columns : {7 * C + 8, 7 * C + 9, 8 * C - 1, 8 * C})
            for (const int64_t lead : {0, 1}) {
                INFO(toString(dtype) << ", " << columns << " columns, lead " << lead);
                const Tensor a = randn({3, columns + lead}, dtype), x = a.to(kCUDA),
                             b = randn({columns}, dtype), y = b.to(kCUDA);
                const auto f = [&](const Tensor& t, const Tensor& row) {
                    const Tensor s = t.slice(1, lead, lead + columns);
                    return std::vector<Tensor>{
                        softmax(s, 1), log_softmax(s * row, 1),
                        (s - s.mean(1, true)) * rsqrt(s.var(1, false, true) + 1e-5) + row,
                        (s - s.amax(1, true)).sum(1)};
                };
                const auto expected = f(a, b), got = f(x, y);
                for (std::size_t i = 0; i < got.size(); i++) {
                    INFO("result " << i);
                    reset_stats();
                    got[i].eval();
                    CHECK(stats().kernels_launched == 1);
                    CHECK(same_bits(got[i], expected[i]));
                }
                // Over itself.
                Tensor own = x.slice(1, lead, lead + columns);
                own.copy_(softmax(own, 1));
                CHECK(same_bits(own, expected[0]));
            }
}

TEST_CASE("gpu rows: an exponential that two passes use is kept, in the type that it has") {
    if (!has_gpu()) return;
    std::mt19937_64 random(test::seed() + 3);
    const auto check = [&](std::vector<int64_t> sizes, ScalarType dtype, int64_t lead) {
        INFO("seed " << test::seed() << ", " << toString(dtype) << ", " << sizes[0] << " by "
                     << sizes[1] << ", lead " << lead);
        const Tensor a = values({sizes[0], sizes[1] + lead}, dtype, random), x = a.to(kCUDA),
                     b = values({sizes[1]}, dtype, random), y = b.to(kCUDA);
        const auto f = [&](const Tensor& t, const Tensor& row) {
            const Tensor s = t.slice(1, lead, lead + sizes[1]);
            const Tensor e = exp(s * 0.5), sum = e.sum(1, true);
            return std::vector<Tensor>{softmax(s, 1), softmax(s + row, 1), e / sum + s,
                                       e / sum - e.amax(1, true), s};
        };
        const auto expected = f(a, b), got = f(x, y);
        for (std::size_t i = 0; i < got.size(); i++) {
            INFO("result " << i);
            CHECK(same_bits(got[i], expected[i]));
        }
    };
    for (ScalarType dtype : {kFloat, kHalf, kBFloat16, kDouble})
        for (int64_t columns :
             {int64_t{6}, int64_t{136}, int64_t{1000}, int64_t{1032}, C, 2 * C + 8})
            for (int64_t lead : {0, 1}) check({3, columns}, dtype, lead);
    // There is no room for the exponentials of narrow numbers.
    check({2, 15 * C}, kHalf, 0);
    // Many rows have one warp each.
    check({1100, 1032}, kFloat, 0);
    check({1100, 1032}, kHalf, 0);
}

TEST_CASE("gpu rows: NaN, ties, rows over themselves, no rows, no elements") {
    if (!has_gpu()) return;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Tensor a = (arange(6 * 300) % 7).to(kFloat).view({6, 300});
    a[1][77] = nan;
    a[2][3] = nan;
    a[2][250] = nan;
    const Tensor x = a.to(kCUDA);
    for (int64_t d : {0, 1}) {
        CHECK(same_bits(x.argmax(d), a.argmax(d)));
        CHECK(same_bits(x.argmin(d), a.argmin(d)));
        CHECK(same_bits(x.amax(d), a.amax(d)));
        CHECK(same_bits(x.sum(d), a.sum(d)));
    }
    Tensor b = randn({7, 520}, kFloat), y = b.to(kCUDA);
    b.sub_(b.mean(1, true));
    y.sub_(y.mean(1, true));
    CHECK(same_bits(y, b));
    y.copy_(softmax(y, 1));
    b.copy_(softmax(b, 1));
    CHECK(same_bits(y, b));
    y.select(1, 0).copy_(y.sum(1));
    b.select(1, 0).copy_(b.sum(1));
    CHECK(same_bits(y, b));
    for (const auto& sizes : {std::vector<int64_t>{0, 3}, {3, 0}, {0}}) {
        const Tensor e = zeros(sizes), g = e.to(kCUDA);
        CHECK(same_bits(g.sum(0), e.sum(0)));
        CHECK(same_bits(g.sum(), e.sum()));
        CHECK(same_bits(g.any(), e.any()));
        CHECK(same_bits(g.mean(), e.mean()));
    }
    CHECK(same_bits(tensor(2.5).to(kCUDA).sum(), tensor(2.5).sum()));
    CHECK(same_bits(softmax(tensor(2.5).to(kCUDA), 0), softmax(tensor(2.5), 0)));
}

TEST_CASE("gpu rows: an integer that is divided by zero is found in every form") {
    if (!has_gpu()) return;
    for (auto sizes : {std::vector<int64_t>{40, 6}, {3, 5000}, {1, 10 * C}, {3 * C, 4}}) {
        const Tensor x = ones(sizes, kLong).to(kCUDA), y = ones(sizes, kLong).to(kCUDA);
        for (int64_t d : {0, 1}) {
            CHECK(floor_divide(x, y).sum(d).sum().item<int64_t>() == x.numel());
            Tensor z = y.clone();
            z[0][sizes[1] - 1] = 0;
            CHECK_THROWS_AS(floor_divide(x, z).sum(d).cpu(), Error);
        }
    }
}

TEST_CASE("gpu rows: functions under fast math") {
    if (!has_gpu() || default_executor() == plan::executor::blocks) return;
    ModeGuard lazy(Mode::lazy);
    FastMathGuard fast;
    const auto functions = [](const Tensor& x) {
        return std::vector<Tensor>{exp(x),      exp2(x),    expm1(x), sin(x),     cos(x),
                                   tan(x),      sinh(x),    cosh(x),  tanh(x),    erf(x),
                                   erfc(x),     sigmoid(x), silu(x),  mish(x),    softplus(x),
                                   log2(x + 3), gelu(x),    logit(x), pow(x, 0.7)};
    };
    for (ScalarType type : {kFloat, kDouble, kHalf}) {
        const Tensor x = (arange(0, 600, kDouble) * 0.01 - 2.99).to(type).eval();
        const std::vector<Tensor> expected = functions(x), got = functions(x.cuda());
        eval(expected);  // Half is rounded where it is stored
        eval(got);
        for (std::size_t k = 0; k < got.size(); ++k) {
            CAPTURE(k);
            CAPTURE(type);
            CHECK(same_bits(got[k], expected[k]));
        }
    }
}
