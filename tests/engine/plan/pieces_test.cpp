// The prologue of a product's first operand and the epilogue of a product run piece by piece, with
// the same bits as one after another.
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"
#include "tests/support/compiler.hpp"

#include <functional>
#include <random>
#include <thread>

namespace sinter::test {
namespace {

Tensor evaluated(const Tensor& t) {
    t.eval();
    return t;
}

Tensor numbers(IntArrayRef sizes, ScalarType dtype = kFloat) {
    const ModeGuard eager(Mode::eager);
    return isFloatingType(dtype) ? evaluated(Tensor(randn(sizes)).to(dtype))
                                 : evaluated(Tensor(randn(sizes) * 5).to(dtype));
}

bool same_bits(const Tensor& a, const Tensor& b) {
    if (a.scalar_type() != b.scalar_type() || !(a.sizes() == b.sizes())) return false;
    const Tensor x = a.contiguous(), y = b.contiguous();
    return std::memcmp(x.const_data_ptr(), y.const_data_ptr(),
                       static_cast<std::size_t>(x.numel()) * x.element_size()) == 0;
}

/// Restores the thread count.
struct threads_scope {
    int before = get_num_threads();
    ~threads_scope() { set_num_threads(before); }
};

struct operands {
    Tensor p;  // a pending product
    Tensor row, column, whole, turned;
    bool integral;
    int64_t m, n;
};

struct form {
    const char* name;
    bool epilogue;  // epilogue of a product of several rows and columns
    std::function<Tensor(const operands&)> f;
};

const std::vector<form>& forms() {
    static const std::vector<form> list{
        {"relu(p + row)", true, [](const operands& o) { return relu(o.p + o.row); }},
        {"p * column - whole", true, [](const operands& o) { return o.p * o.column - o.whole; }},
        {"sum of rows", true, [](const operands& o) { return o.p.sum({-1}); }},
        {"softmax", true,
         [](const operands& o) {
             const Tensor x = o.integral ? Tensor(o.p.to(kFloat)) : o.p;
             const Tensor e = exp(x - x.amax({-1}, true));
             return Tensor(e / e.sum({-1}, true));
         }},
        {"turned", true, [](const operands& o) { return o.p.transpose(-1, -2) * o.turned; }},
        {"sum of columns", false, [](const operands& o) { return o.p.sum({-2}); }},
        {"sum of all", false, [](const operands& o) { return (o.p * 2).sum(); }},
        {"centred", true,
         [](const operands& o) {
             const Tensor x = o.p.to(kDouble);
             return Tensor(x - x.mean({-1}, true));
         }},
        {"narrow", true, [](const operands& o) { return (o.p + 1).to(kHalf); }},
        {"truth", true, [](const operands& o) { return o.p > o.whole; }},
        {"part", false, [](const operands& o) { return o.p.slice(-1, 0, (o.n + 1) / 2) * 2; }},
        {"flipped", false, [](const operands& o) { return o.p.flip({-1}) + o.whole; }},
        {"amax", true, [](const operands& o) { return (o.p - o.row).amax({-1}); }},
        {"repeated", false,
         [](const operands& o) {
             const Tensor w = stack({o.whole, o.whole * 2});
             return o.p.unsqueeze(0) + w;
         }},
        {"columns of two", true,
         [](const operands& o) {
             std::vector<int64_t> sizes = o.p.sizes().vec();
             if (o.n % 2) return o.p * 3;
             sizes.back() = o.n / 2;
             sizes.push_back(2);
             return o.p.view(sizes).transpose(-2, -3) * 3;
         }},
        {"divided", true,
         [](const operands& o) { return remainder(o.p, o.integral ? o.whole * 0 + 3 : o.whole); }},
    };
    return list;
}

struct shape {
    std::vector<int64_t> batch;
    int64_t m, n, k;
};

/// Returns the first operand of a product, made from `a` and a row.
Tensor make_operand(int how, const Tensor& a, const Tensor& row) {
    switch (how) {
        case 0: return a * row;
        case 1: return a + a * 2;
        case 2: return Tensor(a.to(kDouble) + row).to(a.scalar_type());
        default: return a;
    }
}

}  // namespace

TEST_CASE("kernels before and behind a product, piece by piece, have the bits of eager mode") {
    const std::vector<shape> shapes{{{}, 5, 7, 3},       {{}, 16, 16, 16},     {{300}, 4, 4, 4},
                                    {{3, 2}, 13, 5, 9},  {{}, 64, 40, 33},     {{}, 200, 1, 300},
                                    {{}, 1, 333, 50},    {{7}, 1, 21, 50},     {{40}, 33, 40, 17},
                                    {{2, 3}, 70, 65, 6}, {{}, 300, 700, 400},  {{}, 700, 300, 400},
                                    {{}, 640, 610, 512}, {{}, 40, 30, 33000},  {{2}, 530, 560, 250},
                                    {{}, 2000, 3, 20},   {{}, 1000, 1000, 100}};
    std::mt19937_64 random(seed());
    const threads_scope scope;
    const auto pick = [&random](auto& list) { return list[random() % list.size()]; };
    const std::vector<ScalarType> dtypes{kFloat, kFloat, kDouble, kHalf, kBFloat16, kInt, kLong};
    const int count = cases(100);
    for (int i = 0; i < count; ++i) {
        const shape s = pick(shapes);
        const ScalarType dtype = pick(dtypes);
        const form& f = forms()[static_cast<std::size_t>(i) % forms().size()];
        if (!isFloatingType(dtype) && s.m * s.n * s.k > 30'000'000) continue;
        const auto sizes = [&s](int64_t rows, int64_t cols) {
            std::vector<int64_t> all = s.batch;
            all.insert(all.end(), {rows, cols});
            return all;
        };
        const bool turn_a = random() % 2, turn_b = random() % 2, one_b = random() % 3 == 0;
        const Tensor a = numbers(turn_a ? sizes(s.k, s.m) : sizes(s.m, s.k), dtype);
        const Tensor b = one_b    ? numbers({s.k, s.n}, dtype)
                         : turn_b ? numbers(sizes(s.n, s.k), dtype)
                                  : numbers(sizes(s.k, s.n), dtype);
        const Tensor left = turn_a ? a.transpose(-1, -2) : a;
        const Tensor right = turn_b && !one_b ? b.transpose(-1, -2) : b;
        operands o{{},
                   numbers({s.n}, dtype),
                   numbers({s.m, 1}, dtype),
                   numbers(sizes(s.m, s.n), dtype),
                   numbers(sizes(s.n, s.m), dtype),
                   !isFloatingType(dtype),
                   s.m,
                   s.n};
        const int how = static_cast<int>(random() % 5);
        const Tensor scale = numbers({s.k}, dtype);
        const auto result = [&] {
            o.p = matmul(make_operand(how, left, scale), right);
            const Tensor r = f.f(o);
            o.p = {};
            return evaluated(r);
        };
        set_num_threads(1 + static_cast<int>(random() % 3));
        Tensor expected;
        {
            const ModeGuard eager(Mode::eager);
            expected = result();
        }
        const ModeGuard lazy(Mode::lazy);
        INFO(f.name, " of batch ", s.batch.size(), ", ", s.m, " x ", s.k, " x ", s.n, ", ",
             toString(dtype), ", threads ", get_num_threads());
        CHECK(same_bits(result(), expected));
    }
}

TEST_CASE("explain and stats show what follows a product") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    for (const bool wide : {false, true}) {
        const int64_t m = wide ? 600 : 40, n = wide ? 610 : 30, k = wide ? 512 : 20;
        const Tensor a = numbers({m, k}), b = numbers({k, n});
        const Tensor row = numbers({n}), column = numbers({m, 1});
        const Tensor whole = numbers({m, n}), turned = numbers({n, m});
        for (const form& f : forms()) {
            const Tensor r = f.f({matmul(a, b), row, column, whole, turned, false, m, n});
            const std::string plan = explain(r);
            CAPTURE(f.name);
            CAPTURE(plan);
            CHECK((plan.find(", epilogue of matmul") != std::string::npos) == f.epilogue);
            reset_stats();
            r.eval();
            CHECK(stats().epilogues == (f.epilogue ? 1 : 0));
            CHECK(stats().library_calls == 1);
            if (f.epilogue) CHECK(stats().kernels_launched == 1);
        }
    }
}

