#include "engine/run/executable/gpu_replay.hpp"

#include "engine/measure/undecided.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "jit/cache/device_kernels.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace sinter::plan {
namespace {

// Not measured on hardware. Below, single launches are cheap enough; above, the device takes longer
// than the host.
constexpr std::size_t least_launches = 4, most_launches = 2048;
constexpr int64_t most_bytes = int64_t{8} << 20;  // average per kernel
/// The first runs of a plan load its kernels.
constexpr uint32_t first_runs = 3;
/// Maximum number of graphs made for a plan: when its launches change, or when its graph was
/// dropped.
constexpr uint32_t most_made = 8;
/// HIP keeps the old argument of a changed launch until the graph is destroyed.
constexpr uint64_t most_changes = 8192;
/// Maximum number of launches in all graphs: the driver reserves device memory for each.
std::atomic<std::size_t> most_live{8192};

replay_mode from_environment() {
    switch (runtime::environment().graphs) {
        case runtime::graphs_choice::on: return replay_mode::on;
        case runtime::graphs_choice::off: return replay_mode::off;
        case runtime::graphs_choice::measured: break;
    }
    return replay_mode::measured;
}

std::atomic<replay_mode>& all_replays() {
    static std::atomic<replay_mode> how{from_environment()};
    return how;
}

bool same_shape(const runtime::launch_shape& a, const runtime::launch_shape& b) {
    return a.blocks == b.blocks && a.threads == b.threads && a.shared == b.shared;
}

/// Returns the number of launches of a plan whose kernels have run.
std::size_t launches_of(const executable& e) {
    std::size_t n = 0;
    for (const loaded_kernel& k : e.kernels()) {
        const auto* code = k.on_gpu.load(std::memory_order_acquire);
        n += code ? std::max<std::size_t>(1, code->parts.size()) : 1;
    }
    return n;
}

}  // namespace

replay_mode replays() { return all_replays().load(std::memory_order_relaxed); }
void force_replays(replay_mode how) { all_replays().store(how, std::memory_order_relaxed); }
std::size_t limit_launches_in_graphs(std::size_t most) { return most_live.exchange(most); }

/// The replays that have a graph. Drops the least recently used graph if there are too many
/// launches.
class live_graphs {
public:
    /// Under the mutex of the replay. Returns false if there is no room.
    bool enter(gpu_replay& r, std::size_t nodes) {
        const std::lock_guard lock(mutex_);
        leave_locked(r);
        while (live_ + nodes > most_live)
            if (!drop_oldest()) return false;
        members_.push_back(&r);
        live_ += nodes;
        r.nodes_ = nodes;
        return true;
    }
    /// Always takes the lock: another replay may be dropping this one's graph.
    void leave(gpu_replay& r) {
        const std::lock_guard lock(mutex_);
        leave_locked(r);
    }
    std::size_t launches() {
        const std::lock_guard lock(mutex_);
        return live_;
    }
    /// Returns a number for a run that replays or tries to.
    uint64_t use() { return uses_.fetch_add(1, std::memory_order_relaxed) + 1; }
    uint64_t now() const { return uses_.load(std::memory_order_relaxed); }

private:
    void leave_locked(gpu_replay& r) {
        const auto at = std::find(members_.begin(), members_.end(), &r);
        if (at == members_.end()) return;
        *at = members_.back();
        members_.pop_back();
        live_ -= r.nodes_;
        r.nodes_ = 0;
    }
    /// Drops the oldest graph, but none in recent use: plans that alternate would drop each
    /// other's.
    bool drop_oldest() {
        const uint64_t recent = 2 * members_.size();
        gpu_replay* oldest = nullptr;
        uint64_t used = now() > recent ? now() - recent : 0;
        for (gpu_replay* r : members_)
            if (const uint64_t last = r->last_use_; last < used) oldest = r, used = last;
        if (!oldest) return false;
        const std::unique_lock lock(oldest->mutex_, std::try_to_lock);
        if (!lock) return false;
        oldest->graph_.reset();
        leave_locked(*oldest);
        return true;
    }

    std::mutex mutex_;
    std::vector<gpu_replay*> members_;
    std::size_t live_ = 0;
    std::atomic<uint64_t> uses_{0};
};

