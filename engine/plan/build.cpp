// The passes of a plan, in order.
#include "engine/plan/kernel.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/products/gemm_fusion.hpp"
#include "engine/plan/products/gpu_epilogue.hpp"
#include "jit/kernel_ir/rows/cost.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sinter::plan {
namespace {

/// Records in each step the values that it is the last to read, so that memory can be reused.
void find_last_reads(const subgraph& w, plan& p) {
    std::vector<int> last(static_cast<std::size_t>(p.values) + p.temporaries.size(), -1);
    for (std::size_t s = 0; s < p.steps.size(); ++s) {
        auto read = [&](int v) { last[static_cast<std::size_t>(v)] = static_cast<int>(s); };
        for (const kernel_step* k : p.steps[s].kernels())
            for (std::size_t i = 0; k && i < k->operands.size(); ++i)
                if (k->ir.operands[i].use == kernel_ir::role::input) read(k->operands[i].value);
        if (p.steps[s].library >= 0)
            for (const Edge& e : w.nodes[static_cast<std::size_t>(p.steps[s].library)]->sources)
                read(subgraph::value_of(e));
    }
    for (std::size_t v = 0; v < last.size(); ++v)
        if (last[v] >= 0)
            p.steps[static_cast<std::size_t>(last[v])].last_reads.push_back(static_cast<int>(v));
}

/// Returns the bytes of the distinct elements of an operand.
int64_t bytes_of(const kernel_step& k, std::size_t i) {
    int64_t n = static_cast<int64_t>(elementSize(k.ir.operands[i].type));
    for (std::size_t d = 0; d < k.extents.size(); ++d)
        if (k.operands[i].strides[d] != 0) n *= k.extents[d];
    return n;
}

/// Numbers the kernels, and counts their work.
void count_work(plan& p) {
    for (plan_step& s : p.steps)
        for (std::optional<kernel_step>* k : {&s.before, &s.kernel}) {
            if (!*k) continue;
            (*k)->number = p.kernels++;
            (*k)->cost = kernel_ir::element_cost((*k)->ir);
            for (std::size_t i = 0; i < (*k)->operands.size(); ++i)
                if ((*k)->ir.operands[i].use != kernel_ir::role::index)
                    (*k)->bytes += bytes_of(**k, i);
        }
}

void find_inlined(const subgraph& w, const fused& f, plan& p) {
    std::vector<bool> stored(w.nodes.size(), false), ran(w.nodes.size(), false);
    for (const cluster& c : f.clusters) {
        for (const instance& i : c.instances) ran[static_cast<std::size_t>(i.node)] = true;
        for (const output& o : c.outputs) stored[static_cast<std::size_t>(o.value)] = true;
    }
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        if (ran[i] && !stored[i]) p.inlined.push_back(static_cast<int>(i));
}

/// Makes the offsets of operands those of all subgraphs with this structure.
void count_offsets_from_reads(const subgraph& w, plan& p) {
    const auto count = [&](std::optional<kernel_step>& k) {
        if (!k) return;
        for (operand_binding& b : k->operands)
            if (b.value < p.values) b.offset -= w.offsets.of(b.value);
    };
    for (plan_step& s : p.steps) {
        count(s.before);
        count(s.kernel);
    }
}

plan build_from(const subgraph& w, fused&& f) {
    plan p;
    p.values = static_cast<int>(w.values.size());
    for (const step& s : f.steps) {
        if (s.cluster >= 0) {
            const cluster& c = f.clusters[static_cast<std::size_t>(s.cluster)];
            (w.eager && !c.has_reduction() ? build_operations : build_kernel)(w, c, p);
        } else {
            p.steps.emplace_back();
            p.steps.back().library = s.library;
        }
    }
    p.cuts = std::move(f.cuts);
    if (w.device == runtime::main_memory)
        join_products(w, p);
    else if (!w.eager)
        join_biases(w, p);
    find_last_reads(w, p);
    count_work(p);
    find_inlined(w, f, p);
    count_offsets_from_reads(w, p);
    verify(p, w);
    using runtime::debug_stage;
    if (runtime::debug_enabled(debug_stage::plan, 1))
        runtime::debug_print(debug_stage::plan, print(p, w));
    if (runtime::debug_enabled(debug_stage::kernel_ir, 1))
        for (const plan_step& s : p.steps)
            for (const kernel_step* k : s.kernels())
                if (k) runtime::debug_print(debug_stage::kernel_ir, kernel_ir::print(k->ir));
    return p;
}

}  // namespace

built build(const subgraph& w) {
    fused f = fuse(w);
    // Host time decides between the two plans, and a GPU's launches return at once.
    const bool unsure = f.unsure > 0 && w.device == runtime::main_memory;
    built b{build_from(w, std::move(f)), std::nullopt};
    if (unsure) b.apart = build_from(w, fuse(w, true));
    return b;
}

void verify(const plan& p, const subgraph& w) {
    std::vector<bool> known(static_cast<std::size_t>(p.values) + p.temporaries.size(), false);
    for (std::size_t v = w.nodes.size(); v < w.values.size(); ++v) known[v] = true;
    auto need = [&](int v) {
        if (v >= 0 && !known[static_cast<std::size_t>(v)])
            runtime::bug("plan", runtime::text("a step reads value ", v, " before it is written"));
    };
    auto make = [&](int v) {
        if (known[static_cast<std::size_t>(v)])
            runtime::bug("plan", runtime::text("value ", v, " is written twice"));
        known[static_cast<std::size_t>(v)] = true;
    };
    auto run = [&](const kernel_step* k) {
        if (!k) return;
        for (std::size_t i = 0; i < k->operands.size(); ++i)
            if (k->ir.operands[i].use == kernel_ir::role::input) need(k->operands[i].value);
        int before = -1;
        for (int o : k->outputs) {  // the two parts of a complex value are adjacent
            const int v = k->operands[static_cast<std::size_t>(o)].value;
            if (v != before) make(v);
            before = v;
        }
    };
    for (const plan_step& s : p.steps) {
        run(s.kernels()[0]);
        if (s.library >= 0) {
            for (const Edge& e : w.nodes[static_cast<std::size_t>(s.library)]->sources)
                need(subgraph::value_of(e));
            make(s.library);
        }
        run(s.kernels()[1]);
    }
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        if (w.wanted[i] && !known[i])
            runtime::bug("plan", runtime::text("value ", i, " is wanted but never written"));
}

}  // namespace sinter::plan
