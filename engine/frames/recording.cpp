#include "engine/frames/recording.hpp"

#include "engine/graph/gradient.hpp"
#include "engine/graph/infer.hpp"
#include "engine/run/flush.hpp"

#include <sinter/stats.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace sinter::frames {
namespace {

using impl_ptr = intrusive_ptr<TensorImpl>;

constexpr std::size_t most_nodes = 1023;  // more run part by part: engine/run/iterations.hpp

bool is_pending(const Version& v) {
    return v.state.load(std::memory_order_acquire) == version_state::pending;
}

class recorder {
public:
    recorder(const watch& w, std::span<const impl_ptr> arguments, std::span<const impl_ptr> results,
             recording& to)
        : watch_(w), arguments_(arguments), results_(results), to_(to) {
        for (std::size_t i = 0; i < w.made.size(); ++i)
            made_.emplace(w.made[i].get(), static_cast<int>(i));
    }

    std::string run() {
        if (std::string why = find_results(); !why.empty()) return why;
        if (std::string why = find_targets(); !why.empty()) return why;
        find_nodes();
        if (std::string why = find_escapes(); !why.empty()) return why;
        compute_leaves();
        return copy();
    }

private:
    /// Describes the results. Fails for those that are not computed by the function's nodes.
    std::string find_results() {
        std::unordered_map<const TensorImpl*, int> handles;
        std::unordered_map<const Storage*, int> storages;
        for (std::size_t i = 0; i < results_.size(); ++i) {
            recorded_result r;
            const TensorImpl* t = results_[i].get();
            if (t && !handles.try_emplace(t, static_cast<int>(i)).second) {
                r.same_as = handles[t];
            } else if (t && argument_of(*t) >= 0) {
                r.argument = argument_of(*t);
            } else if (t) {
                const Storage& s = *t->storage;
                r.dtype = t->dtype;
                r.shape = t->shape;
                r.base = t->base;
                if (!watch_.storages.contains(&s)) {
                    r.argument = argument_with(s);
                    if (r.argument < 0) return "returns a tensor that it has by itself, or a view";
                    const TensorImpl& of = *arguments_[static_cast<std::size_t>(r.argument)];
                    if (t->gradient || of.gradient || r.base != (of.base ? of.base : of.shape))
                        return "returns an argument without its gradient";
                    to_.results.push_back(std::move(r));
                    continue;
                }
                const auto [at, fresh] =
                    storages.try_emplace(&s, static_cast<int>(to_.storages.size()));
                r.storage = at->second;
                if (fresh) {
                    const Version& v = *s.current;
                    if (s.external) return "hands out a pointer";
                    if (v.numel > 0 && !made_.contains(&v))
                        return "returns a value that no operation computes";
                    to_.storages.push_back({-1, v.dtype, v.numel, s.version, v.device});
                    values_.push_back(&v);
                }
            }
            to_.results.push_back(std::move(r));
        }
        return {};
    }

    /// Describes the tensors that were there before and have new values.
    std::string find_targets() {
        std::unordered_map<const Storage*, std::size_t> known;
        for (const watch::write& w : watch_.writes) {
            const auto [at, fresh] = known.try_emplace(w.to.get(), to_.targets.size());
            if (fresh) {
                const Version& v = *w.to->current;
                if (!made_.contains(&v)) return "writes a value that no operation computes";
                recorded_target t;
                t.argument = argument_with(*w.to);
                // An argument is known to have no gradient now, and at each call.
                if (t.argument < 0 && w.to->differentiated)
                    return "writes to a tensor that may have a gradient, and is no argument";
                if (t.argument < 0) t.captured = w.to;
                t.dtype = v.dtype;
                t.numel = v.numel;
                to_.targets.push_back(std::move(t));
                written_.push_back(&v);
            }
            ++to_.targets[at->second].writes;
        }
        return {};
    }

    int argument_with(const Storage& s) const {
        const auto at = std::find_if(arguments_.begin(), arguments_.end(), [&s](const impl_ptr& a) {
            return a && a->storage.get() == &s;
        });
        return at == arguments_.end() ? -1 : static_cast<int>(at - arguments_.begin());
    }

