// Lifetimes and links of the graph, and its tensors.
#include "engine/graph/graph.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/graph/lines.hpp"
#include "engine/graph/orphans.hpp"
#include "engine/graph/pending.hpp"
#include "engine/watch/watch.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::inline v1 {

[[gnu::tls_model("initial-exec")]] constinit thread_local bool in_backward_pass = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool in_inference_mode = false;

runtime::waiting_lock& graph_mutex() {
    static constinit runtime::waiting_lock lock;
    return lock;
}

runtime::device_index& creation_device() {
    [[gnu::tls_model("initial-exec")]] static constinit thread_local runtime::device_index place =
        runtime::main_memory;
    return place;
}

// ---- links; the graph mutex is held
namespace {

int64_t kept_bytes = 0;                 // limited by pending_limits::bytes
std::atomic<int64_t> partial_nodes{0};  // changed under the mutex

[[gnu::always_inline]] inline void link(Edge& e, Node* reader) {
    e.reader = reader;
    Version* v = e.value.get();
    if (!v) return;
    if (v->state.load(std::memory_order_relaxed) == version_state::pending) {
        if (v->producer) reader->depth = std::max(reader->depth, v->producer->depth + 1);
    } else if (!v->kept) {
        v->kept = true;
        kept_bytes += static_cast<int64_t>(v->nbytes());
    }
    e.previous = nullptr;
    e.next = v->readers;
    if (v->readers) v->readers->previous = &e;
    v->readers = &e;
}

[[gnu::always_inline]] inline void unlink(Edge& e) {
    Version* v = e.value.get();
    if (!v || !e.reader) return;
    if (e.previous)
        e.previous->next = e.next;
    else
        v->readers = e.next;
    if (e.next) e.next->previous = e.previous;
    e.reader = nullptr;
    if (v->kept && !v->readers) {
        v->kept = false;
        kept_bytes -= static_cast<int64_t>(v->nbytes());
        if (v->orphan) remove_orphan(*v);
    }
}

/// See pending_on_gpus(). Leaked, as tensors may die after main.
using pending_set = std::unordered_set<Version*>;
pending_set& waiting() {
    static auto& all = *new pending_set;
    return all;
}
/// Empty nodes of the set, reused for the next entries.
std::vector<pending_set::node_type>& spare_nodes() {
    static auto& all = *new std::vector<pending_set::node_type>;
    return all;
}

// Out of line: few nodes are on a GPU, and inlining would make every call save registers.
[[gnu::noinline]] void note_pending(const Node& n) {
    std::vector<pending_set::node_type>& spare = spare_nodes();
    if (spare.empty()) {
        waiting().insert(n.result);
        return;
    }
    spare.back().value() = n.result;
    waiting().insert(std::move(spare.back()));
    spare.pop_back();
}

[[gnu::noinline]] void forget_pending(const Node& n) {
    constexpr std::size_t most = 1024;
    pending_set::node_type node = waiting().extract(n.result);
    if (node && spare_nodes().size() < most) spare_nodes().push_back(std::move(node));
}

/// Takes a node out of the graph: removes its claim and its links.
void detach(Node& n) {
    unclaim(n);
    if (keeps_lines()) forget_line(n);
    if (n.device != runtime::main_memory) forget_pending(n);
    for (Edge& e : n.sources) unlink(e);
    if (!n.partial()) return;
    unlink(n.base());
    partial_nodes.store(partial_nodes.load(std::memory_order_relaxed) - 1,
                        std::memory_order_relaxed);
}

/// Versions released on this thread that wait for destruction. The list avoids recursion along
/// chains of a hundred thousand pending operations. Plain pointers, because tensors in static
/// storage are destroyed after thread-local objects.
[[gnu::tls_model("initial-exec")]] constinit thread_local Version* dead = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool draining = false;

void drain() {
    draining = true;
    while (Version* v = dead) {
        dead = v->next_of_kind;
        if (Node* n = v->producer) {
            {
                std::lock_guard lock(graph_mutex());
                detach(*n);
                runtime::nodes_pending.add(-1);
            }
            delete n;  // releases its sources, which may add to `dead`
        }
        delete v;
    }
    draining = false;
}

/// Drops a reference and returns true if it was the last one.
[[gnu::always_inline]] inline bool drop(Version& v) {
    // Other threads can find a version only through its home storage or its producer.
    if (v.references.load() == 1 && !v.home && !v.producer) return true;
    return v.references.drop_found();
}

/// Destroys a version without references.
void bury(Version* v) {
    if (!v->producer) {
        delete v;
        return;
    }
    v->next_of_kind = dead;
    dead = v;
    if (!draining) drain();
}

}  // namespace

