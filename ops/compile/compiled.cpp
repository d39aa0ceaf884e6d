// The part of include/sinter/functions/compile.hpp that is no template.
#include "engine/frames/donated.hpp"
#include "engine/frames/replayable.hpp"
#include "engine/graph/claim.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/run/flush.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/compile/signature.hpp"
#include "runtime/report/call_site.hpp"

#include <sinter/functions/compile.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/mode.hpp>

#include <algorithm>
#include <array>
#include <list>
#include <mutex>
#include <span>

namespace sinter::inline v1::detail {

using frames::outcome;
using frames::recording;
using frames::replayable;
using ops::call_signature;

namespace {

constexpr std::size_t most_signatures = 64;
/// So often a function is recorded again after it did what cannot be replayed: it may do that only
/// once, as a function that makes a table at its first call.
constexpr int most_attempts = 3;

}  // namespace

/// What is known of a signature. The graph mutex guards what changes.
struct call_record {
    call_signature signature;
    std::shared_ptr<replayable> work;  // null: the function runs
    std::shared_ptr<const void> structure;
    // The storages of the arguments at the recording; only compared. An argument that is another
    // one later may have been a tensor that the function has by itself, until a second recording
    // shows that it is not.
    std::vector<const Storage*> storages;
    std::vector<bool> proven;
    int attempts = 0;
    uint64_t replays = 0;
    std::string why;  // the function runs
    runtime::call_site where;

    bool proven_for(const call_arguments& a) const {
        for (std::size_t i = 0; i < storages.size(); ++i) {
            const TensorImpl* t = a.tensors.data()[i];
            if (t && !proven[i] && t->storage.get() != storages[i]) return false;
        }
        return true;
    }
};

class compiled_calls {
public:
    using record_ptr = std::shared_ptr<call_record>;

    /// Under the graph mutex. Returns null if the signature is new.
    const record_ptr* find(const call_arguments& a, uint64_t modes) {
        for (auto at = records_.begin(); at != records_.end(); ++at)
            if ((*at)->signature.matches(a, modes)) {
                if (at != records_.begin()) records_.splice(records_.begin(), records_, at);
                return &records_.front();
            }
        return nullptr;
    }
    /// Under the graph mutex. Returns what must be destroyed without it.
    record_ptr add(record_ptr r) {
        records_.push_front(std::move(r));
        if (records_.size() <= most_signatures) return nullptr;
        record_ptr last = std::move(records_.back());
        records_.pop_back();
        return last;
    }
    std::vector<record_ptr> all() const {
        const std::lock_guard lock(graph_mutex());
        return {records_.begin(), records_.end()};
    }

private:
    std::list<record_ptr> records_;  // the one used last is the first
};

std::shared_ptr<compiled_calls> make_compiled_calls() { return std::make_shared<compiled_calls>(); }

namespace {

/// Returns true if a call may be replayed or recorded at all.
bool may_replay() { return !watching && get_mode() == Mode::lazy; }

bool needs_gradient(const TensorImpl& t) {
    return gradient_edge(t).is_valid() && GradMode::is_enabled();
}

bool any_needs_gradient(const call_arguments& a) {
    if (!gradients_are_used()) return false;
    for (std::size_t i = 0; i < a.tensors.size(); ++i)
        if (const TensorImpl* t = a.tensors.data()[i]; t && needs_gradient(*t)) return true;
    return false;
}

/// Returns true if operations on a tensor that the function has by itself may be recorded.
bool captures_gradient(const recording& r) {
    return gradients_are_used() && GradMode::is_enabled() &&
           std::any_of(r.leaves.begin(), r.leaves.end(), [](const frames::recorded_leaf& l) {
               return l.captured && l.captured->differentiated.load(std::memory_order_relaxed);
           });
}

}  // namespace

bool replay(compiled_calls& calls, const call_arguments& a, replayed_call& to) {
    if (!may_replay() || any_needs_gradient(a)) return false;
    const uint64_t modes = ops::thread_modes();
    const std::span<TensorImpl* const> arguments(a.tensors.data(), a.tensors.size());
    std::array<intrusive_ptr<TensorImpl>, 4> few;
    std::vector<intrusive_ptr<TensorImpl>> many;
    std::span<intrusive_ptr<TensorImpl>> results;
    std::unique_lock lock(graph_mutex());
    const compiled_calls::record_ptr* const found = calls.find(a, modes);
    if (!found || !(*found)->work || !(*found)->proven_for(a)) return false;
    if (captures_gradient((*found)->work->work())) return false;
    const std::size_t count = (*found)->work->work().results.size();
    if (count <= few.size())
        results = {few.data(), count};
    else
        results = many = std::vector<intrusive_ptr<TensorImpl>>(count);
    const compiled_calls::record_ptr r = *found;
    const std::shared_ptr<replayable> work = r->work;
    to.structure = r->structure;
    bool at_once = false;
    try {
        at_once = a.donated.size() == 0 && work->run_at_once(arguments, lock, results);
    } catch (const OutOfMemoryError&) {
        return false;  // the function itself has memory made free
    }
    if (!at_once) {
        lock.unlock();
        const outcome done = work->run(arguments, {a.donated.data(), a.donated.size()}, results);
        lock.lock();
        if (done == outcome::stale && r->work == work) {
            r->work.reset();
            r->why = "had a tensor by itself that was replaced";
        }
        if (done != outcome::done) return false;
    }
    ++r->replays;
    lock.unlock();
    if (count == 1)
        to.one = Tensor(std::move(results[0]));
    else
        for (auto& t : results) to.all.emplace_back(std::move(t));
    return true;
}

void take_donated(const call_arguments& a, const std::vector<Tensor>& results) {
    note_effect("donates a tensor to another compiled function");
    std::vector<intrusive_ptr<TensorImpl>> bodies;
    for (const Tensor& t : results) bodies.emplace_back(t.unsafeGetTensorImpl());
    frames::take_values({a.donated.data(), a.donated.size()}, bodies);
}

struct recorded_call::state {
    std::shared_ptr<call_record> record;
    watch seen;
    uint64_t modes = 0;
    std::vector<intrusive_ptr<TensorImpl>> arguments;
    std::vector<uint32_t> handles;  // of each argument, before the function ran

