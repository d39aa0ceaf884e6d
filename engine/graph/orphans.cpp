#include "engine/graph/orphans.hpp"

#include "runtime/report/stats.hpp"

#include <algorithm>
#include <unordered_set>

namespace sinter::inline v1 {
namespace {

constexpr int64_t least_many = 3;  // loops such as `n = f(u, p)` have as many without growing

void add_orphan(Version& v) {
    if (v.orphan) return;
    v.orphan = true;
    v.previous_orphan = nullptr;
    v.next_of_kind = orphans.first;
    if (orphans.first) orphans.first->previous_orphan = &v;
    orphans.first = &v;
    ++orphans.many;
    orphans.bytes += static_cast<int64_t>(v.nbytes());
}

}  // namespace

constinit orphan_list orphans;

void remove_orphan(Version& v) {
    v.orphan = false;
    (v.previous_orphan ? v.previous_orphan->next_of_kind : orphans.first) = v.next_of_kind;
    if (v.next_of_kind) v.next_of_kind->previous_orphan = v.previous_orphan;
    v.next_of_kind = nullptr;
    --orphans.many;
    orphans.bytes -= static_cast<int64_t>(v.nbytes());
    // The limit follows a program whose large tensors are gone.
    constexpr int64_t least = orphan_list::least_bytes;
    if (orphans.bytes == 0 && orphans.limit > least)
        orphans.limit = std::clamp(4 * runtime::bytes_live(), least, orphans.limit);
}

bool fill_much_memory(const orphan_list& all) {
    return all.many >= least_many && all.bytes * 4 >= runtime::bytes_live();
}

void lose_owner(Version& v) {
    // Readers hold references, so a version with a single one has none. A GPU that has no memory
    // left computes what waits for its values: engine/run/memory_pressure.hpp.
    if (v.device != runtime::main_memory) return;
    if (v.state.load(std::memory_order_acquire) != version_state::ready || v.references.load() == 1)
        return;
    std::lock_guard lock(graph_mutex());
    if (v.kept) add_orphan(v);
}

std::vector<intrusive_ptr<Version>> owned_readers_of_orphans() {
    std::vector<intrusive_ptr<Version>> found;
    std::vector<const Version*> stack;
    std::unordered_set<const Version*> seen;
    std::lock_guard lock(graph_mutex());
    for (const Version* v = orphans.first; v; v = v->next_of_kind) stack.push_back(v);
    while (!stack.empty()) {
        const Version* v = stack.back();
        stack.pop_back();
        for (const Edge* e = v->readers; e; e = e->next) {
            Version* result = e->reader->result;
            if (e->reader->claimed || !seen.insert(result).second) continue;
            if (!has_owner(*result))
                stack.push_back(result);
            else if (auto held = try_share(result))
                found.push_back(std::move(held));
        }
    }
    return found;
}

void orphans_run(int64_t before, int64_t after) {
    if (after <= before / 4 * 3) return;
    std::lock_guard lock(graph_mutex());
    orphans.limit = std::max(orphans.limit, before) * 2;
}

}  // namespace sinter::inline v1
