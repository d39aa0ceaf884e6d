// A loaded image: its object linked into this process.
#pragma once

#include "core/compile/image.hpp"
#include "core/memory/stream.hpp"
#include "core/run/launch.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace gpu_emulator {

class module : public std::enable_shared_from_this<module> {
public:
    module(device& on, image code);
    ~module();
    module(const module&) = delete;
    module& operator=(const module&) = delete;

    device& on() const { return on_; }
    const std::string& why_not() const { return why_not_; }  // empty: it is linked
    const std::vector<kernel_info>& kernels() const { return code_.kernels; }

    /// Runs a launch on the calling thread, and tells the device if it fails.
    void run(const kernel_info& k, const launch_shape& shape, const std::vector<char>& parameters);

private:
    struct linked;

    device& on_;
    image code_;
    std::string why_not_;
    std::unique_ptr<linked> linked_;
    launch_state* state_ = nullptr;
    std::vector<kernel_function> functions_;
    std::mutex running_;  // the code has one state
};

/// A kernel of a module; keeps the module alive.
struct function {
    std::shared_ptr<module> from;
    const kernel_info* kernel;
    unsigned allowed = 0;  // bytes of shared memory, if more than any launch may have
};

}  // namespace gpu_emulator
