// Plans of many small kernels, replayed as one graph where that is measured to win.
//
// Where a GPU's plan has nothing but kernels that cannot fail, their launches can be collected
// while the plan runs and put on the stream together at its end: one by one, or as a graph that the
// driver keeps. The graph is made at the first such run. Later ones compare each launch with what
// the graph holds, and change only what differs: scalars, and addresses that the allocator chose
// otherwise. Which way is the faster one is measured in turns (race.hpp): the host's time for the
// run, and between two events on the device, which are looked at when the plan runs again.
#pragma once

#include "engine/measure/race.hpp"
#include "engine/plan/plan.hpp"
#include "jit/launch/gpu/launch_batch.hpp"
#include "runtime/device/event.hpp"
#include "runtime/device/graph.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace sinter::plan {

enum class replay_mode : uint8_t { measured, on, off };

/// SINTER_GRAPHS=on, off or measured. Tests change it.
replay_mode replays();
void force_replays(replay_mode how);
/// Of all graphs now, and the most; returns what that was. For tests.
std::size_t launches_in_graphs();
std::size_t limit_launches_in_graphs(std::size_t most);

class gpu_replay {
public:
    gpu_replay(std::size_t kernels, int64_t bytes);
    ~gpu_replay();
    gpu_replay(const gpu_replay&) = delete;
    gpu_replay& operator=(const gpu_replay&) = delete;

    /// What `explain` says of it; empty: nothing yet.
    std::string describe() const;

private:
    friend class replayed_run;
    friend class live_graphs;

    enum class state : uint8_t { measuring, one_by_one, graph };
    enum side : int { separately, together };

    /// Whether a run is worth looking at. Cheap for a plan that is settled to go one by one.
    bool wanted(const plan& p, const runtime::gpu& g);
    // ---- under the mutex

    /// Whether this run collects; where its time counts, if it does.
    bool begin(runtime::gpu_stream& s, runtime::gpu_stream*& timed_on);
    void end(runtime::gpu_stream& s, bool collected, uint64_t host_ns);
    void look_at_events();
    /// Puts all on the stream as one. False where that cannot be.
    bool put(launch_batch& b);
    bool same_functions(const launch_batch& b) const;
    /// False where there is no place for it, or it is not worth it any more.
    bool make(const launch_batch& b);
    void update(const launch_batch& b);
    void give_up();
    void settle(state s) { state_.store(s, std::memory_order_release); }

    const std::size_t kernels_;
    const int64_t bytes_;
    std::atomic<state> state_{state::measuring};
    std::atomic<uint32_t> runs_{0};
    std::atomic<uint64_t> last_use_{0};
    std::atomic<std::size_t> nodes_{0};
    race race_;

    std::mutex mutex_;  // of what follows: the run that has it may replay
    std::optional<runtime::gpu_graph> graph_;
    std::vector<launch_batch::launch> launches_;  // what the graph holds
    std::vector<uint64_t> arguments_;
    uint32_t made_ = 0;     // how often
    uint64_t changes_ = 0;  // of the graph's launches
    std::optional<runtime::gpu_event> start_, stop_;
    std::optional<side> measured_;  // whose events are on their way
    uint64_t host_ns_ = 0;
};

/// One for a plan that may be replayed, or none.
std::unique_ptr<gpu_replay> make_replay(const plan& p);

/// A run of a plan: whether it collects its launches, and what it took. On the stack of the run.
class replayed_run {
public:
    /// Of a plan with a replay, on the current stream of a GPU.
    replayed_run(const plan& p, runtime::device_index place);
    replayed_run(const replayed_run&) = delete;
    replayed_run& operator=(const replayed_run&) = delete;

    /// Null: launches are put one by one as they come.
    launch_batch* batch() { return batch_ ? &*batch_ : nullptr; }
    /// What the kernel that was collected last makes: it has its memory, and nobody but the plan
    /// knows before that kernel has been put.
    void made(Version& v, runtime::buffer_ptr b);
    /// Puts what was collected on the stream, the first time as a graph if possible. Throws the
    /// driver's errors; what was made by launches before is ready, the rest is as it was.
    void put();
    void put_what_can_be() noexcept;
    /// Nothing went wrong: the time counts.
    void finish();

private:
    using clock = std::chrono::steady_clock;
    struct result {
        Version* value;
        std::size_t launches;  // of the batch, up to its last one
    };
    void publish_put();

    gpu_replay& replay_;
    std::unique_lock<std::mutex> lock_;
    std::optional<launch_batch> batch_;
    runtime::gpu_stream* timed_on_ = nullptr;
    bool first_ = true, failed_ = false;
    runtime::arena_vector<result> results_;
    clock::time_point start_;
};

}  // namespace sinter::plan
