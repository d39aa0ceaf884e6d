#include "engine/frames/replayable.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/pending.hpp"
#include "engine/run/execute.hpp"
#include "engine/run/flush.hpp"
#include "engine/run/lower.hpp"
#include "engine/run/plan_cache.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/core/tensor_fwd.hpp>
#include <sinter/error.hpp>

#include <mutex>
#include <utility>

namespace sinter::frames {

namespace {

using versions = runtime::arena_vector<intrusive_ptr<Version>>;

std::unique_ptr<Node> node_of(const recorded_node& r) {
    std::unique_ptr<Node> n = Node::bare(r.sources.size(), r.scalars.size(), false);
    for (std::size_t i = 0; i < r.sources.size(); ++i)
        ::new (&n->sources[i])
            Edge{.value = {}, .shape = r.sources[i].shape, .dtype = r.sources[i].dtype};
    std::copy(r.scalars.begin(), r.scalars.end(), n->scalars.begin());
    n->kind = r.kind;
    n->dtype = r.dtype;
    n->shape = r.shape;
    n->backward = r.backward;
    n->plain = r.plain;
    switch (r.kind) {
        case node_kind::pointwise: n->code = r.code; break;
        case node_kind::reduce:
            n->reduced = r.reduced;
            n->correction = r.correction;
            n->reduction = r.reduction;
            n->in = r.in;
            break;
        case node_kind::library:
            n->library = r.library;
            n->attributes = attributes_ptr(r.attributes).detach();
    }
    return n;
}

}  // namespace

/// The nodes of a recording, in no graph. A call binds them to its own versions, so each call that
/// runs has a frame of its own.
class replayable::frame {
public:
    explicit frame(const recording& r) {
        for (const recorded_node& n : r.nodes) {
            nodes_.push_back(node_of(n));
            nodes_.back()->device = r.device;
        }
    }

    /// Binds the nodes. `results`: of nodes, null for those that only other nodes read, which get
    /// versions of their own. `w` refers to the frame until `release`.
    void bind(const recording& r, std::span<const intrusive_ptr<Version>> leaves,
              std::span<const intrusive_ptr<Version>> results, plan::subgraph& w) {
        w.device = r.device;
        const std::size_t n = nodes_.size();
        w.values.reserve(n + leaves.size());
        w.saved.assign(n, 0);
        w.kept.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            intrusive_ptr<Version> v = results[i];
            if (!v) v = new_version(nodes_[i]->dtype, nodes_[i]->shape->numel, r.device);
            v->producer = nodes_[i].get();
            nodes_[i]->result = v.get();
            w.nodes.push_back(nodes_[i].get());
            w.values.push_back(v.get());
            w.wanted.push_back(r.nodes[i].wanted ? 1 : 0);
            made_.push_back(std::move(v));
        }
        for (const auto& v : leaves) w.values.push_back(v.get());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t s = 0; s < nodes_[i]->sources.size(); ++s) {
                Edge& e = nodes_[i]->sources[s];
                e.number = r.nodes[i].sources[s].value;
                if (e.number >= 0) e.value = share(w.values[static_cast<std::size_t>(e.number)]);
            }
        made_.clear();  // now readers and storages hold them, as the plan expects
        w.find_offsets();
    }

    void release() noexcept {
        for (const auto& n : nodes_) {
            if (n->result && n->result->producer) n->result->producer = nullptr;
            n->result = nullptr;
            n->gradient = nullptr;
            n->marked = false;
        }
        for (const auto& n : nodes_)
            for (Edge& e : n->sources) e.value.reset();
    }

    std::span<const std::unique_ptr<Node>> nodes() const { return nodes_; }

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<intrusive_ptr<Version>> made_;
};

namespace {

/// New values of tensors that were there before. They are the newest ones from `begin` on, so that
/// others wait for them; unless they are kept, the values before come back.
class new_values {
public:
    /// Returns false if one of the tensors may not be written in this way.
    bool make(const recording& r, std::span<TensorImpl* const> arguments,
              std::span<intrusive_ptr<Version>> made) {
        for (const recorded_target& t : r.targets) {
            Storage* s = storage_of(t, arguments);
            const Version& now = *s->current;
            if (!may_be_replaced(*s) || now.dtype != t.dtype || now.numel != t.numel) return false;
            all_.push_back({intrusive_ptr<Storage>(s), s->current,
                            new_version(t.dtype, t.numel, now.device), t.writes});
            made[static_cast<std::size_t>(t.node)] = all_.back().value;
        }
        return true;
    }
    /// Under the graph mutex, once what computes the values is claimed.
    void begin() {
        for (const one& n : all_) make_newest(*n.to, n.value);
        begun_ = true;
    }
    /// Under the graph mutex, when the claims end: no value stays pending.
    void end() {
        if (begun_ && !ready()) take_back();
    }
    bool ready() const {
        for (const one& n : all_)
            if (n.value->state.load(std::memory_order_acquire) != version_state::ready)
                return false;
        return true;
    }
    void keep() {
        for (const one& n : all_) n.to->version += n.writes;
        begun_ = false;
    }
    new_values() = default;
    ~new_values() {
        if (begun_) take_back();
    }
    new_values(const new_values&) = delete;

private:
    void take_back() {
        for (const one& n : all_) make_newest(*n.to, n.before);
        begun_ = false;
    }

