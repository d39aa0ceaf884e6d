#include "runtime/base/fork.hpp"

#include <pthread.h>

#include <array>
#include <cstddef>

namespace sinter::runtime {
namespace {

struct handlers {
    at_fork::handler before, in_parent, in_child;
};
// Process-wide; written when the library is loaded, before its first use.
constinit std::array<handlers, static_cast<std::size_t>(fork_order::count)> in_order{};

void before() {
    for (std::size_t i = 0; i < in_order.size(); ++i)
        if (in_order[i].before) in_order[i].before();
}

void backwards(at_fork::handler handlers::* which) {
    for (std::size_t i = in_order.size(); i-- > 0;)
        if (in_order[i].*which) (in_order[i].*which)();
}

[[maybe_unused]] const int registered = pthread_atfork(
    before, [] { backwards(&handlers::in_parent); }, [] { backwards(&handlers::in_child); });

// Process-wide, as the objects made under it are. Recursive: a nested `first_use` does not lock.
std::mutex& first_uses() {
    static constinit std::mutex mutex;
    return mutex;
}
constinit thread_local int inside = 0;

[[maybe_unused]] const at_fork first_uses_at_fork(
    fork_order::first_uses,
    [] {
        if (inside++ == 0) first_uses().lock();
    },
    [] {
        if (--inside == 0) first_uses().unlock();
    },
    [] {
        if (--inside == 0) first_uses().unlock();
    });

}  // namespace

at_fork::at_fork(fork_order place, handler before, handler in_parent, handler in_child) noexcept {
    in_order[static_cast<std::size_t>(place)] = {before, in_parent, in_child};
}

first_use::first_use() {
    if (inside++ == 0) first_uses().lock();
}
first_use::~first_use() {
    if (--inside == 0) first_uses().unlock();
}

}  // namespace sinter::runtime
