// Random differentiable programs: statements, views, writes in place and reductions, in any order.
// Their gradients agree with finite differences, and have the same bits however they are planned.
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <sinter/func.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace sinter;
using autograd::variable_list;

namespace {

/// A program as a function: its choices follow from the seed and from shapes, not from values.
class random_function {
public:
    explicit random_function(uint64_t seed) : seed_(seed) {}

    static variable_list leaves(uint64_t seed) {
        manual_seed(static_cast<int64_t>(seed % 100000));
        variable_list all;
        for (const std::vector<int64_t>& s : {std::vector<int64_t>{3, 4}, {4}, {2, 3, 1}, {}})
            all.push_back((randn(s, kDouble) * 0.5).eval().requires_grad_());
        return all;
    }

    Tensor operator()(const variable_list& leaves, const std::function<void(Tensor&)>& between) {
        random_.seed(seed_);
        pool_ = leaves;
        leaves_ = leaves.size();
        const int statements = 4 + pick(10);
        for (int i = 0; i < statements; ++i) {
            run_statement();
            if (pick(4) == 0) between(any());
        }
        Tensor total = zeros({}, kDouble);
        for (std::size_t i = leaves_; i < pool_.size(); ++i)
            total = total + (pool_[i] * (0.3 + 0.1 * static_cast<double>(i))).mean();
        return total;
    }

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    Tensor& any() { return pool_[static_cast<std::size_t>(pick(static_cast<int>(pool_.size())))]; }
    void keep(Tensor t) {
        if (t.numel() > 0 && t.numel() < 200 && t.dim() < 5) pool_.push_back(std::move(t));
    }

    static Tensor smooth(int which, const Tensor& x) {
        switch (which) {
            case 0: return sin(x) * 0.7;
            case 1: return tanh(x + 0.1);
            case 2: return exp(x * 0.3);
            case 3: return x * x * 0.5;
            case 4: return sqrt(x * x + 1);
            case 5: return sigmoid(x) - 0.2;
            case 6: return log(x * x + 2);
            default: return where(x > 0.05, x * 1.5, x * -0.5);
        }
    }

    Tensor view(const Tensor& x) {
        const int64_t d = x.dim();
        const auto dim = [&] { return static_cast<int64_t>(pick(static_cast<int>(d))); };
        switch (d == 0 ? 2 : pick(9)) {
            case 0: return x.transpose(dim(), dim());
            case 1: return x.select(dim(), 0);
            case 2: return x.unsqueeze(pick(static_cast<int>(d) + 1));
            case 3: {
                const int64_t i = dim();
                return x.narrow(i, x.size(i) / 2, x.size(i) - x.size(i) / 2);
            }
            case 4: return x.flatten();
            case 5: return x.squeeze();
            case 6: return x.slice(dim(), 0, 100, 2);
            case 7: return x.unsqueeze(0).expand(with_front(2, x.sizes()));
            default: return x.flip(dim());
        }
    }
    static std::vector<int64_t> with_front(int64_t n, IntArrayRef sizes) {
        std::vector<int64_t> all{n};
        all.insert(all.end(), sizes.begin(), sizes.end());
        return all;
    }

    static bool broadcasts(const Tensor& a, const Tensor& b) {
        for (int64_t i = 1; i <= std::min(a.dim(), b.dim()); ++i)
            if (a.size(-i) != b.size(-i) && a.size(-i) != 1 && b.size(-i) != 1) return false;
        return true;
    }
    static bool fits(const Tensor& source, const Tensor& target) {
        return broadcasts(source, target) && source.dim() <= target.dim() &&
               (source * target).sizes() == target.sizes();
    }

    void run_statement() {
        const Tensor x = any(), y = any();
        switch (pick(9)) {
            case 0: keep(smooth(pick(8), x)); break;
            case 1:
                if (broadcasts(x, y)) keep(x * y + sin(x));
                break;
            case 2:
                if (broadcasts(x, y)) keep(x / (y * y + 1) - y);
                break;
            case 3:
            case 4: keep(view(x)); break;
            case 5:
                if (x.dim() > 0) {
                    const int64_t d = pick(static_cast<int>(x.dim()));
                    keep(pick(2) == 0 ? x.sum(d, true) : x.mean(d));
                }
                break;
            case 6: write(x, y); break;
            case 7: keep(x.clone()); break;
            default:
                if (x.dim() > 0 && broadcasts(x, y)) keep(logaddexp(x, y).amax(-1));
        }
    }

    /// Writes a part of a tensor, unless it is a leaf or a view of one.
    void write(const Tensor& target, const Tensor& source) {
        for (std::size_t i = 0; i < leaves_; ++i)
            if (target.is_alias_of(pool_[i])) return;
        for (int64_t d = 0; d < target.dim(); ++d)
            if (target.stride(d) == 0 && target.size(d) > 1) return;
        Tensor part = pick(2) == 0 ? target : view(target);
        for (int64_t d = 0; d < part.dim(); ++d)
            if (part.stride(d) == 0 && part.size(d) > 1) return;
        const Tensor value = source.is_alias_of(target) ? Tensor(source * 1) : source;
        if (!part.is_alias_of(target) || !fits(value, part)) return;
        switch (pick(3)) {
            case 0: part.copy_(value); break;
            case 1: part.add_(value); break;
            default: part.mul_(2);
        }
    }

