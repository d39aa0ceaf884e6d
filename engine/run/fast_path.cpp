#include "engine/run/fast_path.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/infer.hpp"
#include "engine/graph/pending.hpp"
#include "engine/plan/flat_rows.hpp"
#include "engine/plan/layout.hpp"
#include "engine/run/direct_kernels.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "jit/launch/launch.hpp"
#include "kernels/linalg/product.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/strided/walk.hpp"

#include <sinter/error.hpp>

#include <array>
#include <optional>

namespace sinter::plan {
namespace {

constexpr int max_rank = 8;

/// The merged loops of a node, and a signature of the layout properties that a kernel depends on.
struct direct_loops {
    int rank = 0;
    int loads = 0;  // distinct sources; the output follows them
    int64_t extents[max_rank];
    int64_t strides[max_sources + 1][max_rank];  // elements
    bool dense = false;  // one loop over operands of the same layout: all strides are 1
    bool flat = false;   // short rows run as one
    int source_of[max_sources];
    uint64_t signature = 0;

    int64_t stride(int operand, int dim) const { return dense ? 1 : strides[operand][dim]; }
    std::span<const int64_t> sizes() const { return {extents, static_cast<std::size_t>(rank)}; }
    std::span<const int64_t> steps(int operand) const {
        return {strides[operand], static_cast<std::size_t>(rank)};
    }
    bool spread(int operand) const { return flat && flat_rows::is_spread(sizes(), steps(operand)); }
};

bool same_read(const Edge& a, const Edge& b) {
    if (!(a.value == b.value) || a.dtype != b.dtype) return false;
    if (a.shape == b.shape) return true;
    return a.shape->offset == b.shape->offset && a.shape->strides_ref() == b.shape->strides_ref();
}

/// Makes the single loop of a plain node. Returns false for too many sources or scalars.
bool make_row(const Node& n, direct_loops& l) {
    if (n.sources.size() > max_sources || n.scalars.size() > max_scalars) return false;
    uint64_t alias = 0;
    const Version* seen[max_sources];
    int loads = 0, number = 0;
    for (const Edge& e : n.sources) {
        const Version* v = e.value.get();
        int load = 0;
        while (load < loads && seen[load] != v) ++load;
        alias = alias << 3 | static_cast<uint64_t>(load);
        if (load == loads) {
            seen[loads] = v;
            l.source_of[loads++] = number;
        }
        ++number;
    }
    l.dense = true;
    l.loads = loads;
    l.rank = 1;
    l.extents[0] = n.shape->numel;
    l.signature = dense_signature(alias, l.loads, n.dtype);
    return true;
}

/// Returns false for nodes that the fast path does not support.
bool make_loops(const Node& n, direct_loops& l) {
    if (n.plain) return make_row(n, l);
    const geometry& out = *n.shape;
    if (n.kind != node_kind::pointwise || n.partial() || !out.contiguous || out.offset != 0 ||
        isComplexType(n.dtype) || n.sources.size() > max_sources ||
        n.scalars.size() > max_scalars || out.numel == 0)
        return false;
    uint64_t alias = 0;          // the load number of each source
    bool alike = out.numel > 1;  // all operands have one dense layout
    for (std::size_t s = 0; s < n.sources.size(); ++s) {
        const Edge& e = n.sources[s];
        if (isComplexType(e.dtype)) return false;
        int load = 0;
        while (load < l.loads &&
               !same_read(n.sources[static_cast<std::size_t>(l.source_of[load])], e))
            ++load;
        alias = alias << 3 | static_cast<uint64_t>(load);
        if (load == l.loads) l.source_of[l.loads++] = static_cast<int>(s);
        alike = alike && e.value && e.shape->contiguous;
    }
    const int operands = l.loads + 1;
    if (alike) {
        l.dense = true;
        l.rank = 1;
        l.extents[0] = out.numel;
        l.signature = dense_signature(alias, l.loads, n.dtype);
        return true;
    }
    const int64_t* of[max_sources + 1];
    for (int o = 0; o < l.loads; ++o)
        of[o] = n.sources[static_cast<std::size_t>(l.source_of[o])].shape->strides();
    of[l.loads] = out.strides();
    l.rank = static_cast<int>(runtime::merge_dims(
        static_cast<std::size_t>(out.ndim), out.sizes(), static_cast<std::size_t>(operands),
        [&](std::size_t o, std::size_t d) { return of[o][d]; }, l.extents,
        [&](std::size_t o, std::size_t d) -> int64_t& { return l.strides[o][d]; }, max_rank));
    if (l.rank > max_rank) return false;
    const auto is_index = [&](int o) {
        return o < l.loads && !n.sources[static_cast<std::size_t>(l.source_of[o])].value;
    };
    if (l.rank >= 2) {
        flat_rows flat(l.sizes(), static_cast<double>(n.code->cost));
        for (int o = 0; o < operands; ++o) {
            const bool output = o == l.loads;
            const ScalarType type =
                output ? n.dtype : n.sources[static_cast<std::size_t>(l.source_of[o])].dtype;
            flat.add(l.steps(o), !is_index(o), output, elementSize(type) == 8);
        }
        l.flat = flat.pays();
        if (!l.flat && l.extents[l.rank - 1] < few_elements) return false;  // lanes along rows
    }
    if (l.rank == 0) {
        l.rank = 1;
        l.extents[0] = 1;
        for (int o = 0; o < operands; ++o) l.strides[o][0] = 0;
    }
    uint64_t classes = 0;
    const auto rank = static_cast<std::size_t>(l.rank);
    for (int o = 0; o < l.loads; ++o) {
        const bool index = is_index(o);
        const bool across = !index && reads_across(l.sizes(), l.steps(o));
        const auto c = l.spread(o) ? kernel_ir::stride_class::unit
                       : across    ? kernel_ir::stride_class::across
                                   : class_of(l.strides[o][rank - 1], l.extents[rank - 1]);
        classes = classes << 4 | static_cast<uint64_t>(c) << 1 | (index ? 1u : 0u);
    }
    l.signature = signature_of(alias, classes, n.dtype);
    return true;
}

bool is_product(const Node& n) {
    return n.kind == node_kind::library && n.library->product && !n.partial() && n.shape->numel > 0;
}

bool is_brief(const Node& product) {
    return blas::is_brief_product(*product.sources[0].shape, *product.sources[1].shape,
                                  *product.shape, product.dtype);
}

/// A node that can take the fast path, and how.
struct direct_work {
    direct_loops loops;
    const direct_kernel* kernel = nullptr;  // null: it is a product
    Storage* fresh = nullptr;               // storage whose first value is the result, or null
    runtime::buffer_ptr forgotten;          // memory that the result may take over, or null
};

/// Returns true if a plan might get a special kernel (specialization.hpp), whose gain outweighs the
/// cost of planning.
bool needs_plan(const Node& n, const direct_kernel& k) {
    return k.fn && k.integer_scalars && worth_specializing(n.shape->numel, k.cost);
}

/// Under the graph mutex. Returns false if the node must wait or must be planned.
bool takes_short_way(Version& v, Storage* held, executor how, direct_work& w) {
    Node* n = v.producer;
    if (!n || v.state != version_state::pending || n->claimed || n->partial()) return false;
    for (const Edge& e : n->sources)
        if (const Version* r = e.value.get(); r && !readable_bytes(*r)) return false;
    const bool product = is_product(*n);
    if (!product && !make_loops(*n, w.loops)) return false;
    if (!product) {
        if (how == executor::blocks) w.loops.signature |= by_blocks;
        w.kernel = find_direct(n->code, w.loops.signature);
        if (!w.kernel || needs_plan(*n, *w.kernel)) return false;
    }
    // No lock: until this value is published, only the flush that computes it changes these fields
    // of a storage without bytes, and no other flush can start that while the mutex is held.
    if (held && !held->main && !held->resident && !held->address_known) {
        w.fresh = held;
        return true;
    }
    std::lock_guard lock(home_lock());
    w.forgotten = forgotten_buffer(v);
    return !(v.owner && v.owner->address_known);
}

/// The claim on a node that takes the fast path. Takes the graph mutex again when it ends.
class direct_claim {
public:
    explicit direct_claim(Version& v) : v_(v) { claim(*v.producer); }
    ~direct_claim() {
        std::unique_ptr<Node> done;  // destroyed after the lock is released, maybe with its sources
        std::lock_guard lock(graph_mutex());
        leave_flush();
        unclaim(*v_.producer);
        if (v_.state != version_state::pending) done = take_producer(v_);
    }
    direct_claim(const direct_claim&) = delete;

private:
    Version& v_;
};

/// Runs a product, which needs no kernel.
void run_product(Version& v) {
    const Node& n = *v.producer;
    runtime::trace_span span("library", n.library->name);
    span.detail("elements", n.shape->numel);
    runtime::buffer_ptr result = runtime::make_buffer(v.nbytes());
    const auto input = [&n](std::size_t i) -> op_input {
        const Edge& e = n.sources[i];
        return {static_cast<const char*>(e.value->buffer->data), e.shape.get(), e.dtype};
    };
    const op_input inputs[] = {input(0), input(1)};
    try {
        n.library->run({*n.library, inputs, n.attributes, static_cast<char*>(result->data),
                        *n.shape, n.dtype});
        runtime::count().library_calls.add();
    } catch (const OutOfMemoryError&) {
        throw;
    } catch (const Error&) {
        return fail(v, std::current_exception());
    }
    publish(v, std::move(result));
}

/// Calls `take` with each operand's number, base address and bytes per element; the result is last.
template <class F>
void for_operands(const Node& n, const direct_loops& l, const Buffer& result, F take) {
    for (int o = 0; o < l.loads; ++o) {
        const Edge& e = n.sources[static_cast<std::size_t>(l.source_of[o])];
        if (e.value) {
            const auto item = static_cast<int64_t>(elementSize(e.dtype));
            take(o, static_cast<char*>(e.value->buffer->data) + e.shape->offset * item, item);
        } else {
            take(o, reinterpret_cast<char*>(e.shape->offset), 1);
        }
    }
    take(l.loads, static_cast<char*>(result.data), static_cast<int64_t>(elementSize(n.dtype)));
}

void run_short_row(const Node& n, const direct_work& w, const Buffer& result,
                   const uint64_t* scalars) {
    const direct_loops& l = w.loops;
    kernel_ir::operand_arg row[max_sources + 1];
    for_operands(n, l, result, [&](int o, char* base, int64_t item) {
        row[o] = {base, 0, l.stride(o, 0) * item};
    });
    runtime::launch_short_row(w.kernel->fn, {row, static_cast<std::size_t>(l.loads) + 1}, scalars,
                              l.extents[0]);
}

void run_space(const Node& n, const direct_work& w, const Buffer& result, const uint64_t* scalars) {
    const direct_loops& l = w.loops;
    int64_t strides[max_sources + 1][max_rank];
    runtime::launch_operand space[max_sources + 1];
    for_operands(n, l, result, [&](int o, char* base, int64_t item) {
        for (int d = 0; d < l.rank; ++d) strides[o][d] = l.stride(o, d) * item;
        space[o] = {base, strides[o], item, l.spread(o)};
    });
    runtime::launch_request r;
    r.fn = w.kernel->fn;
    r.runner = w.kernel->blocks.get();
    r.output = l.loads;
    r.flat = l.flat;
    r.cost = w.kernel->cost;
    r.rank = l.rank;
    r.extents = l.extents;
    r.operands = {space, static_cast<std::size_t>(l.loads) + 1};
    r.scalars = {scalars, static_cast<std::size_t>(w.kernel->scalars)};
    runtime::launch(r);
}

void run_kernel(Version& v, direct_work& w) {
    const Node& n = *v.producer;
    const direct_kernel& k = *w.kernel;
    runtime::buffer_ptr result = std::move(w.forgotten);
    if (!result) result = runtime::make_buffer(v.nbytes());
    uint64_t scalars[max_scalars];
    for (std::size_t i = 0; i < static_cast<std::size_t>(k.scalars); ++i)
        scalars[i] = scalar_of(n, k.scalar[i]);
    std::optional<timed_run> timed;
    if (n.shape->numel == k.numel) timed.emplace(*k.timing, k.bytes);
    if (k.runs) k.runs->fetch_add(1, std::memory_order_relaxed);
    if (k.fn && w.loops.rank == 1 && w.loops.extents[0] < runtime::short_row(k.cost))
        run_short_row(n, w, *result, scalars);
    else
        run_space(n, w, *result, scalars);
    if (k.fn) runtime::count().cache_hits.add();
    if (w.fresh)
        publish_first(v, *w.fresh, std::move(result));
    else
        publish(v, std::move(result));
}

/// Runs a product that takes less time than taking the graph mutex twice.
void run_brief_product(Version& v, const direct_work& w) {
    const Node& n = *v.producer;
    runtime::trace_span span("library", n.library->name);
    span.detail("elements", n.shape->numel);
    runtime::buffer_ptr result = runtime::make_buffer(v.nbytes());
    const Edge &a = n.sources[0], &b = n.sources[1];
    const op_input inputs[] = {
        {static_cast<const char*>(a.value->buffer->data), a.shape.get(), a.dtype},
        {static_cast<const char*>(b.value->buffer->data), b.shape.get(), b.dtype}};
    blas::run_brief_product(
        {*n.library, inputs, n.attributes, static_cast<char*>(result->data), *n.shape, n.dtype});
    runtime::count().library_calls.add();
    if (w.fresh)
        publish_first(v, *w.fresh, std::move(result));
    else
        publish(v, std::move(result));
}

bool runs_at_once(const direct_work& w) {
    return w.kernel && w.loops.rank == 1 && may_hold_mutex(w.loops.extents[0], w.kernel->cost);
}

}  // namespace

bool run_fast_path(Version& v, Storage* held, executor how) {
    direct_work w;
    std::unique_ptr<Node> done;  // destroyed after the lock is released, maybe with its sources
    std::unique_lock lock(graph_mutex());
    if (!takes_short_way(v, held, how, w) || !may_enter_flush()) return false;
    runtime::count().plans_replayed.add();
    if (runs_at_once(w)) {
        run_kernel(v, w);
        done = take_producer(v);
        return true;
    }
    if (!w.kernel && is_brief(*v.producer)) {
        run_brief_product(v, w);
        done = take_producer(v);
        return true;
    }
    if (w.kernel && !w.forgotten) {  // of few elements it would cost more than a fresh buffer
        std::lock_guard home(home_lock());
        w.forgotten = dying_buffer(v);
        if (w.forgotten) runtime::count().bytes_donated.add(v.nbytes());
    }
    enter_flush(false);
    const direct_claim claimed(v);
    lock.unlock();
    if (w.kernel)
        run_kernel(v, w);
    else
        run_product(v);
    return true;
}

void learn_fast_path(const Node& n, const executable& e, executor how) {
    const kernel_step* only = e.data.only_kernel();
    direct_loops l;
    if (!only || !make_loops(n, l)) return;
    const kernel_step& k = *only;
    const loaded_kernel& loaded = e.of(k);
    const kernel_ir::kernel_fn fn =
        how == executor::blocks ? nullptr : loaded.fn.load(std::memory_order_acquire);
    const bool blocks = how == executor::blocks || (!fn && loaded.never_compiled);
    if (how == executor::blocks) l.signature |= by_blocks;
    if (blocks) {
        if (!loaded.blocks || loaded.blocks->along() != kernel_ir::lanes::element) return;
    } else if (!fn) {
        return;
    }
    if (k.operands.size() != static_cast<std::size_t>(l.loads) + 1 ||
        k.scalars.size() > max_scalars || k.outputs != std::vector<int>{l.loads} ||
        k.extents.size() != static_cast<std::size_t>(l.rank) || k.flat != l.flat)
        return;
    // The plan's loops must equal those of `make_loops`, operand by operand.
    for (int o = 0; o <= l.loads; ++o)
        for (int d = 0; d < l.rank; ++d)
            if (k.extents[static_cast<std::size_t>(d)] != l.extents[d] ||
                k.operands[static_cast<std::size_t>(o)].strides[static_cast<std::size_t>(d)] !=
                    l.stride(o, d))
                return;
    auto entry = std::make_unique<direct_kernel>();
    entry->code = n.code;
    entry->signature = l.signature;
    entry->fn = fn;
    if (blocks) entry->blocks = loaded.blocks;
    entry->numel = n.shape->numel;
    entry->bytes = k.bytes;
    entry->cost = k.cost;
    entry->timing = loaded.timing;
    entry->runs = e.runs.load(std::memory_order_acquire);
    entry->integer_scalars = has_integer_scalars(k.ir);
    entry->scalars = static_cast<int>(k.scalars.size());
    for (std::size_t s = 0; s < k.scalars.size(); ++s) {
        if (k.scalars[s].index < 0) return;
        entry->scalar[s] = k.scalars[s];
    }
    keep_direct(std::move(entry));
}

}  // namespace sinter::plan
