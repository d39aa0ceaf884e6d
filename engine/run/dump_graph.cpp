// The pending graph as Graphviz dot text.
#include "engine/graph/claim.hpp"
#include "engine/graph/results.hpp"
#include "engine/measure/autotune.hpp"
#include "engine/plan/plan.hpp"
#include "engine/run/iterations.hpp"
#include "engine/run/lower.hpp"
#include "engine/run/old_readers.hpp"
#include "engine/run/plan_cache.hpp"
#include "engine/run/shared_values.hpp"
#include "runtime/base/plain_text.hpp"
#include "runtime/memory/arena.hpp"

#include <sinter/error.hpp>
#include <sinter/mode.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sinter {
namespace {

/// Keeps other flushes out. Pending nodes then stay as they are without claims, which cannot cover
/// a partial write together with what else reads its base.
class no_other_flush {
public:
    no_other_flush() {
        std::unique_lock lock(graph_mutex());
        while (!enter_flush(true)) wait_for_claims(lock);
    }
    ~no_other_flush() {
        const std::lock_guard lock(graph_mutex());
        leave_flush();
    }
    no_other_flush(const no_other_flush&) = delete;
};

bool is_pending(const Version& v) {
    return v.producer && v.state.load(std::memory_order_acquire) == version_state::pending;
}

/// Sources, and the base of a partial write behind them.
std::span<Edge> all_edges(Node& n) {
    return {n.sources.data(), n.sources.size() + (n.partial() ? 1 : 0)};
}

/// All pending operations that the wanted values depend on, and the values that these read.
struct pending_graph {
    std::vector<Node*> nodes;     // in program order
    std::vector<Version*> known;  // ready or failed, in the order in which they are first read
    std::unordered_map<const Version*, std::string> names;

