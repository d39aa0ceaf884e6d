#include "engine/graph/deferred.hpp"

#include "engine/graph/lines.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sinter::inline v1 {
namespace {

using runtime::deferred_checks;
using list_ptr = intrusive_ptr<check_list>;

/// Tests that a value may have. A loop that never reads what it computes waits once for so many.
constexpr std::size_t most_checks = 256;

/// Waits for the tests. Returns the first that failed, or nothing.
list_ptr settled(const deferred_checks& all) {
    if (!runtime::first_error(all)) return {};
    const auto failed = std::find_if(all.begin(), all.end(), [](const auto& c) {
        return runtime::first_error({&c, 1}) != nullptr;
    });
    return make_intrusive<check_list>(deferred_checks{*failed});
}

list_ptr joined(const list_ptr& a, const list_ptr& b) {
    if (!b || a == b) return a;
    if (!a) return b;
    deferred_checks all = a->all;
    for (const auto& c : b->all)
        if (std::find(a->all.begin(), a->all.end(), c) == a->all.end()) all.push_back(c);
    if (all.size() == a->all.size()) return a;
    if (all.size() > most_checks) return settled(all);
    return make_intrusive<check_list>(std::move(all));
}

}  // namespace

void retain(check_list* c) noexcept { c->references.add(); }
void release(check_list* c) noexcept {
    if (c->references.drop()) delete c;
}

void wait_for_some_checks(const Version& v) {
    if (v.checks->good.load(std::memory_order_acquire)) return;
    if (const std::exception_ptr error = runtime::first_error(v.checks->all))
        std::rethrow_exception(error);
    v.checks->good.store(true, std::memory_order_release);
}

bool inherit_checks(Node& n) {
    list_ptr& mine = n.result->checks;
    const auto take = [&mine](const Version* from) {
        if (from && from->checks && !from->checks->good.load(std::memory_order_relaxed))
            mine = joined(from->checks, mine);
    };
    for (const Edge& e : n.sources) take(e.value.get());
    if (n.partial()) take(n.base().value.get());
    return static_cast<bool>(mine);
}

std::exception_ptr first_cause(const Version& v, const std::exception_ptr& error) {
    const std::exception_ptr before = v.checks ? runtime::first_error(v.checks->all) : nullptr;
    return before ? before : error;
}

void add_check(Version& v, std::shared_ptr<runtime::deferred_check> check) {
    if (keeps_lines())
        if (const std::optional<runtime::call_site> line = site_of(*v.producer))
            check->asked_by(*line);
    v.checks = joined(v.checks, make_intrusive<check_list>(deferred_checks{std::move(check)}));
}

}  // namespace sinter::inline v1
