#include <sinter/warning.hpp>

#include "runtime/base/fork.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

namespace sinter::inline v1 {
namespace {

WarningHandler& usual() {
    static auto* const handler = new WarningHandler;  // leaked: threads may warn during exit
    return *handler;
}

/// The messages that warn_once has given; also leaked.
struct said_once {
    std::mutex mutex;
    std::set<std::string> messages;
};
said_once& said() {
    static auto* const s = new said_once;
    return *s;
}
std::mutex& said_lock() { return said().mutex; }
[[maybe_unused]] const runtime::held_at_fork<said_lock> said_at_fork(runtime::fork_order::warnings);
[[maybe_unused]] const WarningHandler& made_at_load = usual();

thread_local WarningHandler* current = nullptr;
std::atomic<bool> always{false};

}  // namespace

WarningHandler::~WarningHandler() = default;

void WarningHandler::process(const Warning& warning) {
    std::fprintf(stderr, "Warning: %s\n", warning.msg().c_str());
}

void Warning::set_warning_handler(WarningHandler* handler) noexcept { current = handler; }
WarningHandler* Warning::get_warning_handler() noexcept { return current ? current : &usual(); }
void Warning::set_warnAlways(bool on) noexcept { always = on; }
bool Warning::get_warnAlways() noexcept { return always; }

void warn(const Warning& warning) { Warning::get_warning_handler()->process(warning); }

void warn_once(const Warning& warning) {
    if (!always) {
        std::lock_guard lock(said_lock());
        if (!said().messages.insert(warning.msg()).second) return;
    }
    warn(warning);
}

}  // namespace sinter::inline v1
