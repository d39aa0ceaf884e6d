// The kernels of a recorded work and its variations are those of the same program over other sizes
// and layouts.
#include "engine/recordings/widening.hpp"

#include "engine/plan/plan.hpp"
#include "engine/recordings/division.hpp"
#include "jit/kernel_ir/base_form.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"
#include "tests/support/sized_programs.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

namespace sinter::test {
namespace {

using bytes = std::vector<uint8_t>;
using testing::operands, testing::program, testing::programs;

/// Calls f on the work that results ask for.
template <class F>
void with_work(const std::vector<Tensor>& results, const F& f) {
    std::vector<Version*> wanted;
    for (const Tensor& t : results)
        wanted.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    const runtime::arena memory;
    const plan::claimed_work claimed(wanted);
    if (!claimed.w.nodes.empty()) f(claimed.w);
}

bytes work_of(const std::vector<Tensor>& results) {
    bytes work;
    with_work(results, [&](const plan::subgraph& w) { work = plan::write_work(w); });
    return work;
}

template <class F>
void for_each_kernel(const plan::subgraph& w, const F& f) {
    const runtime::arena memory;
    const plan::built b = plan::build(w);
    for (const plan::plan* p : {&b.fused, b.apart ? &*b.apart : nullptr})
        for (std::size_t s = 0; p && s < p->steps.size(); ++s)
            for (const plan::kernel_step* k : p->steps[s].kernels())
                if (k) f(*k);
}

/// What a program without a compiler asks for, if the layouts of its operands are others.
bytes base_of(const plan::kernel_step& k) { return kernel_ir::base_key(k.ir).value_or(k.key); }

std::set<bytes> widened_kernels(const bytes& work) {
    std::set<bytes> kernels, known;
    plan::widen_work(work, known, [&](const plan::subgraph& w) {
        bool more = false;
        for_each_kernel(w, [&](const plan::kernel_step& k) {
            more = kernels.insert(base_of(k)).second || more;
        });
        return more;
    });
    // What the work has in common with others of its program was widened.
    plan::widen_work(work, known, [](const plan::subgraph&) -> bool {
        FAIL("a work is widened twice");
        return false;
    });
    return kernels;
}

std::string text_of(const plan::kernel_step& k) { return kernel_ir::print(k.ir); }

}  // namespace

TEST_CASE("widening: random sizes and layouts of recorded programs ask for no other kernels") {
    for (const program& p : programs()) {
        if (sanitized() && !p.few_kernels) continue;
        CAPTURE(p.name);
        operands recorded;
        const bytes work = work_of(p.run(recorded));
        REQUIRE_FALSE(work.empty());
        const std::set<bytes> kernels = widened_kernels(work);
        for (int i = 0; i < cases(100); ++i) {
            const uint64_t number = seed() + static_cast<uint64_t>(i);
            CAPTURE(number);
            operands in(number);
            with_work(p.run(in), [&](const plan::subgraph& w) {
                for_each_kernel(w, [&](const plan::kernel_step& k) {
                    CHECK_MESSAGE(kernels.contains(base_of(k)), text_of(k));
                });
            });
        }
    }
}

TEST_CASE("widening: variations are works, the same each time") {
    for (const program& p : programs()) {
        CAPTURE(p.name);
        operands recorded;
        const bytes work = work_of(p.run(recorded));
        std::vector<bytes> all = plan::divided_works(work);
        CHECK(all == plan::divided_works(work));
        all.push_back(work);
        for (const bytes& one : all) {
            const runtime::arena memory;
            plan::variations a(one.data(), one.size()), b(one.data(), one.size());
            std::set<bytes> different;
            for (int i = 0; i < 40; ++i) {
                const bytes varied = plan::write_work(a.next());
                CHECK(plan::write_work(b.next()) == varied);
                const plan::restored_work again(varied.data(), varied.size());
                CHECK(plan::write_work(again.w) == varied);
                different.insert(varied);
            }
            CHECK(different.size() > 10);
        }
    }
}

TEST_CASE("widening: sizes that depend on each other still do") {
    Tensor x = zeros({12, 10});
    x.eval();
    const Tensor y = x * 2;
    const bytes work = work_of({y.slice(0, 1) - y.slice(0, 0, -1), y.view({60, 2}).sum(1),
                                y.view({3, 4, 10}).amax(1), y.flip(0).t() + 1, y.sum(1, true) * y});
    const runtime::arena memory;
    plan::variations v(work.data(), work.size());
    for (int i = 0; i < 200; ++i) {
        const plan::subgraph& w = v.next();
        for (const Node* n : w.nodes)
            for (const Edge& e : n->sources) {
                if (n->kind == node_kind::pointwise)
                    CHECK(e.shape->sizes_ref() == n->shape->sizes_ref());
                if (!w.is_node(e.number) || e.shape->numel == 0) continue;
                // A read stays within the result.
                const geometry& from = *w.nodes[static_cast<std::size_t>(e.number)]->shape;
                int64_t first = e.shape->offset, last = first;
                for (int d = 0; d < e.shape->ndim; ++d) {
                    const int64_t reach = e.shape->strides()[d] * (e.shape->sizes()[d] - 1);
                    (reach < 0 ? first : last) += reach;
                }
                CHECK(first >= 0);
                CHECK(last < from.numel);
            }
    }
}

TEST_CASE("widening: works that are damaged are refused or varied") {
    operands recorded;
    const bytes work = work_of(programs()[7].run(recorded));
    std::mt19937_64 random(seed());
    int taken = 0;
    for (int round = 0; round < cases(400); ++round) {
        bytes bad = work;
        for (uint64_t i = 0; i < 1 + random() % 3; ++i)
            bad[random() % bad.size()] = static_cast<uint8_t>(random());
        try {
            const runtime::arena memory;
            plan::variations v(bad.data(), bad.size());
            for (int i = 0; i < 5; ++i) v.next();
            plan::divided_works(bad);
            ++taken;
        } catch (const Error&) {  // refused
        }
    }
    CHECK(taken < cases(400));
}

}  // namespace sinter::test
