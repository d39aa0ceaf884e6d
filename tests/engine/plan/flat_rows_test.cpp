// Maps over short rows run many rows as one if that is faster, and give the same bits.
#include "tests/engine/plan/one_kernel.hpp"
#include "tests/seed.hpp"

#include <random>

using namespace sinter;

namespace {

bool is_flat(const Tensor& t) {
    return explain(t).find("rows behind each other") != std::string::npos;
}

template <class F>
Tensor eagerly(F program) {
    const ModeGuard guard(Mode::eager);
    return Tensor(program()).eval();
}

}  // namespace

TEST_CASE("short rows run as one where what is spread costs less than it saves") {
    const Tensor x = rand({500, 24}), row = rand({24}), column = rand({500, 1});
    eval({x, row, column});
    CHECK(is_flat(x + row));
    CHECK(is_flat(tanh(x * column)));
    CHECK(is_flat(tanh(x * row) + column));
    CHECK_FALSE(is_flat(x + column));
    CHECK_FALSE(is_flat(x * 2));  // one long row
    CHECK_FALSE(is_flat(tanh(x * column).t() + rand({24, 500}).eval()));
    const Tensor few = rand({500, 4}), four = rand({4}), long_rows = rand({50, 1000});
    eval({few, four, long_rows});
    CHECK(is_flat(few + four));
    CHECK(is_flat(few + column));
    CHECK_FALSE(is_flat(long_rows + rand({1000}).eval()));
    CHECK_FALSE(is_flat(rand({8, 24}).eval() + row));  // too few rows
    const Tensor aligned = rand({500, 32}), of_32 = rand({32});
    eval({aligned, of_32});
    CHECK_FALSE(is_flat(aligned + of_32));  // full vectors, so nothing to gain
}

TEST_CASE("short rows give the bits of eager mode") {
    const ScalarType types[] = {kFloat, kFloat, kDouble, kHalf, kInt, kByte};
    for (int i = 0; i < test::cases(120); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        std::mt19937_64 random(seed);
        const auto pick = [&](int64_t n) {
            return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
        };
        const int64_t n0 = 2 + pick(pick(3) ? 40 : 120), n1 = 1 + pick(pick(3) ? 100 : 1500);
        const int64_t outer = pick(3) ? 1 : 1 + pick(3);
        const ScalarType type = types[pick(6)];
        CAPTURE(seed);
        CAPTURE(n1);
        CAPTURE(n0);
        manual_seed(seed);
        const auto numbers = [&](IntArrayRef sizes) {
            return (rand(sizes) * 9 + 1).to(type).eval();
        };
        const auto operand = [&]() -> Tensor {
            switch (pick(7)) {
                case 0: return numbers({n0});
                case 1: return numbers({n1, 1});
                case 2: return numbers({outer, 1, n0});
                case 3: return numbers({outer, n1, n0 + 3}).slice(2, 1, n0 + 1);
                case 4: return numbers({n0, n1}).t();
                case 5: return numbers({1});
                default: return numbers({outer, n1, n0});
            }
        };
        const Tensor a = numbers({outer, n1, n0}), b = operand(), c = operand();
        const int form = static_cast<int>(pick(3));
        const auto program = [&]() -> Tensor {
            if (form == 0) return a + b;
            if (form == 1) return (a * b + c) * a - b;
            return tanh(a * 0.1 + b) * c;
        };
        const Tensor expected = eagerly(program);
        Tensor twice = program();
        for (int again = 0; again < 2; ++again) {
            CHECK(equal(Tensor(program()).eval(), expected));
            Tensor in_place = a.clone().eval();
            if (form == 1) {
                in_place.mul_(b).add_(c).mul_(a).sub_(b);
                CHECK(equal(in_place, expected));
            }
        }
        CHECK(equal(twice, expected));
    }
}

TEST_CASE("results of short rows may take the place of an operand") {
    for (int64_t n0 = 1; n0 < 70; ++n0) {
        for (const ScalarType type : {kFloat, kDouble, kHalf}) {
            const Tensor x = rand({33, n0}).to(type), column = rand({33, 1}).to(type);
            eval({x, column});
            const auto program = [&] {
                Tensor t = exp(x);
                t.eval();
                return Tensor((t - column) / (1 + t.abs()));
            };
            const auto softmaxes = [&] {
                Tensor t = exp(x);
                t.eval();
                return softmax(t, 1);
            };
            CAPTURE(n0);
            CHECK(equal(program().eval(), eagerly(program)));
            CHECK(equal(softmaxes().eval(), eagerly(softmaxes)));
        }
    }
}

TEST_CASE("what follows a product takes its short rows in pieces") {
    manual_seed(3);
    for (const int64_t columns : {4, 24, 31}) {
        const Tensor a = rand({700, 40}), b = rand({40, columns}), bias = rand({columns}),
                     column = rand({700, 1});
        eval({a, b, bias, column});
        const auto program = [&] { return Tensor(tanh(a.matmul(b) + bias) * column); };
        CHECK(equal(program().eval(), eagerly(program)));
    }
}

TEST_CASE("a long formula behind the reduction of short rows is a kernel of its own") {
    manual_seed(4);
    const auto program = [](const Tensor& x) {
        const Tensor most = x.amax(1, true);
        return Tensor((most * (most * (most * x * 0.1 + 0.2) + 0.3) * x + 0.4) * x + x);
    };
    const Tensor few = rand({5000, 4}), many = rand({20, 1000});
    eval({few, many});
    CHECK(kernels_of(program(few)) == 2);
    CHECK(kernels_of(program(many)) == 1);
    CHECK(equal(program(few).eval(), eagerly([&] { return program(few); })));
}