TEST_CASE("a first operand that only a product reads is made row by row") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    const threads_scope scope;
    set_num_threads(1);
    for (const int64_t m : {40, 600}) {
        const Tensor a = numbers({m, 500}), b = numbers({610, 500}), row = numbers({500});
        const auto f = [&] { return matmul(a * row + 1, b.t()); };
        Tensor expected;
        {
            const ModeGuard eager(Mode::eager);
            expected = evaluated(f());
        }
        const Tensor r = f();
        CHECK(explain(r).find(", prologue of matmul") != std::string::npos);
        reset_stats();
        CHECK(same_bits(evaluated(r), expected));
        CHECK(stats().kernels_launched == 1);
        CHECK(stats().bytes_allocated <= static_cast<uint64_t>(m * (610 + 500) * 4));

        const Tensor s = evaluated(f() + 2);
        CHECK(same_bits(s, evaluated(expected + 2)));
        CHECK(stats().epilogues == 1);
        CHECK(stats().kernels_launched == 4);

        // The operand is read twice and held, so it is in memory.
        const Tensor x = a * row, twice = evaluated(matmul(x, b.t()) + x.sum({1}, true));
        CHECK(same_bits(x, evaluated(a * row)));
        const ModeGuard eager(Mode::eager);
        CHECK(same_bits(twice, evaluated(matmul(x, b.t()) + x.sum({1}, true))));
    }
    const Tensor a = numbers({40, 40});
    const Tensor held = a * 2, product = matmul(held, a);
    reset_stats();
    product.eval();
    CHECK(stats().kernels_launched == 1);
    held.eval();
    CHECK(stats().kernels_launched == 1);
    CHECK(same_bits(held, evaluated(a * 2)));
    CHECK(same_bits(product, evaluated(matmul(held, a))));

    const Tensor both = matmul(a * 3, Tensor(a * 3).t()), y = a * 3;
    CHECK(same_bits(evaluated(both), evaluated(matmul(evaluated(y), y.t()))));
    // An operand whose last use is the product's statement is also read by the epilogue.
    Tensor c = evaluated(a + 0), sum = matmul(c * 2, a) + c;
    c = {};
    CHECK(same_bits(evaluated(sum), evaluated(evaluated(matmul(evaluated(a * 2), a)) + a)));
}

