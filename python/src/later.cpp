#include "later.hpp"

#include <nanobind/nanobind.h>

#include <mutex>
#include <vector>

namespace {

struct waiting_functions {
    std::mutex mutex;
    std::vector<std::function<void()>> functions;
    bool scheduled = false;
};

/// Never destroyed: threads of the library may outlive the module.
waiting_functions& waiting() {
    static auto& w = *new waiting_functions;
    return w;
}

int run_waiting(void*) {
    std::vector<std::function<void()>> functions;
    {
        const std::lock_guard lock(waiting().mutex);
        functions.swap(waiting().functions);
        waiting().scheduled = false;
    }
    for (const auto& function : functions) function();
    return 0;
}

}  // namespace

void run_locked(std::function<void()> function) noexcept {
    if (!Py_IsInitialized()) return;  // the process ends, and its memory with it
    if (PyGILState_Check()) return function();
    const std::lock_guard lock(waiting().mutex);
    waiting().functions.push_back(std::move(function));
    // The interpreter's own list is short; where it is full, the next call tries again.
    if (!waiting().scheduled) waiting().scheduled = Py_AddPendingCall(run_waiting, nullptr) == 0;
}
