// A flush with partial writes runs several plans, and each computes all pending values that it
// reads and that are not in memory. Values that several of these plans read should be materialised
// by the first of them.
#pragma once

#include "engine/graph/graph.hpp"

#include <span>

namespace sinter {

using node_visitor = void (*)(void* context, Node& n);
void for_each_shared(std::span<Version* const> writes, std::span<Version* const> wanted,
                     node_visitor visit, void* context);

/// Calls `visit` for each node that several of these plans would compute: of each partial write, in
/// program order, first the plan of its base and then its own, and at the end that of `wanted`. A
/// node without sources is cheap enough to compute again. Under the graph mutex; the pending
/// versions that these depend on have an index of 0, all others of -1. Changes the indices.
template <class F>
void for_each_shared(std::span<Version* const> writes, std::span<Version* const> wanted, F visit) {
    for_each_shared(writes, wanted, [](void* f, Node& n) { (*static_cast<F*>(f))(n); }, &visit);
}

}  // namespace sinter
