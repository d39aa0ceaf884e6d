// Orphans: ready versions that no tensor holds any more and that pending nodes still read. A loop
// such as `x += step(p)` that reads x at its end alone would keep the p of every iteration.
#pragma once

#include "engine/graph/graph.hpp"

#include <vector>

namespace sinter::inline v1 {

// ---- under the graph mutex
struct orphan_list {
    static constexpr int64_t least_bytes = int64_t{1} << 20;
    Version* first = nullptr;
    int64_t many = 0, bytes = 0;
    int64_t limit = least_bytes;
};
extern constinit orphan_list orphans;

/// Ends the time of a version as an orphan.
void remove_orphan(Version& v);
/// Returns true if three orphans or more take a quarter of the memory in use.
bool fill_much_memory(const orphan_list& all);
/// Returns true if orphans hold so much that their readers should run: 1 MiB at least, more than
/// `orphans_run` found to be of no use, and much of the memory in use. Asked at each statement.
inline bool orphans_crowd() { return orphans.bytes >= orphans.limit && fill_much_memory(orphans); }

// ---- without a lock
/// The storage of `v`, its newest version, is about to be destroyed.
void lose_owner(Version& v);
/// Returns the values that tensors hold and that depend on orphans, and keeps them alive. Once
/// these are computed, nothing reads the orphans.
std::vector<intrusive_ptr<Version>> owned_readers_of_orphans();
/// Says how many bytes were in use before and after these values were computed. If hardly any were
/// freed, as in `x = f(x)`, whose x takes the place of the last one, twice as many are tolerated.
void orphans_run(int64_t before, int64_t after);

}  // namespace sinter::inline v1
