// An executable: a plan with what running it needs and learns. The plan is data and never changes;
// code, timings and measured decisions are here.
#pragma once

#include "engine/measure/specialization.hpp"
#include "engine/measure/timing.hpp"
#include "engine/plan/plan.hpp"
#include "jit/cache/recorder.hpp"
#include "jit/interpret/block_kernel.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/call.hpp"
#include "jit/launch/launch.hpp"
#include "jit/launch/reduction_plan.hpp"
#include "jit/launch/scalar_bits.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace sinter::plan {

class autotuner;
class gpu_replay;

/// How kernels run. `compiled`: from the kernel cache, which compiles missing ones at once.
/// `background`: the same, but runs block rows while a kernel is compiled. `interpret`: by the
/// interpreter of the kernel IR; slow, for tests. `blocks`: by block rows; nothing is compiled.
enum class executor { compiled, background, interpret, blocks };

/// A kernel of a plan with its code.
struct loaded_kernel {
    const kernel_step* step = nullptr;
    std::optional<runtime::reduction_plan> reductions;  // if the kernel reduces, on the CPU
    std::shared_ptr<kernel_timing> timing = std::make_shared<kernel_timing>();
    std::atomic<kernel_ir::kernel_fn> fn{nullptr};  // set by the first look-up that finds it
    std::atomic<bool> never_compiled{false};        // no compiler, or it failed: always by blocks
    runtime::device_code on_gpu{nullptr};
    std::unique_ptr<specialization> own;  // a kernel specialised for these extents and scalars
    // ---- made on first use by runs without compiled code
    std::once_flag interpreter_made, blocks_made;
    std::unique_ptr<kernel_ir::interpreter> interpreter;
    std::shared_ptr<const block::block_kernel> blocks;  // shared with the fast path
};

class executable {
public:
    /// Takes the plan of `w`.
    executable(plan&& p, const subgraph& w);
    ~executable();
    executable(const executable&) = delete;
    executable& operator=(const executable&) = delete;

    /// The state of one of the plan's kernels. Runs of several threads share it.
    loaded_kernel& of(const kernel_step& k) const {
        return kernels_[static_cast<std::size_t>(k.number)];
    }
    std::span<loaded_kernel> kernels() const {
        return {kernels_.get(), static_cast<std::size_t>(data.kernels)};
    }

    const plan data;
    std::unique_ptr<autotuner> other;    // an alternative, if the cost model was not sure
    std::shared_ptr<gpu_replay> replay;  // GPU only: submits the launches
    std::vector<uint64_t> key;           // structure_key of the subgraph; empty outside the cache
    mutable std::atomic<bool> compiled_ahead{false};  // GPU only: steps/compile_ahead.hpp
    mutable std::atomic<bool> offered{false};  // to brief_plans.hpp, once its kernel is there
    const bool to_record;                      // SINTER_CACHE_RECORD
    /// Of the subgraph; null until it is recorded.
    mutable std::atomic<code_cache::run_count*> runs{nullptr};

private:
    std::unique_ptr<loaded_kernel[]> kernels_;
};

/// Plans a subgraph and makes what runs the plan.
std::shared_ptr<executable> make_executable(const subgraph& w);

/// Returns what a launch of a kernel on the CPU has from the kernel and its plan: all but code,
/// operands and scalars.
runtime::launch_request launch_of(const loaded_kernel& k);
/// Returns true if a compiled kernel takes about as long as claims would, which take the graph
/// mutex twice: 1 us or less with wide vectors and in cache. It then runs under the mutex.
constexpr bool may_hold_mutex(int64_t elements, int64_t cost) {
    constexpr int64_t most_elements = 16384, primitives = 65536;
    return elements <= most_elements && elements * cost <= primitives;
}

/// Returns a scalar operand of a kernel, of node `n`, as the kernel reads it.
template <class N>
uint64_t scalar_of(const N& n, const scalar_binding& b) {
    const Scalar& s =
        b.index < 0 ? Scalar(n.correction) : n.scalars[static_cast<std::size_t>(b.index)];
    return runtime::scalar_bits(s, b.part, b.type);
}

/// Returns the text of `explain`: the plan, and what runs of it have shown.
std::string describe(const executable& e, const subgraph& w);

}  // namespace sinter::plan