    /// Returns true if there are more handles of an argument than before, but for the results, each
    /// of which the caller has twice.
    bool keeps_argument(std::span<const intrusive_ptr<TensorImpl>> results) const {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const auto returned = std::count(results.begin(), results.end(), arguments[i]);
            const auto known = handles[i] + 3 * static_cast<uint32_t>(returned);
            if (arguments[i] && arguments[i]->references.load() > known) return true;
        }
        return false;
    }

    /// Describes what was watched. Returns why it cannot be replayed; empty: it can.
    std::string why_not(const std::vector<Tensor>& results, recording& to) const {
        if (!seen.effect.empty()) return seen.effect;
        if (ops::thread_modes() != modes) return "changes a mode of the thread";
        std::vector<intrusive_ptr<TensorImpl>> bodies;
        for (const Tensor& t : results) {
            bodies.emplace_back(t.unsafeGetTensorImpl());
            if (gradients_are_used() && bodies.back() && gradient_edge(*bodies.back()).is_valid())
                return "records gradients";
        }
        // A detached result is in the memory of the tensor that it was detached from, which still
        // leads to the gradient graph, though that tensor is gone.
        for (const auto& t : bodies)
            if (t && t->gradient && !t->gradient->is_view &&
                seen.storages.contains(t->storage.get()))
                leave_family(*t);
        if (keeps_argument(bodies)) return "keeps an argument, or another thread does meanwhile";
        try {
            std::string why = frames::make_recording(seen, arguments, bodies, to);
            return why.empty() && captures_gradient(to) ? "reads a tensor that may have a gradient"
                                                        : why;
        } catch (const Error&) {
            return "reads a value that failed";
        }
    }
};

namespace {

/// Runs what a function made and a tensor holds. It reads memory that the outside may change after
/// the call.
void run_owned(const watch& seen) {
    std::vector<Version*> wanted;
    for (const auto& v : seen.made)
        if (has_owner(*v)) wanted.push_back(v.get());
    flush(wanted, static_cast<int>(flush_reason::external));
}

}  // namespace

