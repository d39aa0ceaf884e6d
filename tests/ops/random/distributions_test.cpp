// Draws with parameters, from either generator: moments, ranges, positions in the stream, errors.
#include "tests/ops/check.hpp"

#include <algorithm>
#include <cmath>

using namespace sinter;

namespace {

const ScalarType floating[] = {kBFloat16, kFloat, kDouble};

template <class F>
void for_each_rng(const F& f) {
    for (Rng rng : {Rng::philox, Rng::mt19937}) {
        CAPTURE(static_cast<int>(rng));
        set_default_rng(rng);
        manual_seed(3);
        test::for_each_mode(f);
    }
    set_default_rng(Rng::philox);
}

// The values are read once and used here, since each reduction would be another kernel to compile.
std::vector<double> values(const Tensor& t) {
    t.eval();
    ModeGuard eager(Mode::eager);
    return test::elements<double>(t.to(kDouble));
}
double mean(const Tensor& t) {
    double sum = 0;
    for (double v : values(t)) sum += v;
    return sum / static_cast<double>(t.numel());
}
double deviation(const Tensor& t) {
    const double m = mean(t);
    double sum = 0;
    for (double v : values(t)) sum += (v - m) * (v - m);
    return std::sqrt(sum / static_cast<double>(t.numel()));
}
double least(const Tensor& t) {
    const auto v = values(t);
    return *std::min_element(v.begin(), v.end());
}
double most(const Tensor& t) {
    const auto v = values(t);
    return *std::max_element(v.begin(), v.end());
}
double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

}  // namespace

TEST_CASE("continuous distributions have their moments") {
    for_each_rng([] {
        for (ScalarType type : floating) {
            CAPTURE(toString(type));
            const Tensor t = empty({100, 200}, type);
            t.uniform_(-2, 6);
            CHECK(least(t) >= -2);
            CHECK(most(t) < 6);
            // The upper end is excluded even if nearly every number is rounded.
            t.uniform_(-5, -4.99);
            CHECK(least(t) >= -5);
            if (type != kBFloat16)  // for BFloat16 both ends are the same number
                CHECK(most(t) < tensor(-4.99).to(type).item<double>());
            t.uniform_(-2, 6);
            CHECK(std::abs(mean(t) - 2) < 0.06);
            t.normal_(3, 0.5);
            CHECK(std::abs(mean(t) - 3) < 0.02);
            CHECK(std::abs(deviation(t) - 0.5) < 0.02);
            t.log_normal_(0.5, 0.25);
            CHECK(std::abs(mean(t) - std::exp(0.5 + 0.25 * 0.25 / 2)) < 0.02);
            t.exponential_(4);
            CHECK(least(t) >= 0);
            CHECK(std::abs(mean(t) - 0.25) < 0.01);
            t.cauchy_(1.5, 0.5);
            std::vector<double> v = values(t);
            CHECK(std::abs(median(v) - 1.5) < 0.03);
            for (double& x : v) x = std::abs(x - 1.5);
            CHECK(std::abs(median(v) - 0.5) < 0.03);
        }
        const Tensor n = normal(5, 2, {20000});
        CHECK((n.dtype() == kFloat));
        CHECK(std::abs(mean(n) - 5) < 0.06);
        CHECK(std::abs(deviation(n) - 2) < 0.06);
        // Tensor parameters broadcast.
        const Tensor m = tensor({{-10.0}, {10.0}}), s = full({5000}, 0.5);
        const Tensor both = normal(m, s);
        CHECK(both.sizes() == IntArrayRef({2, 5000}));
        CHECK(std::abs(mean(both[0]) + 10) < 0.05);
        CHECK(std::abs(deviation(both[1]) - 0.5) < 0.03);
        CHECK(std::abs(mean(normal(full({5000}, 7.0), 1.0)) - 7) < 0.1);
        CHECK(std::abs(deviation(normal(7, full({5000}, 3.0))) - 3) < 0.2);
    });
}