    uint64_t seed_;
    std::mt19937_64 random_;
    variable_list pool_;
    std::size_t leaves_ = 0;
};

void nothing(Tensor&) {}
void evaluate(Tensor& t) { t.eval(); }

/// Returns the gradients of the leaves, or none if a value that is needed was overwritten.
variable_list gradients(uint64_t seed, const std::function<void(Tensor&)>& between) {
    const variable_list leaves = random_function::leaves(seed);
    const Tensor y = random_function(seed)(leaves, between);
    if (!y.requires_grad()) return {};
    try {
        return autograd::grad({y}, leaves, {}, std::nullopt, false, true);
    } catch (const Error& e) {
        CHECK(std::string(e.what()).find("modified by an inplace operation") != std::string::npos);
        return {};
    }
}

bool same_bits(const variable_list& a, const variable_list& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].defined() != b[i].defined()) return false;
        if (a[i].defined() && test::elements<double>(a[i]) != test::elements<double>(b[i]))
            return false;
    }
    return true;
}

}  // namespace

TEST_CASE("random gradients: the same bits in every mode, and those of finite differences" *
          doctest::test_suite("host")) {
    const int programs = test::cases(40);
    int compared = 0;
    for (int i = 0; i < programs; ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        CAPTURE(seed);
        const variable_list lazy = gradients(seed, nothing);
        const variable_list in_parts = gradients(seed, evaluate);
        CHECK(same_bits(lazy, in_parts));
        {
            const ModeGuard eager(Mode::eager);
            CHECK(same_bits(lazy, gradients(seed, nothing)));
        }
        if (lazy.empty()) continue;
        // Along a random direction.
        const variable_list leaves = random_function::leaves(seed);
        constexpr double step = 1e-6;
        double along = 0;
        variable_list up, down;
        const NoGradGuard plain;
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            const Tensor direction = randn(leaves[k].sizes(), kDouble).eval();
            up.push_back(Tensor(leaves[k].detach() + step * direction).eval());
            down.push_back(Tensor(leaves[k].detach() - step * direction).eval());
            if (lazy[k].defined()) along += (lazy[k] * direction).sum().item<double>();
        }
        const double difference = random_function(seed)(up, nothing).item<double>() -
                                  random_function(seed)(down, nothing).item<double>();
        CHECK(std::abs(along - difference / (2 * step)) < 1e-6 * (1 + std::abs(along)));
        ++compared;
    }
    CHECK(compared > programs / 2);
}

TEST_CASE("random functions: forward mode, all directions at once, and slices" *
          doctest::test_suite("host")) {
    const int programs = test::cases(15);
    for (int i = 0; i < programs; ++i) {
        const uint64_t seed = test::seed() + 1000 + static_cast<uint64_t>(i);
        CAPTURE(seed);
        const variable_list backwards = gradients(seed, nothing);
        if (backwards.empty()) continue;
        variable_list at;
        for (const Tensor& t : random_function::leaves(seed)) at.push_back(t.detach());
        const auto f = [&](const variable_list& x) { return random_function(seed)(x, nothing); };
        variable_list directions;
        double along = 0;
        for (std::size_t k = 0; k < at.size(); ++k) {
            directions.push_back(randn(at[k].sizes(), kDouble).eval());
            if (backwards[k].defined())
                along += (backwards[k] * directions[k]).sum().item<double>();
        }
        const double forwards = std::get<1>(func::jvp(f, at, directions)).item<double>();
        CHECK(std::abs(forwards - along) < 1e-10 * (1 + std::abs(along)));
        for (std::size_t k = 0; k < at.size(); ++k) {
            CAPTURE(k);
            const auto of_one = [&](const Tensor& x) {
                variable_list all = at;
                all[k] = x;
                return f(all);
            };
            const Tensor row = func::jacfwd(of_one)(at[k]);
            const Tensor expected =
                backwards[k].defined() ? backwards[k] : zeros(at[k].sizes(), kDouble);
            CHECK(row.allclose(expected, 1e-10, 1e-10));
            const Tensor three = stack({at[k], at[k] * 2, at[k] - 1});
            const Tensor mapped = func::vmap(of_one)(three);
            const Tensor slopes = func::vmap(func::grad(of_one))(three);
            for (int64_t n = 0; n < 3; ++n) {
                CHECK(mapped[n].allclose(of_one(three[n].contiguous()), 1e-10, 1e-10));
                CHECK(slopes[n].allclose(func::grad(of_one)(three[n].contiguous()), 1e-10, 1e-10));
            }
        }
    }
}
