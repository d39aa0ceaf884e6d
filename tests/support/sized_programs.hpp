// Programs that run over operands of any size and layout: for what is made beforehand of one run
// and must do for others.
#pragma once

#include <sinter/sinter.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sinter::testing {

using sizes_list = std::vector<int64_t>;

/// Makes the operands of a program: as it is recorded, or at random.
class operands {
public:
    operands() = default;
    explicit operands(uint64_t seed) : random_(std::in_place, seed) {}

    uint64_t draw(uint64_t below) { return (*random_)() % below; }
    bool chance(int percent) { return random_ && draw(100) < static_cast<uint64_t>(percent); }

    int64_t size(int64_t recorded, int64_t most) {
        if (!random_) return recorded;
        const auto bits = draw(static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(most))));
        return std::min(most,
                        static_cast<int64_t>((uint64_t{1} << bits) + draw(uint64_t{1} << bits)));
    }
    /// Some leading dimensions, then the given ones.
    sizes_list shape(sizes_list last, int64_t recorded_rows = 0) {
        if (!random_) {
            if (recorded_rows > 0) last.insert(last.begin(), recorded_rows);
            return last;
        }
        int64_t left = 1 << 20;
        for (const int64_t n : last) left /= std::max<int64_t>(n, 1);
        for (uint64_t more = draw(3 - std::min<std::size_t>(last.size(), 2) + 1); more > 0;
             --more) {
            last.insert(last.begin(), size(0, std::max<int64_t>(left, 1)));
            left /= last.front();
        }
        if (last.empty()) last.push_back(size(0, left));
        return last;
    }
    /// A ready tensor that is broadcast to these sizes or has them.
    Tensor tensor(sizes_list sizes, ScalarType dtype = kFloat) {
        if (random_ && !sizes.empty()) {
            if (chance(15))
                for (int64_t& n : sizes)
                    if (draw(2) == 0) n = 1;
        }
        return exactly(sizes, dtype);
    }
    Tensor exactly(const sizes_list& sizes, ScalarType dtype = kFloat) {
        sizes_list order(sizes.size()), strides(sizes.size());
        for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
        int64_t step = 1, gap = 0;
        if (random_ && chance(60)) {
            if (chance(40)) std::shuffle(order.begin(), order.end(), *random_);
            if (chance(30)) step = 2 + static_cast<int64_t>(draw(3));
            if (chance(30)) gap = 1 + static_cast<int64_t>(draw(9));
        }
        int64_t stride = step;
        for (std::size_t k = order.size(); k-- > 0;) {
            const auto d = static_cast<std::size_t>(order[k]);
            if (chance(8) && sizes[d] > 1) continue;  // repeats
            strides[d] = stride;
            stride = stride * sizes[d] + (sizes[d] > 1 ? gap : 0);
        }
        if (stride >= storage) return exactly(sizes, dtype);
        return base(dtype).as_strided(sizes, strides, 0);
    }

private:
    static constexpr int64_t storage = 1 << 23;
    /// A new storage each time, of the same memory if it may be.
    Tensor base(ScalarType dtype) {
        static std::map<std::pair<ScalarType, std::string>, std::vector<Tensor>> made;
        std::vector<Tensor>& all = made[{dtype, get_default_device().str()}];
        for (int64_t i = static_cast<int64_t>(all.size()); i < 6; ++i) {
            const Tensor numbers = (arange(storage, kLong) * (2 * i + 7)).remainder(509 + i) - 200;
            all.push_back(isFloatingType(dtype) || isComplexType(dtype)
                              ? Tensor((numbers.to(kDouble) * 0.0078125).to(dtype))
                              : numbers.remainder(100).to(dtype));
            all.back().eval();
        }
        return all[++next_ % all.size()];
    }
    std::size_t next_ = 0;
    std::optional<std::mt19937_64> random_;
};

struct program {
    const char* name;
    bool few_kernels;  // widened
    std::function<std::vector<Tensor>(operands&)> run;
};

