// Random chains of functions that change shapes, with writes between them: lazy values must equal
// those of eager mode. Other tests check each function; this one checks their composition.
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <random>

using namespace sinter;

namespace {

class chain {
public:
    explicit chain(uint64_t seed) : random_(seed) {
        for (ScalarType dtype : {kFloat, kLong, kFloat})
            pool_.push_back((counted({pick(1, 4), pick(0, 5) + (pick(0, 9) > 0)}) + 1).to(dtype));
        pool_.push_back(counted({pick(2, 3), pick(1, 3), pick(1, 3)}));
    }
    void step() {
        const Tensor t = any();
        if (t.numel() > 400 || t.dim() > 5) return;
        Tensor r = t.dim() == 0 ? grow(t) : next(t);
        said_ += ' ' + front_of(r.sizes());
        if (pool_.size() < 8)
            pool_.push_back(std::move(r));
        else
            pool_[static_cast<std::size_t>(pick(0, 7))] = std::move(r);
    }
    const std::vector<Tensor>& pool() const { return pool_; }
    const std::string& said() const { return said_; }

private:
    int64_t pick(int64_t least, int64_t most) {
        return std::uniform_int_distribution<int64_t>(least, most)(random_);
    }
    static Tensor counted(IntArrayRef sizes) { return test::counted(sizes); }
    static std::string front_of(IntArrayRef sizes) {
        std::ostringstream out;
        out << sizes;
        return out.str();
    }
    Tensor any() {
        return pool_[static_cast<std::size_t>(pick(0, static_cast<int64_t>(pool_.size()) - 1))];
    }
    Tensor one_of(const std::vector<Tensor>& parts) {
        return parts[static_cast<std::size_t>(pick(0, static_cast<int64_t>(parts.size()) - 1))];
    }
    Tensor named(const char* name, Tensor t) {
        said_ += std::string(" ") + name;
        return t;
    }
    Tensor grow(const Tensor& t) {
        return pick(0, 1) ? named("repeat", t.repeat({2, 2})) : named("atleast_2d", atleast_2d(t));
    }
    Tensor next(const Tensor& t) {
        const int64_t d = pick(-t.dim(), t.dim() - 1), n = t.size(d);
        const Tensor same = t + pick(1, 3);
        switch (pick(0, 21)) {
            case 0: return named("cat", cat({t, same * 2, t}, d));
            case 1: return named("stack", stack({same, t}, d));
            case 2:
                return named("repeat", t.repeat(std::vector<int64_t>(
                                           static_cast<std::size_t>(t.dim() + 1), 2)));
            case 3: return named("tile", (t * 2).tile({2}));
            case 4: return named("repeat_interleave", same.repeat_interleave(2, d));
            case 5: return named("repeat_interleave", t.repeat_interleave(2));
            case 6: return named("triu", atleast_2d(same).triu(pick(-2, 2)));
            case 7: return named("tril", atleast_2d(t).tril(pick(-2, 2)) + 1);
            case 8: return named("diag_embed", t.diag_embed(pick(-1, 1), 0, d < 0 ? -1 : 1));
            case 9: return named("split", one_of(t.split(pick(1, 3), d)));
            case 10: return named("chunk", one_of(t.chunk(2, d)));
            case 11: return named("tensor_split", one_of(t.tensor_split({1, pick(-1, 3)}, d)));
            case 12: return n ? named("unbind", one_of(t.unbind(d))) : t;
            case 13: return named("movedim", t.movedim(d, pick(0, t.dim() - 1)));
            case 14: return named("T", t.T() * 1);
            case 15: return named("ravel", t.ravel());
            case 16: return named("slice_scatter", t.slice_scatter(same.slice(d, 1) * 3, d, 1));
            case 17:
                return n ? named("select_scatter", t.select_scatter(same.select(d, n - 1), d, 0))
                         : t;
            case 18: {
                Tensor copy = atleast_2d(t).clone();
                if (copy.dim() == 2) copy.fill_diagonal_(pick(5, 9), pick(0, 1) == 1);
                return named("fill_diagonal_", pick(0, 1) ? copy.triu_() : copy);
            }
            case 19: {
                Tensor copy = t.clone();
                copy.transpose_(0, d).unsqueeze_(d);
                copy.add_(1);
                return named("transpose_", copy);
            }
            case 20: {
                // Every view of the storage sees the write; earlier reads keep their value.
                Tensor part = t.narrow(d, 0, n / 2);
                if (!part.is_contiguous() || !t.is_contiguous()) return t;
                part.mul_(2);
                return named("mul_", part);
            }
            default: return named("sum", t.sum(IntArrayRef(d)));
        }
    }

    std::mt19937_64 random_;
    std::vector<Tensor> pool_;
    std::string said_;
};

}  // namespace

TEST_CASE("chains of shapes give the same values lazily and eagerly") {
    for (int i = 0; i < test::cases(60, 25); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        const auto run = [&](Mode mode) {
            ModeGuard guard(mode);
            chain c(seed);
            for (int step = 0; step < 12; ++step) c.step();
            return c;
        };
        const chain lazy = run(Mode::lazy), eager = run(Mode::eager);
        const std::string& program = lazy.said();
        CAPTURE(seed);
        CAPTURE(program);
        REQUIRE(lazy.pool().size() == eager.pool().size());
        for (std::size_t k = 0; k < lazy.pool().size(); ++k) {
            const Tensor &a = lazy.pool()[k], &b = eager.pool()[k];
            REQUIRE((a.dtype() == b.dtype()));
            REQUIRE(a.sizes() == b.sizes());
            REQUIRE(a.strides() == b.strides());
            REQUIRE(equal(a, b));
        }
    }
}