    int argument_of(const TensorImpl& t) const {
        const auto at = std::find_if(arguments_.begin(), arguments_.end(),
                                     [&t](const impl_ptr& a) { return a.get() == &t; });
        return at == arguments_.end() ? -1 : static_cast<int>(at - arguments_.begin());
    }

    /// Finds the function's nodes that the results need, in program order, and the other values.
    void find_nodes() {
        const std::lock_guard lock(graph_mutex());
        std::vector<const Version*> open;
        std::vector<bool> seen(watch_.made.size());
        const auto visit = [&](const Version* v) {
            const auto at = made_.find(v);
            if (at == made_.end()) return outside_.push_back(share(const_cast<Version*>(v)));
            const auto i = static_cast<std::size_t>(at->second);
            if (v->numel == 0 || seen[i]) return;
            seen[i] = true;
            open.push_back(v);
        };
        for (const Version* v : values_)
            if (v->numel > 0) visit(v);
        for (const Version* v : written_) visit(v);
        while (!open.empty()) {
            const Version* v = open.back();
            open.pop_back();
            const Node* n = v->producer;
            if (!n) continue;  // another thread has run it; `copy` will see that
            for (const Edge& e : n->sources)
                if (e.value) visit(e.value.get());
            if (n->partial()) visit(n->base().value.get());
        }
        for (std::size_t i = 0; i < seen.size(); ++i)
            if (seen[i]) needed_.push_back(watch_.made[i].get());
    }

    /// Fails if something but the results and pending reads still refers to what was made: it is
    /// left behind, and a replay would not leave it.
    std::string find_escapes() {
        const std::lock_guard lock(graph_mutex());
        std::unordered_map<const Version*, uint32_t> known;
        for (const auto& v : outside_) ++known[v.get()];
        for (const Version* v : values_) ++known[v];
        for (const Version* v : written_) ++known[v];
        for (const watch::write& w : watch_.writes) ++known[w.before.get()];
        for (const auto& v : watch_.made)
            if (v->companion) ++known[v->companion];
        for (const auto* list : {&watch_.made, &watch_.given})
            for (const auto& v : *list) {
                uint32_t references = known[v.get()] + 1;
                for (const Edge* e = v->readers; e; e = e->next) ++references;
                if (v->references.load() > references) return "leaves a tensor behind that it made";
            }
        return {};
    }

    /// Pending values from before the call are leaves, too.
    void compute_leaves() {
        std::vector<Version*> wanted;
        for (const auto& v : outside_)
            if (is_pending(*v)) wanted.push_back(v.get());
        if (!wanted.empty()) flush(wanted, static_cast<int>(flush_reason::other));
    }

    std::string copy() {
        const std::lock_guard lock(graph_mutex());
        if (needed_.size() > most_nodes) return "has so many operations that loops are sought";
        for (std::size_t i = 0; i < needed_.size(); ++i)
            numbers_.emplace(needed_[i], static_cast<int>(i));
        for (const watch::draw& d : watch_.draws) to_.draws.push_back({d.from, d.count});
        for (const Version* v : needed_) {
            const Node* n = v->producer;
            if (!n || n->claimed) return "was run while it was recorded";
            if (to_.nodes.empty()) to_.device = n->device;
            if (n->device != to_.device) return "computes on several devices";
            if (std::string why = add(*n); !why.empty()) return why;
        }
        for (std::size_t s = 0; s < values_.size(); ++s) {
            if (values_[s]->numel == 0) continue;
            const int node = numbers_.at(values_[s]);
            to_.storages[s].node = node;
            to_.nodes[static_cast<std::size_t>(node)].wanted = true;
        }
        for (std::size_t t = 0; t < written_.size(); ++t) {
            to_.targets[t].node = numbers_.at(written_[t]);
            to_.nodes[static_cast<std::size_t>(to_.targets[t].node)].wanted = true;
        }
        return {};
    }

