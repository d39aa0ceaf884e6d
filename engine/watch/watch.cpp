#include "engine/watch/watch.hpp"

#include <algorithm>
#include <utility>

namespace sinter::inline v1 {

[[gnu::tls_model("initial-exec")]] constinit thread_local watch* watching = nullptr;

void watch::note(std::string what) {
    if (!effect.empty()) return;
    effect = std::move(what);
    where = runtime::current_call_site();
}

bool watch::has_made(const Version* v) const {
    return std::any_of(made.begin(), made.end(), [v](const auto& m) { return m.get() == v; });
}

}  // namespace sinter::inline v1
