// What a task of a stream waits for before it runs.
#pragma once

#include <memory>
#include <vector>

namespace gpu_emulator {

class awaited {
public:
    virtual ~awaited() = default;
    virtual bool is_met() const = 0;
    /// Returns true if a driver may take it as met already, although it promises not to need to.
    virtual bool may_be_met() const { return is_met(); }
    /// Blocks the calling thread, which is that of a stream.
    virtual void wait() = 0;
};

using awaited_list = std::vector<std::shared_ptr<awaited>>;

}  // namespace gpu_emulator