    std::string add(const Node& n) {
        recorded_node r;
        r.kind = n.kind;
        r.backward = n.backward;
        r.plain = n.plain;
        r.wanted = n.marked;
        r.dtype = n.dtype;
        r.stored = n.result->dtype;
        r.numel = n.result->numel;
        r.shape = n.shape;
        for (const Edge& e : n.sources) {
            recorded_read read{e.shape, e.dtype, -1};
            if (e.value) {
                if (std::string why = number_of(*e.value, read.value); !why.empty()) return why;
            }
            r.sources.push_back(std::move(read));
        }
        r.partial = n.partial();
        if (r.partial) {
            if (std::string why = number_of(*n.base().value, r.base, true); !why.empty())
                return why;
        }
        switch (n.kind) {
            case node_kind::pointwise:
                r.scalars.assign(n.scalars.begin(), n.scalars.end());
                r.code = n.code;
                if (draws_numbers(*r.code) && !find_draw(n, r))
                    return "draws random numbers in another way than recorded functions do";
                break;
            case node_kind::reduce:
                r.reduced = n.reduced;
                r.correction = n.correction;
                r.reduction = n.reduction;
                r.in = n.in;
                break;
            case node_kind::library:
                r.library = n.library;
                r.attributes = attributes_ptr(n.attributes);
        }
        to_.nodes.push_back(std::move(r));
        return {};
    }

    static bool draws_numbers(const typed_program& code) {
        return std::any_of(code.ops.begin(), code.ops.end(), [](const typed_op& o) {
            return o.what == typed_op::kind::row && op::rows[o.id].rule == dtype_rule::random;
        });
    }

    /// Finds the draw whose places the node reads, and takes them out of its scalars.
    bool find_draw(const Node& n, recorded_node& r) const {
        const auto is = [&r](std::size_t at, uint64_t number) {
            return r.scalars[at].isIntegral(false) &&
                   r.scalars[at].toLong() == static_cast<int64_t>(number);
        };
        for (std::size_t i = 0; i < watch_.draws.size(); ++i) {
            const watch::draw& d = watch_.draws[i];
            if (d.count == 0 || d.node >= watch_.made.size() ||
                watch_.made[d.node].get() != n.result)
                continue;
            if (r.scalars.size() < 2 || !is(0, d.seed) || !is(1, d.first)) return false;
            r.draw = static_cast<int>(i);
            r.scalars[0] = r.scalars[1] = Scalar(int64_t{0});
            return true;
        }
        return false;
    }

    /// Numbers a value. Leaves are numbered as subgraphs do it, in the order of their first reads.
    /// `base`: it is the value before a write to a part of it.
    std::string number_of(Version& v, int& number, bool base = false) {
        if (const auto known = numbers_.find(&v); known != numbers_.end()) {
            number = known->second;
            const std::size_t leaf = static_cast<std::size_t>(number) - needed_.size();
            if (!base && number >= static_cast<int>(needed_.size()) && to_.leaves[leaf].unwritten)
                return "reads memory that nothing has written";
            return {};
        }
        recorded_leaf l;
        l.dtype = v.dtype;
        l.numel = v.numel;
        if (v.state != version_state::ready || (v.unwritten && !base))
            return "reads a value that failed";
        l.unwritten = v.unwritten || (base && watch_.uninitialised.contains(&v));
        for (std::size_t a = 0; a < arguments_.size() && l.argument < 0; ++a)
            if (arguments_[a] && arguments_[a]->storage->current.get() == &v)
                l.argument = static_cast<int>(a);
        for (const watch::write& w : watch_.writes)
            if (l.argument < 0 && !l.captured && w.before.get() == &v) {
                l.argument = argument_with(*w.to);
                if (l.argument < 0) l.captured = w.to;
            }
        if (l.argument < 0 && !l.captured && !l.unwritten) {
            const std::lock_guard lock(home_lock());
            const bool own = std::any_of(watch_.given.begin(), watch_.given.end(),
                                         [&v](const auto& g) { return g.get() == &v; });
            if (v.numel == 0 || own)
                l.constant = share(&v);
            else if (!(l.captured = try_share(v.owner)))
                return "reads a value of a tensor that has been written since";
        }
        number = static_cast<int>(needed_.size() + to_.leaves.size());
        numbers_.emplace(&v, number);
        to_.leaves.push_back(std::move(l));
        return {};
    }