void retain(const Version* v) { const_cast<Version*>(v)->references.add(); }

void release(const Version* cv) {
    auto* v = const_cast<Version*>(cv);
    if (drop(*v)) bury(v);
}

std::unique_ptr<Node> take_producer(Version& v) {
    std::unique_ptr<Node> n(v.producer);
    v.producer = nullptr;
    detach(*n);
    runtime::nodes_pending.add(-1);
    return n;
}

const std::unordered_set<Version*>& pending_on_gpus() { return waiting(); }

int64_t partial_writes_pending() { return partial_nodes.load(std::memory_order_relaxed); }

void drop_producer(Version& v) {
    std::unique_ptr<Node> n;  // destroyed after the lock is released, maybe with its sources
    std::lock_guard lock(graph_mutex());
    n = take_producer(v);
}

pending_limits& pending_bounds() {
    static constinit std::atomic<pending_limits*> made{nullptr};
    return runtime::made_once(made, [] {
        const runtime::settings& s = runtime::environment();
        return new pending_limits{s.max_pending, s.max_pending_mb << 20, 65536};
    });
}

runtime::spin_lock& home_lock() {
    static constinit runtime::spin_lock lock;
    return lock;
}

Version::~Version() {
    if (companion) forget_companion(*this);
    if (!home) return;  // without references it cannot get one any more
    std::lock_guard lock(home_lock());
    if (Storage* s = home) s->resident = nullptr;
}
void retain(Storage* s) { s->references.add(); }

bool has_owner(const Version& v) {
    const std::lock_guard lock(home_lock());
    return v.owner != nullptr;
}

namespace {

/// Returns true, after cutting the links, if no other thread can reach a storage that has a single
/// reference left.
bool is_hidden(Storage& s) {
    Version* v = s.current.get();  // no other thread changes it
    if (!v || v->state.load(std::memory_order_acquire) != version_state::ready) return false;
    // Only the flush that computes a value accesses the storage, and it does so before it publishes
    // the value. Other holders of the value may give its bytes another home.
    const Storage* home = v->home;
    if (v->references.load() != 1 || v->producer || (home && home != &s) ||
        (s.resident && s.resident != v))
        return false;
    v->owner = nullptr;
    v->home = nullptr;
    // Both references to the bytes are the storage's and its version's, so no atomic is needed.
    if (s.main && s.main == v->buffer && s.main->references.load() == 2)
        s.main.detach()->references.begin();
    return true;
}

}  // namespace

void release(Storage* s) {
    if (s->references.load() > 1 && !s->references.drop_found()) return;
    if (!is_hidden(*s)) {
        {
            std::lock_guard lock(home_lock());  // nothing looks the storage up while it is held
            if (s->references.load() > 1 && !s->references.drop_found()) return;
            if (s->current) s->current->owner = nullptr;
            if (s->resident) s->resident->home = nullptr;
        }
        if (s->current) lose_owner(*s->current);
    }
    if (s->differentiated.load(std::memory_order_relaxed)) [[unlikely]]
        if (gradient_family* f = s->family.exchange(nullptr)) release(f);
    delete s;
}
void retain(TensorImpl* t) { t->references.add(); }
void release(TensorImpl* t) {
    if (t->references.drop()) delete t;
}

// ---- the memory of nodes
namespace {

// The pool blocks into which most nodes fit.
static_assert(sizeof(Node) + 2 * sizeof(Edge) <= 192 && sizeof(Node) + 3 * sizeof(Edge) <= 256);
static_assert(alignof(Node) == alignof(Edge) && alignof(Edge) == alignof(Scalar));

std::size_t block_bytes(std::size_t edges, std::size_t scalars) {
    return sizeof(Node) + edges * sizeof(Edge) + scalars * sizeof(Scalar);
}

}  // namespace

std::unique_ptr<Node> Node::bare(std::size_t sources, std::size_t scalars, bool base) {
    const std::size_t all = sources + (base ? 1 : 0);
    auto* n = ::new (runtime::allocate_uncounted(block_bytes(all, scalars))) Node(base);
    auto* edges = reinterpret_cast<Edge*>(n + 1);
    auto* numbers = reinterpret_cast<Scalar*>(edges + all);
    for (std::size_t i = 0; i < scalars; ++i) ::new (numbers + i) Scalar;
    n->sources = {edges, sources};
    n->scalars = {numbers, scalars};
    return std::unique_ptr<Node>(n);
}

