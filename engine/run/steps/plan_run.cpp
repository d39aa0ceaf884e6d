#include "engine/run/steps/plan_run.hpp"

#include "engine/graph/deferred.hpp"
#include "engine/run/executable/gpu_replay.hpp"
#include "engine/run/results/result_buffers.hpp"

#include <algorithm>

namespace sinter::plan {

plan_run::plan_run(const executable& e, subgraph& w, executor x)
    : code(e),
      work(w),
      how(x),
      temporaries_(e.data.temporaries.size()),
      dead_edges_(w.values.size()),
      to_read_(w.values.size()) {
    for (const plan_step& s : e.data.steps) mark(s, true);
    find_survivors();
}

runtime::launch_batch* plan_run::batch() const { return replay ? replay->batch() : nullptr; }

tests_of_values plan_run::tests() const {
    if (on_cpu()) return tests_of_values::awaited;
    const auto known = [](const Node* n) { return has_known_address(*n->result); };
    if (!tests_)
        tests_ =
            runtime::launch_blocking() || std::any_of(work.nodes.begin(), work.nodes.end(), known)
                ? tests_of_values::awaited
                : tests_of_values::deferred;
    return *tests_;
}

void plan_run::inherit_tests(const kernel_step& k) const {
    if (on_cpu()) return;
    for (const int i : k.nodes) inherit_checks(node(i));
}

// ---- failed values

bool plan_run::any_failed() const {
    for (std::size_t v = work.nodes.size(); v < work.values.size(); ++v)
        if (work.values[v] && work.values[v]->state == version_state::failed) return true;
    return false;
}

std::exception_ptr plan_run::failed_source(const kernel_step& k) const {
    for (int i : k.nodes)
        if (std::exception_ptr error = failed_source(node(i))) return error;
    return nullptr;
}

std::exception_ptr plan_run::failed_source(const Node& n) {
    for (const Edge& e : n.sources)
        if (e.value && e.value->state == version_state::failed) return e.value->error;
    return nullptr;
}

// ---- readers

/// Marks the values whose last read is in step `s` as still to be read, or not.
void plan_run::mark(const plan_step& s, bool read) {
    for (int v : s.last_reads)
        if (!is_temporary(v)) to_read_[static_cast<std::size_t>(v)] = read;
}

/// Survivors keep reading their sources; all other reads end with this plan.
void plan_run::find_survivors() {
    runtime::arena_vector<uint8_t> stays(work.nodes.size());
    for (int i : code.data.inlined) stays[static_cast<std::size_t>(i)] = 1;
    for (std::size_t i = work.nodes.size(); i-- > 0;) {
        if (stays[i]) stays[i] = work.values[i]->references.load() > dead_edges_[i];
        if (stays[i]) {
            survivors_.push_back(static_cast<int>(i));
            continue;
        }
        Node& n = *work.nodes[i];
        for (Edge& e : n.sources)
            if (e.value) ++dead_edges_[static_cast<std::size_t>(e.number)];
        if (n.partial() && n.base().number >= 0)
            ++dead_edges_[static_cast<std::size_t>(n.base().number)];
    }
}

void plan_run::mark_survivors() {
    for (int i : survivors_) node(i).marked = true;
}

bool plan_run::held(const Version& v, int number, uint32_t mine) const {
    const uint32_t dead =
        number >= 0 ? dead_edges_[static_cast<std::size_t>(number)] : base_edges(v);
    return v.references.load() > dead + mine + v.fallback;
}

bool plan_run::needed(const plan_step& s, const Version& v, uint32_t mine) const {
    const int i = number_of(v);
    return held(v, i, mine) || (i >= 0 && read_later(s, i));
}

/// Returns 1 if `v` is the base of the last node, the only one that may be a partial write. A base
/// may be no numbered value of the subgraph.
uint32_t plan_run::base_edges(const Version& v) const {
    const Node& n = *work.nodes.back();
    return n.partial() && n.base().value.get() == &v;
}

int plan_run::number_of(const Version& v) const {
    const Node& n = *work.nodes.back();
    if (n.partial() && n.base().value.get() == &v) return n.base().number;
    const auto at = std::find(work.values.begin(), work.values.end(), &v);
    return at == work.values.end() ? -1 : static_cast<int>(at - work.values.begin());
}

bool plan_run::last_read(const plan_step& s, int v) {
    return std::find(s.last_reads.begin(), s.last_reads.end(), v) != s.last_reads.end();
}

bool plan_run::read_later(const plan_step& s, int v) const {
    return to_read_[static_cast<std::size_t>(v)] && !last_read(s, v);
}

void plan_run::end(const plan_step& s) {
    mark(s, false);
    if (batch()) return;                              // launches to come still use the memory
    const bool last = &s == &code.data.steps.back();  // the end of the plan frees the values
    for (int v : s.last_reads) {
        if (is_temporary(v))
            buffer_of_temporary(v).reset();
        else if (!last && !value(v).fallback && !held(value(v), v) && !base_edges(value(v)))
            release_bytes(value(v));
    }
}

// ---- memory

runtime::buffer_ptr plan_run::make_temporary(int v) const {
    const temporary& t = code.data.temporaries[static_cast<std::size_t>(v - code.data.values)];
    return runtime::make_buffer(static_cast<std::size_t>(t.numel) * elementSize(t.dtype),
                                work.device);
}

runtime::buffer* plan_run::buffer_of(int v) const {
    if (is_temporary(v)) return temporaries_[static_cast<std::size_t>(v - code.data.values)].get();
    return value(v).buffer.get();
}

}  // namespace sinter::plan