inline const std::vector<program>& programs() {
    static const std::vector<program> all = {
        {"chain of 3", false,
         [](operands& in) -> std::vector<Tensor> {
             const sizes_list s = in.shape({}, 3000);
             return {in.tensor(s) * in.tensor(s) + in.tensor(s)};
         }},
        {"one operand", true,
         [](operands& in) -> std::vector<Tensor> {
             return {exp(-in.exactly(in.shape({50}, 40))) * 2 + 1};
         }},
        {"row and column", false,
         [](operands& in) -> std::vector<Tensor> {
             const int64_t m = in.size(40, 2000), n = in.size(30, 500);
             return {in.tensor({m, n}) * in.tensor({n}) + tanh(in.tensor({m, 1}))};
         }},
        {"softmax", true,
         [](operands& in) -> std::vector<Tensor> {
             return {in.exactly(in.shape({in.size(50, 100000)}, 64)).softmax(-1)};
         }},
        {"mean and variance", true,
         [](operands& in) -> std::vector<Tensor> {
             const Tensor x = in.exactly(in.shape({in.size(50, 100000)}, 64));
             return {x.mean(-1), x.var(-1)};
         }},
        {"sum over dim 0", false,
         [](operands& in) -> std::vector<Tensor> {
             const int64_t m = in.size(64, 20000), n = in.size(50, (1 << 20) / m);
             return {(in.tensor({m, n}) * in.tensor({m, n})).sum(0)};
         }},
        {"sum of all", false,
         [](operands& in) -> std::vector<Tensor> {
             return {sqrt(in.exactly(in.shape({}, 3000)).abs().sum())};
         }},
        {"layer norm", false,
         [](operands& in) -> std::vector<Tensor> {
             const int64_t n = in.size(50, 20000);
             const Tensor x = in.exactly(in.shape({n}, 64));
             const Tensor mean = x.mean(-1, true), var = x.var(-1, false, true);
             return {(x - mean) * rsqrt(var + 1e-5) * in.exactly({n}) + in.exactly({n})};
         }},
        {"product with epilogue", true,
         [](operands& in) -> std::vector<Tensor> {
             const int64_t m = in.size(64, 1000), n = in.size(50, 1000), k = in.size(30, 200);
             return {relu(in.exactly({m, k}).mm(in.exactly({k, n})) + in.exactly({n}))};
         }},
        {"masked sum", false,
         [](operands& in) -> std::vector<Tensor> {
             const sizes_list s = in.shape({in.size(50, 20000)}, 64);
             const Tensor x = in.tensor(s), mask = in.tensor(s, kBool);
             return {where(mask, x, 0.0).sum(-1)};
         }},
        {"cumulative", true,
         [](operands& in) -> std::vector<Tensor> {
             const sizes_list s = in.shape({in.size(50, 20000)}, 64);
             return {in.exactly(s).cumsum(-1) * 2 + in.tensor(s)};
         }},
        {"casts", false,
         [](operands& in) -> std::vector<Tensor> {
             const sizes_list s = in.shape({}, 3000);
             return {in.tensor(s).to(kDouble) * in.tensor(s, kDouble),
                     in.tensor(s, kDouble).to(kFloat)};
         }},
        {"complex", false,
         [](operands& in) -> std::vector<Tensor> {
             const sizes_list s = in.shape({}, 3000);
             return {in.tensor(s, kComplexFloat) * in.tensor(s, kComplexFloat) + in.tensor(s)};
         }},
        {"in place", false,
         [](operands& in) -> std::vector<Tensor> {
             const int64_t m = 4 + in.size(60, 1000), n = in.size(50, 1000);
             Tensor x = zeros({m, n});
             x.eval();
             x.index({indexing::Slice(1, m - 1)}) += in.tensor({m - 2, n}) * 2;
             return {x};
         }},
        {"two uses", true,
         [](operands& in) -> std::vector<Tensor> {
             const Tensor x = in.exactly(in.shape({in.size(50, 20000)}, 64));
             const Tensor y = x * x + 1;
             return {y, y.sum(-1)};
         }},
        {"normalised rows", true,
         [](operands& in) -> std::vector<Tensor> {
             const Tensor x = in.exactly(in.shape({in.size(50, 20000)}, 64));
             return {x / sqrt((x * x).sum(-1, true))};
         }},
        {"transposed", true,
         [](operands& in) -> std::vector<Tensor> {
             const int64_t m = in.size(64, 1000), n = in.size(50, 1000);
             return {in.tensor({m, n}) + in.tensor({n, m}).t() * 0.5};
         }},
        {"loss", false,
         [](operands& in) -> std::vector<Tensor> {
             const sizes_list s = in.shape({in.size(50, 2000)}, 64);
             const Tensor d = in.tensor(s) - in.tensor(s);
             return {(d * d).mean()};
         }},
        {"arg of greatest", false,
         [](operands& in) -> std::vector<Tensor> {
             return {in.exactly(in.shape({in.size(50, 20000)}, 64)).argmax(-1)};
         }},
        {"scaled by a number", true,
         [](operands& in) -> std::vector<Tensor> {
             return {in.tensor(in.shape({}, 3000)) * in.exactly({}) - 1};
         }},
    };
    return all;
}

}  // namespace sinter::testing
