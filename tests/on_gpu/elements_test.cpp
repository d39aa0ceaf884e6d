// Pointwise kernels in the forms that launches give them: the CPU's bits over random layouts, and
// few kernels for many launches.
#include "tests/on_gpu/gpu_case.hpp"
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

using namespace sinter;
using testing::has_gpu;

namespace {

constexpr ScalarType dtypes[] = {kBool, kByte,     kChar,  kShort,  kInt,          kLong,
                                 kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

/// A tensor and how it was made; the GPU's tensor is made in the same way.
struct operand {
    Tensor cpu, gpu;
    std::string how;
};

class layouts {
public:
    explicit layouts(uint64_t seed) : random_(seed) {}

    int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
    bool chance(int64_t percent) { return below(100) < percent; }

    /// Sizes around the widths of vectors, the sides of tiles and the threads of a block.
    std::vector<int64_t> sizes() {
        constexpr int64_t edges[] = {2, 3, 4, 8, 15, 16, 17, 31, 32, 33, 48, 64, 65};
        std::vector<int64_t> s;
        const int64_t rank = 1 + below(4);
        for (int64_t d = 0, n = 1; d < rank; ++d) {
            int64_t e = edges[below(std::size(edges))];
            if (d + 1 == rank && n * e < 2048 && chance(70)) e = 2048 / n + below(300);
            s.push_back(n * e > 9000 ? 1 : e);
            n *= s.back();
        }
        return s;
    }

    /// Returns an operand that broadcasts to these sizes: dimensions permuted, repeated, cut with
    /// odd offsets and steps, backwards.
    operand make(const std::vector<int64_t>& sizes, ScalarType dtype) {
        const auto rank = static_cast<int64_t>(sizes.size());
        std::vector<int64_t> order(sizes.size()), memory, first, step;
        std::iota(order.begin(), order.end(), 0);
        if (chance(50)) std::shuffle(order.begin(), order.end(), random_);
        std::vector<int64_t> own = sizes;
        for (int64_t& n : own)
            if (chance(15)) n = 1;
        for (int64_t d : order) {
            const int64_t n = own[static_cast<std::size_t>(d)];
            step.push_back(chance(10) ? 2 : 1);
            first.push_back(chance(20) ? 1 + below(4) : 0);
            const int64_t after = chance(20) ? below(5) : 0;
            memory.push_back(first.back() + (n - 1) * step.back() + 1 + after);
        }
        int64_t numel = 1;
        for (int64_t n : memory) numel *= n;
        const Tensor base = values(numel, dtype);
        const bool flips = chance(10);
        const int64_t flipped = below(rank);
        const auto seen = [&](const Tensor& t) {
            Tensor v = t.view(memory);
            for (int64_t d = 0; d < rank; ++d) {
                const auto i = static_cast<std::size_t>(d);
                const int64_t n = own[static_cast<std::size_t>(order[i])];
                v = v.slice(d, first[i], first[i] + (n - 1) * step[i] + 1, step[i]);
            }
            std::vector<int64_t> back(order.size());
            for (std::size_t i = 0; i < order.size(); ++i)
                back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
            v = v.permute(back);
            return flips ? Tensor(v.flip({flipped})) : v;
        };
        operand o{seen(base), seen(base.to(kCUDA)), {}};
        std::ostringstream how;
        how << dtype << " " << o.cpu.sizes() << " strides " << o.cpu.strides() << " from "
            << o.cpu.storage_offset();
        o.how = how.str();
        return o;
    }

private:
    static Tensor values(int64_t numel, ScalarType dtype) {
        const Tensor t = (arange(numel, kInt) * 37) % 101;
        if (dtype == kBool) return t.remainder(2).to(kBool);
        if (isComplexType(dtype))
            return ((t.to(kDouble) - 50) * std::complex<double>(.5, .25)).to(dtype);
        return isFloatingType(dtype) ? Tensor(((t.to(kDouble) - 50) / 8).to(dtype))
                                     : Tensor((t + 1).to(dtype));
    }

    std::mt19937_64 random_;
};

bool same_bits(const Tensor& gpu, const Tensor& cpu) {
    const Tensor g = gpu.cpu();
    if (g.scalar_type() != cpu.scalar_type() || g.sizes() != cpu.sizes()) return false;
    return g.equal(cpu) || repr(g) == repr(cpu);
}

}  // namespace

TEST_CASE("gpu elements: random layouts equal the CPU's bit for bit") {
    if (!has_gpu()) return;
    const int turns = test::cases(60, 10);
    for (int turn = 0; turn < turns; ++turn) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(turn);
        layouts l(seed);
        const std::vector<int64_t> sizes = l.sizes();
        const ScalarType dtype = dtypes[l.below(std::size(dtypes))];
        const ScalarType other = l.chance(60) ? dtype : dtypes[l.below(std::size(dtypes))];
        const operand a = l.make(sizes, dtype), b = l.make(sizes, other);
        INFO("SINTER_TEST_SEED=" << seed << ", first turn\n" << a.how << "\n" << b.how);
        const int64_t formula = l.below(5);
        const auto compute = [formula](const Tensor& p, const Tensor& q) {
            switch (formula) {
                case 0: return Tensor(p + q);
                case 1: return Tensor(p * q + p);
                case 2: return Tensor(where(p == q, p, q));
                case 3: return Tensor(p.contiguous());
                default: return Tensor((p != q).to(kShort) + p);
            }
        };
        CHECK(same_bits(compute(a.gpu, b.gpu), compute(a.cpu, b.cpu)));
        // In place, through a view: neighbouring elements stay unchanged.
        Tensor cpu = zeros({3, 9600}, dtype), gpu = cpu.to(kCUDA);
        const int64_t from = l.below(5);
        for (Tensor* t : {&cpu, &gpu}) {
            int64_t n = 1;
            for (int64_t e : sizes) n *= e;
            t->select(0, 1).slice(0, from, from + n).view(sizes).copy_(t == &cpu ? a.cpu : a.gpu);
        }
        CHECK(same_bits(gpu, cpu));
    }
}

