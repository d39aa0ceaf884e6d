// If the cost model is unsure, both plans are measured and the faster one stays.
#include "engine/measure/autotune.hpp"

#include "tests/engine/plan/one_kernel.hpp"
#include "tests/ops/check.hpp"

#include <cstring>
#include <functional>
#include <thread>

namespace sinter::test {
namespace {

/// The forced choice holds until the end of the test.
struct forced_scope {
    explicit forced_scope(plan::autotuner::state how) { plan::force_autotuner(how); }
    ~forced_scope() { plan::force_autotuner(plan::autotuner::state::measuring); }
    forced_scope(const forced_scope&) = delete;
};

struct program {
    const char* name;
    std::function<Tensor(const Tensor&)> compute;
};

/// Programs over matrices of some 100,000 elements about which the model is unsure.
const std::vector<program>& unsure_programs() {
    static const std::vector<program> all = {
        {"a formula in sums of columns",
         [](const Tensor& x) {
             const Tensor t = tanh(x);
             return t.sum({0});
         }},
        {"a formula that two passes need",
         [](const Tensor& x) {
             const Tensor t = log1p(x.abs()), c = t - t.mean(1, true);
             return Tensor(c / sqrt((c * c).mean(1, true) + 1e-3));
         }},
        {"a row chain behind a formula on its rows",
         [](const Tensor& x) {
             const Tensor m = exp(-x.amax({1}, true));
             return Tensor(softmax(x, 1) / (1 + m));
         }},
    };
    return all;
}

bool measures() {
    if (default_executor() == plan::executor::compiled) return true;
    MESSAGE("[SKIP] choices are measured where kernels are compiled and waited for");
    return false;
}

bool same_bits(const Tensor& a, const Tensor& b) {
    const Tensor x = a.contiguous().eval(), y = b.contiguous().eval();
    return x.dtype() == y.dtype() && x.sizes() == y.sizes() &&
           std::memcmp(x.const_data_ptr(), y.const_data_ptr(),
                       static_cast<std::size_t>(x.numel()) * x.element_size()) == 0;
}

std::string line_of(const std::string& text, const char* what) {
    const std::size_t at = text.find(what);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST_CASE("both sides of a choice give the same bits") {
    ModeGuard lazy(Mode::lazy);
    for (const program& p : unsure_programs())
        for (const ScalarType dtype : {kFloat, kDouble, kHalf})
            for (const int64_t columns : {24, 500}) {
                CAPTURE(p.name);
                CAPTURE(dtype);
                CAPTURE(columns);
                const Tensor x = randn({120000 / columns, columns}).to(dtype).eval();
                const auto compute = [&](plan::autotuner::state how, uint64_t* kernels) {
                    const forced_scope scope(how);
                    Tensor t = p.compute(x);
                    *kernels = kernels_of(t);
                    return t;
                };
                uint64_t few = 0, more = 0;
                const Tensor fused = compute(plan::autotuner::state::fused, &few);
                const Tensor apart = compute(plan::autotuner::state::apart, &more);
                CHECK(more >= few);
                CHECK(same_bits(fused, apart));
                ModeGuard eager(Mode::eager);
                CHECK(same_bits(fused, p.compute(x)));
            }
}

TEST_CASE("a choice is measured in turns, and what loses does not run again") {
    if (!measures()) return;
    ModeGuard lazy(Mode::lazy);
    const forced_scope scope(plan::autotuner::state::measuring);
    const Tensor x = randn({217, 511}).eval();
    for (const program& p : unsure_programs()) {
        CAPTURE(p.name);
        const std::string before = explain(p.compute(x));
        CAPTURE(before);
        if (&p == unsure_programs().data()) {
            CHECK(line_of(before, "choice:") ==
                  "choice: both are tried in turns; fused not measured, written out not measured");
            CHECK(before.find("unsure: %0 before %1") != std::string::npos);
        }
        if (before.find("choice:") == std::string::npos) continue;
        const Tensor expected = p.compute(x);
        expected.eval();
        for (int i = 0; i < 60; ++i) CHECK(same_bits(p.compute(x), expected));
        const std::string after = explain(p.compute(x));
        const std::string choice = line_of(after, "choice:");
        CAPTURE(choice);
        CHECK(choice.find("in turns") == std::string::npos);
        CHECK(choice.find("fused best of 8 ") != std::string::npos);
        CHECK(choice.find("written out best of 8 ") != std::string::npos);
        for (int i = 0; i < 20; ++i) p.compute(x).eval();
        CHECK(line_of(explain(p.compute(x)), "choice:") == choice);
        const auto kernels = static_cast<uint64_t>(std::stoi(after.substr(after.find(", ") + 2)));
        CHECK(kernels_of(p.compute(x)) == kernels);
    }
}

TEST_CASE("threads share a choice") {
    if (!measures()) return;
    ModeGuard lazy(Mode::lazy);
    const forced_scope scope(plan::autotuner::state::measuring);
    const Tensor x = randn({301, 407}).eval();
    const program& p = unsure_programs()[0];
    const Tensor expected = [&] {
        ModeGuard eager(Mode::eager);
        return p.compute(x);
    }();
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 40; ++i) wrong += !same_bits(p.compute(x), expected);
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(line_of(explain(p.compute(x)), "choice:").find("in turns") == std::string::npos);
}

TEST_CASE("a plan whose kernels do not come is given up") {
    plan::autotuner c(nullptr);
    int looks = 0;
    for (int i = 0; i < 100000 && c.now() == plan::autotuner::state::measuring; ++i)
        looks += c.worth_a_look();
    CHECK(c.now() == plan::autotuner::state::fused);
    CHECK(looks < 1000);
    CHECK_FALSE(c.apart_ready());
}

TEST_CASE("the faster side stays, the fused one where they are alike") {
    for (const auto& [fused, apart, expected] :
         {std::tuple{100u, 50u, plan::autotuner::state::apart},
          std::tuple{50u, 100u, plan::autotuner::state::fused},
          std::tuple{100u, 99u, plan::autotuner::state::fused}}) {
        plan::autotuner c(nullptr);
        for (int i = 0; i < 1000 && c.now() == plan::autotuner::state::measuring; ++i) {
            const plan::side s = c.next();
            c.record(s, (s == plan::side::fused ? fused : apart) + static_cast<unsigned>(i % 3));
        }
        CHECK(c.now() == expected);
    }
}

}  // namespace
}  // namespace sinter::test
