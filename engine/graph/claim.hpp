// Claims: which flush runs a node, and what it reads and writes meanwhile. Everything here is
// guarded by the graph mutex; a flush takes all its claims at once and waits only while it has
// none, so flushes cannot block each other for good.
#pragma once

#include "engine/graph/graph.hpp"

#include <memory>
#include <mutex>

namespace sinter::inline v1 {

/// Whether the node may be claimed now: no flush runs it, or writes over what it reads, or reads or
/// writes the bytes that it changes.
inline bool claimable(const Node& n) {
    if (n.claimed) return false;
    for (const Edge& e : n.sources)
        if (e.value && e.value->pins < 0) return false;
    return !n.partial() || n.base().value->pins == 0;
}

/// Claims the node and pins what it reads, and the base that it writes over.
inline void claim(Node& n) {
    n.claimed = true;
    const Version* base = n.partial() ? n.base().value.get() : nullptr;
    for (Edge& e : n.sources) {
        // The base may be among the sources: its write pin serves both.
        if (!e.value || e.value.get() == base) continue;
        ++e.value->pins;
        e.pinned = true;
    }
    if (base) {
        n.base().value->pins = -1;
        n.base().pinned = true;
    }
}

/// Takes claim and pins back; nothing without them. Who waits for that is told by `leave_flush`.
inline void unclaim(Node& n) {
    if (!n.claimed) return;
    n.claimed = false;
    for (Edge& e : n.sources)
        if (e.pinned) {
            --e.value->pins;
            e.pinned = false;
        }
    if (n.partial() && n.base().pinned) {
        n.base().value->pins = 0;
        n.base().pinned = false;
    }
}

/// Counts a running flush in. `alone`: it writes where no pin shows it (into memory whose address
/// is known), so no other may run. False if that must wait, as it must while a thread forks.
bool enter_flush(bool alone);
/// By the thread that entered.
void leave_flush();
/// Whether `enter_flush(false)` would count it in. One that begins and ends without giving the
/// graph mutex up need not be counted.
bool may_enter_flush();

/// Gives the mutex up until some claim has gone.
void wait_for_claims(std::unique_lock<runtime::waiting_lock>& graph_lock);

}  // namespace sinter::inline v1
