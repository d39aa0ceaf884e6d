#include <sinter/warning.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

namespace sinter::inline v1 {
namespace {

WarningHandler& usual() {
    static auto* const handler = new WarningHandler;  // never freed: threads may warn at the end
    return *handler;
}

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
        static std::mutex mutex;
        static auto* const seen = new std::set<std::string>;
        std::lock_guard lock(mutex);
        if (!seen->insert(warning.msg()).second) return;
    }
    warn(warning);
}

}  // namespace sinter::inline v1
