// Replays plans of many small kernels as one GPU graph if that is measured to be faster.
//
// If all steps of a GPU plan are kernels that cannot fail, their launches can be batched while the
// plan runs and submitted together at its end: one by one, or as a driver graph. The first such run
// makes the graph. Later runs compare each launch with the graph and update only differences:
// scalars, and addresses that the allocator chose differently. Both alternatives are timed in turns
// (ab_timing.hpp): the host time of the run plus the time between two events on the device, which
// are read when the plan runs again.
#pragma once

#include "engine/measure/ab_timing.hpp"
#include "engine/run/executable/executable.hpp"
#include "jit/launch/gpu/launch_batch.hpp"
#include "runtime/device/event.hpp"
#include "runtime/device/graph.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace sinter::plan {

enum class replay_mode : uint8_t { measured, on, off };

/// Returns the mode set by SINTER_GRAPHS=on, off or measured. Tests change it.
replay_mode replays();
void force_replays(replay_mode how);
/// For tests: returns the number of launches in all graphs; sets their limit and returns the old
/// limit.
std::size_t launches_in_graphs();
std::size_t limit_launches_in_graphs(std::size_t most);

class gpu_replay {
public:
    gpu_replay(std::size_t kernels, int64_t bytes);
    ~gpu_replay();
    gpu_replay(const gpu_replay&) = delete;
    gpu_replay& operator=(const gpu_replay&) = delete;

    /// Returns text for `explain`; empty if there is nothing to say yet.
    std::string describe() const;

private:
    friend class replayed_run;
    friend class live_graphs;

    enum class state : uint8_t { measuring, one_by_one, graph };
    enum side : int { separately, together };

    /// Returns true if a run may collect or be timed. Cheap for a plan that is settled to submit
    /// launches one by one.
    bool wanted(const executable& e, const runtime::gpu& g);
    // ---- under the mutex

    /// Returns true if this run collects its launches. Sets `timed_on` if the run is timed.
    bool begin(runtime::gpu_stream& s, runtime::gpu_stream*& timed_on);
    void end(runtime::gpu_stream& s, bool collected, uint64_t host_ns);
    void look_at_events();
    /// Submits the batch as one graph. Returns false if that is impossible.
    bool put(runtime::launch_batch& b);
    bool same_functions(const runtime::launch_batch& b) const;
    /// Makes the graph. Returns false if there is no room for it or too many were made.
    bool make(const runtime::launch_batch& b);
    void update(const runtime::launch_batch& b);
    void give_up();
    void settle(state s) { state_.store(s, std::memory_order_release); }

    const std::size_t kernels_;
    const int64_t bytes_;
    std::atomic<state> state_{state::measuring};
    std::atomic<uint32_t> runs_{0};
    std::atomic<uint64_t> last_use_{0};
    std::atomic<std::size_t> nodes_{0};
    ab_timing timing_;

    std::mutex mutex_;  // guards the members below; the run that holds it may replay
    std::optional<runtime::gpu_graph> graph_;
    std::vector<runtime::launch_batch::launch> launches_;  // what the graph holds
    std::vector<uint64_t> arguments_;
    uint32_t made_ = 0;     // number of graphs made
    uint64_t changes_ = 0;  // updates of launches in the current graph
    std::optional<runtime::gpu_event> start_, stop_;
    std::optional<side> measured_;  // the side whose events are pending
    uint64_t host_ns_ = 0;
};

/// Returns a replay for a plan that may be replayed, or null.
std::unique_ptr<gpu_replay> make_replay(const plan& p);

/// One run of a plan with a replay: may collect its launches, and may be timed. Lives on the stack.
class replayed_run {
public:
    /// For a plan with a replay, on the current stream of the GPU.
    replayed_run(const executable& e, runtime::device_index device);
    replayed_run(const replayed_run&) = delete;
    replayed_run& operator=(const replayed_run&) = delete;

    /// Returns the batch, or null if launches are submitted one by one at once.
    runtime::launch_batch* batch() { return batch_ ? &*batch_ : nullptr; }
    /// Records the result of the kernel that was collected last. It has its memory, but is not
    /// published before that kernel is submitted.
    void made(Version& v, runtime::buffer_ptr b);
    /// Submits the collected launches, the first time as a graph if possible. Throws the driver's
    /// errors; results of the launches that were submitted are ready, the others stay pending.
    void put();
    /// Submits what is collected so far, because the CPU reads what it computes.
    void put_early();
    void put_what_can_be() noexcept;
    /// Ends a run without errors: its time counts.
    void finish();

private:
    using clock = std::chrono::steady_clock;
    struct result {
        Version* value;
        std::size_t launches;  // length of the batch up to its last launch
    };
    void publish_put();

    gpu_replay& replay_;
    std::unique_lock<std::mutex> lock_;
    std::optional<runtime::launch_batch> batch_;
    runtime::gpu_stream* timed_on_ = nullptr;
    bool first_ = true, failed_ = false;
    runtime::arena_vector<result> results_;
    clock::time_point start_;
};

}  // namespace sinter::plan