recorded_call::recorded_call(compiled_calls& calls, const call_arguments& a) {
    if (!may_replay()) return;
    auto s = std::make_unique<state>();
    s->modes = ops::thread_modes();
    const bool gradient = any_needs_gradient(a);
    std::vector<Version*> pending;
    for (std::size_t i = 0; i < a.tensors.size(); ++i) {
        TensorImpl* t = a.tensors.data()[i];
        s->arguments.emplace_back(t);
        if (!t) continue;
        const auto now = t->storage->current->state.load(std::memory_order_acquire);
        if (now == version_state::failed) return;  // as a slice that func::vmap passes
        if (now == version_state::pending) pending.push_back(t->storage->current.get());
    }
    for (const auto& t : s->arguments) s->handles.push_back(t ? t->references.load() : 0);
    std::shared_ptr<call_record> evicted;
    {
        const std::lock_guard lock(graph_mutex());
        if (const compiled_calls::record_ptr* known = calls.find(a, s->modes)) {
            s->record = *known;
        } else {
            s->record = std::make_shared<call_record>();
            s->record->signature = call_signature(a, s->modes);
            evicted = calls.add(s->record);
        }
        call_record& r = *s->record;
        if (gradient) {
            if (!r.work) r.why = "gets an argument that requires a gradient";
            return;
        }
        if (r.work && r.proven_for(a)) return;  // its values failed, or another thread was faster
        if (!r.work && r.attempts >= most_attempts) return;
        if (!r.work) ++r.attempts;
    }
    if (!pending.empty()) {
        try {
            flush(pending, static_cast<int>(flush_reason::other));
        } catch (const Error&) {
            return;  // who reads the results gets the error
        }
    }
    state_ = std::move(s);
    watching = &state_->seen;
}

recorded_call::~recorded_call() {
    if (state_ && watching == &state_->seen) watching = nullptr;
}

bool recorded_call::end() {
    if (!state_) return false;
    watching = nullptr;
    return true;
}

void recorded_call::keep(const std::vector<Tensor>& results,
                         std::shared_ptr<const void> structure) {
    const std::unique_ptr<state> s = std::move(state_);
    recording made;
    std::string why = s->why_not(results, made);
    if (s->seen.reads_external) run_owned(s->seen);
    call_record& r = *s->record;
    std::shared_ptr<replayable> work, before;
    if (why.empty()) work = std::make_shared<replayable>(std::move(made));
    const std::lock_guard lock(graph_mutex());
    before = r.work;
    r.why = std::move(why);
    r.where = s->seen.where;
    if (!work) {
        r.work.reset();
        return;
    }
    const bool again = before && before->work().same(work->work());
    if (!again) {
        if (before && ++r.attempts >= most_attempts) {
            r.work.reset();
            r.why = "does not do the same at each call";
            return;
        }
        r.work = std::move(work);
        r.structure = std::move(structure);
        r.proven.assign(s->arguments.size(), false);
        r.storages.clear();
    }
    for (std::size_t i = 0; i < s->arguments.size(); ++i) {
        const Storage* now = s->arguments[i] ? s->arguments[i]->storage.get() : nullptr;
        if (again)
            r.proven[i] = r.proven[i] || now != r.storages[i];
        else
            r.storages.push_back(now);
    }
}

void require_donatable(std::size_t number) {
    if (number >= 64)
        runtime::fail<IndexError>("donate", "the number of the argument is too large",
                                  runtime::text(number), "0 to 63",
                                  "passing the tensors of several arguments as one vector");
}

std::string explain_calls(const compiled_calls& calls) {
    const auto all = calls.all();
    if (all.empty()) return "a compiled function that was not called yet\n";
    std::string text;
    for (const auto& r : all) {
        std::shared_ptr<replayable> work;
        std::string why;
        {
            const std::lock_guard lock(graph_mutex());
            text += r->signature.text() + ": ";
            work = r->work;
            why = r->why;
            if (work) text += "recorded, replayed " + runtime::count_of(r->replays, "time") + "\n";
        }
        if (work) {
            text += work->describe();
            continue;
        }
        text += "runs at each call, since it " + why;
        if (const std::string line = runtime::line_of(r->where); !line.empty())
            text += " at " + line;
        text += "\n";
    }
    return text;
}

}  // namespace sinter::inline v1::detail