void Node::operator delete(Node* n, std::destroying_delete_t) noexcept {
    const std::span edges(n->sources.data(), n->sources.size() + (n->partial() ? 1 : 0));
    const std::size_t bytes = block_bytes(edges.size(), n->scalars.size());
    if (n->kind == node_kind::library && n->attributes) release(n->attributes);
    if (!n->result && n->gradient) release(n->gradient);
    static_assert(std::is_trivially_destructible_v<Scalar>);
    for (Edge& e : edges) {
        // Most versions outlive the edge; this path needs no call for them.
        if (Version* v = e.value.detach(); v && drop(*v)) bury(v);
        std::destroy_at(&e);
    }
    n->~Node();
    runtime::release_uncounted(n, bytes);
}

// ---- tensors
namespace {

/// Makes `v` the pending result of `node`.
record_outcome attach(Version& v, std::unique_ptr<Node> node) {
    const pending_limits& most = pending_bounds();
    if (watching) [[unlikely]]
        watching->made.push_back(share(&v));
    std::lock_guard lock(graph_mutex());
    if (keeps_lines()) keep_line(*node);
    static uint64_t sequence = 0;
    Node* n = node.release();
    n->sequence = sequence++;
    bool external = false;
    for (Edge& e : n->sources) {
        link(e, n);
        external |= e.value && e.value->external.load(std::memory_order_relaxed);
    }
    if (n->partial()) {
        link(n->base(), n);
        partial_nodes.store(partial_nodes.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
    }
    n->result = &v;
    v.producer = n;
    if (n->device != runtime::main_memory) note_pending(*n);
    v.planned = n->kind == node_kind::reduce || n->partial();
    runtime::nodes_pending.add(1);
    // A recorded function runs at the end of its call: it writes to no memory of the outside.
    if (external && watching) {
        watching->reads_external = true;
        external = false;
    }
    return {external,
            runtime::nodes_pending.get() >= most.nodes || kept_bytes >= most.bytes ||
                n->depth >= most.depth,
            orphans_crowd()};
}

intrusive_ptr<TensorImpl> new_tensor(intrusive_ptr<Version> v, geometry_ptr shape) {
    auto s = make_intrusive<Storage>();
    v->owner = s.get();
    if (v->buffer) {
        s->main = v->buffer;
        s->resident = v.get();
        v->home = s.get();
    }
    auto t = make_intrusive<TensorImpl>();
    t->dtype = v->dtype;
    t->device = v->device;
    if (watching) [[unlikely]] {
        watching->storages.insert(s.get());
        if (!v->producer) watching->given.push_back(v);
    }
    s->current = std::move(v);
    t->storage = std::move(s);
    t->shape = std::move(shape);
    return t;
}

}  // namespace

void require_writable(const char* op, const Storage& s) {
    if (!s.read_only && !s.inference) [[likely]]
        return;
    if (s.read_only) runtime::refuse_read_only(op);
    if (!in_inference_mode)
        runtime::fail(op, "Inplace update to inference tensor outside InferenceMode is not allowed",
                      "a tensor that was made in inference mode", "an ordinary tensor",
                      "clone() first");
}

intrusive_ptr<Version> new_version(ScalarType dtype, int64_t numel, runtime::device_index device) {
    auto v = make_intrusive<Version>();
    v->dtype = dtype;
    v->device = device;
    v->numel = numel;
    return v;
}

namespace {

/// Takes the gradient node out of a node whose value, seen through `shape`, `v` will be.
[[gnu::noinline]] intrusive_ptr<recorded_gradient> take_gradient(Node& n,
                                                                 const intrusive_ptr<Version>& v,
                                                                 const geometry_ptr& shape) {
    auto g = intrusive_ptr<recorded_gradient>::adopt(std::exchange(n.gradient, nullptr));
    g->set_result(leaf{.shape = shape, .value = v, .dtype = n.dtype});
    return g;
}

[[gnu::noinline]] intrusive_ptr<TensorImpl> record_with_gradient(std::unique_ptr<Node> node,
                                                                 geometry_ptr shape,
                                                                 record_outcome& is) {
    intrusive_ptr<Version> owned = new_version(node->dtype, node->shape->numel, node->device);
    Version& v = *owned;
    intrusive_ptr<recorded_gradient> gradient = take_gradient(*node, owned, shape);
    is = attach(v, std::move(node));
    intrusive_ptr<TensorImpl> t = new_tensor(std::move(owned), std::move(shape));
    describe_result(*gradient, t->shape, t->dtype, t->device);
    set_origin(*t, std::move(gradient), 0);
    return t;
}

}  // namespace

intrusive_ptr<TensorImpl> record(std::unique_ptr<Node> node, geometry_ptr shape,
                                 record_outcome& is) {
    if (node->gradient) [[unlikely]]
        return record_with_gradient(std::move(node), std::move(shape), is);
    intrusive_ptr<Version> owned = new_version(node->dtype, node->shape->numel, node->device);
    Version& v = *owned;
    is = attach(v, std::move(node));
    return new_tensor(std::move(owned), std::move(shape));
}

intrusive_ptr<TensorImpl> make_ready(intrusive_ptr<Buffer> buffer, ScalarType dtype,
                                     geometry_ptr shape) {
    const std::size_t item = elementSize(dtype);
    intrusive_ptr<Version> v =
        new_version(dtype, static_cast<int64_t>(buffer->bytes / item), buffer->device);
    v->buffer = std::move(buffer);
    v->state = version_state::ready;
    intrusive_ptr<TensorImpl> t = new_tensor(std::move(v), std::move(shape));
    t->storage->read_only = t->storage->main->read_only;
    // The caller asked for pinned memory: later results must stay in it.
    t->storage->address_known =
        t->storage->read_only || t->storage->main->owner == runtime::memory_owner::pinned;
    if (t->storage->main->external) make_external(*t->storage);
    return t;
}

intrusive_ptr<TensorImpl> make_unwritten(ScalarType dtype, geometry_ptr shape,
                                         runtime::device_index device) {
    intrusive_ptr<Version> v = new_version(dtype, shape->numel, device);
    v->state = version_state::ready;
    v->unwritten = true;
    return new_tensor(std::move(v), std::move(shape));
}

intrusive_ptr<TensorImpl> make_view(const TensorImpl& of, geometry_ptr shape) {
    return make_view(of, std::move(shape), of.dtype);
}

intrusive_ptr<TensorImpl> make_view(const TensorImpl& of, geometry_ptr shape, ScalarType dtype) {
    auto t = make_intrusive<TensorImpl>();
    t->storage = of.storage;
    t->shape = std::move(shape);
    t->dtype = dtype;
    t->device = of.device;
    t->gradient = family_pointer(of);
    t->base = of.base ? of.base : of.shape;
    if (of.storage->differentiated.load(std::memory_order_relaxed)) [[unlikely]]
        trace_view(*t, of);
    return t;
}

void replace_newest(Storage& s, intrusive_ptr<Version> v) {
    const intrusive_ptr<Version> old = s.current;
    const bool pinned = v->buffer->owner == runtime::memory_owner::pinned;
    v->external = s.external.load();
    std::lock_guard lock(home_lock());
    old->owner = nullptr;
    v->owner = &s;
    if (s.resident) s.resident->home = nullptr;  // keeps its old buffer
    s.main = v->buffer;
    s.resident = v.get();
    v->home = &s;
    s.current = std::move(v);
    s.address_known = s.external.load() || pinned;
}

namespace {

/// Returns a ready version with a copy of the bytes.
intrusive_ptr<Version> copy_of(const Version& v) {
    intrusive_ptr<Version> copy = new_version(v.dtype, v.numel, v.device);
    copy->buffer = runtime::make_buffer(v.nbytes(), v.device);
    runtime::copy_bytes(*copy->buffer, *v.buffer, v.nbytes());
    copy->checks = v.checks;
    copy->state = version_state::ready;
    return copy;
}

}  // namespace

void make_external(Storage& s) {
    note_effect("hands out a pointer");
    Version& v = *s.current;
    // The pending readers have run, so any other reference is an expression that captured it.
    const bool captured = !v.external.load(std::memory_order_relaxed) && v.references.load() > 1;
    intrusive_ptr<Version> copy = captured ? copy_of(v) : intrusive_ptr<Version>();
    std::lock_guard lock(home_lock());
    if (!v.external.load(std::memory_order_relaxed)) v.before_external = std::move(copy);
    v.external.store(true, std::memory_order_release);
    s.address_known.store(true, std::memory_order_relaxed);
    s.external.store(true, std::memory_order_relaxed);
}

namespace {

/// Changes the layout of a node's result. The sizes stay the same.
void lay_out(Node& n, geometry_ptr shape) {
    n.plain = n.plain && n.shape == shape;
    n.shape = std::move(shape);
}

/// Returns the base of a partial write. If the last write is pending, of the same part, and only
/// `node` reads its value, and only that part, this is that write's base, and `node` reads its
/// source: a chain such as `part += a; part *= b` becomes one write.
intrusive_ptr<Version> join_last_write(const Storage& s, const TensorImpl& target, Node& node) {
    intrusive_ptr<Version> last = s.current;
    if (last->state.load(std::memory_order_acquire) != version_state::pending) return last;
    std::lock_guard lock(graph_mutex());
    const Node* n = last->producer;
    const auto same_part = [n](const geometry& g, ScalarType dtype) {
        const geometry& w = *n->shape;
        return dtype == n->dtype && w.offset == g.offset && w.sizes_ref() == g.sizes_ref() &&
               w.strides_ref() == g.strides_ref();
    };
    if (!n || n->claimed || !n->partial() || !same_part(*target.shape, target.dtype)) return last;
    const Edge& source = n->sources[0];
    uint32_t reads = 0;
    for (const Edge& e : node.sources)
        reads += e.value == last && e.dtype == source.dtype && same_part(*e.shape, e.dtype);
    if (last->references.load() != 2 + reads) return last;
    for (Edge& e : node.sources) {
        if (e.value != last) continue;
        e.shape = source.shape;
        e.value = source.value;  // `last` lives on in the storage
    }
    node.plain = false;
    return n->base().value;
}

}  // namespace

recorded_write record_write(const TensorImpl& target, std::unique_ptr<Node> node) {
    Storage& s = *target.storage;
    const bool whole = target.dtype == s.current->dtype && covers(*target.shape, s.current->numel);
    if (watching && !watching->storages.contains(&s)) [[unlikely]] {
        if (whole && may_be_replaced(s) && !node->gradient)
            watching->writes.push_back({intrusive_ptr<Storage>(&s), s.current});
        else
            watching->note(
                "writes to a part of a tensor that it did not make, or to one whose "
                "address or gradient others know");
    }
    intrusive_ptr<Version> v = new_version(s.current->dtype, s.current->numel, s.current->device);
    v->external = s.external.load();
    record_outcome is{};
    intrusive_ptr<recorded_gradient> gradient;
    if (whole) {
        lay_out(*node, target.shape);
        if (node->gradient) gradient = take_gradient(*node, v, node->shape);
        is = attach(*v, std::move(node));
    } else {
        intrusive_ptr<Version> base = join_last_write(s, target, *node);
        // Two nodes: one computes the value, one writes it to its place.
        intrusive_ptr<Version> part = new_version(node->dtype, node->shape->numel, node->device);
        geometry_ptr part_shape = node->shape;
        if (node->gradient) gradient = take_gradient(*node, part, part_shape);
        is = attach(*part, std::move(node));
        const leaf from{.shape = part_shape, .value = part};
        auto place = place_node(from, target.dtype, target.shape, std::move(base));
        const record_outcome of_write = attach(*v, std::move(place));
        is.due = of_write.due;
        is.crowded = of_write.crowded;
    }
    is.external = is.external || s.external;
    if (gradient) {
        describe_result(*gradient, target.shape, target.dtype, target.device);
        gradient->writes_over(*s.current);
    }
    recorded_write w{v, s.current, is, std::move(gradient)};
    make_newest(s, v);
    ++s.version;
    return w;
}

void make_newest(Storage& s, const intrusive_ptr<Version>& v) {
    const intrusive_ptr<Version> old = s.current;
    std::lock_guard lock(home_lock());
    old->owner = nullptr;
    old->overwritten = true;
    v->owner = &s;
    v->overwritten = false;
    s.current = v;
}

void take_back(Storage& s, const recorded_write& w) {
    make_newest(s, w.before);
    --s.version;
}

int64_t elements_in(const Storage& s, ScalarType dtype) {
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a dtype
    return static_cast<int64_t>(s.current->nbytes() / elementSize(dtype));
}

bool may_overlap(const TensorImpl& a, const TensorImpl& b) {
    if (a.storage.get() != b.storage.get()) return false;
    if (a.dtype == b.dtype) return may_overlap(*a.shape, *b.shape);
    return may_overlap(*byte_geometry(*a.shape, a.dtype), *byte_geometry(*b.shape, b.dtype));
}

}  // namespace sinter::inline v1