TEST_CASE("gpu elements: transposed copies and sums, batches of matrices, odd sizes") {
    if (!has_gpu()) return;
    for (const auto& [n, m] : {std::pair{64, 64}, {33, 31}, {17, 100}, {100, 16}, {15, 170}}) {
        INFO(n << " x " << m);
        const Tensor a = (arange(3 * n * m, kInt) % 251).view({3, n, m}), x = a.to(kCUDA);
        for (ScalarType dtype : {kByte, kHalf, kFloat, kLong, kComplexFloat}) {
            INFO(dtype);
            const Tensor p = a.to(dtype), q = x.to(dtype);
            p.eval();
            q.eval();
            reset_stats();
            const Tensor turned = q.transpose(1, 2).contiguous();
            turned.eval();
            CHECK(stats().kernels_launched == 1);
            CHECK(same_bits(turned, p.transpose(1, 2).contiguous()));
            CHECK(same_bits(q.permute({2, 1, 0}).contiguous(), p.permute({2, 1, 0}).contiguous()));
            CHECK(same_bits(turned + q.mT(), p.mT() + p.mT()));
            if (n == m) CHECK(same_bits(q + q.mT() * q, p + p.mT() * p));
        }
    }
}

TEST_CASE("gpu elements: many operands of many dimensions have arguments that a launch may have") {
    if (!has_gpu()) return;
    // No two dimensions merge, so that each operand has a stride for each.
    for (const auto& [operands, dims] : {std::pair{40, 6}, {70, 16}}) {
        INFO(operands << " of " << dims << " dimensions");
        std::vector<int64_t> order(static_cast<std::size_t>(dims));
        std::iota(order.begin(), order.end(), 0);
        const std::vector<int64_t> sizes(order.size(), 2);
        const Tensor base = arange(int64_t{1} << dims, kFloat).view(sizes);
        const Tensor there = base.to(kCUDA);
        Tensor here_sum = base * 0.5, there_sum = there * 0.5;
        std::mt19937 random(7);
        for (int i = 0; i < operands; ++i) {
            std::shuffle(order.begin(), order.end(), random);
            std::vector<int64_t> places = order, back(order.size());
            for (std::size_t d = 0; d < order.size(); ++d)
                back[static_cast<std::size_t>(order[d])] = static_cast<int64_t>(d);
            const Tensor one = (base + i).permute(places).contiguous().permute(back);
            const Tensor other = one.to(kCUDA);
            one.eval();
            other.eval();
            here_sum = here_sum + one;
            there_sum = there_sum + other;
        }
        CHECK(same_bits(there_sum, here_sum));
        CHECK(same_bits((there_sum * there).sum(-1), (here_sum * base).sum(-1)));
    }
}