TEST_CASE("discrete distributions have their moments") {
    for_each_rng([] {
        for (ScalarType type : {kByte, kLong, kFloat}) {
            CAPTURE(toString(type));
            const Tensor t = empty({20000}, type);
            t.geometric_(0.4);
            CHECK(least(t) == 1);
            CHECK(std::abs(mean(t) - 2.5) < 0.1);
            t.random_(10);
            CHECK(least(t) == 0);
            CHECK(most(t) == 9);
            CHECK(std::abs(mean(t) - 4.5) < 0.1);
            t.random_(40, 43);
            CHECK(least(t) == 40);
            CHECK(most(t) == 42);
            t.bernoulli_(0.3);
            CHECK(most(t) == 1);
            CHECK(std::abs(mean(t) - 0.3) < 0.02);
            const Tensor like = randint_like(t, 2, 5);
            CHECK((like.dtype() == type));
            CHECK(least(like) == 2);
            CHECK(most(randint_like(t, 3)) == 2);
        }
        // All values of the type.
        const Tensor bytes = empty({5000}, kByte).random_();
        CHECK(most(bytes) == 255);
        CHECK(least(empty({5000}, kChar).random_(-128, optional<int64_t>())) == -128);
        CHECK(least(empty({100}, kLong).random_()) >= 0);
        CHECK(least(empty({100}, kLong).random_(INT64_MIN, optional<int64_t>())) < 0);
        CHECK(std::abs(mean(empty({20000}).random_()) / 0x1p23 - 1) < 0.03);
        CHECK(std::abs(mean(empty({20000}, kBool).random_()) - 0.5) < 0.02);
        const Tensor narrow = empty({5000}, kHalf).random_();
        CHECK(most(narrow) <= 2048);
        CHECK(most(narrow) > 2000);
    });
}

TEST_CASE("bernoulli of probabilities") {
    for_each_rng([] {
        for (ScalarType type : floating) {
            const Tensor p = tensor({0.0, 0.25, 1.0}).to(type).expand({4000, 3});
            const Tensor b = bernoulli(p);
            CHECK((b.dtype() == type));
            CHECK(most(b.select(1, 0)) == 0);
            CHECK(least(b.select(1, 2)) == 1);
            CHECK(std::abs(mean(b.select(1, 1)) - 0.25) < 0.03);
        }
        CHECK(std::abs(mean(bernoulli(zeros({4000}, kLong), 0.75)) - 0.75) < 0.03);
        Tensor x = zeros({2, 3, 1000}, kInt);
        x.transpose(0, 2).bernoulli_(tensor({{0.0}, {1.0}, {0.5}}));
        CHECK(most(x.select(1, 0)) == 0);
        CHECK(least(x.select(1, 1)) == 1);
        CHECK(std::abs(mean(x.select(1, 2)) - 0.5) < 0.05);
        // A pending probability is neither checked nor computed.
        const Tensor pending = zeros({3}) + 0.5;
        const auto before = stats().flushes;
        const Tensor drawn = pending.bernoulli();
        if (get_mode() == Mode::lazy && get_default_rng() == Rng::philox)
            CHECK(stats().flushes == before);
        CHECK(((drawn == 0) | (drawn == 1)).all().item<bool>());
    });
}

TEST_CASE("permutations hold every number once") {
    for_each_rng([] {
        for (int64_t n : {0, 1, 2, 7, 250}) {
            for (ScalarType type : {kLong, kByte, kHalf, kDouble}) {
                std::vector<double> v = test::elements<double>(randperm(n, type).to(kDouble));
                std::sort(v.begin(), v.end());
                CHECK(v == test::elements<double>(arange(n, kDouble)));
            }
        }
        // Each number is equally likely in the first place.
        int first = 0;
        for (int i = 0; i < 3000; ++i) first += randperm(4)[0].item<int>() == 2;
        CHECK(std::abs(first - 750) < 120);
    });
}

