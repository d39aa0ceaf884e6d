// The threads of a block as fibers of one host thread. If a kernel's threads never wait for each
// other, they run one after another in a single fiber.
#pragma once

#include "core/run/launch.hpp"
#include "core/run/stacks.hpp"

#include <boost/context/detail/fcontext.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace gpu_emulator {

class threads {
public:
    explicit threads(stack_pool& stacks) : stacks_(stacks) {}

    /// Runs all blocks. Errors are in the launch afterwards.
    void run(launch& l, kernel_function kernel, const char* parameters);

    // ---- called by the running thread

    [[noreturn]] void stop();
    void barrier(uint32_t line);
    /// A barrier that returns how many values are not 0 (how 0), whether all are (1), or whether
    /// any is (2).
    int count(uint32_t line, int value, int how);
    /// Waits for the lanes of `mask`. Returns the values of all of them, valid until this thread's
    /// next call.
    const uint64_t* exchange(uint32_t line, uint64_t mask, uint64_t value);
    bool is_stack(const void* p) const { return stacks_.contains(p); }

private:
    using context = boost::context::detail::fcontext_t;
    using transfer = boost::context::detail::transfer_t;

    enum class condition : uint8_t { ready, at_barrier, at_exchange, ended };
    struct thread {
        context at = nullptr;
        condition is = condition::ready;
        uint32_t line = 0;
        uint32_t warp_epoch = 0;
    };
    using lane_values = std::array<uint64_t, 64>;
    /// Lanes that wait for each other, identified by their mask. A warp may have several meetings
    /// in progress.
    struct meeting {
        uint64_t mask = 0, arrived = 0;
    };
    struct warp {
        std::vector<meeting> open;
        lane_values published{};
    };

    static void run_straight(transfer from);
    static void run_thread(transfer from);
    void straight();

    void run_block();
    void select(uint32_t thread);
    /// Switches from the current thread to a ready one; returns when it runs again.
    void leave();
    void go_to(uint32_t thread);
    bool next_ready(uint32_t& thread) const;
    void finish_meeting(uint32_t first, uint64_t mask);
    /// Called if no thread is ready: opens the barrier if all threads are there, otherwise records
    /// the error.
    bool release();
    void arrived(transfer from);

    stack_pool& stacks_;
    launch* launch_ = nullptr;
    kernel_function kernel_ = nullptr;
    const char* parameters_ = nullptr;
    std::vector<thread> threads_;
    std::vector<warp> warps_;
    std::vector<lane_values> received_;  // by thread
    uint32_t current_ = 0, left_ = 0, alive_ = 0;
    int counted_ = 0, counted_before_ = 0;
    context outside_ = nullptr;
};

}  // namespace gpu_emulator