TEST_CASE("a product's memory becomes that of what follows it, unless the product is held") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    const Tensor a = numbers({60, 50}), b = numbers({50, 70}), c = numbers({70});
    Tensor plain;
    {
        const ModeGuard eager(Mode::eager);
        plain = evaluated(matmul(a, b));
    }
    reset_stats();
    const Tensor alone = relu(matmul(a, b) + c);
    alone.eval();
    CHECK(stats().bytes_donated == 60 * 70 * 4);
    reset_stats();
    const Tensor p = matmul(a, b), held = relu(p + c);
    held.eval();
    CHECK(stats().epilogues == 1);
    CHECK(stats().bytes_donated == 0);
    CHECK(same_bits(p, plain));
    CHECK(same_bits(held, alone));
    CHECK(stats().library_calls == 1);

    const Tensor q = matmul(a, b), first = q * 2, second = q.sum({0});
    eval({first, second});
    CHECK(same_bits(first, evaluated(plain * 2)));
    CHECK(same_bits(second, evaluated(plain.sum({0}))));
}

TEST_CASE("a product of ready values needs no plan") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    const Tensor a = numbers({6, 7}), b = numbers({7, 5}), x = numbers({7});
    Tensor expected, vector;
    {
        const ModeGuard eager(Mode::eager);
        expected = evaluated(matmul(a, b));
        vector = evaluated(mv(a, x));
    }
    reset_stats();
    CHECK(same_bits(evaluated(matmul(a, b)), expected));
    CHECK(same_bits(evaluated(mv(a, x)), vector));
    CHECK(stats().plans_built == 0);
    CHECK(stats().library_calls == 2);
    const Tensor one = ones({1, 1}), wide = one.expand({64, int64_t{1} << 42});
    const Tensor big = matmul(wide, wide.t());
    for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(big.eval(), OutOfMemoryError);
    Tensor out = zeros({6, 5});
    float* const data = out.data_ptr<float>();
    out.copy_(matmul(a, b));
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are meant
    CHECK(std::memcmp(data, expected.const_data_ptr<float>(), 6 * 5 * 4) == 0);
}

