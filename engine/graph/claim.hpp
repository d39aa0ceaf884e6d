// Claims: which flush runs a node, and what it reads and writes meanwhile. The graph mutex guards
// everything here. A flush takes all its claims at once and waits only while it holds none, so
// flushes cannot deadlock.
#pragma once

#include "engine/graph/graph.hpp"

#include <memory>
#include <mutex>

namespace sinter::inline v1 {

/// Returns true if the node may be claimed now: no flush runs it, none overwrites what it reads,
/// and none reads or writes the bytes that it changes.
inline bool claimable(const Node& n) {
    if (n.claimed) return false;
    for (const Edge& e : n.sources)
        if (e.value && e.value->pins < 0) return false;
    return !n.partial() || n.base().value->pins == 0;
}

/// Returns the bytes of a value, or null if it is not ready or its bytes may not be read now.
inline char* readable_bytes(const Version& v) {
    if (v.state.load(std::memory_order_acquire) != version_state::ready || v.pins < 0)
        return nullptr;
    const Buffer* const b = v.buffer.get();
    return !b || b->in_flight() ? nullptr : static_cast<char*>(b->data);
}

/// Claims the node; pins the versions that it reads and the base that it overwrites.
inline void claim(Node& n) {
    n.claimed = true;
    const Version* base = n.partial() ? n.base().value.get() : nullptr;
    for (Edge& e : n.sources) {
        // The base may be among the sources: its write pin covers both.
        if (!e.value || e.value.get() == base) continue;
        ++e.value->pins;
        e.pinned = true;
    }
    if (base) {
        n.base().value->pins = -1;
        n.base().pinned = true;
    }
}

/// Removes the claim and the pins, if any. `leave_flush` notifies the waiting threads.
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

/// Why no flush may begin now. Under the graph mutex.
struct flush_bars {
    bool alone;    // a flush runs that must be alone
    bool forking;  // a thread forks
};
extern constinit flush_bars bars;
/// Registers a running flush and returns true, or returns false if the flush must wait (as while a
/// thread forks). `alone`: the flush writes into memory whose address is known, which no pin shows,
/// so no other flush may run.
bool enter_flush(bool alone);
/// Says that some claims of a running flush have ended, to those who wait for claims.
void notify_of_claims();
/// Ends the flush. Called by the thread that entered it.
void leave_flush();
/// Returns true if `enter_flush(false)` would succeed. A flush that never releases the graph mutex
/// need not be registered.
inline bool may_enter_flush() { return !bars.alone && !bars.forking; }

/// Releases the mutex and waits until some claim has ended.
void wait_for_claims(std::unique_lock<runtime::waiting_lock>& graph_lock);

}  // namespace sinter::inline v1
