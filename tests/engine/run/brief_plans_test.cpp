// Few nodes whose plan has been prepared: random programs over changing values have the bits of
// eager mode, and what tensors still hold stays pending and right.
#include "tests/engine/run/same_bits.hpp"
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace sinter {
namespace {

/// Steps of a program; each makes a value of earlier ones.
struct step {
    int what, first, second;
};
constexpr int inputs = 4;

std::vector<step> random_program(std::mt19937_64& random, int steps) {
    std::vector<step> all;
    for (int i = 0; i < steps; ++i) {
        const int known = inputs + i;
        const auto any = [&] { return static_cast<int>(random() % static_cast<uint64_t>(known)); };
        all.push_back({static_cast<int>(random() % 12), any(), any()});
    }
    return all;
}

/// Returns the values of all steps. The inputs are [6, 8] and [8].
std::vector<Tensor> run_program(const std::vector<step>& program, std::vector<Tensor> values) {
    for (const step& s : program) {
        const Tensor &a = values[static_cast<std::size_t>(s.first)],
                     &b = values[static_cast<std::size_t>(s.second)];
        switch (s.what) {
            case 0: values.emplace_back(a + b); break;
            case 1: values.emplace_back(a * b - a); break;
            case 2: values.emplace_back(maximum(a, b)); break;
            case 3: values.emplace_back(a.sum(-1, true) * 0.125); break;
            case 4: values.emplace_back(a.amax(0, true)); break;
            case 5: values.emplace_back(a.mean() + b); break;
            case 6: values.emplace_back(a * 0.5 + 1); break;
            case 7: values.emplace_back(where(a < b, a, 0)); break;
            case 8: values.emplace_back(a.flip(-1)); break;
            case 9: values.emplace_back(a.to(kDouble).to(kFloat)); break;
            case 10: values.emplace_back(a.var(-1, false, true) + b); break;
            default: values.emplace_back(a.abs().sqrt()); break;
        }
    }
    return values;
}

std::vector<Tensor> random_inputs(std::mt19937_64& random) {
    std::vector<Tensor> all;
    for (int i = 0; i < inputs; ++i) {
        const int64_t rows = i % 2 == 0 ? 6 : 1, offset = static_cast<int64_t>(random() % 5);
        std::vector<double> values;
        for (int64_t k = 0; k < rows * 8 + offset; ++k)
            values.push_back(static_cast<double>(random() % 1000) / 100 - 5);
        Tensor t = tensor(values, kDouble).to(kFloat).eval().narrow(0, offset, rows * 8);
        all.push_back(i % 2 == 0 ? t.view({6, 8}) : t);
    }
    return all;
}

/// The same for complex values, of which each part is an operand of a kernel.
std::vector<Tensor> run_complex_program(const std::vector<step>& program,
                                        std::vector<Tensor> values) {
    for (const step& s : program) {
        const Tensor &a = values[static_cast<std::size_t>(s.first)],
                     &b = values[static_cast<std::size_t>(s.second)];
        switch (s.what) {
            case 0: values.emplace_back(a + b); break;
            case 1: values.emplace_back(a * b * 0.125); break;
            case 2: values.emplace_back(a.conj() * 0.5 - b); break;
            case 3: values.emplace_back(a.sum(-1, true) * 0.125); break;
            case 4: values.emplace_back(complex(real(a) + real(b), imag(b) - imag(a))); break;
            case 5: values.emplace_back(a.mean() + b); break;
            case 6: values.emplace_back(a * complex<float>(0.5f, 1)); break;
            case 7: values.emplace_back(where(real(a) < imag(b), a, 0)); break;
            case 8: values.emplace_back(a.flip(-1)); break;
            case 9: values.emplace_back(a.to(kComplexDouble).to(kComplexFloat)); break;
            case 10: values.emplace_back(view_as_complex(view_as_real(a) * 2)); break;
            default: values.emplace_back(a.abs() + b); break;
        }
    }
    return values;
}

std::vector<Tensor> random_complex_inputs(std::mt19937_64& random) {
    std::vector<Tensor> all;
    for (int i = 0; i < inputs; ++i) {
        const int64_t rows = i % 2 == 0 ? 6 : 1, offset = static_cast<int64_t>(random() % 5);
        std::vector<double> values;
        for (int64_t k = 0; k < 2 * (rows * 8 + offset); ++k)
            values.push_back(static_cast<double>(random() % 1000) / 500 - 1);
        // Some memory is that of floats.
        Tensor t = view_as_complex(tensor(values, kDouble).to(kFloat).eval().view({-1, 2}));
        if (random() % 2) t = t.clone().eval();
        t = t.narrow(0, offset, rows * 8);
        all.push_back(i % 2 == 0 ? t.view({6, 8}) : t);
    }
    return all;
}

/// Runs random programs again and again over other values, and compares each value with that of
/// eager mode.
template <class Run, class Inputs>
void compare_programs(const Run& run, const Inputs& make_inputs) {
    std::mt19937_64 random(test::seed());
    CAPTURE(test::seed());
    for (int round = 0; round < test::cases(60); ++round) {
        const std::vector<step> program =
            random_program(random, 1 + static_cast<int>(random() % 6));
        CAPTURE(round);
        for (int again = 0; again < 4; ++again) {
            const std::vector<Tensor> given = make_inputs(random);
            const std::vector<Tensor> wanted = [&] {
                const ModeGuard eager(Mode::eager);
                return run(program, given);
            }();
            // Other values of the program are pending meanwhile, and some are held.
            std::vector<Tensor> got = run(program, given);
            if (again == 1 && program.size() > 1) got[inputs] = Tensor();
            Tensor last = got.back();
            if (again == 2) got.clear();
            if (round % 2 == 0 && again != 1) eval(got);  // several values at once
            CHECK(same_bits(last.eval(), wanted.back()));
            for (std::size_t i = inputs; i < got.size(); ++i)
                if (got[i].defined()) CHECK(same_bits(got[i].eval(), wanted[i]));
        }
    }
}

}  // namespace

TEST_CASE("brief plans: random programs over changing values") {
    compare_programs(run_program, random_inputs);
}

TEST_CASE("brief plans: random programs over complex values") {
    compare_programs(run_complex_program, random_complex_inputs);
}

TEST_CASE("brief plans: a value that is held is stored when it is computed again") {
    const Tensor a = full({16}, 2.0f).eval(), b = full({16}, 3.0f).eval();
    for (int i = 0; i < 4; ++i) {
        const Tensor product = a * b;
        CHECK(Tensor(product + a)[3].item<float>() == 8);
        CHECK(stats().nodes_pending > 0);
        CHECK(Tensor(product - b)[3].item<float>() == 3);
        const uint64_t before = stats().kernels_launched;
        CHECK(product[5].item<float>() == 6);
        CHECK(stats().kernels_launched == before);
    }
    CHECK(stats().nodes_pending == 0);
}

TEST_CASE("brief plans: several values are one plan") {
    Tensor x = zeros({16}).eval(), v = full({16}, 2.0f).eval();
    for (int i = 0; i < 4; ++i) {
        x = x + v * 0.5;
        v = v - 0.25 * v;
        const Tensor same = x;
        const uint64_t before = stats().kernels_launched;
        eval({x, v, same, v});
        CHECK(stats().kernels_launched == before + 1);
        CHECK(stats().nodes_pending == 0);
    }
    CHECK(v[1].item<float>() == 2 * 0.75f * 0.75f * 0.75f * 0.75f);
    CHECK(x[2].item<float>() == 1 + 0.75f + 0.5625f + 0.421875f);
    // The memory of one of them is known outside.
    Tensor known = zeros({16});
    const float* const bytes = known.data_ptr<float>();
    for (int i = 1; i < 5; ++i) {
        known.add_(1);
        const Tensor other = known * 2;
        eval({known, other});
        CHECK(bytes[7] == static_cast<float>(i));
        CHECK(other[7].item<float>() == static_cast<float>(2 * i));
    }
}

TEST_CASE("brief plans: values that gradients read keep their rules") {
    const Tensor x = full({16}, 0.5f).eval(), plain = full({16}, 2.0f).eval();
    for (int i = 0; i < 4; ++i) {
        const Tensor w = full({16}, 3.0f).eval().requires_grad_();
        const Tensor y = (w * x).exp();
        const Tensor loss = (y * plain).sum();
        CHECK(loss.item<float>() == doctest::Approx(32 * std::exp(1.5)));
        loss.backward();
        CHECK(w.grad()[7].item<float>() == doctest::Approx(std::exp(1.5)));
        CHECK(Tensor(plain * x + plain)[2].item<float>() == 3);
    }
}

TEST_CASE("brief plans: long reductions run beside other flushes") {
    // Longer than what runs under the mutex.
    const Tensor shared = ones({300000}).eval();
    Tensor written = ones({300000}).eval();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id)
        threads.emplace_back([&, id] {
            Tensor own = full({300000}, static_cast<float>(id)).eval();
            for (int i = 0; i < 20; ++i) {
                if (shared.sum().item<float>() != 300000) ++wrong;
                Tensor total = (shared * 2 + own).sum();
                own.add_(1);  // the sum keeps the value of its line
                if (total.item<float>() != 300000.0f * static_cast<float>(2 + id + i)) ++wrong;
                if (own.amax().item<float>() != static_cast<float>(id + i + 1)) ++wrong;
                total.fill_(0);
                if (id == 0) written.sum().eval();
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

}  // namespace sinter
