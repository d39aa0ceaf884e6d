#include "engine/frames/replayable.hpp"

#include "engine/frames/donated.hpp"
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

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

namespace sinter::frames {

namespace {

using versions = runtime::arena_vector<intrusive_ptr<Version>>;

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
            if (!may_be_replaced(*s) || (t.captured && s->differentiated) || now.dtype != t.dtype ||
                now.numel != t.numel)
                return false;
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

/// Returns a value of the kind of a leaf.
intrusive_ptr<Version> new_leaf(const recorded_leaf& l, runtime::device_index device) {
    intrusive_ptr<Version> v = new_version(l.dtype, l.numel, device);
    v->unwritten = l.unwritten;
    if (l.unwritten) v->state = version_state::ready;
    return v;
}

/// Returns the newest values that a recording reads, computed. `stale` if a captured tensor has
/// changed its kind, or only the recording still holds it.
outcome find_leaves(const recording& r, std::span<TensorImpl* const> arguments, versions& leaves) {
    bool pending = false;
    for (const recorded_leaf& l : r.leaves) {
        if (l.unwritten) {
            leaves.push_back(new_leaf(l, r.device));
            continue;
        }
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

/// Takes the donated values that the plans only read, so that results may have their memory.
/// Returns true if it took one.
bool take_read_values(const recording& r, std::span<TensorImpl* const> arguments,
                      std::span<TensorImpl* const> donated) {
    bool any = false;
    for (const TensorImpl* t : donated) {
        if (!t || !may_be_donated(*t->storage)) continue;
        const Storage* s = t->storage.get();
        const auto returned = [&](const recorded_result& of) {
            return of.argument >= 0 &&
                   arguments[static_cast<std::size_t>(of.argument)]->storage.get() == s;
        };
        const auto written = [&](const recorded_target& of) {
            return storage_of(of, arguments) == s;
        };
        if (std::any_of(r.results.begin(), r.results.end(), returned) ||
            std::any_of(r.targets.begin(), r.targets.end(), written))
            continue;
        take_value(*t->storage);
        any = true;
    }
    return any;
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
            TensorImpl* const t = arguments[static_cast<std::size_t>(of.argument)];
            results[i] =
                of.shape ? make_view(*t, of.shape, of.dtype) : intrusive_ptr<TensorImpl>(t);
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

replayable::replayable(recording r)
    : recording_(std::move(r)), parts_(parts_of(recording_)), codes_(parts_.size()) {}
replayable::~replayable() = default;

std::unique_ptr<frame> replayable::take_frame() {
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
            std::span<const intrusive_ptr<Version>> results, const taken_places& places)
        : of_(of), frame_(of.take_frame()) {
        frame_->bind(of.recording_, leaves, results, places);
    }
    ~running() {
        for (const recorded_part& p : of_.parts_) frame_->release(p);
        of_.give_back(std::move(frame_));
    }
    running(const running&) = delete;

    /// Runs the parts. Returns the error of a value that has failed, or null.
    std::exception_ptr run(new_values& written) {
        const std::vector<recorded_part>& parts = of_.parts_;
        plan::subgraph w = work(0);
        {
            frame_claims claimed(
                *frame_, parts[0], [&] { written.begin(); }, [&] { written.end(); });
            for (std::size_t p = 0; p < parts.size(); ++p) {
                if (p > 0) {
                    claimed.move_on(parts[p - 1], parts[p]);
                    frame_->release(parts[p - 1]);
                    w = work(p);
                }
                plan::execute(code(p, w), w, default_executor());
                for (std::size_t i = 0; i < w.nodes.size(); ++i)
                    if (w.wanted[i] &&
                        w.values[i]->state.load(std::memory_order_acquire) == version_state::failed)
                        return w.values[i]->error;
            }
        }
        if (parts.size() == 1 &&
            of_.kernel_looked_for_.load(std::memory_order_relaxed) < most_looks)
            look_for_kernel(w);
        return nullptr;
    }
    std::string describe() {
        std::string text;
        for (std::size_t p = 0; p < of_.parts_.size(); ++p) {
            const plan::subgraph w = work(p);
            text += plan::describe(code(p, w), w);
        }
        return text;
    }

private:
    static constexpr int most_looks = 1000;  // a kernel is compiled in the background

    plan::subgraph work(std::size_t part) {
        return frame_->work_of(of_.recording_, of_.parts_[part]);
    }
    const plan::executable& code(std::size_t part, const plan::subgraph& w) {
        {
            const std::lock_guard lock(graph_mutex());
            if (of_.codes_[part]) return *of_.codes_[part];
        }
        std::shared_ptr<const plan::executable> found = plan::find_or_build_shared(w);
        const std::lock_guard lock(graph_mutex());
        if (!of_.codes_[part]) of_.codes_[part] = std::move(found);
        return *of_.codes_[part];
    }
    void look_for_kernel(const plan::subgraph& w) {
        of_.kernel_looked_for_.fetch_add(1, std::memory_order_relaxed);
        if (default_executor() > plan::executor::background) return;
        std::unique_ptr<const one_kernel> k = one_kernel::make(of_.recording_, *of_.codes_[0], w);
        const std::lock_guard lock(graph_mutex());
        if (!of_.kernel_) of_.kernel_ = std::move(k);
    }

    replayable& of_;
    std::unique_ptr<frame> frame_;
};

outcome replayable::run(std::span<TensorImpl* const> arguments,
                        std::span<TensorImpl* const> donated,
                        std::span<intrusive_ptr<TensorImpl>> results) {
    const runtime::arena memory;
    const runtime::trace_span span("graph", "compiled function");
    versions leaves, made(recording_.nodes.size());
    runtime::arena_vector<intrusive_ptr<Storage>> storages;
    new_values written;
    taken_places places;
    bool taken = false;
    try {
        if (const outcome o = find_leaves(recording_, arguments, leaves); o != outcome::done)
            return o;
        for (const recorded_storage& s : recording_.storages) {
            storages.push_back(new_storage(s));
            if (s.node >= 0) made[static_cast<std::size_t>(s.node)] = storages.back()->current;
        }
        if (!written.make(recording_, arguments, made)) return outcome::not_now;
        places.take(recording_, true);
        if (!recording_.nodes.empty()) {
            running call(*this, leaves, made, places);
            leaves.clear();  // only what has them holds them, as the plan expects
            made.clear();
            taken = take_read_values(recording_, arguments, donated);
            if (const std::exception_ptr failed = call.run(written)) {
                if (taken) std::rethrow_exception(failed);
                return outcome::not_now;
            }
        }
    } catch (const Error&) {
        if (taken) throw;
        return outcome::not_now;  // the function itself meets the error, or has memory made free
    }
    for (const auto& s : storages)
        if (s->current->state.load(std::memory_order_acquire) != version_state::ready)
            return outcome::not_now;
    if (!written.ready()) return outcome::not_now;
    written.keep();
    places.keep();
    make_results(recording_, arguments, storages, results);
    take_values(donated, results);
    runtime::count().functions_replayed.add();
    return outcome::done;
}

bool replayable::run_at_once(std::span<TensorImpl* const> arguments,
                             std::unique_lock<runtime::waiting_lock>& graph_lock,
                             std::span<intrusive_ptr<TensorImpl>> results) const {
    one_kernel::storages made;
    if (!kernel_) return false;
    // Without waiting: a program that holds the mutex of a generator may wait for the graph's.
    taken_places places;
    if (!places.take(recording_, false) ||
        !kernel_->run(recording_, arguments, places, graph_lock, made))
        return false;
    places.keep();
    make_results(recording_, arguments, made, results);
    runtime::count().functions_replayed.add();
    return true;
}

std::string replayable::describe() {
    const runtime::arena memory;
    if (recording_.nodes.empty()) return "nothing to compute\n";
    versions leaves, made(recording_.nodes.size());
    for (const recorded_leaf& l : recording_.leaves)
        leaves.push_back(new_leaf(l, recording_.device));
    const auto make = [&](const auto& of) {
        if (of.node >= 0)
            made[static_cast<std::size_t>(of.node)] =
                new_version(of.dtype, of.numel, recording_.device);
    };
    for (const recorded_storage& s : recording_.storages) make(s);
    for (const recorded_target& t : recording_.targets) make(t);
    return running(*this, leaves, made, taken_places()).describe();
}

}  // namespace sinter::frames
