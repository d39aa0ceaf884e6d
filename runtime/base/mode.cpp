#include "runtime/base/environment.hpp"

#include <sinter/mode.hpp>

namespace sinter::inline v1 {
namespace {

// Per thread. Plain data, because a thread_local with a constructor needs a check at each access.
struct chosen_mode {
    bool checked;  // true once the environment has been validated
    bool chosen;
    Mode mode;
    bool fast_math;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local chosen_mode current{};

}  // namespace

void set_mode(Mode mode) {
    current.chosen = true;
    current.mode = mode;
}
Mode get_mode() {
    if (!current.checked) {
        const runtime::mode_choice first = runtime::environment().mode;
        if (!current.chosen)
            set_mode(first == runtime::mode_choice::eager ? Mode::eager : Mode::lazy);
        current.checked = true;
    }
    return current.mode;
}

void set_fast_math(bool fast) { current.fast_math = fast; }
bool get_fast_math() { return current.fast_math; }

}  // namespace sinter::inline v1
