// Kernels whose own form is not stored and cannot be compiled: other forms, the base form, the CPU.
#include "jit/launch/gpu/launch.hpp"
#include "tests/on_gpu/gpu_case.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <vector>

using namespace sinter;
using runtime::gpu_forms;

namespace {

struct limited {
    explicit limited(gpu_forms to) { runtime::limit_gpu_forms(to); }
    ~limited() { runtime::limit_gpu_forms(gpu_forms::all); }
};

struct program {
    const char* name;
    std::vector<int64_t> sizes;
    std::function<Tensor(const Tensor&)> f;
    bool has_base = true;
};

/// Spaces of other ranks, reduced dimensions that are not one, rows without elements, indices.
std::vector<program> programs() {
    return {
        {"one number", {}, [](const Tensor& x) { return x * 2 + 1; }},
        {"elements", {1000, 7}, [](const Tensor& x) { return x.t() * 2 + x.t().exp(); }},
        {"a slice", {50, 60}, [](const Tensor& x) { return x.slice(1, 1, 58, 3) - 1; }},
        {"broadcast", {40, 1}, [](const Tensor& x) { return x + x.t(); }},
        {"few rows", {3, 70000}, [](const Tensor& x) { return x.sum(1); }},
        {"columns", {300, 90}, [](const Tensor& x) { return x.sum(0); }},
        {"apart", {20, 30, 40}, [](const Tensor& x) { return x.sum({0, 2}); }},
        {"softmax apart",
         {20, 30, 40},
         [](const Tensor& x) {
             const Tensor e = exp(x - x.amax({0, 2}, true));
             return e / e.sum({0, 2}, true);
         }},
        {"no elements", {4, 0}, [](const Tensor& x) { return x.sum(1) + 1; }},
        {"indices",
         {9, 400},
         [](const Tensor& x) { return x.argmax(1) + arange(9, x.options().dtype(kLong)); }},
        {"variance", {5, 9000}, [](const Tensor& x) { return x.var(1); }},
        {"integers", {64, 5}, [](const Tensor& x) { return x.to(kInt).remainder(7); }},
        {"complex",
         {30, 20},
         [](const Tensor& x) { return real(complex(x, x.exp()) * complex(x, x)); }},
        {"nine dimensions",
         {2, 3, 2, 3, 2, 3, 2, 3, 2},
         [](const Tensor& x) { return x.permute({8, 1, 6, 3, 4, 5, 2, 7, 0}) + x.flip({1, 3, 5}); },
         false},
    };
}

Tensor values(const program& p) {
    manual_seed(5);
    return randn(p.sizes);
}

}  // namespace

TEST_CASE("gpu forms: the base form and the CPU give the bits of a kernel of its own") {
    if (!testing::has_gpu()) return;
    for (const program& p : programs()) {
        const Tensor x = values(p), expected = p.f(x).eval(), on_gpu = x.cuda();
        for (const gpu_forms forms : {gpu_forms::all, gpu_forms::base, gpu_forms::none}) {
            INFO(std::string(p.name) << ", forms " << static_cast<int>(forms));
            const limited l(forms);
            reset_stats();
            const Tensor got = p.f(on_gpu).eval();
            const stats_report s = stats();
            CHECK(equal(got.cpu(), expected));
            const bool by_base = forms == gpu_forms::base && p.has_base;
            CHECK((s.base_form_launches > 0) == by_base);
            CHECK((s.host_fallbacks > 0) == (forms != gpu_forms::all && !by_base));
        }
    }
}

TEST_CASE("gpu forms: partial writes, and results that take the memory of operands") {
    if (!testing::has_gpu()) return;
    for (const gpu_forms forms : {gpu_forms::base, gpu_forms::none}) {
        const auto run = [](Tensor x) {
            x.slice(0, 1, 9, 2) += x.slice(0, 0, 8, 2) * 2;
            x = x * 3;
            x.select(1, 2).fill_(7);
            return x.eval();
        };
        const Tensor x = arange(600, kFloat).view({20, 30});
        const Tensor expected = run(x.clone());
        const limited l(forms);
        CHECK(equal(run(x.cuda()).cpu(), expected));
    }
}

TEST_CASE("gpu forms: a failed check fails as in a kernel of its own") {
    if (!testing::has_gpu()) return;
    const Tensor x = arange(100, kInt), zero = zeros({100}, kInt);
    for (const gpu_forms forms : {gpu_forms::base, gpu_forms::none}) {
        const limited l(forms);
        CHECK_THROWS_WITH_AS((x.cuda() % zero.cuda()).cpu(), doctest::Contains("zero"), Error);
    }
}