TEST_CASE("multinomial draws in proportion to weights") {
    for_each_rng([] {
        for (ScalarType type : floating) {
            const Tensor w = tensor({{0.0, 1.0, 3.0}, {2.0, 0.0, 2.0}}).to(type);
            const Tensor with = multinomial(w, 4000, true);
            CHECK((with.dtype() == kLong));
            CHECK(with.sizes() == IntArrayRef({2, 4000}));
            CHECK(least(with[0]) == 1);
            CHECK(std::abs(mean(with[0]) - 1.75) < 0.03);
            CHECK(std::abs(mean(with[1]) - 1) < 0.06);
            CHECK((with[1] == 1).any().item<bool>() == false);
            int second = 0;
            for (int i = 0; i < 300; ++i) {
                const Tensor two = w[0].multinomial(2);
                CHECK(two[0].item<int>() + two[1].item<int>() == 3);
                second += two[0].item<int>() == 2;
            }
            CHECK(std::abs(second - 225) < 40);
        }
        CHECK(equal(multinomial(tensor({0.0, 1.0, 0.0}), 3)[0], tensor(1)));
        CHECK(multinomial(ones({5}), 1, true).sizes() == IntArrayRef({1}));
        CHECK(multinomial(ones({0, 5}), 3).sizes() == IntArrayRef({0, 3}));
    });
}

TEST_CASE("a draw into a view changes the view alone, in its place of the stream") {
    for_each_rng([] {
        Tensor x = zeros({4, 6});
        x.slice(1, 1, 6, 2).uniform_(1, 2);
        CHECK((x.slice(1, 0, 6, 2) == 0).all().item<bool>());
        CHECK((x.slice(1, 1, 6, 2) >= 1).all().item<bool>());
        manual_seed(9);
        const Tensor a = rand({3}), dropped = empty({5}).normal_(), b = rand({3});
        manual_seed(9);
        CHECK(equal(empty({3}).uniform_(), a));
        randn({5});
        CHECK(equal(rand({3}), b));
        // Readers of the old value keep it.
        Tensor y = ones({4});
        const Tensor sum = y + 1;
        y.uniform_();
        CHECK(equal(sum, full({4}, 2.0)));
        // Dense layouts are kept.
        CHECK(rand_like(zeros({3, 4}).t()).strides() == IntArrayRef({1, 4}));
        CHECK(randn_like(zeros({3, 4}).t(), kDouble).strides() == IntArrayRef({1, 4}));
        CHECK(randint_like(zeros({3, 4}).slice(1, 0, 4, 2), 5).strides() == IntArrayRef({2, 1}));
    });
}

TEST_CASE("draws fuse with what reads them") {
    ModeGuard lazy(Mode::lazy);
    const auto kernels = [](const Tensor& t) {
        std::string plan = explain(t);
        std::size_t n = 0;
        for (std::size_t at = plan.find("kernel "); at != std::string::npos;
             at = plan.find("kernel ", at + 1))
            ++n;
        return n;
    };
    const Tensor one = randn({50}) * 2 + 1;
    const Tensor several =
        empty({50}).exponential_(2) + normal(0, 3, {50}) * bernoulli(full({50}, 0.5));
    CHECK_MESSAGE(kernels(one) == 1, explain(one));
    CHECK_MESSAGE(kernels(several) == 1, explain(several));
}

