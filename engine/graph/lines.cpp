#include "engine/graph/lines.hpp"

#include "runtime/base/environment.hpp"
#include "runtime/report/call_site.hpp"

#include <mutex>
#include <unordered_map>

namespace sinter {
namespace {

/// Nodes are recorded and destroyed on all threads. Leaked, as tensors may die after main.
struct table {
    std::mutex mutex;
    std::unordered_map<const Node*, runtime::call_site> sites;
};
table& lines() {
    static auto& all = *new table;
    return all;
}

}  // namespace

void keep_line(const Node& n) {
    if (!runtime::environment().lines) return;
    const runtime::call_site site = runtime::current_call_site();
    const std::lock_guard lock(lines().mutex);
    lines().sites[&n] = site;
}

void forget_line(const Node& n) noexcept {
    if (!runtime::environment().lines) return;
    const std::lock_guard lock(lines().mutex);
    lines().sites.erase(&n);
}

std::string line_of(const Node& n) {
    runtime::call_site site;
    {
        const std::lock_guard lock(lines().mutex);
        const auto at = lines().sites.find(&n);
        if (at == lines().sites.end()) return "";
        site = at->second;
    }
    return runtime::line_of(site);
}

}  // namespace sinter