    struct one {
        intrusive_ptr<Storage> to;
        intrusive_ptr<Version> before, value;
        uint64_t writes;
    };
    runtime::arena_vector<one> all_;
    bool begun_ = false;
};

/// The claims on the nodes of a frame: what they read is not overwritten meanwhile.
class frame_claims {
public:
    frame_claims(std::span<const std::unique_ptr<Node>> nodes, new_values& written)
        : nodes_(nodes), written_(written) {
        const auto free = [&] {
            for (const auto& n : nodes_)
                if (!claimable(*n)) return false;
            return enter_flush(false);
        };
        std::unique_lock lock(graph_mutex());
        while (!free()) wait_for_claims(lock);
        for (const auto& n : nodes_) claim(*n);
        written.begin();
    }
    ~frame_claims() {
        const std::lock_guard lock(graph_mutex());
        leave_flush();
        for (const auto& n : nodes_) {
            unclaim(*n);
            n->result->producer = nullptr;
        }
        written_.end();
    }
    frame_claims(const frame_claims&) = delete;

private:
    std::span<const std::unique_ptr<Node>> nodes_;
    new_values& written_;
};

/// Returns the newest values that a recording reads, computed. `stale` if a captured tensor has
/// changed its kind, or only the recording still holds it.
outcome find_leaves(const recording& r, std::span<TensorImpl* const> arguments, versions& leaves) {
    bool pending = false;
    for (const recorded_leaf& l : r.leaves) {
        const Storage* s = storage_of(l, arguments);
        leaves.push_back(s ? share(s->current.get()) : l.constant);
        const Version& v = *leaves.back();
        if (l.captured && l.captured->references.load() == 1) return outcome::stale;
        if (v.dtype != l.dtype || (l.captured && v.numel != l.numel)) return outcome::stale;
        if (v.device != r.device && !r.nodes.empty()) return outcome::stale;
        pending = pending || v.state.load(std::memory_order_acquire) != version_state::ready;
    }
    if (!pending) return outcome::done;
    runtime::arena_vector<Version*> wanted;
    for (const auto& v : leaves) wanted.push_back(v.get());
    flush(wanted, static_cast<int>(flush_reason::other));  // throws if one has failed
    return outcome::done;
}

intrusive_ptr<Storage> new_storage(const recorded_storage& r) {
    auto s = make_intrusive<Storage>();
    s->version = r.version;
    s->current = new_version(r.dtype, r.numel, r.device);
    s->current->owner = s.get();
    if (r.node < 0) {
        s->current->buffer = runtime::make_buffer(0, r.device);
        s->current->state = version_state::ready;
    }
    return s;
}

/// Makes the tensors that the function returns.
void make_results(const recording& r, std::span<TensorImpl* const> arguments,
                  std::span<const intrusive_ptr<Storage>> storages,
                  std::span<intrusive_ptr<TensorImpl>> results) {
    for (std::size_t i = 0; i < r.results.size(); ++i) {
        const recorded_result& of = r.results[i];
        if (of.same_as >= 0) {
            results[i] = results[static_cast<std::size_t>(of.same_as)];
        } else if (of.argument >= 0) {
            results[i] =
                intrusive_ptr<TensorImpl>(arguments[static_cast<std::size_t>(of.argument)]);
        } else if (of.storage >= 0) {
            auto t = make_intrusive<TensorImpl>();
            t->storage = storages[static_cast<std::size_t>(of.storage)];
            t->shape = of.shape;
            t->dtype = of.dtype;
            t->device = t->storage->current->device;
            t->base = of.base;
            results[i] = std::move(t);
        }
    }
}

}  // namespace

replayable::replayable(recording r) : recording_(std::move(r)) {}
replayable::~replayable() = default;

