#include "runtime/base/mode.hpp"

#include "runtime/base/environment.hpp"

namespace sinter {

[[gnu::tls_model("initial-exec")]] constinit thread_local chosen_mode mode_of_thread{};

}  // namespace sinter

namespace sinter::inline v1 {

void set_mode(Mode mode) {
    mode_of_thread.chosen = true;
    mode_of_thread.mode = mode;
}
Mode get_mode() {
    if (!mode_of_thread.checked) {
        const runtime::mode_choice first = runtime::environment().mode;
        if (!mode_of_thread.chosen)
            set_mode(first == runtime::mode_choice::eager ? Mode::eager : Mode::lazy);
        mode_of_thread.checked = true;
    }
    return mode_of_thread.mode;
}

void set_fast_math(bool fast) { mode_of_thread.fast_math = fast; }
bool get_fast_math() { return mode_of_thread.fast_math; }

}  // namespace sinter::inline v1