    const watch& watch_;
    std::span<const impl_ptr> arguments_, results_;
    recording& to_;
    std::unordered_map<const Version*, int> made_, numbers_;
    std::vector<const Version*> values_;   // of the storages of the results
    std::vector<const Version*> written_;  // of the targets
    std::vector<const Version*> needed_;   // results of the nodes
    std::vector<intrusive_ptr<Version>> outside_;
};

bool same(const geometry_ptr& a, const geometry_ptr& b) {
    if (a == b) return true;
    return a && b && a->offset == b->offset && a->sizes_ref() == b->sizes_ref() &&
           a->strides_ref() == b->strides_ref();
}

bool same(const Scalar& a, const Scalar& b) {
    if (a.which() != b.which()) return false;
    if (a.isIntegral(true)) return a.toLong() == b.toLong();
    const complex<double> x = a.toComplexDouble(), y = b.toComplexDouble();
    return std::memcmp(&x, &y, sizeof x) == 0;  // NaN and the sign of zero
}

bool same(const recorded_read& a, const recorded_read& b) {
    return a.value == b.value && a.dtype == b.dtype && same(a.shape, b.shape);
}

bool same(const recorded_node& a, const recorded_node& b) {
    const auto each = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               std::equal(x.begin(), x.end(), y.begin(),
                          [](const auto& p, const auto& q) { return same(p, q); });
    };
    return a.kind == b.kind && a.backward == b.backward && a.dtype == b.dtype &&
           a.stored == b.stored && a.numel == b.numel && a.partial == b.partial &&
           a.base == b.base && a.draw == b.draw && same(a.shape, b.shape) &&
           each(a.sources, b.sources) && each(a.scalars, b.scalars) && a.code == b.code &&
           a.library == b.library && a.reduced == b.reduced && a.correction == b.correction &&
           a.reduction == b.reduction && a.in == b.in &&
           (a.attributes == b.attributes ||
            (a.attributes && b.attributes && *a.attributes == *b.attributes));
}

/// A constant that is made at each call may be another object.
bool same(const recorded_leaf& a, const recorded_leaf& b) {
    if (a.argument != b.argument || !(a.captured == b.captured) || !a.constant != !b.constant ||
        a.unwritten != b.unwritten || a.dtype != b.dtype || a.numel != b.numel)
        return false;
    if (!a.constant || a.constant == b.constant) return true;
    const Buffer &x = *a.constant->buffer, &y = *b.constant->buffer;
    return x.device == runtime::main_memory && y.device == runtime::main_memory &&
           std::memcmp(x.data, y.data, a.constant->nbytes()) == 0;
}

bool same(const recorded_draw& a, const recorded_draw& b) {
    return a.from == b.from && a.count == b.count;
}

bool same(const recorded_result& a, const recorded_result& b) {
    return a.argument == b.argument && a.same_as == b.same_as && a.storage == b.storage &&
           a.dtype == b.dtype && same(a.shape, b.shape) && same(a.base, b.base);
}

bool same(const recorded_target& a, const recorded_target& b) {
    return a.argument == b.argument && a.captured == b.captured && a.node == b.node &&
           a.dtype == b.dtype && a.numel == b.numel && a.writes == b.writes;
}

bool same(const recorded_storage& a, const recorded_storage& b) {
    return a.node == b.node && a.dtype == b.dtype && a.numel == b.numel && a.version == b.version &&
           a.device == b.device;
}

}  // namespace

bool recording::same(const recording& other) const {
    const auto each = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               std::equal(x.begin(), x.end(), y.begin(),
                          [](const auto& p, const auto& q) { return frames::same(p, q); });
    };
    return device == other.device && each(nodes, other.nodes) && each(leaves, other.leaves) &&
           each(draws, other.draws) && each(storages, other.storages) &&
           each(targets, other.targets) && each(results, other.results);
}

std::string make_recording(const watch& w, std::span<const impl_ptr> arguments,
                           std::span<const impl_ptr> results, recording& to) {
    return recorder(w, arguments, results, to).run();
}

}  // namespace sinter::frames
