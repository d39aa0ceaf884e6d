// Producers that are smaller than their reader, or read through a view, share its kernel.
#include "tests/engine/plan/one_kernel.hpp"

using namespace sinter;

TEST_CASE("separate statements fuse through broadcasts and views") {
    manual_seed(1);
    const Tensor x = rand({20, 30}), row = rand({30}), column = rand({20, 1});
    eval({x, row, column});
    SUBCASE("a row") {
        Tensor h = x + row;
        CHECK(kernels_of(relu(h)) == 1);
    }
    SUBCASE("a column") {
        Tensor h = x * column;
        CHECK(kernels_of(h.clamp(0, 1)) == 1);
    }
    SUBCASE("a transposed result, converted") { CHECK(kernels_of((x.t() * 2).to(kFloat64)) == 1); }
    SUBCASE("a flattened result") { CHECK(kernels_of((x * 2).view({-1}) + 1) == 1); }
    SUBCASE("a small producer of a wide reader") {
        Tensor w = row + 1;
        CHECK(kernels_of(x * w) == 1);
    }
    SUBCASE("mean and deviation over everything") {
        Tensor s = x * 2 + 1;
        CHECK(kernels_of((s - s.mean()) / s.std()) == 1);
    }
    SUBCASE("pairwise distances are never written out") {
        Tensor d = x.unsqueeze(0) - x.slice(0, 0, 5).unsqueeze(1);
        CHECK(kernels_of((d * d).sum({2})) == 1);
    }
}

TEST_CASE("a heavy producer of a much wider reader is computed once, by itself") {
    const Tensor x = rand({640, 300}), row = rand({300});
    eval({x, row});
    Tensor e = exp(row);
    Tensor r = x * e;
    CHECK(explain(r).find("it would be computed many times over") != std::string::npos);
    CHECK(kernels_of(r) == 2);
}

TEST_CASE("a heavy producer is not computed again for each of a few readers") {
    const Tensor x = rand({400, 500}), colours = rand({400, 500, 3});
    eval({x, colours});
    // After a reduction, but not one value per row.
    Tensor e = exp(x - x.mean());
    Tensor r = colours * e.unsqueeze(2);
    CHECK(explain(r).find("it would be computed many times over") != std::string::npos);
    CHECK(kernels_of(r) == 2);
}

TEST_CASE("a heavy part of one statement is not computed again for each row") {
    const Tensor x = rand({300, 400}), row = rand({400}), few = rand({4});
    const Tensor number = rand({}), small = rand({3, 4});
    eval({x, row, few, number, small});
    const auto program = [&] { return Tensor(exp(row * 2) * x + 1); };
    const auto again = [&] { return Tensor(x / (1 + exp(-row)) - x * tanh(row)); };
    CHECK(kernels_of(program()) == 2);
    CHECK(kernels_of(Tensor(exp(few) * small)) == 1);
    CHECK(kernels_of(Tensor(exp(number) * x)) == 1);
    for (const Tensor& fused : {program(), again()}) fused.eval();
    const Tensor lazy[] = {program(), again(), program()};
    Tensor e = exp(Tensor(row * 2)), t = tanh(row), d = exp(Tensor(-row)) + 1;
    e.eval();
    CHECK(equal(lazy[0], Tensor(e * x).eval() + 1));
    CHECK(equal(lazy[2], lazy[0]));
    CHECK(equal(lazy[1], Tensor(x / d).eval() - Tensor(x * t).eval()));
}

TEST_CASE("reductions over one input share a pass where something else reads them") {
    const Tensor x = rand({40, 50}), colours = rand({40, 50, 3});
    eval({x, colours});
    Tensor r = colours * x.mean() + x.std();
    CHECK(kernels_of(r) == 2);
}

TEST_CASE("lanes run along rows where the innermost loop is short") {
    for (const int64_t few : {1, 2, 3, 7, 8, 9}) {
        for (const int64_t rows : {1, 7, 8, 15, 16, 17, 33, 1000}) {
            for (const ScalarType dtype : {kFloat32, kFloat64, kFloat16, kInt64, kUInt8}) {
                const Tensor x = (rand({rows, few}) * 100).to(dtype),
                             y = (rand({rows, 1}) * 9).to(dtype);
                eval({x, y});
                auto program = [&] { return Tensor((x * y + x).clamp(3, 90)); };
                const Tensor lazy = program();
                if (few == 3 && rows == 33)
                    CHECK(explain(lazy).find("lanes along rows") != std::string::npos);
                lazy.eval();
                ModeGuard eager(Mode::eager);
                CAPTURE(few);
                CAPTURE(rows);
                CAPTURE(dtype);
                CHECK(equal(lazy, program()));
            }
        }
    }
}

TEST_CASE("operands that do not merge into one reduced range are written densely if it is short") {
    const Tensor x = arange(600, kFloat32).view({20, 30});
    x.eval();
    Tensor few = (x.slice(1, 1, 4) - x.slice(1, 0, 3)).sum();
    CHECK(explain(few).find("cannot be walked as one reduced range") != std::string::npos);
    CHECK(kernels_of(few) == 2);
    CHECK(few.item<float>() == 20 * 3);
    Tensor difference = (x.slice(1, 1) - x.slice(1, 0, -1)).sum();
    CHECK(kernels_of(difference) == 1);
    CHECK(difference.item<float>() == 20 * 29);
    float expected = 0;  // all but the last column, an integer
    for (int i = 0; i < 600; ++i) expected += i % 30 < 29 ? static_cast<float>(i) : 0;
    CHECK(x.slice(1, 0, -1).sum().item<float>() == expected);
}

TEST_CASE("plans are replayed") {
    const Tensor x = rand({16, 16});
    x.eval();
    auto run = [&] {
        Tensor m = x.amax({1}, true);
        Tensor e = exp(x - m);
        return Tensor(e / e.sum({1}, true));
    };
    run().eval();
    reset_stats();
    for (int i = 0; i < 5; ++i) run().eval();
    CHECK(stats().plans_built == 0);
    CHECK(stats().plans_replayed == 5);
    CHECK(stats().kernels_compiled == 0);
}
