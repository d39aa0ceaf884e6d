#include "jit/lower.hpp"

#include <sinter/mode.hpp>

#include <cstdlib>
#include <cstring>

namespace sinter::inline v1 {
namespace {

Mode first_mode() {
    const char* text = std::getenv("SINTER_MODE");
    return text && !std::strcmp(text, "eager") ? Mode::eager : Mode::lazy;
}

// Each thread chooses for itself. Plain, because one that needs a constructor is checked at each
// access by a function.
struct chosen_mode {
    bool chosen;
    Mode mode;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local chosen_mode current{};

}  // namespace

void set_mode(Mode mode) { current = {true, mode}; }
Mode get_mode() {
    if (!current.chosen) set_mode(first_mode());
    return current.mode;
}

std::string explain(const tensor_base& t) {
    const TensorImpl* impl = t.self().unsafeGetTensorImpl();
    if (!impl) return "an undefined tensor\n";
    Version* one[] = {impl->storage->current.get()};
    return describe(one);
}

}  // namespace sinter::inline v1
