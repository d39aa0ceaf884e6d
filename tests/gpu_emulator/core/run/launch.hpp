// One running launch: the current thread, the data of the checks, and their findings.
#pragma once

#include "core/compile/image.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/fences.hpp"
#include "core/memory/race.hpp"
#include "core/run/launch_state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpu_emulator {

class device;
class threads;

struct launch_shape {
    index3 blocks, threads;
    uint32_t shared = 0;  // bytes in addition to those that the kernel declares
};

class launch {
public:
    launch(device& on, const kernel_info& kernel, const launch_shape& shape, launch_state& state);
    launch(const launch&) = delete;
    launch& operator=(const launch&) = delete;

    // ---- the launch

    device& on;
    const kernel_info& kernel;
    const launch_shape shape;
    launch_state& state;
    threads* running = nullptr;  // can stop the failing thread

    uint32_t thread_count() const { return shape.threads.x * shape.threads.y * shape.threads.z; }
    uint32_t block_count() const { return shape.blocks.x * shape.blocks.y * shape.blocks.z; }
    index3 thread_at(uint32_t number) const;
    /// Returns the number of the block that runs as the `turn`-th. The hardware promises no order.
    uint32_t block_in_turn(uint32_t turn) const {
        return static_cast<uint32_t>((block_order.first + uint64_t{turn} * block_order.step) %
                                     block_count());
    }
    uint32_t thread_in_turn(uint32_t turn) const {
        return (thread_order.first + turn * thread_order.step) % thread_count();
    }
    index3 block_at(uint32_t number) const;
    struct order {
        uint32_t first = 0, step = 1;  // the step has no divisor in common with how many there are
    };
    order block_order, thread_order;
    bool in_turns = false;   // if false, both orders are those of the numbers
    bool backwards = false;  // threads that wait for each other go on in the falling order

    // ---- shared memory

    std::vector<char> shared;
    std::vector<race_shadow> shared_shadow;
    void begin_block(index3 block, uint32_t number);

    // ---- checks

    const address_space& space;
    const uintptr_t begin, first;  // the first address of the device, and of all devices
    const std::size_t extent;      // of the device's addresses
    race_checker races;
    fence_tracker fences;
    access_record me;  // the current thread's position
    uint64_t accesses = 0, race_limit;

    // ---- errors

    int failed = 0;  // an error code; 0: none
    std::string finding;
    /// Records an error with the current thread.
    void note(int code, const std::string& what, uint32_t line);
    std::string name_of(uint32_t block, uint32_t thread) const;
};

}  // namespace gpu_emulator
