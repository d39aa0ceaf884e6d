#include "engine/run/record.hpp"

#include "engine/graph/cse.hpp"
#include "engine/graph/deferred.hpp"
#include "engine/graph/device_check.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/graph/orphans.hpp"
#include "engine/run/flush.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/report/stats.hpp"

#include <sinter/error.hpp>
#include <sinter/mode.hpp>

namespace sinter::inline v1 {
namespace {

/// Copies the single element that an edge reads to `to`, and repeats it as the edge does.
void move_number(Edge& e, runtime::device_index to) {
    const intrusive_ptr<Version> from = e.value;
    Version* wanted[] = {from.get()};
    flush(wanted, static_cast<int>(flush_reason::value_read));
    wait_for_checks(*from);
    const std::size_t item = elementSize(e.dtype);
    intrusive_ptr<Version> v = new_version(e.dtype, 1, to);
    v->buffer = runtime::make_buffer(item, to);
    runtime::copy_bytes(*v->buffer, 0, *from->buffer,
                        static_cast<std::size_t>(e.shape->offset) * item, item);
    v->state = version_state::ready;
    const std::vector<int64_t> none(static_cast<std::size_t>(e.shape->ndim), 0);
    e.shape = make_geometry(e.shape->sizes_ref(), none, 0);
    e.value = std::move(v);
}

}  // namespace

void move_numbers(Node& n) {
    if (!n.apart) return;
    n.apart = false;
    for (Edge& e : n.sources)
        if (e.value && e.value->device != n.device) move_number(e, n.device);
}

namespace {

/// Runs the pending work for which alone orphans are in memory.
void run_readers_of_orphans() {
    const int64_t before = runtime::bytes_live();
    {
        const std::vector<intrusive_ptr<Version>> readers = owned_readers_of_orphans();
        std::vector<Version*> wanted;
        for (const auto& v : readers) wanted.push_back(v.get());
        try {
            if (!wanted.empty()) flush(wanted, static_cast<int>(flush_reason::bounds));
        } catch (const Error&) {
            // Who reads these values gets the error.
        }
    }
    orphans_run(before, runtime::bytes_live());
}

}  // namespace

void run_if_due(Storage& s, record_outcome is) {
    const bool eager = get_mode() == Mode::eager;
    if (is.crowded && !eager) run_readers_of_orphans();
    if (!eager && !is.external && !is.due) return;
    Version& v = *s.current;
    Version* wanted[] = {&v};
    if (eager) {
        flush(wanted, static_cast<int>(flush_reason::eval));
    } else if (is.external) {
        flush(wanted, static_cast<int>(flush_reason::external));
    } else {
        try {
            flush(wanted, static_cast<int>(flush_reason::bounds));
        } catch (...) {
            // A deferred error is thrown where the value is read, not at the line that reached the
            // limit.
            if (v.state != version_state::failed) throw;
        }
    }
}

std::vector<intrusive_ptr<TensorImpl>> make_pending_results(const kernel_op* op,
                                                            std::span<const leaf> inputs,
                                                            const attributes_ptr& attributes) {
    // One byte, because a value without elements would never be computed.
    const geometry_ptr bundle = make_contiguous(1);
    intrusive_ptr<Version> all = find_pending(op, inputs, *attributes);
    if (!all)
        all = make_pending(library_node(op, inputs, kByte, bundle, attributes), bundle)
                  ->storage->current;
    std::vector<intrusive_ptr<TensorImpl>> results;
    for (const result_info& r : attributes->results) {
        const leaf from{bundle, all, false, kByte};
        std::unique_ptr<Node> n =
            library_node(&result_op, {&from, 1}, r.dtype, r.shape,
                         make_attributes(result_attributes{results.size(), op}));
        // No operation with several results has a rule of its own.
        if (has_gradient(inputs) && is_differentiable(r.dtype)) [[unlikely]]
            n->gradient = rules_of_gradients().of_library(*op, inputs, attributes).detach();
        results.push_back(make_pending(std::move(n), r.shape));
    }
    return results;
}

void assign(const TensorImpl& target, std::unique_ptr<Node> node) {
    Storage& s = *target.storage;
    require_writable("assign", s);
    if (target.shape->numel == 0) return;
    check_target("assign", *node, target.device);
    const bool differentiated = node->gradient || s.differentiated.load(std::memory_order_relaxed);
    if (differentiated) [[unlikely]]
        rules_of_gradients().check_write(target, node->gradient);
    if (node->apart) move_numbers(*node);
    recorded_write w = record_write(target, std::move(node));
    const bool at_line = w.is.external || get_mode() == Mode::eager;
    // Nothing may hold the old value while a write into its memory runs, unless it may fail here.
    if (at_line)
        w.before->fallback = 1;
    else
        w.before.reset();
    try {
        run_if_due(s, w.is);
        if (w.before) w.before->fallback = 0;
    } catch (...) {
        if (w.before) {
            w.before->fallback = 0;
            take_back(s, w);
        }
        throw;
    }
    if (differentiated) [[unlikely]]
        rules_of_gradients().written(target, std::move(w.gradient));
}

void keep(const TensorImpl& t, bool kept) {
    std::lock_guard lock(graph_mutex());
    Node* n = t.storage->current->producer;
    if (n && !n->claimed && !n->partial()) n->marked = kept;
}

void grow(Storage& s, int64_t numel, int reason) {
    settle(s, reason);
    Version* wanted[] = {s.current.get()};
    flush(wanted, reason);
    const Version& old = *s.current;
    intrusive_ptr<Version> v = new_version(old.dtype, numel, old.device);
    v->buffer = old.buffer->owner == runtime::memory_owner::pinned
                    ? runtime::make_pinned_buffer(v->nbytes())
                    : runtime::make_buffer(v->nbytes(), v->device);
    runtime::copy_bytes(*v->buffer, *old.buffer, old.nbytes());
    v->checks = old.checks;
    v->state = version_state::ready;
    replace_newest(s, std::move(v));
}

}  // namespace sinter::inline v1
