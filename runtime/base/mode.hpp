// The mode of a thread, inline: every statement asks.
#pragma once

#include <sinter/mode.hpp>

namespace sinter {

/// Plain data, because a thread_local with a constructor needs a check at each access.
struct chosen_mode {
    bool checked;  // true once the environment has been validated
    bool chosen;
    Mode mode;
    bool fast_math;
};
// initial-exec: other models call __tls_get_addr at each access.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local chosen_mode mode_of_thread;

/// Return the same as get_mode() and get_fast_math().
///@{
inline Mode current_mode() { return mode_of_thread.checked ? mode_of_thread.mode : get_mode(); }
inline bool current_fast_math() { return mode_of_thread.fast_math; }
///@}

}  // namespace sinter
