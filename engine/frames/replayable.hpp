// A recording with its plan. A call binds what the recording reads to the newest values, makes the
// results and runs the plan: nothing is recorded, claimed node by node, looked up or planned.
#pragma once

#include "engine/frames/frame.hpp"
#include "engine/frames/one_kernel.hpp"
#include "engine/frames/parts.hpp"
#include "engine/frames/recording.hpp"
#include "engine/run/executable/executable.hpp"

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::frames {

/// What became of a call: it was done; the recording is out of date, since a tensor that it reads
/// is not what it was; or the function must run this once, as for values that fail.
enum class outcome : uint8_t { done, stale, not_now };

/// Calls may run on several threads at once.
class replayable {
public:
    explicit replayable(recording r);
    ~replayable();
    replayable(const replayable&) = delete;
    replayable& operator=(const replayable&) = delete;

    const recording& work() const { return recording_; }
    /// Runs the plan and fills `results`, of which undefined tensors are null. Throws nothing that
    /// the function itself would not throw or keep for later: then it returns `not_now`. `donated`:
    /// those of the arguments whose values it takes; once it has one, it throws every error.
    outcome run(std::span<TensorImpl* const> arguments, std::span<TensorImpl* const> donated,
                std::span<intrusive_ptr<TensorImpl>> results);
    /// Does so if nothing but one compiled kernel is to run. The caller holds the graph mutex,
    /// which may be released meanwhile. Returns false, with nothing done, if that is not so.
    bool run_at_once(std::span<TensorImpl* const> arguments,
                     std::unique_lock<runtime::waiting_lock>& graph_lock,
                     std::span<intrusive_ptr<TensorImpl>> results) const;
    /// Returns the plan as text.
    std::string describe();

private:
    friend class running;

    std::unique_ptr<frame> take_frame();
    void give_back(std::unique_ptr<frame> f);

    const recording recording_;
    const std::vector<recorded_part> parts_;
    std::vector<std::shared_ptr<const plan::executable>> codes_;  // each set once, as `kernel_`
    std::unique_ptr<const one_kernel> kernel_;                    // set once, under the graph mutex
    std::atomic<int> kernel_looked_for_{0};
    std::vector<std::unique_ptr<frame>> free_;  // under the graph mutex
};

}  // namespace sinter::frames
