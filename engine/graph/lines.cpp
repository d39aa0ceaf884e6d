#include "engine/graph/lines.hpp"

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

std::optional<runtime::call_site> site_of(const Node& n) {
    const std::lock_guard lock(graph_mutex());
    const auto at = lines().find(&n);
    return at == lines().end() ? std::nullopt : std::optional(at->second);
}

std::string line_of(const Node& n) {
    const std::optional<runtime::call_site> site = site_of(n);
    return site ? runtime::line_of(*site) : "";
}

}  // namespace sinter
