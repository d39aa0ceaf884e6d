#include "engine/graph/gradient.hpp"

#include "engine/graph/view_map.hpp"
#include "runtime/report/call_site.hpp"

#include <sinter/autograd.hpp>
#include <sinter/grad_mode.hpp>

#include <algorithm>

namespace sinter::inline v1 {

constinit std::atomic<gradient_rules*> known_gradient_rules{nullptr};

namespace {

thread_local bool recording = true;
// Never false again. Saves the lock where no program asks for inference mode.
std::atomic<bool> inference_tensors_exist{false};

}  // namespace

constinit std::atomic<int64_t> companions{0};

void accompany(Version& gradient, intrusive_ptr<Version> value) {
    const std::lock_guard lock(graph_mutex());
    if (gradient.companion) return;
    companions.fetch_add(1, std::memory_order_relaxed);
    gradient.companion = value.detach();
}

void forget_companion(Version& v) {
    companions.fetch_add(-1, std::memory_order_relaxed);
    release(std::exchange(v.companion, nullptr));
}

std::vector<intrusive_ptr<Version>> find_companions(std::span<Version* const> wanted, bool take) {
    std::vector<intrusive_ptr<Version>> found, dropped;
    if (companions.load(std::memory_order_relaxed) == 0) return found;
    const std::lock_guard lock(graph_mutex());
    struct scratch {
        std::vector<Version*> seen;
        ~scratch() {
            for (Version* v : seen) v->index = -1;
        }
    } walk;
    const auto visit = [&](Version* v) {
        if (!v->producer || v->index >= 0 || v->state.load() != version_state::pending) return;
        walk.seen.push_back(v);
        v->index = 0;
    };
    for (Version* v : wanted) visit(v);
    for (std::size_t i = 0; i < walk.seen.size(); ++i) {
        Version& v = *walk.seen[i];
        if (v.companion) {
            found.reserve(found.size() + 1);
            dropped.reserve(dropped.size() + 1);
            const bool use = v.companion->state.load() == version_state::pending &&
                             v.companion->device == v.device && has_owner(*v.companion);
            if (use) found.emplace_back(v.companion);
            if (take) {
                companions.fetch_add(-1, std::memory_order_relaxed);
                dropped.push_back(
                    intrusive_ptr<Version>::adopt(std::exchange(v.companion, nullptr)));
            }
        }
        for (const Edge& e : v.producer->sources)
            if (e.value) visit(e.value.get());
        if (v.producer->partial()) visit(v.producer->base().value.get());
    }
    return found;
}

bool GradMode::is_enabled() { return recording; }
void GradMode::set_enabled(bool enabled) { recording = enabled && !in_inference_mode; }

InferenceMode::InferenceMode(bool enabled)
    : before_(in_inference_mode), recorded_before_(recording) {
    if (enabled) inference_tensors_exist.store(true, std::memory_order_relaxed);
    in_inference_mode = enabled;
    recording = !enabled;
}
InferenceMode::~InferenceMode() {
    in_inference_mode = before_;
    recording = recorded_before_;
}
bool InferenceMode::is_enabled() { return in_inference_mode; }

bool is_inference(const Version& v) {
    if (!inference_tensors_exist.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(home_lock());
    return v.owner && v.owner->inference;
}

namespace autograd {

namespace {

std::atomic<uint64_t> sequence{0};  // shared by all threads, so that their nodes can be ordered
thread_local bool anomalies = false, nan_checked = true;

}  // namespace

bool AnomalyMode::is_enabled() { return anomalies; }
bool AnomalyMode::should_check_nan() { return nan_checked; }
void AnomalyMode::set_enabled(bool on, bool check_nan) {
    anomalies = on;
    nan_checked = check_nan;
}

Node::Node() : sequence_(sequence.fetch_add(1, std::memory_order_relaxed)) {
    if (anomalies) [[unlikely]]
        site_ = std::make_shared<const runtime::call_site>(runtime::current_call_site());
}
std::string Node::line() const {
    return site_ ? runtime::line_of(*static_cast<const runtime::call_site*>(site_.get())) : "";
}
Node::~Node() = default;

std::optional<variable_list> Node::apply_forward(variable_list&&, bool) { return std::nullopt; }

void Node::renumber() { sequence_ = sequence.fetch_add(1, std::memory_order_relaxed); }

Node::hook_lists& Node::hooks() {
    if (!hooks_) hooks_ = std::make_unique<hook_lists>();
    return *hooks_;
}
void Node::add_tensor_pre_hook(uint32_t result, tensor_hook hook) {
    hooks().of_tensors.emplace_back(result, std::make_shared<tensor_hook>(std::move(hook)));
}
void Node::add_pre_hook(pre_hook hook) { hooks().before.push_back(std::move(hook)); }
void Node::add_post_hook(post_hook hook) { hooks().after.push_back(std::move(hook)); }

void retain(const Node* n) { const_cast<Node*>(n)->references.add(); }

// A node's destructor may release the last pointers to others. They are destroyed one after the
// other, so that a long graph takes no stack. Families find the nodes of leaves without counting.
void release(const Node* cn) {
    auto* n = const_cast<Node*>(cn);
    if (!n->references.drop_found()) return;
    thread_local std::vector<Node*>* dying = nullptr;
    if (dying) {
        dying->push_back(n);
        return;
    }
    std::vector<Node*> all{n};
    dying = &all;
    while (!all.empty()) {
        Node* next = all.back();
        all.pop_back();
        delete next;
    }
    dying = nullptr;
}

}  // namespace autograd

void retain(gradient_meta* m) { m->references.add(); }

// Views of views of views are destroyed one after the other.
void release(gradient_meta* m) {
    while (m && m->references.drop()) {
        if (!m->is_view) {
            delete static_cast<gradient_family*>(m);
            return;
        }
        auto* v = static_cast<gradient_view*>(m);
        m = v->parent.detach();
        delete v;
    }
}

intrusive_ptr<gradient_family> family_pointer(const TensorImpl& t) {
    gradient_meta* m = t.gradient.get();
    if (!m) return {};
    return m->is_view ? static_cast<gradient_view*>(m)->family
                      : intrusive_ptr<gradient_family>(static_cast<gradient_family*>(m));
}

gradient_family* family_of(const TensorImpl& t) {
    gradient_meta* m = t.gradient.get();
    gradient_family* f = !m           ? nullptr
                         : m->is_view ? static_cast<gradient_view*>(m)->family.get()
                                      : static_cast<gradient_family*>(m);
    return f ? f : t.storage->family.load(std::memory_order_acquire);
}

namespace {

/// Returns the dtype of the tensor that a view was taken of first. The storage alone does not tell:
/// complex numbers may be stored as their parts.
ScalarType root_dtype(const TensorImpl& t) {
    if (!t.base) return t.dtype;
    if (const gradient_view* first = view_of(t)) {
        while (first->parent) first = first->parent.get();
        return first->of_dtype;
    }
    if (const gradient_family* f = family_of(t)) return f->dtype;
    const ScalarType stored = t.storage->current->dtype;
    for (const ScalarType d : {stored, t.dtype, toComplexType(t.dtype), toRealValueType(t.dtype)})
        if (elementSize(d) > 0 && t.base->numel == elements_in(*t.storage, d)) return d;
    return stored;
}

intrusive_ptr<gradient_family> family_for(const TensorImpl& t) {
    auto f = make_intrusive<gradient_family>();
    f->shape = t.base ? t.base : t.shape;
    f->dtype = root_dtype(t);
    f->device = t.device;
    return f;
}

}  // namespace

gradient_family& start_family(TensorImpl& t) {
    t.base = {};
    auto f = family_for(t);
    t.gradient = f;
    return *f;
}

void leave_family(TensorImpl& t) {
    start_family(t);
    gradient_family* shared = t.storage->family.load(std::memory_order_acquire);
    if (!shared || t.storage->references.load() > 1) return;
    autograd::Edge dropped;  // destroyed without the lock
    const std::lock_guard lock(shared->lock);
    dropped = std::exchange(shared->origin, {});
}

gradient_family& differentiated_family(const TensorImpl& t) {
    gradient_family* f = family_of(t);
    if (!f) {
        intrusive_ptr<gradient_family> fresh = family_for(t);
        if (t.storage->family.compare_exchange_strong(f, fresh.get(), std::memory_order_acq_rel))
            f = fresh.detach();
    }
    t.storage->differentiated.store(true, std::memory_order_release);
    return *f;
}

namespace {

autograd::Edge edge_of_family(gradient_family& f) {
    {
        const std::lock_guard lock(f.lock);
        if (f.origin.is_valid()) return f.origin;
        if (!f.requires_grad) return {};
        if (f.accumulator && f.accumulator->references.add_if_any())
            return {intrusive_ptr<autograd::Node>::adopt(f.accumulator), 0};
    }
    intrusive_ptr<autograd::Node> fresh = rules_of_gradients().of_leaf(f);
    const std::lock_guard lock(f.lock);
    if (f.accumulator && f.accumulator->references.add_if_any())
        return {intrusive_ptr<autograd::Node>::adopt(f.accumulator), 0};
    f.accumulator = fresh.get();
    return {std::move(fresh), 0};
}

/// Returns how the gradient of a view that was made before its family reaches the family's tensor.
/// `root`: the dtype of that tensor.
intrusive_ptr<gradient_view> view_by_storage(const TensorImpl& t, ScalarType root) {
    auto v = make_intrusive<gradient_view>();
    v->family = family_pointer(t);
    v->of = t.base;
    v->of_dtype = root;
    v->storage_elements = elements_in(*t.storage, root);
    v->shape = t.shape;
    v->dtype = t.dtype;
    return v;
}

/// A layout in units of real numbers: a complex number is a last dimension of 2.
geometry_ptr in_reals(const geometry& g, bool complex) {
    if (!complex) return make_geometry(g.sizes_ref(), g.strides_ref(), g.offset);
    std::vector<int64_t> sizes = g.sizes_ref().vec(), strides = g.strides_ref().vec();
    for (int64_t& s : strides) s *= 2;
    sizes.push_back(2);
    strides.push_back(1);
    return make_geometry(sizes, strides, g.offset * 2);
}

/// map_of_view for elements of one dtype, or of a complex one and its parts.
geometry_ptr map_of(const geometry& source, ScalarType source_dtype, const geometry& view,
                    ScalarType dtype) {
    if (source_dtype == dtype) return map_of_view(source, view);
    if (toRealValueType(source_dtype) != toRealValueType(dtype)) return {};
    const bool complex = isComplexType(dtype);
    const geometry_ptr map =
        map_of_view(*in_reals(source, isComplexType(source_dtype)), *in_reals(view, complex));
    if (!map || !complex) return map;
    std::vector<int64_t> sizes = map->sizes_ref().vec(), strides = map->strides_ref().vec();
    bool even = strides.back() == 1 && map->offset % 2 == 0;
    sizes.pop_back();
    strides.pop_back();
    for (int64_t& s : strides) {
        even = even && s % 2 == 0;
        s /= 2;
    }
    return even ? make_geometry(sizes, strides, map->offset / 2) : geometry_ptr();
}

}  // namespace

void trace_view(TensorImpl& view, const TensorImpl& of) {
    const ScalarType root = root_dtype(of);
    if (of.base && !view_of(of)) const_cast<TensorImpl&>(of).gradient = view_by_storage(of, root);
    auto v = view_by_storage(view, root);
    v->without_gradient = !recording;
    v->dtype = view.dtype;
    // A view of an expanded tensor is traced to what that is a view of.
    const geometry* shape = of.shape.get();
    ScalarType dtype = of.dtype;
    intrusive_ptr<gradient_view> at(view_of(of));
    for (;;) {
        if (geometry_ptr map = map_of(*shape, dtype, *view.shape, view.dtype)) {
            v->parent = at;
            v->of = geometry_ptr(shape);
            v->of_dtype = dtype;
            v->map = std::move(map);
            break;
        }
        if (!at) break;
        shape = at->parent ? at->parent->shape.get() : view.base.get();
        dtype = at->parent ? at->parent->dtype : root;
        at = at->parent;
    }
    view.gradient = std::move(v);
}

autograd::Edge gradient_edge(const TensorImpl& t) {
    gradient_family* f = family_of(t);
    if (!f || !is_differentiable(t.dtype)) return {};
    const autograd::Edge origin = edge_of_family(*f);
    if (!origin.is_valid() || !t.base) return origin;
    if (!view_of(t)) const_cast<TensorImpl&>(t).gradient = view_by_storage(t, root_dtype(t));
    std::vector<gradient_view*> chain;
    for (gradient_view* v = view_of(t); v; v = v->parent.get()) {
        if (v->without_gradient) return {};
        chain.push_back(v);
    }
    autograd::Edge at = origin;
    for (std::size_t i = chain.size(); i-- > 0;) {
        gradient_view& v = *chain[i];
        {
            const std::lock_guard lock(v.lock);
            if (v.node.is_valid() && v.origin == origin) {
                at = v.node;
                continue;
            }
        }
        autograd::Edge node{rules_of_gradients().of_view(v, *f, at), 0};
        autograd::Edge old_node, old_origin;  // destroyed after the lock is released
        const std::lock_guard lock(v.lock);
        old_node = std::exchange(v.node, node);
        old_origin = std::exchange(v.origin, origin);
        at = std::move(node);
    }
    return at;
}

leaf captured_with_gradient(const TensorImpl& t) {
    const Storage& s = *t.storage;
    leaf l{t.shape, share(s.current.get()), s.external, t.dtype};
    if (!recording) return l;
    autograd::Edge e = gradient_edge(t);
    l.gradient = std::move(e.function);
    l.result = e.input_nr;
    return l;
}

void describe_result(autograd::Node& node, const geometry_ptr& shape, ScalarType dtype,
                     runtime::device_index device) {
    node.results_.push_back({shape, dtype, device});
}

void set_origin(const TensorImpl& t, intrusive_ptr<autograd::Node> node, uint32_t result) {
    gradient_family& f = differentiated_family(t);
    autograd::Edge before;  // destroyed after the lock is released
    const std::lock_guard lock(f.lock);
    before = std::exchange(f.origin, autograd::Edge{std::move(node), result});
}

}  // namespace sinter::inline v1
