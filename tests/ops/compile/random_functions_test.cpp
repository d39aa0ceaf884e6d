// Random functions: their compiled forms give the same bits, and leave the same bits behind.
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <sinter/functions/compile.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>

using namespace sinter;

namespace {

/// Tensors of one function, all of them [3, 5], so that any follows any.
struct world {
    std::vector<Tensor> arguments;
    Tensor weight = test::counted({5, 5}) * 0.1;
    Tensor offset = test::counted({3, 5}) * 0.5 - 2;
};

/// A function that the seed decides, with `effects` or without.
class random_function {
public:
    random_function(uint64_t seed, bool effects) : seed_(seed), effects_(effects) {}

    std::vector<Tensor> operator()(const std::vector<Tensor>& arguments, const world& own) const {
        std::mt19937_64 bits(seed_);
        const auto below = [&](uint64_t n) { return bits() % n; };
        std::vector<Tensor> pool = arguments;
        const auto any = [&]() -> const Tensor& { return pool[below(pool.size())]; };
        const auto statements = 3 + below(12);
        for (uint64_t i = 0; i < statements; ++i) {
            const Tensor &x = any(), &y = any();
            pool.push_back(statement(below(effects_ ? 36 : 31), x, y, own));
        }
        std::vector<Tensor> results{pool.back()};
        for (uint64_t n = below(3); n > 0; --n) results.push_back(any());
        if (below(4) == 0) results.push_back(pool.back().t());
        return results;
    }

private:
    static Tensor statement(uint64_t what, const Tensor& x, const Tensor& y, const world& own) {
        switch (what) {
            case 0: return x + y;
            case 1: return x * y - 1;
            case 2: return (x * 0.25).tanh() + y;
            case 3: return maximum(x, -y);
            case 4: return where(x > y, x, 0.5);
            case 5: return x - x.mean({1}, true);
            case 6: return x.softmax(1);
            case 7: return x.cumsum(1) * 0.1;
            case 8: return std::get<0>(x.sort(1));
            case 9: return x.flip({0}) + y;
            case 10: return x.clamp(-3, 3).matmul(own.weight);
            case 11: return x + own.offset;
            case 12: return x.t().reshape({3, 5});
            case 13: return x.select(0, 1).expand({3, 5}) * y;
            case 14: return x.to(kDouble).mul(1.5).to(kFloat);
            case 15: return x.to(kLong).remainder(7).to(kFloat);
            case 16: return x * tensor({1, 2, 3, 4, 5});
            case 17: return x + arange(5, kFloat);
            case 18: return x.index_select(1, arange(5).flip({0}));
            case 19: return x.sum() * 0.01 + y;
            case 20: return complex(x, y).abs();
            case 21: return x.reshape({5, 3}).sum(1).narrow(0, 1, 3).unsqueeze(1) + y;
            case 22: return x.detach().roll(2, 1);
            case 23: {
                Tensor z = x.clone();
                z.add_(y).mul_(0.5);
                return z.t().contiguous().t();
            }
            case 24: return x.logsumexp({1}, true) - y;
            case 25: return std::get<0>(x.max(0)) + y;
            case 26: return cat({x.narrow(1, 0, 2), y.narrow(1, 2, 3)}, 1);
            case 27: {
                Tensor z = x.clone();
                z[1] = y[2];
                return z;
            }
            case 28: return x + rand({3, 5});
            case 29: {
                Tensor z = empty({3, 5});
                for (int64_t row = 0; row < 3; ++row) z[row] = x[2 - row] * y[row];
                z.narrow(1, 1, 2).add_(z.narrow(1, 2, 2));
                return z;
            }
            case 30: return where(bernoulli((x * 0.1).sigmoid()) > 0, y, randn({5}));
            // ---- effects
            case 31: return x.sum().item<float>() > 0 ? Tensor(x + 1) : Tensor(x - 1);
            case 32: own.offset.add_(x * 0.1); return x;
            case 33: own.offset.select(0, 1).mul_(0.5); return y;
            case 34: x.mul_(0.5); return x + y;
            default: return x.eval() * 2;
        }
    }

    uint64_t seed_;
    bool effects_;
};

bool same_bits(const Tensor& a, const Tensor& b) {
    if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes() || a.strides() != b.strides())
        return false;
    const Tensor x = a.cpu().contiguous(), y = b.cpu().contiguous();
    return std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

Tensor values_of(std::mt19937_64& bits) {
    std::vector<float> v(15);
    for (float& x : v) x = static_cast<float>(static_cast<int>(bits() % 64) - 32) / 8;
    return tensor(v).view({3, 5});
}

/// Returns how many calls were replayed.
uint64_t check(uint64_t seed, bool effects) {
    CAPTURE(seed);
    CAPTURE(effects);
    std::mt19937_64 bits(seed ^ 0x9e3779b97f4a7c15u);
    const random_function f(seed, effects);
    world plain, compiled;
    for (int a = 0; a < 2; ++a) {
        const Tensor v = values_of(bits);
        plain.arguments.push_back(v.clone().eval());
        compiled.arguments.push_back(v.clone().eval());
    }
    const auto step =
        compile([&](const std::vector<Tensor>& arguments) { return f(arguments, compiled); });
    const uint64_t before = stats().functions_replayed;
    for (int call = 0; call < 6; ++call) {
        CAPTURE(call);
        manual_seed(static_cast<uint64_t>(call));
        const std::vector<Tensor> expected = f(plain.arguments, plain);
        manual_seed(static_cast<uint64_t>(call));
        const std::vector<Tensor> got = step(compiled.arguments);
        REQUIRE(got.size() == expected.size());
        const bool read_now = bits() % 2 == 0;
        for (std::size_t i = 0; i < got.size() && read_now; ++i)
            REQUIRE(same_bits(got[i], expected[i]));
        // A result may be an argument or share memory with another result.
        if (bits() % 3 == 0) {
            expected[0].mul_(2);
            got[0].mul_(2);
        }
        if (bits() % 2 == 0) {
            plain.weight.mul_(1.1);
            compiled.weight.mul_(1.1);
        }
        for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(same_bits(got[i], expected[i]));
        REQUIRE(same_bits(plain.offset, compiled.offset));
        for (std::size_t a = 0; a < plain.arguments.size(); ++a) {
            REQUIRE(same_bits(plain.arguments[a], compiled.arguments[a]));
            const uint64_t change = bits() % 4;
            const Tensor v = values_of(bits);
            if (change == 0) {  // another tensor
                plain.arguments[a] = v.clone().eval();
                compiled.arguments[a] = v.clone().eval();
            } else if (change == 1) {  // other values
                plain.arguments[a].copy_(v);
                compiled.arguments[a].copy_(v);
            } else if (change == 2) {  // another layout, still pending
                plain.arguments[a] = v.t().contiguous().t() * 2;
                compiled.arguments[a] = v.t().contiguous().t() * 2;
            }
        }
    }
    return stats().functions_replayed - before;
}

}  // namespace

TEST_CASE("compile: random functions and their compiled forms leave equal bits") {
    const uint64_t first = test::seed();
    uint64_t replayed = 0;
    for (int n = 0; n < test::cases(60); ++n) {
        replayed += check(first + static_cast<uint64_t>(n), false);
        check(first + static_cast<uint64_t>(n), true);
    }
    CHECK((replayed > 0) == (get_mode() == Mode::lazy));
}