namespace {

/// Leaked: plans are destroyed at the end of threads.
live_graphs& all_graphs() {
    static auto& all = *new live_graphs;
    return all;
}

}  // namespace

std::size_t launches_in_graphs() { return all_graphs().launches(); }

gpu_replay::gpu_replay(std::size_t kernels, int64_t bytes) : kernels_(kernels), bytes_(bytes) {}

gpu_replay::~gpu_replay() {
    if (made_ > 0) all_graphs().leave(*this);
}

void gpu_replay::give_up() {
    settle(state::one_by_one);
    graph_.reset();
    if (made_ > 0) all_graphs().leave(*this);
}

bool gpu_replay::wanted(const executable& e, const runtime::gpu& g) {
    const replay_mode how = replays();
    if (how == replay_mode::off || state_.load(std::memory_order_acquire) == state::one_by_one)
        return false;
    if (!runtime::has_graphs(g) || runtime::launch_blocking()) return false;
    if (how == replay_mode::on) return true;
    const uint32_t run = runs_.load(std::memory_order_relaxed);
    if (state_.load(std::memory_order_relaxed) == state::measuring) note_undecided();
    if (run > first_runs) return true;
    runs_.store(run + 1, std::memory_order_relaxed);
    if (run < first_runs) return false;
    const std::size_t launches = launches_of(e);
    if (launches >= least_launches && launches <= most_launches &&
        bytes_ <= most_bytes * static_cast<int64_t>(kernels_))
        return true;
    settle(state::one_by_one);
    return false;
}

bool gpu_replay::begin(runtime::gpu_stream& s, runtime::gpu_stream*& timed_on) {
    look_at_events();
    const state now = state_.load(std::memory_order_acquire);
    if (replays() == replay_mode::on || now == state::graph) return true;
    if (now != state::measuring || measured_) return false;
    if (!start_) {
        start_.emplace(s.device(), true);
        stop_.emplace(s.device(), true);
    }
    start_->record(s);
    timed_on = &s;
    return timing_.next() == together;
}

void gpu_replay::end(runtime::gpu_stream& s, bool collected, uint64_t host_ns) {
    stop_->record(s);
    measured_ = collected ? together : separately;
    host_ns_ = host_ns;
}

void gpu_replay::look_at_events() {
    if (!measured_ || !stop_->done()) return;
    const auto device_ns = static_cast<uint64_t>(static_cast<double>(stop_->since(*start_)) * 1e6);
    const auto faster = timing_.record(*measured_, host_ns_ + device_ns);
    measured_.reset();
    if (!faster) return;
    start_.reset();
    stop_.reset();
    if (*faster)
        settle(state::graph);
    else
        give_up();
}

bool gpu_replay::same_functions(const runtime::launch_batch& b) const {
    const auto with = b.launches();
    return std::equal(launches_.begin(), launches_.end(), with.begin(), with.end(),
                      [](const auto& x, const auto& y) {
                          return x.function == y.function && x.at == y.at && x.words == y.words;
                      });
}

bool gpu_replay::make(const runtime::launch_batch& b) {
    graph_.reset();
    changes_ = 0;
    const auto launches = b.launches();
    if (made_++ == most_made) {
        give_up();
        return false;
    }
    if (!all_graphs().enter(*this, launches.size())) return false;
    std::vector<runtime::graph_kernel> chain;
    for (const runtime::launch_batch::launch& l : launches) chain.push_back(b.kernel(l));
    launches_.assign(launches.begin(), launches.end());
    arguments_.assign(b.arguments().begin(), b.arguments().end());
    graph_.emplace(b.stream().device(), chain);
    return true;
}

void gpu_replay::update(const runtime::launch_batch& b) {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        runtime::launch_batch::launch& held = launches_[i];
        const runtime::launch_batch::launch& now = b.launches()[i];
        uint64_t* words = arguments_.data() + held.at;
        const std::size_t bytes = held.words * sizeof(uint64_t);
        if (same_shape(held.shape, now.shape) &&
            std::memcmp(words, b.arguments().data() + now.at, bytes) == 0)
            continue;
        graph_->set(i, b.kernel(now));
        held.shape = now.shape;
        // `arguments_` is updated only after the loop: the parts of a kernel share an argument, and
        // each must find that it differs.
        ++changes_;
    }
    std::copy(b.arguments().begin(), b.arguments().end(), arguments_.begin());
}

