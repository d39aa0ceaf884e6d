#include "engine/graph/orphans.hpp"

#include "runtime/report/stats.hpp"

#include <algorithm>
#include <unordered_set>

namespace sinter::inline v1 {
namespace {

constexpr int64_t least_bytes = int64_t{1} << 20;
constexpr int64_t least_many = 3;  // loops such as `n = f(u, p)` have as many without growing

struct orphan_list {
    Version* first = nullptr;
    int64_t many = 0, bytes = 0;
    int64_t limit = least_bytes;
};

orphan_list& orphans() {
    static constinit orphan_list all;  // under the graph mutex
    return all;
}

bool has_owner(const Version& v) {
    const std::lock_guard lock(home_lock());
    return v.owner != nullptr;
}

}  // namespace

void add_orphan(Version& v) {
    if (v.orphan) return;
    orphan_list& all = orphans();
    v.orphan = true;
    v.previous_orphan = nullptr;
    v.next_of_kind = all.first;
    if (all.first) all.first->previous_orphan = &v;
    all.first = &v;
    ++all.many;
    all.bytes += static_cast<int64_t>(v.nbytes());
}

void remove_orphan(Version& v) {
    if (!v.orphan) return;
    orphan_list& all = orphans();
    v.orphan = false;
    (v.previous_orphan ? v.previous_orphan->next_of_kind : all.first) = v.next_of_kind;
    if (v.next_of_kind) v.next_of_kind->previous_orphan = v.previous_orphan;
    v.next_of_kind = nullptr;
    --all.many;
    all.bytes -= static_cast<int64_t>(v.nbytes());
    // The limit follows a program whose large tensors are gone.
    if (all.bytes == 0 && all.limit > least_bytes)
        all.limit = std::clamp(4 * runtime::bytes_live(), least_bytes, all.limit);
}

bool orphans_crowd() {
    const orphan_list& all = orphans();
    return all.bytes >= all.limit && all.many >= least_many &&
           all.bytes * 4 >= runtime::bytes_live();
}

void lose_owner(Version& v) {
    // Readers hold references, so a version with a single one has none.
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
    for (const Version* v = orphans().first; v; v = v->next_of_kind) stack.push_back(v);
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
    orphans().limit = std::max(orphans().limit, before) * 2;
}

}  // namespace sinter::inline v1
