#include "jit/plan/direct.hpp"

#include "jit/graph/claim.hpp"
#include "jit/graph/infer.hpp"
#include "jit/graph/pending.hpp"
#include "jit/plan/layout.hpp"
#include "jit/plan/place.hpp"
#include "jit/plan/scalar_bits.hpp"
#include "kernels/linalg/product.hpp"
#include "runtime/launch.hpp"
#include "runtime/stats.hpp"
#include "runtime/trace.hpp"

#include <sinter/error.hpp>

#include <array>
#include <optional>

namespace sinter::plan {
namespace {

constexpr int max_sources = 8, max_rank = 8, max_scalars = 8;

/// A node's loops, merged, and the part of its layout that a kernel depends on.
struct direct_loops {
    int rank = 0;
    int loads = 0;  // distinct sources; the output follows them
    int64_t extents[max_rank];
    int64_t strides[max_sources + 1][max_rank];  // elements
    int source_of[max_sources];
    uint64_t signature = 0;
};

bool same_read(const Edge& a, const Edge& b) {
    if (!(a.value == b.value) || a.dtype != b.dtype) return false;
    if (a.shape == b.shape) return true;
    return a.shape->offset == b.shape->offset && a.shape->strides_ref() == b.shape->strides_ref();
}

/// The classes below of so many loads that are dense, as `make_loops` joins them.
constexpr auto dense_classes = [] {
    constexpr auto dense = static_cast<uint64_t>(kernel_ir::stride_class::unit) << 1;
    std::array<uint64_t, max_sources + 1> r{};
    for (std::size_t loads = 1; loads <= max_sources; ++loads) r[loads] = r[loads - 1] << 4 | dense;
    return r;
}();

/// False for what the short way does not take.
bool make_loops(const Node& n, direct_loops& l) {
    const geometry& out = *n.shape;
    if (n.kind != node_kind::pointwise || n.partial() || !out.contiguous || out.offset != 0 ||
        isComplexType(n.dtype) || n.sources.size() > max_sources ||
        n.scalars.size() > max_scalars || out.numel == 0)
        return false;
    uint64_t alias = 0;
    bool alike = out.numel > 1;  // all of one dense layout
    for (std::size_t s = 0; s < n.sources.size(); ++s) {
        if (isComplexType(n.sources[s].dtype)) return false;
        std::size_t first = 0;
        while (first < s && !same_read(n.sources[first], n.sources[s])) ++first;
        alias = alias << 3 | first;
        if (first == s) l.source_of[l.loads++] = static_cast<int>(s);
        alike = alike && n.sources[s].value && n.sources[s].shape->contiguous;
    }
    const int operands = l.loads + 1;
    if (alike) {
        l.rank = 1;
        l.extents[0] = out.numel;
        for (int o = 0; o < operands; ++o) l.strides[o][0] = 1;
        l.signature = alias << 37 | dense_classes[l.loads] << 5 | static_cast<uint64_t>(n.dtype);
        return true;
    }
    auto stride = [&](int o, int d) {
        return o < l.loads ? n.sources[static_cast<std::size_t>(l.source_of[o])].shape->strides()[d]
                           : out.strides()[d];
    };
    for (int d = 0; d < out.ndim; ++d) {
        const int64_t extent = out.sizes()[d];
        if (extent == 1) continue;
        bool merge = l.rank > 0;
        for (int o = 0; merge && o < operands; ++o)
            merge = l.strides[o][l.rank - 1] == stride(o, d) * extent;
        if (!merge && l.rank == max_rank) return false;
        if (!merge) l.extents[l.rank++] = 1;
        l.extents[l.rank - 1] *= extent;
        for (int o = 0; o < operands; ++o) l.strides[o][l.rank - 1] = stride(o, d);
    }
    if (l.rank >= 2 && l.extents[l.rank - 1] < few_elements) return false;  // lanes along rows
    if (l.rank == 0) {
        l.rank = 1;
        l.extents[0] = 1;
        for (int o = 0; o < operands; ++o) l.strides[o][0] = 0;
    }
    uint64_t classes = 0;
    const auto rank = static_cast<std::size_t>(l.rank);
    for (int o = 0; o < l.loads; ++o) {
        const bool index = !n.sources[static_cast<std::size_t>(l.source_of[o])].value;
        const bool across = !index && reads_across({l.extents, rank}, {l.strides[o], rank});
        const auto c = across ? kernel_ir::stride_class::across
                              : class_of(l.strides[o][rank - 1], l.extents[rank - 1]);
        classes = classes << 4 | static_cast<uint64_t>(c) << 1 | (index ? 1u : 0u);
    }
    l.signature = alias << 37 | classes << 5 | static_cast<uint64_t>(n.dtype);
    return true;
}

struct direct_kernel {
    const typed_program* code;
    uint64_t signature;
    kernel_ir::kernel_fn fn;
    int64_t cost;          // of an element
    int64_t numel, bytes;  // of the plan that it was learnt from, whose runs are timed
    std::shared_ptr<kernel_timing> timing;
    int scalars;
    std::array<scalar_binding, max_scalars> scalar;
};

/// Grows only: an entry is never replaced, so readers need no lock. When its neighbourhood is full
/// a kernel is planned each time instead.
constexpr std::size_t table_size = 4096, probes = 8;
std::atomic<const direct_kernel*> known[table_size];

std::size_t slot(const typed_program* code, uint64_t signature, std::size_t probe) {
    uint64_t h =
        reinterpret_cast<uintptr_t>(code) * 0x9e3779b97f4a7c15u ^ signature * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    return (h + probe) % table_size;
}

const direct_kernel* find(const typed_program* code, uint64_t signature) {
    for (std::size_t p = 0; p < probes; ++p) {
        const direct_kernel* k = known[slot(code, signature, p)].load(std::memory_order_acquire);
        if (!k) return nullptr;
        if (k->code == code && k->signature == signature) return k;
    }
    return nullptr;
}

bool is_product(const Node& n) {
    return n.kind == node_kind::library && blas::is_product(*n.library) && !n.partial() &&
           n.shape->numel > 0;
}

/// The claim on the producer of a version that can take the short way, if it can.
class direct_claim {
public:
    direct_claim(Version& v, direct_loops& l, const direct_kernel*& k) : v_(v) {
        std::lock_guard lock(graph_mutex());
        Node* n = v.producer;
        if (!n || v.state != version_state::pending) return;
        const bool product = is_product(*n);
        if (!product && !make_loops(*n, l)) return;
        for (const Edge& e : n->sources)
            if (e.value && e.value->state.load(std::memory_order_acquire) != version_state::ready)
                return;
        if (!product) k = find(n->code, l.signature);
        if (!product && !k) return;
        if (!claimable(*n) || address_known(v) || !enter_flush(false)) return;
        claim(*n);
        claimed_ = true;
    }
    ~direct_claim() {
        if (!claimed_) return;
        std::unique_ptr<Node> done;  // its sources may die with it, after the lock
        std::lock_guard lock(graph_mutex());
        leave_flush();
        unclaim(*v_.producer);
        if (v_.state != version_state::pending) done = take_producer(v_);
    }
    direct_claim(const direct_claim&) = delete;
    explicit operator bool() const { return claimed_; }
    /// The memory that the result may take over, if any.
    const runtime::buffer_ptr& forgotten() const { return forgotten_; }

private:
    bool address_known(const Version& v) {
        std::lock_guard lock(home_lock());
        forgotten_ = forgotten_buffer(v);
        return v.owner && v.owner->address_known;
    }
    Version& v_;
    runtime::buffer_ptr forgotten_;
    bool claimed_ = false;
};

/// A product, which needs no kernel.
void run_product(Version& v) {
    const Node& n = *v.producer;
    runtime::trace_span span("library", n.library->name);
    span.detail("elements", n.shape->numel);
    runtime::buffer_ptr result = runtime::make_buffer(v.nbytes());
    const auto input = [&n](std::size_t i) -> library_input {
        const Edge& e = n.sources[i];
        return {static_cast<const char*>(e.value->buffer->data), e.shape.get(), e.dtype};
    };
    const library_input inputs[] = {input(0), input(1)};
    try {
        n.library->run(
            {*n.library, inputs, n.scalars, static_cast<char*>(result->data), *n.shape, n.dtype});
        runtime::count.library_calls.add();
    } catch (const OutOfMemoryError&) {
        throw;
    } catch (const Error&) {
        return fail(v, std::current_exception());
    }
    publish(v, std::move(result));
}

}  // namespace

bool run_direct(Version& v) {
    direct_loops l;
    const direct_kernel* k = nullptr;
    const direct_claim claimed(v, l, k);
    if (!claimed) return false;
    const Node& n = *v.producer;
    if (n.kind == node_kind::library) {
        runtime::count.plans_replayed.add();
        run_product(v);
        return true;
    }
    runtime::buffer_ptr result = claimed.forgotten();
    if (!result) result = runtime::make_buffer(v.nbytes());

    char* bases[max_sources + 1];
    int64_t items[max_sources + 1];
    for (int o = 0; o < l.loads; ++o) {
        const Edge& e = n.sources[static_cast<std::size_t>(l.source_of[o])];
        items[o] = e.value ? static_cast<int64_t>(elementSize(e.dtype)) : 1;
        bases[o] = e.value ? static_cast<char*>(e.value->buffer->data) + e.shape->offset * items[o]
                           : reinterpret_cast<char*>(e.shape->offset);
    }
    items[l.loads] = static_cast<int64_t>(elementSize(n.dtype));
    bases[l.loads] = static_cast<char*>(result->data);
    uint64_t scalars[max_scalars];
    for (int s = 0; s < k->scalars; ++s)
        scalars[s] = scalar_bits(
            n.scalars[static_cast<std::size_t>(k->scalar[static_cast<std::size_t>(s)].index)],
            k->scalar[static_cast<std::size_t>(s)].type);
    const auto operands = static_cast<std::size_t>(l.loads) + 1;
    std::optional<timed_run> timed;
    if (n.shape->numel == k->numel) timed.emplace(*k->timing, k->bytes);
    if (l.rank == 1 && l.extents[0] < runtime::short_row(k->cost)) {
        kernel_ir::operand_arg row[max_sources + 1];
        for (std::size_t o = 0; o < operands; ++o)
            row[o] = {bases[o], 0, l.strides[o][0] * items[o]};
        runtime::launch_short_row(k->fn, {row, operands}, scalars, l.extents[0]);
    } else {
        int64_t strides[max_sources + 1][max_rank];
        runtime::launch_operand space[max_sources + 1];
        for (std::size_t o = 0; o < operands; ++o) {
            for (int d = 0; d < l.rank; ++d) strides[o][d] = l.strides[o][d] * items[o];
            space[o] = {bases[o], strides[o]};
        }
        runtime::launch_request r;
        r.fn = k->fn;
        r.output = l.loads;
        r.cost = k->cost;
        r.rank = l.rank;
        r.extents = l.extents;
        r.operands = {space, operands};
        r.scalars = {scalars, static_cast<std::size_t>(k->scalars)};
        runtime::launch(r);
    }
    runtime::count.cache_hits.add();
    runtime::count.plans_replayed.add();
    publish(v, std::move(result));
    return true;
}

void learn_direct(const Node& n, const plan& p) {
    direct_loops l;
    if (p.steps.size() != 1 || !p.steps[0].kernel || !p.temporaries.empty() || !make_loops(n, l))
        return;
    const kernel_step& k = *p.steps[0].kernel;
    const kernel_ir::kernel_fn fn = k.fn.load(std::memory_order_acquire);
    if (!fn || k.guarded || k.operands.size() != static_cast<std::size_t>(l.loads) + 1 ||
        k.scalars.size() > max_scalars || k.outputs != std::vector<int>{l.loads} ||
        k.extents.size() != static_cast<std::size_t>(l.rank))
        return;
    // The plan's loops must be the ones that `make_loops` finds, operand for operand.
    for (int o = 0; o <= l.loads; ++o)
        for (int d = 0; d < l.rank; ++d)
            if (k.extents[static_cast<std::size_t>(d)] != l.extents[d] ||
                k.operands[static_cast<std::size_t>(o)].strides[static_cast<std::size_t>(d)] !=
                    l.strides[o][d])
                return;
    auto entry = std::make_unique<direct_kernel>();
    entry->code = n.code;
    entry->signature = l.signature;
    entry->fn = fn;
    entry->numel = n.shape->numel;
    entry->bytes = k.bytes;
    entry->cost = k.cost;
    entry->timing = k.timing;
    entry->scalars = static_cast<int>(k.scalars.size());
    for (std::size_t s = 0; s < k.scalars.size(); ++s) {
        if (k.scalars[s].index < 0) return;
        entry->scalar[s] = k.scalars[s];
    }
    for (std::size_t probe = 0; probe < probes; ++probe) {
        std::atomic<const direct_kernel*>& at = known[slot(n.code, l.signature, probe)];
        const direct_kernel* none = nullptr;
        if (at.compare_exchange_strong(none, entry.get(), std::memory_order_acq_rel)) {
            entry.release();  // NOLINT: `known` owns it now
            return;
        }
        if (none->code == n.code && none->signature == l.signature) return;
    }
}

}  // namespace sinter::plan
