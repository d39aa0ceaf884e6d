#include "engine/graph/lines.hpp"

#include "runtime/report/call_site.hpp"

#include <mutex>
#include <unordered_map>

namespace sinter {
namespace {

/// Under the graph mutex. Leaked, as tensors may die after main.
std::unordered_map<const Node*, runtime::call_site>& lines() {
    static auto& all = *new std::unordered_map<const Node*, runtime::call_site>;
    return all;
}

}  // namespace

void keep_line(const Node& n) { lines()[&n] = runtime::current_call_site(); }

void forget_line(const Node& n) noexcept { lines().erase(&n); }

std::string line_of(const Node& n) {
    runtime::call_site site;
    {
        const std::lock_guard lock(graph_mutex());
        const auto at = lines().find(&n);
        if (at == lines().end()) return "";
        site = at->second;
    }
    return runtime::line_of(site);
}

}  // namespace sinter