TEST_CASE("parameters out of range") {
    const Tensor f = zeros({3}), i = zeros({3}, kLong);
    CHECK_ERROR(Error, f.uniform_(2, 1),
                "[uniform_] from is greater than to; got from 2 and to 1, expected from <= to; try "
                "swapping them");
    CHECK_ERROR(Error, f.to(kHalf).uniform_(0, 1e6),
                "[uniform_] the range does not fit the dtype; got from 0 and to 1000000 for Half, "
                "expected bounds and a distance of at most 65504; try a Double tensor");
    CHECK_ERROR(Error, f.normal_(0, -1),
                "[normal_] std is out of range; got -1, expected 0 or more; try 1, the default");
    CHECK_ERROR(
        Error, f.log_normal_(0, 0),
        "[log_normal_] std is out of range; got 0, expected a positive number; try 2, the default");
    CHECK_ERROR(Error, f.exponential_(0),
                "[exponential_] lambd is out of range; got 0, expected a positive number; try 1, "
                "the default");
    CHECK_ERROR(
        Error, f.cauchy_(0, -2),
        "[cauchy_] sigma is out of range; got -2, expected a positive number; try 1, the default");
    CHECK_ERROR(Error, f.geometric_(1),
                "[geometric_] p is out of range; got 1, expected more than 0 and less than 1; try "
                "fill_(1) for p = 1, where each trial succeeds");
    CHECK_ERROR(Error, f.bernoulli_(1.5),
                "[bernoulli_] p is out of range; got 1.5, expected 0 to 1; try p / 100 if it is a "
                "percentage");
    CHECK_ERROR(Error, bernoulli(tensor({0.5, -0.5})),
                "[bernoulli] p is out of range; got -0.5, expected 0 to 1; try p / 100 if it is a "
                "percentage");
    CHECK_ERROR(NotImplementedError, bernoulli(i),
                "[bernoulli] the probabilities have the wrong dtype; got Long, expected Half, "
                "BFloat16, Float or Double; try .to(kFloat) on the probabilities");
    CHECK_ERROR(NotImplementedError, i.uniform_(),
                "[uniform_] the dtype is not supported; got Long, expected Half, BFloat16, Float "
                "or Double; try random_() for integers, or .to(kFloat) first");
    CHECK_ERROR(Error, i.random_(5, 5),
                "[random_] from is not less than to; got from 5 and to 5, expected from < to; try "
                "a larger to, which is exclusive");
    CHECK_ERROR(ValueError, zeros({1}, kByte).random_(0, 300),
                "[random_] value cannot be converted to type uint8_t without overflow; got 299 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(Error, i.random_(-5, INT64_MAX),
                "[random_] the range is too wide; got from -5 to 9223372036854775806, expected "
                "fewer than 2^62 values, or a power of 2 of them; try "
                "make_generator<CPUGeneratorImpl>(seed), which takes any range");
    CHECK_ERROR(Error, f.expand({2, 3}).uniform_(),
                "[uniform_] more than one element of the written-to tensor refers to a single "
                "memory location; got shape [2, 3] with strides [0, 1], expected a memory location "
                "for each element; try clone() first");
    CHECK_ERROR(Error, normal(0, -1, {2}),
                "[normal] a standard deviation is negative or NaN; got -1, expected 0 or more; try "
                "abs() on std");
    CHECK_ERROR(Error, normal(0, tensor({1.0, -2.0})),
                "[normal] a standard deviation is negative or NaN; got -2, expected 0 or more; try "
                "abs() on std");
    CHECK_ERROR(Error, randperm(-1),
                "[randperm] n is negative; got -1, expected 0 or more; try size() of the dimension "
                "to permute");
    CHECK_ERROR(ValueError, randperm(257, kByte),
                "[randperm] the dtype cannot hold every number; got 257 numbers as Byte, expected "
                "a dtype that holds 0 to 256; try kLong, the default");
    CHECK_ERROR(Error, multinomial(f, 2),
                "[multinomial] the weights of a row do not have a positive sum; got a sum of 0, "
                "expected a positive sum in each row; try adding a small number to the weights");
    CHECK_ERROR(Error, multinomial(tensor({1.0, -1.0}), 1),
                "[multinomial] a weight is negative, infinite or NaN; got -1, expected finite "
                "weights of 0 or more; try clamp_min(0) or nan_to_num() first");
    CHECK_ERROR(Error, multinomial(ones({2}), 3),
                "[multinomial] num_samples is out of range; got 3 of 2 weights, expected 1 to 2; "
                "try replacement = true for more samples than weights");
    CHECK_ERROR(
        Error, multinomial(ones({2, 2, 2}), 1),
        "[multinomial] the weights are neither a vector nor a matrix; got shape [2, 2, 2], "
        "expected 1 or 2 dimensions; try reshape() to a matrix with one row for each distribution");
    CHECK_ERROR(Error, multinomial(i, 1),
                "[multinomial] the weights have the wrong dtype; got Long, expected Half, "
                "BFloat16, Float or Double; try .to(kFloat) first");
}