    explicit pending_graph(std::span<Version* const> wanted);
};

pending_graph::pending_graph(std::span<Version* const> wanted) {
    std::unordered_set<const Version*> seen;
    const auto visit = [&](Version* v) {
        if (is_pending(*v) && seen.insert(v).second) nodes.push_back(v->producer);
    };
    for (Version* v : wanted) visit(v);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const Edge& e : all_edges(*nodes[i]))
            if (e.value) visit(e.value.get());
    std::sort(nodes.begin(), nodes.end(),
              [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    for (std::size_t i = 0; i < nodes.size(); ++i)
        names[nodes[i]->result] = "n" + std::to_string(i);
    const auto note = [&](Version* v) {
        if (names.try_emplace(v, "v" + std::to_string(known.size())).second) known.push_back(v);
    };
    for (Node* n : nodes)
        for (const Edge& e : all_edges(*n))
            if (e.value) note(e.value.get());
    for (Version* v : wanted) note(v);
}

/// A kernel, or a library call that does the work of several nodes.
struct box {
    std::string label;
    std::vector<const Version*> values;
};

/// Plans what a flush of some values would run, and runs none of it. A flush with partial writes
/// has several plans (flush.cpp), of which each takes the values of earlier ones as known.
class forecast final : graph_state {
public:
    explicit forecast(std::span<Version* const> wanted) { run_all(wanted, 0); }

    std::vector<box> boxes;  // in the order in which they would run
    // Values that are computed before what they read is changed.
    std::vector<intrusive_ptr<Version>> old;

private:
    bool waits(const Version& v) const override { return is_pending(v) && !stored_.count(&v); }
    void keep(Node& n) override { passed_.insert(n.result); }
    std::vector<Node*> waiting_nodes(std::span<Version* const> wanted) const;
    void find_shared(const std::vector<Node*>& nodes, std::span<Version* const> wanted);
    void run_all(std::span<Version* const> wanted, int depth);
    void run_old_readers(Version& v, int depth);
    void run(std::span<Version* const> targets);
    plan::subgraph collect(std::span<Version* const> targets) const;
    void note(const plan::plan& p, const plan::subgraph& w);

    std::unordered_set<const Version*> stored_;
    // Values that are kept when a plan computes them: several plans read them, or an earlier one
    // has computed them without keeping them.
    std::unordered_set<const Version*> passed_;
};

void forecast::run_all(std::span<Version* const> wanted, int depth) {
    const std::vector<Node*> nodes = waiting_nodes(wanted);
    find_shared(nodes, wanted);
    for (Node* n : nodes) {
        if (!n->partial()) continue;
        Version* base[] = {n->base().value.get()};
        if (waits(*base[0])) run(base);
        run_old_readers(*n->result, depth);
        Version* part[] = {n->result};
        run(part);
    }
    std::vector<Version*> rest, elsewhere;
    for (Version* v : wanted)
        if (waits(*v)) rest.push_back(v);
    while (!rest.empty()) {
        const runtime::device_index place = rest.front()->device;
        const auto others = std::stable_partition(
            rest.begin(), rest.end(), [place](const Version* v) { return v->device == place; });
        elsewhere.assign(others, rest.end());
        rest.erase(others, rest.end());
        run(rest);
        rest.swap(elsewhere);
    }
}

void forecast::run_old_readers(Version& v, int depth) {
    if (depth == deepest_old_readers) return;
    std::vector<Version*> wanted;
    for (auto& r : old_readers(v, *this)) {
        wanted.push_back(r.get());
        old.push_back(std::move(r));
    }
    if (!wanted.empty()) run_all(wanted, depth + 1);
}

/// Returns the nodes that the wanted values depend on and that wait, in program order.
std::vector<Node*> forecast::waiting_nodes(std::span<Version* const> wanted) const {
    std::vector<Node*> nodes = pending_graph(wanted).nodes;
    std::erase_if(nodes, [this](const Node* n) { return !waits(*n->result); });
    return nodes;
}

void forecast::find_shared(const std::vector<Node*>& nodes, std::span<Version* const> wanted) {
    std::vector<Version*> writes;
    for (Node* n : nodes)
        if (n->partial()) writes.push_back(n->result);
    if (writes.empty()) return;
    std::lock_guard lock(graph_mutex());
    struct scratch {
        const std::vector<Node*>& nodes;
        explicit scratch(const std::vector<Node*>& all) : nodes(all) {
            for (Node* n : nodes) n->result->index = 0;
        }
        ~scratch() {
            for (Node* n : nodes) n->result->index = -1;
        }
        scratch(const scratch&) = delete;
    } const indices(nodes);
    for_each_shared(writes, wanted, [this](Node& n) { passed_.insert(n.result); });
}

void forecast::run(std::span<Version* const> targets) {
    const plan::subgraph w = collect(targets);
    if (w.nodes.empty()) return;
    const Node& last = *w.nodes.back();
    if (last.partial() && last.base().value->state == version_state::failed) {
        stored_.insert(last.result);  // as failed as its base, without a kernel
        return;
    }
    plan::for_each_part(w, [this](const plan::subgraph& part, std::size_t, std::size_t) {
        const plan::executable& fused = *plan::find_or_build(part).e;
        const bool apart = fused.other && fused.other->now() == plan::autotuner::state::apart;
        note((apart ? fused.other->apart() : fused).data, part);
    });
}

/// What claimed_work collects (subgraph.cpp), once the values of earlier plans are there.
plan::subgraph forecast::collect(std::span<Version* const> targets) const {
    plan::subgraph w;
    std::unordered_map<const Version*, int32_t> numbers;
    const auto visit = [&](Version* v) {
        if (v->numel > 0 && waits(*v) && numbers.try_emplace(v, 0).second)
            w.nodes.push_back(v->producer);
    };
    for (Version* v : targets) visit(v);
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        for (const Edge& e : w.nodes[i]->sources)
            if (e.value) visit(e.value.get());
    std::sort(w.nodes.begin(), w.nodes.end(),
              [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    if (w.nodes.empty()) return w;
    w.device = w.nodes[0]->device;
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        Version* v = w.nodes[i]->result;
        numbers[v] = static_cast<int32_t>(i);
        w.values.push_back(v);
        const bool again = w.nodes[i]->marked || passed_.count(v);
        w.kept.push_back(again);
        w.saved.push_back(0);
        w.wanted.push_back(again || std::find(targets.begin(), targets.end(), v) != targets.end());
    }
    for (Node* n : w.nodes) {
        for (Edge& e : n->sources) {
            e.number = -1;
            if (!e.value) continue;
            const auto [at, fresh] =
                numbers.try_emplace(e.value.get(), static_cast<int32_t>(w.values.size()));
            if (fresh) w.values.push_back(e.value.get());
            e.number = at->second;
        }
        if (!n->partial()) continue;
        const auto at = numbers.find(n->base().value.get());
        n->base().number = at == numbers.end() ? -1 : at->second;
    }
    std::lock_guard lock(graph_mutex());  // other threads record readers of these values
    w.find_saved([&](const Node& n) {
        const auto at = numbers.find(n.result);
        return waits(*n.result) && (at == numbers.end() || !w.is_node(at->second));
    });
    runtime::arena_vector<uint32_t> reads;
    for (const Node* n : w.nodes) {
        reads.push_back(0);  // by nodes that will have run
        for (const Edge* e = n->result->readers; e; e = e->next)
            reads.back() += !waits(*e->reader->result);
    }
    w.forget_dropped(targets, reads);
    w.find_offsets();
    return w;
}

std::string list(const char* open, const int64_t* values, std::size_t n) {
    std::string s = open;
    for (std::size_t i = 0; i < n; ++i) s += (i ? ", " : "") + std::to_string(values[i]);
    return s + "]";
}

void forecast::note(const plan::plan& p, const plan::subgraph& w) {
    const auto value = [&w](int node) { return w.values[static_cast<std::size_t>(node)]; };
    const auto is_node = [&w](int value) { return value < static_cast<int>(w.nodes.size()); };
    const auto add = [&](const plan::kernel_step& k, const std::string& role) {
        box& b = boxes.emplace_back();
        b.label = "over " + list("[", k.extents.data(), k.extents.size()) + role;
        for (int n : k.nodes)
            if (is_node(n)) b.values.push_back(value(n));
        if (k.nodes.empty()) b.label += ", a copy to make reduced dimensions dense";
    };
    for (const plan::plan_step& s : p.steps) {
        const kernel_op* op =
            s.library >= 0 ? w.nodes[static_cast<std::size_t>(s.library)]->library : nullptr;
        if (s.before) add(*s.before, std::string(", prologue of ") + op->name);
        if (op && s.bias >= 0) {
            box& b = boxes.emplace_back();
            b.label = std::string("library call ") + op->name + " with bias";
            b.values.push_back(value(s.library));
            for (int n : s.kernel->nodes)
                if (is_node(n)) b.values.push_back(value(n));
            continue;
        }
        if (op && !op->vendor && op != &result_op) boxes.push_back({op->name, {value(s.library)}});
        if (s.kernel) add(*s.kernel, op ? std::string(", epilogue of ") + op->name : "");
    }
    stored_.insert(w.values.begin(),
                   w.values.begin() + static_cast<std::ptrdiff_t>(w.nodes.size()));
    // Readers first: a value that only this plan reads is gone, and so is what only that reads.
    std::vector<int> inlined(p.inlined.begin(), p.inlined.end());
    std::sort(inlined.rbegin(), inlined.rend());
    const auto read_later = [this](const Version& v) {
        for (const Edge* e = v.readers; e; e = e->next)
            if (waits(*e->reader->result)) return true;
        return has_owner(v);
    };
    std::lock_guard lock(graph_mutex());
    for (int i : inlined) {
        if (!read_later(*value(i))) continue;
        stored_.erase(value(i));
        passed_.insert(value(i));
    }
}

// ---- text

/// A string in quotes, of which dot takes every character as itself.
std::string quoted(std::string_view text) {
    std::string s = "\"";
    for (const char c : text) {
        if (c == '\n') {
            s += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') s += '\\';
        s += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return s + "\"";
}

std::string sizes_of(const geometry& g) {
    return list("[", g.sizes(), static_cast<std::size_t>(g.ndim));
}

/// Where the elements lie, if that is not row after row from the first one on.
std::string layout_of(const geometry& g) {
    std::string s;
    if (!g.contiguous) s += list(" strides [", g.strides(), static_cast<std::size_t>(g.ndim));
    if (g.offset != 0) s += " offset " + std::to_string(g.offset);
    return s;
}

std::string device_index_of(runtime::device_index place) {
    return place == runtime::main_memory ? "" : " cuda:" + std::to_string(place);
}

/// Returns true if both maps visit the same elements in the same order.
bool same_order(const geometry& a, const geometry& b) {
    if (a.offset != b.offset || a.numel != b.numel) return false;
    if (a.contiguous && b.contiguous) return true;
    int i = 0, j = 0;
    while (true) {
        while (i < a.ndim && a.sizes()[i] == 1) ++i;
        while (j < b.ndim && b.sizes()[j] == 1) ++j;
        if (i == a.ndim || j == b.ndim) return i == a.ndim && j == b.ndim;
        if (a.sizes()[i] != b.sizes()[j] || a.strides()[i] != b.strides()[j]) return false;
        ++i, ++j;
    }
}

/// Returns true if a read sees the whole value in its own order. A known value and one with a part
/// written count as contiguous: nothing in the graph says how they were made.
bool reads_as_it_is(const Edge& e) {
    const Version& v = *e.value;
    if (e.dtype != v.dtype) return false;
    if (is_pending(v) && !v.producer->partial()) return same_order(*e.shape, *v.producer->shape);
    return e.shape->contiguous && e.shape->offset == 0 && e.shape->numel == v.numel;
}

class dot_text {
public:
    dot_text(const pending_graph& graph, std::span<Version* const> wanted)
        : graph_(graph), wanted_(wanted.begin(), wanted.end()) {}

    std::string write(const std::vector<box>& boxes, const std::string& remark, bool undefined);

private:
    const std::string& name(const Version* v) const { return graph_.names.at(v); }
    void known(const Version& v);
    void operation(const Node& n);
    void edges(Node& n);
    void cluster(std::size_t number, const box& b);

    const pending_graph& graph_;
    std::unordered_set<const Version*> wanted_;
    std::unordered_map<const Version*, const geometry*> seen_as_;  // known values, whole
    std::unordered_set<const Version*> in_a_box_;
    int indices_ = 0;
    runtime::plain_text out_;
};

std::string dot_text::write(const std::vector<box>& boxes, const std::string& remark,
                            bool undefined) {
    for (Node* n : graph_.nodes)
        for (const Edge& e : all_edges(*n))
            if (e.value && reads_as_it_is(e)) seen_as_.try_emplace(e.value.get(), e.shape.get());
    out_ << "digraph sinter {\n";
    if (!remark.empty()) out_ << "  label=" << quoted(remark) << ";\n";
    if (undefined) out_ << "  undefined [shape=box, style=dotted];\n";
    for (const Version* v : graph_.known) known(*v);
    for (const Node* n : graph_.nodes) operation(*n);
    for (std::size_t i = 0; i < boxes.size(); ++i) cluster(i, boxes[i]);
    for (Node* n : graph_.nodes) edges(*n);
    out_ << "}\n";
    return out_.str();
}

void dot_text::known(const Version& v) {
    const auto whole = seen_as_.find(&v);
    std::string label = toString(v.dtype);
    label += whole == seen_as_.end() ? ", " + std::to_string(v.numel) + " elements"
                                     : " " + sizes_of(*whole->second);
    label += device_index_of(v.device);
    const bool failed = v.state.load(std::memory_order_acquire) == version_state::failed;
    if (failed) label += "\nfailed";
    if (v.external) label += "\nexternal";
    out_ << "  " << name(&v) << " [shape=box, label=" << quoted(label)
         << (failed ? ", color=red" : "") << (wanted_.count(&v) ? ", penwidth=2" : "") << "];\n";
}

void dot_text::operation(const Node& n) {
    const geometry& g = *n.shape;
    std::string label = plan::name_of(n);
    const char* shape = "ellipse";
    if (n.kind == node_kind::library) {
        shape = "hexagon";
        if (n.library != &result_op)
            label += n.library->vendor ? ", library call" : ", opaque kernel";
    }
    if (n.kind == node_kind::reduce) {
        std::string dims;
        for (int d = 0; d < 64; ++d)
            if (n.reduced >> d & 1) dims += (dims.empty() ? " over " : ", ") + std::to_string(d);
        label += dims;
    }
    label += std::string("\n") + toString(n.dtype) + " " + sizes_of(g) + layout_of(g) +
             device_index_of(n.device);
    if (n.partial()) label += "\na part of " + name(n.base().value.get());
    out_ << "  " << name(n.result) << " [shape=" << shape << ", label=" << quoted(label)
         << (n.partial() ? ", peripheries=2" : "")
         << (wanted_.count(n.result) ? ", penwidth=2" : "") << "];\n";
}

void dot_text::cluster(std::size_t number, const box& b) {
    std::string label = std::to_string(number + 1) + ". " + b.label;
    std::string members, again;
    for (const Version* v : b.values) {
        if (in_a_box_.insert(v).second)
            members += "    " + name(v) + ";\n";
        else  // dot draws a node once
            again += (again.empty() ? "\nagain: " : ", ") + name(v);
    }
    // dot leaves out a cluster without nodes.
    if (members.empty())
        members = "    k" + std::to_string(number) + " [shape=plaintext, label=\"\"];\n";
    out_ << "  subgraph cluster_" << number << " {\n    label=" << quoted(label + again) << ";\n"
         << members << "  }\n";
}

void dot_text::edges(Node& n) {
    const std::string& to = name(n.result);
    for (const Edge& e : n.sources) {
        if (!e.value) {  // arange, eye, ...: elements are made from their places
            const std::string from = "i" + std::to_string(indices_++);
            out_ << "  " << from << " [shape=plaintext, label=\"index\"];\n  " << from << " -> "
                 << to << ";\n";
            continue;
        }
        out_ << "  " << name(e.value.get()) << " -> " << to;
        if (!reads_as_it_is(e)) {
            std::string label = "view " + sizes_of(*e.shape) + layout_of(*e.shape);
            if (e.dtype != e.value->dtype) label += std::string(" as ") + toString(e.dtype);
            out_ << " [label=" << quoted(label) << "]";
        }
        out_ << ";\n";
    }
    if (n.partial())
        out_ << "  " << name(n.base().value.get()) << " -> " << to
             << " [style=dashed, label=\"base\"];\n";
}

}  // namespace
}  // namespace sinter

namespace sinter::inline v1 {

std::string dump_graph(TensorList tensors) {
    bool undefined = false;
    // They keep all that is drawn alive, as each holds what its operation reads.
    std::vector<intrusive_ptr<Version>> held;
    std::vector<Version*> wanted;
    for (const Tensor& t : tensors) {
        const TensorImpl* impl = t.unsafeGetTensorImpl();
        undefined = undefined || !impl;
        if (!impl) continue;
        held.push_back(impl->storage->current);
        wanted.push_back(held.back().get());
    }
    const runtime::arena memory;
    const no_other_flush alone;
    std::vector<box> boxes;
    std::string remark;
    std::vector<Version*> drawn = wanted;
    try {
        forecast f(wanted);
        boxes = std::move(f.boxes);
        for (auto& v : f.old) {
            drawn.push_back(v.get());
            held.push_back(std::move(v));
        }
    } catch (const Error& e) {
        remark = std::string("there is no plan: ") + e.what();
    }
    const pending_graph graph(drawn);
    return dot_text(graph, wanted).write(boxes, remark, undefined);
}

std::string dump_graph(const tensor_base& t) { return dump_graph(TensorList(t.self())); }

}  // namespace sinter::inline v1
