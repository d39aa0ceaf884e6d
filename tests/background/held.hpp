// Keeps kernels uncompiled by occupying the background thread.
#pragma once

#include "runtime/threads/background.hpp"

#include <future>

namespace sinter::test {

/// Nothing is compiled during its lifetime.
class held_compiler {
public:
    held_compiler() {
        runtime::set_background_patience(std::chrono::hours(24));
        runtime::run_in_background([go = go_.get_future().share()] { go.wait(); });
    }
    ~held_compiler() {
        runtime::set_background_patience(std::chrono::milliseconds(100));
        go_.set_value();
    }
    held_compiler(const held_compiler&) = delete;
    held_compiler& operator=(const held_compiler&) = delete;

private:
    std::promise<void> go_;
};

}  // namespace sinter::test
