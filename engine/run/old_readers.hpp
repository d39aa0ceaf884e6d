// Readers of the old elements of a storage that a partial write is about to change. Whoever still
// reads the old elements when the write runs makes it copy the whole storage, for one row as much
// as for all. So the pending readers are computed first, if their results are no larger than that
// copy.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/memory/arena.hpp"

namespace sinter {

/// Old readers may read other storages that were written in part, which have old readers too.
/// Beyond this depth a write copies its storage.
inline constexpr int deepest_old_readers = 4;

/// The graph as it is, for a flush, or as it would be, for a drawing of one.
class graph_state {
public:
    virtual bool waits(const Version& v) const = 0;
    /// Lets the plan that computes the node store its value.
    virtual void keep(Node& n) = 0;

protected:
    ~graph_state() = default;
};

/// Returns the pending values to compute before the partial write `v`, which waits and whose base
/// does not. What the plan of the write computes anyway is not among them: the part of it that
/// others hold is kept.
runtime::arena_vector<intrusive_ptr<Version>> old_readers(Version& v, graph_state& state);

}  // namespace sinter