TEST_CASE("two products, of which one is followed") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    const Tensor a = numbers({64, 64}), b = numbers({64, 64});
    const auto f = [&] { return evaluated(tanh(matmul(a, b) + matmul(b, a))); };
    Tensor expected;
    {
        const ModeGuard eager(Mode::eager);
        expected = f();
    }
    reset_stats();
    CHECK(same_bits(f(), expected));
    CHECK(stats().epilogues == 1);
    CHECK(stats().library_calls == 2);
}

TEST_CASE("results that can be seen from outside are written after the product") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    const Tensor a = numbers({20, 30}), b = numbers({30, 40}), c = numbers({40});
    const Tensor expected = evaluated(relu(matmul(a, b) + c));
    Tensor out = zeros({20, 40});
    float* const data = out.data_ptr<float>();
    reset_stats();
    out.copy_(relu(matmul(a, b) + c));
    CHECK(out.data_ptr<float>() == data);
    CHECK(stats().epilogues == 0);
    CHECK(same_bits(out, expected));

    Tensor wide = zeros({20, 80});
    wide.slice(1, 40, 80).copy_(relu(matmul(a, b) + c));
    CHECK(same_bits(evaluated(wide.slice(1, 40, 80).contiguous()), expected));
    CHECK(wide.slice(1, 0, 40).abs().sum().item<float>() == 0);

    std::vector<float> memory(20 * 40);
    Tensor view = from_blob(memory.data(), {20, 40});
    view.copy_(relu(matmul(a, b) + c));
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are meant
    CHECK(std::memcmp(memory.data(), expected.const_data_ptr<float>(), 20 * 40 * 4) == 0);
}

TEST_CASE("a product that fails leaves what follows it usable") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    SUBCASE("out of memory, any number of times") {
        const Tensor one = ones({1, 1}), c = numbers({1 << 12, 2});
        const Tensor kept = evaluated(c + 0);
        const Tensor a = one.expand({1 << 12, int64_t{1} << 42});
        const Tensor b = one.expand({int64_t{1} << 42, 2});
        const Tensor r = relu(matmul(a, b) + c), s = matmul(b.t() * 2, a.t());
        for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(r.eval(), OutOfMemoryError);
        for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(s.eval(), OutOfMemoryError);
        CHECK(same_bits(c, kept));
    }
    SUBCASE("a failed operand") {
        const Tensor zero = zeros({4, 4}, kInt), x = evaluated(zero + 3);
        const Tensor r = matmul(remainder(x, zero), x) + 1;
        const Tensor s = matmul(remainder(x, zero) * 2, x) + 1;
        for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(s.eval(), Error);
        const Tensor other = matmul(x, x) + 1;
        for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(r.eval(), Error);
        CHECK(other.sum().item<int64_t>() == 16 * 37);
    }
}

TEST_CASE("a product of nothing is followed") {
    if (!has_compiler()) return;
    const ModeGuard lazy(Mode::lazy);
    const Tensor c = numbers({5});
    CHECK(matmul(zeros({0, 3}), zeros({3, 5})).add(c).sum().item<float>() == 0);
    CHECK(Tensor(matmul(zeros({4, 3}), zeros({3, 0})) + 1).numel() == 0);
    CHECK(same_bits(evaluated(matmul(zeros({4, 0}), zeros({0, 5})) + c),
                    evaluated(c.expand({4, 5}).contiguous())));
    check<float>(matmul(zeros({2, 0}), zeros({0, 5})).sum({1}), {2}, {0, 0});
}

TEST_CASE("two threads follow products of their own") {
    if (!has_compiler()) return;
    const Tensor a = numbers({300, 400}), b = numbers({400, 700}), c = numbers({700});
    const auto f = [&] {
        const ModeGuard lazy(Mode::lazy);
        return evaluated(relu(matmul(a, b) + c).sum({1}));
    };
    const Tensor expected = f();
    bool same[2] = {true, true};
    std::thread threads[2];
    for (int t : {0, 1})
        threads[t] = std::thread([&, t] {
            for (int i = 0; i < 20; ++i) same[t] = same[t] && same_bits(f(), expected);
        });
    for (std::thread& t : threads) t.join();
    CHECK((same[0] && same[1]));
}

}  // namespace sinter::test
