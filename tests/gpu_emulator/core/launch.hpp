// One launch while it runs: which thread is, what the checks need, and what they found.
#pragma once

#include "address_space.hpp"
#include "fences.hpp"
#include "image.hpp"
#include "launch_state.hpp"
#include "race.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpu_emulator {

class device;
class threads;

struct launch_shape {
    index3 blocks, threads;
    uint32_t shared = 0;  // bytes beyond those that the kernel declares
};

class launch {
public:
    launch(device& on, const kernel_info& kernel, const launch_shape& shape, launch_state& state);
    launch(const launch&) = delete;
    launch& operator=(const launch&) = delete;

    // ---- who

    device& on;
    const kernel_info& kernel;
    const launch_shape shape;
    launch_state& state;
    threads* running = nullptr;  // what stops the thread that went wrong

    uint32_t thread_count() const { return shape.threads.x * shape.threads.y * shape.threads.z; }
    index3 thread_at(uint32_t number) const;

    // ---- shared memory

    std::vector<char> shared;
    std::vector<race_shadow> shared_shadow;
    void begin_block(index3 block, uint32_t number);

    // ---- checks

    const address_space& space;
    const uintptr_t begin, first;  // of the device's addresses and of all
    const std::size_t extent;      // of the device's
    race_checker races;
    fence_tracker fences;
    access_record me;  // where the current thread is
    uint64_t accesses = 0, race_limit;

    // ---- what went wrong

    int failed = 0;  // a code; 0: nothing
    std::string finding;
    /// Notes it, with the thread that runs.
    void note(int code, const std::string& what, uint32_t line);
    std::string name_of(uint32_t block, uint32_t thread) const;
};

}  // namespace gpu_emulator