TEST_CASE("gpu elements: draws, indices and guards are the same in every form") {
    if (!has_gpu()) return;
    for (int64_t n : {5, 2048, 3001}) {
        for (ScalarType dtype : {kHalf, kFloat, kDouble}) {
            manual_seed(7);
            const Tensor a = rand({n}, dtype);
            manual_seed(7);
            CHECK(same_bits(rand({n}, TensorOptions(dtype).device(kCUDA)), a));
        }
        const Tensor i = arange(n, TensorOptions(kLong).device(kCUDA));
        CHECK(same_bits(i * 3 + i.flip({0}), arange(n) * 3 + arange(n).flip({0})));
        const Tensor d = arange(n, kInt) - n + 1;  // its last element is 0
        CHECK_THROWS_WITH_AS(Tensor(d.to(kCUDA).floor_divide(d.to(kCUDA))).cpu(),
                             doctest::Contains("ZeroDivisionError"), Error);
        CHECK(same_bits((d - 1).to(kCUDA).floor_divide((d - 1).to(kCUDA)), ones({n}, kInt)));
    }
}

TEST_CASE("gpu elements: numbers of all exponents, of which few take a formula's rare path") {
    if (!has_gpu()) return;
    constexpr float special[] = {0.f,      -0.f,    INFINITY, -INFINITY,      NAN,
                                 1e-45f,   -1e-45f, 1.f,      -1.f,           FLT_MAX,
                                 -FLT_MAX, FLT_MIN, 0x1p23f,  0x1.fffffep21f, 0x1p22f,
                                 0x1p17f,  3.f,     5.5f,     -0.5f,          0.1f};
    std::mt19937_64 random(test::seed());
    std::vector<float> a, b;
    for (float x : special)
        for (float y : special) a.push_back(x), b.push_back(y);
    while (a.size() < 20000) {
        const uint64_t bits = random();
        float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
        float y = std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
        // Most quotients are short, and some are next to a whole number.
        if (a.size() % 16 != 0) x = std::ldexp(y, static_cast<int>(bits % 30) - 3) * 1.37f;
        if (a.size() % 4 == 0) x = y * static_cast<float>(bits % 100000);
        a.push_back(x), b.push_back(y);
    }
    const auto n = static_cast<int64_t>(a.size());
    const Tensor x = from_blob(a.data(), {n}, kFloat), y = from_blob(b.data(), {n}, kFloat);
    std::vector<float> truncated;
    for (std::size_t i = 0; i < a.size(); ++i) truncated.push_back(std::fmod(a[i], b[i]));
    CHECK(fmod(x.to(kCUDA), y.to(kCUDA))
              .cpu()
              .nan_to_num(7)
              .equal(from_blob(truncated.data(), {n}, kFloat).nan_to_num(7)));
    const auto same = [](const Tensor& gpu, const Tensor& cpu) {
        const Tensor g = gpu.cpu().nan_to_num(7), c = cpu.nan_to_num(7);
        return g.equal(c) && g.signbit().equal(c.signbit()) && gpu.cpu().isnan().equal(cpu.isnan());
    };
    for (ScalarType dtype : {kFloat, kHalf, kBFloat16, kDouble}) {
        const Tensor p = x.to(dtype), q = y.to(dtype), u = p.to(kCUDA), v = q.to(kCUDA);
        INFO(dtype);
        CHECK(same(fmod(u, v), fmod(p, q)));
        CHECK(same(remainder(u, v), remainder(p, q)));
        CHECK(same(floor_divide(u, v), floor_divide(p, q)));
        CHECK(same(sin(u), sin(p)));
        CHECK(same(cos(u), cos(p)));
        CHECK(same(tan(u) + sin(v), tan(p) + sin(q)));
        CHECK(same(sin(u).sum(), sin(p).sum()));
    }
}

TEST_CASE("gpu elements: sizes share a kernel, alignments have one each, and both stay") {
    if (!has_gpu()) return;
    const Tensor base = arange(9000, kFloat).to(kCUDA);
    const auto run = [&](int64_t from, int64_t n) {
        const Tensor x = base.slice(0, from, from + n);
        Tensor(x * 1.75 - x * x).eval();
    };
    run(0, 4096);
    run(1, 4096);
    reset_stats();
    for (int64_t n : {4096, 4095, 2100, 3001}) run(0, n), run(n % 2 ? 1 : 3, n);
    CHECK(stats().kernels_compiled + stats().kernels_loaded == 0);
    CHECK(stats().kernels_launched == 8);
}