std::unique_ptr<replayable::frame> replayable::take_frame() {
    {
        const std::lock_guard lock(graph_mutex());
        if (!free_.empty()) {
            std::unique_ptr<frame> f = std::move(free_.back());
            free_.pop_back();
            return f;
        }
    }
    return std::make_unique<frame>(recording_);
}

void replayable::give_back(std::unique_ptr<frame> f) {
    const std::lock_guard lock(graph_mutex());
    free_.push_back(std::move(f));
}

/// A frame that is bound for one call.
class running {
public:
    running(replayable& of, std::span<const intrusive_ptr<Version>> leaves,
            std::span<const intrusive_ptr<Version>> results)
        : of_(of), frame_(of.take_frame()) {
        frame_->bind(of.recording_, leaves, results, w);
    }
    ~running() {
        frame_->release();
        of_.give_back(std::move(frame_));
    }
    running(const running&) = delete;

    void run(new_values& written) {
        {
            const frame_claims claimed(frame_->nodes(), written);
            plan::execute(code(), w, default_executor());
        }
        if (of_.kernel_looked_for_.load(std::memory_order_relaxed) < most_looks) look_for_kernel();
    }
    const plan::executable& code() {
        {
            const std::lock_guard lock(graph_mutex());
            if (of_.code_) return *of_.code_;
        }
        std::shared_ptr<const plan::executable> found = plan::find_or_build_shared(w);
        const std::lock_guard lock(graph_mutex());
        if (!of_.code_) of_.code_ = std::move(found);
        return *of_.code_;
    }

    plan::subgraph w;

private:
    static constexpr int most_looks = 1000;  // a kernel is compiled in the background

    void look_for_kernel() {
        of_.kernel_looked_for_.fetch_add(1, std::memory_order_relaxed);
        if (default_executor() > plan::executor::background) return;
        std::unique_ptr<const one_kernel> k = one_kernel::make(of_.recording_, of_.code_, w);
        const std::lock_guard lock(graph_mutex());
        if (!of_.kernel_) of_.kernel_ = std::move(k);
    }

    replayable& of_;
    std::unique_ptr<replayable::frame> frame_;
};

outcome replayable::run(std::span<TensorImpl* const> arguments,
                        std::span<intrusive_ptr<TensorImpl>> results) {
    const runtime::arena memory;
    const runtime::trace_span span("graph", "compiled function");
    versions leaves, made(recording_.nodes.size());
    runtime::arena_vector<intrusive_ptr<Storage>> storages;
    new_values written;
    try {
        if (const outcome o = find_leaves(recording_, arguments, leaves); o != outcome::done)
            return o;
        for (const recorded_storage& s : recording_.storages) {
            storages.push_back(new_storage(s));
            if (s.node >= 0) made[static_cast<std::size_t>(s.node)] = storages.back()->current;
        }
        if (!written.make(recording_, arguments, made)) return outcome::not_now;
        if (!recording_.nodes.empty()) {
            running call(*this, leaves, made);
            leaves.clear();  // only what has them holds them, as the plan expects
            made.clear();
            call.run(written);
        }
    } catch (const Error&) {
        return outcome::not_now;  // the function itself meets the error, or has memory made free
    }
    for (const auto& s : storages)
        if (s->current->state.load(std::memory_order_acquire) != version_state::ready)
            return outcome::not_now;
    if (!written.ready()) return outcome::not_now;
    written.keep();
    make_results(recording_, arguments, storages, results);
    runtime::count().functions_replayed.add();
    return outcome::done;
}

bool replayable::run_at_once(std::span<TensorImpl* const> arguments,
                             std::unique_lock<runtime::waiting_lock>& graph_lock,
                             std::span<intrusive_ptr<TensorImpl>> results) const {
    one_kernel::storages made;
    if (!kernel_ || !kernel_->run(recording_, arguments, graph_lock, made)) return false;
    make_results(recording_, arguments, made, results);
    runtime::count().functions_replayed.add();
    return true;
}

std::string replayable::describe() {
    const runtime::arena memory;
    if (recording_.nodes.empty()) return "nothing to compute\n";
    versions leaves, made(recording_.nodes.size());
    for (const recorded_leaf& l : recording_.leaves)
        leaves.push_back(new_version(l.dtype, l.numel, recording_.device));
    for (const recorded_storage& s : recording_.storages)
        if (s.node >= 0)
            made[static_cast<std::size_t>(s.node)] =
                new_version(s.dtype, s.numel, recording_.device);
    running call(*this, leaves, made);
    return plan::describe(call.code(), call.w);
}

}  // namespace sinter::frames
