// A launch of a compiled kernel on the CPU with all but addresses and scalars put in, for those who
// run one kernel again and again over values of the same layout.
#pragma once

#include "engine/run/executable/executable.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/trace.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sinter::plan {

class ready_launch {
public:
    static constexpr std::size_t most_operands = 16;

    /// Returns the kernel if it is all that the plan has, compiled, no longer compared with another
    /// one, and of at most `most_operands` operands; else null.
    static const kernel_step* kernel_of(const executable& e);
    /// Takes the kernel that `kernel_of` returned.
    explicit ready_launch(const executable& e);
    ready_launch(const ready_launch&) = delete;
    ready_launch& operator=(const ready_launch&) = delete;

    /// Runs the kernel. `address(i)` returns the address of operand i, or its first index.
    template <class F>
    void run(const F& address, std::span<const uint64_t> scalars) const {
        const timed_run timed(*timing_, bytes_);
        if (one_call_ && !runtime::tracing() &&
            !runtime::may_debug.load(std::memory_order_relaxed)) {
            alignas(kernel_ir::operand_arg)
                std::byte room[most_operands * sizeof(kernel_ir::operand_arg)];
            auto* const row = reinterpret_cast<kernel_ir::operand_arg*>(room);
            for (std::size_t i = 0; i < row_.size(); ++i)
                std::construct_at(row + i, address(i), row_[i].s1, row_[i].s0);
            call(row, scalars.data());
            return;
        }
        runtime::launch_operand space[most_operands];
        for (std::size_t i = 0; i < space_.size(); ++i) {
            space[i] = space_[i];
            space[i].base = address(i);
        }
        launch({space, space_.size()}, scalars);
    }

    /// Returns the bytes of an element of an operand; 1 for an index.
    int64_t item(std::size_t operand) const { return space_[operand].item; }
    int64_t elements() const { return elements_; }
    /// Returns true if it may run under the graph mutex.
    bool is_brief() const { return brief_; }

private:
    ready_launch(const kernel_step& k, const loaded_kernel& loaded);
    void call(const kernel_ir::operand_arg* row, const uint64_t* scalars) const;
    void launch(std::span<const runtime::launch_operand> space,
                std::span<const uint64_t> scalars) const;

    std::vector<int64_t> extents_, strides_;
    std::vector<kernel_ir::operand_arg> row_;     // for one call: strides without addresses
    std::vector<runtime::launch_operand> space_;  // for a launch: the same
    std::optional<runtime::reduction_plan> reductions_;
    runtime::launch_request request_;
    std::shared_ptr<kernel_timing> timing_;
    int64_t bytes_, elements_ = 1;
    int64_t n1_, n0_;  // of one call
    bool one_call_, brief_;
};

}  // namespace sinter::plan
