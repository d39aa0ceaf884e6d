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

thread_local Mode current = first_mode();  // each thread chooses for itself

}  // namespace

void set_mode(Mode mode) { current = mode; }
Mode get_mode() { return current; }

std::string explain(const tensor_base& t) {
    const TensorImpl* impl = t.self().unsafeGetTensorImpl();
    if (!impl) return "an undefined tensor\n";
    Version* one[] = {impl->storage->current.get()};
    return describe(one);
}

}  // namespace sinter::inline v1