bool gpu_replay::put(runtime::launch_batch& b) {
    if (b.launches().size() < 2) return false;
    runtime::trace_span span("gpu", graph_ ? "replay" : "make a graph");
    span.detail("launches", static_cast<int64_t>(b.launches().size()));
    last_use_.store(all_graphs().use(), std::memory_order_relaxed);
    try {
        if (graph_ && changes_ > most_changes) {
            graph_.reset();
            --made_;  // the new graph has the same launches
        }
        if (graph_ && same_functions(b))
            update(b);
        else if (!make(b))
            return false;
        b.were_put(graph_->put(b.stream()));
    } catch (const Error&) {
        // The launches then run one by one, and report the error if it persists.
        give_up();
        return false;
    }
    runtime::count().graph_launches.add();
    return true;
}

std::string gpu_replay::describe() const {
    const auto time_of = [this](side s) -> std::string {
        const uint64_t ns = timing_.of(s).best_ns.load();
        if (timing_.of(s).runs.load() == 0) return "not measured";
        char text[48];
        std::snprintf(text, sizeof text, "best of %u %.3f us", timing_.of(s).runs.load(),
                      static_cast<double>(ns) / 1e3);
        return text;
    };
    const std::size_t nodes = nodes_.load();
    const state now = state_.load();
    if (nodes == 0 && timing_.of(separately).runs.load() == 0) return "";
    std::string text =
        nodes > 0 ? "a graph of " + std::to_string(nodes) + " launches" : "one by one";
    if (now == state::measuring && replays() == replay_mode::measured) text = "tried in turns";
    return text + "; one by one " + time_of(separately) + ", as a graph " + time_of(together);
}

std::unique_ptr<gpu_replay> make_replay(const plan& p) {
    int64_t bytes = 0;
    for (const plan_step& s : p.steps) {
        if (s.library >= 0 || s.before || !s.kernel || s.kernel->guarded) return nullptr;
        bytes += s.kernel->bytes;
    }
    if (p.steps.size() < 2) return nullptr;
    return std::make_unique<gpu_replay>(p.steps.size(), bytes);
}

replayed_run::replayed_run(const executable& e, runtime::device_index device) : replay_(*e.replay) {
    const runtime::gpu& g = runtime::gpu_at(device);
    if (!replay_.wanted(e, g)) return;
    lock_ = std::unique_lock(replay_.mutex_, std::try_to_lock);
    if (!lock_) return;
    runtime::gpu_stream& s = runtime::current_stream(g);
    bool collects = false;
    start_ = clock::now();
    try {
        collects = replay_.begin(s, timed_on_);
    } catch (const Error&) {
        replay_.give_up();  // the launches will report the error
        timed_on_ = nullptr;
    }
    if (!collects) return;
    batch_.emplace(s);
    batch_->reserve(replay_.launches_.size(), replay_.arguments_.size());
}

void replayed_run::made(Version& v, runtime::buffer_ptr b) {
    results_.push_back({&v, batch_->launches().size()});
    v.buffer = std::move(b);
}

void replayed_run::publish_put() {
    for (const result& r : results_) {
        if (r.launches <= batch_->put_so_far())
            publish(*r.value, std::move(r.value->buffer));
        else
            r.value->buffer.reset();
    }
    results_.clear();
}

void replayed_run::put() {
    if (!batch_ || failed_) return;
    // The CPU may have computed results since the last launch.
    if (batch_->launches().size() == batch_->put_so_far()) return publish_put();
    const bool first = std::exchange(first_, false);
    try {
        if (!first || !replay_.put(*batch_)) batch_->put();
    } catch (...) {
        failed_ = true;
        publish_put();
        throw;
    }
    publish_put();
}

void replayed_run::put_early() {
    first_ = false;  // no graph from an incomplete batch
    put();
}

void replayed_run::put_what_can_be() noexcept {
    try {
        put_early();
    } catch (const std::exception&) {
        // The caller rethrows the first error.
    }
}

void replayed_run::finish() {
    if (!timed_on_) return;
    const auto host = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start_);
    try {
        replay_.end(*timed_on_, batch_.has_value(), static_cast<uint64_t>(host.count()));
    } catch (const Error&) {
        replay_.give_up();
    }
}

}  // namespace sinter::plan
