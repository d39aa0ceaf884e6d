#include "engine/run/direct_reductions.hpp"

#include "engine/run/entry_table.hpp"

#include <algorithm>

namespace sinter::plan {
namespace {

constinit entry_table<direct_reduction, 1024, 4> direct_reductions;

/// Returns false for a node that has no entry. Its source is dense, so its sizes say all of its
/// layout.
bool may_be_direct(const Node& n) {
    if (n.kind != node_kind::reduce) return false;
    const Edge& e = n.sources[0];
    const geometry& g = *e.shape;
    return e.value && e.dtype == e.value->dtype && g.contiguous && g.offset == 0 && g.numel > 0 &&
           g.ndim <= direct_reduction::most_dims && n.correction == 0 && !isComplexType(e.dtype) &&
           n.shape->contiguous && n.shape->offset == 0;
}

uint64_t hash_of(const Node& n) {
    const geometry& g = *n.sources[0].shape;
    uint64_t h = static_cast<uint64_t>(n.reduction) ^ static_cast<uint64_t>(n.dtype) << 8 ^
                 static_cast<uint64_t>(n.sources[0].dtype) << 16 ^ n.reduced << 24;
    for (int d = 0; d < g.ndim; ++d)
        h = (h ^ static_cast<uint64_t>(g.sizes()[d])) * 0x9e3779b97f4a7c15u;
    return h;
}

bool computes(const direct_reduction& k, const Node& n) {
    const geometry& g = *n.sources[0].shape;
    if (k.row != n.reduction || k.from != n.sources[0].dtype || k.in != n.in || k.to != n.dtype ||
        k.reduced != n.reduced || k.ndim != g.ndim)
        return false;
    for (int d = 0; d < g.ndim; ++d)
        if (k.sizes[d] != g.sizes()[d]) return false;
    return true;
}

/// Returns the entry of the only kernel of a plan, or null if one call cannot run it.
std::unique_ptr<direct_reduction> entry_of(const Node& n, const executable& e) {
    const plan& p = e.data;
    if (e.other || p.steps.size() != 1 || !p.steps[0].kernel || p.steps[0].library >= 0 ||
        p.steps[0].before || !p.temporaries.empty())
        return nullptr;
    const kernel_step& k = *p.steps[0].kernel;
    const loaded_kernel& loaded = e.of(k);
    runtime::launch_request q = launch_of(loaded);
    q.fn = loaded.fn.load(std::memory_order_acquire);
    if (loaded.own || k.guarded || k.operands.size() != 2 || !k.scalars.empty() ||
        k.outputs.size() != 1 || !runtime::is_one_call(q))
        return nullptr;
    auto r = std::make_unique<direct_reduction>();
    const geometry& g = *n.sources[0].shape;
    r->row = n.reduction;
    r->from = n.sources[0].dtype;
    r->in = n.in;
    r->to = n.dtype;
    r->reduced = n.reduced;
    r->ndim = g.ndim;
    std::copy(g.sizes(), g.sizes() + g.ndim, r->sizes);
    r->fn = q.fn;
    const std::size_t rank = k.extents.size();
    r->n1 = rank == 2 ? k.extents[0] : 1;
    r->n0 = rank >= 1 ? k.extents[rank - 1] : 1;
    r->input = 1 - k.outputs[0];
    for (std::size_t i = 0; i < 2; ++i) {
        const operand_binding& b = k.operands[i];
        const bool output = static_cast<int>(i) == k.outputs[0];
        if (k.ir.operands[i].use == kernel_ir::role::index || b.offset != 0 ||
            b.value != (output ? 0 : 1))
            return nullptr;
        const auto item = static_cast<int64_t>(elementSize(k.ir.operands[i].type));
        if (rank == 2) r->operands[i].s1 = b.strides[0] * item;
        if (rank >= 1) r->operands[i].s0 = b.strides[rank - 1] * item;
    }
    r->bytes = k.bytes;
    r->timing = loaded.timing;
    r->runs = e.runs.load(std::memory_order_acquire);
    return r;
}

}  // namespace

const direct_reduction* find_direct_reduction(const Node& n) {
    if (!may_be_direct(n)) return nullptr;
    return direct_reductions.find(hash_of(n),
                                  [&](const direct_reduction& k) { return computes(k, n); });
}

void learn_direct_reduction(const Node& n, const executable& e) {
    if (!may_be_direct(n) || find_direct_reduction(n)) return;
    std::unique_ptr<const direct_reduction> entry = entry_of(n, e);
    if (entry)
        direct_reductions.keep(hash_of(n), std::move(entry),
                               [&](const direct_reduction& k) { return computes(k, n); });
}

}  // namespace sinter::plan
