// Index maps: how a value is read over a kernel's space, and how a read passes through the
// operation that makes the value.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/memory/arena.hpp"

#include <optional>
#include <vector>

namespace sinter::plan {

// What planning makes on the way lies in the thread's arena.
using dims_vector = runtime::arena_vector<int64_t>;
using maps_vector = runtime::arena_vector<dims_vector>;

/// Element `offset + sum(strides[k] * i[k])` of a storage, i over the space. Missing strides are 0.
struct index_map {
    int64_t offset = 0;
    dims_vector strides;

    int64_t stride(std::size_t k) const { return k < strides.size() ? strides[k] : 0; }
    bool operator==(const index_map& o) const;
};

/// Where one part of complex elements is, counted in parts.
index_map part_of(const index_map& m, int part);

/// A read of parts as one of the complex elements that they belong to, if there is one.
std::optional<index_map> whole_of(const index_map& parts);

/// The dimensions of a node: extents, strides of its result, strides and offsets of its sources.
/// Neighbours that all of them see as one are merged and size 1 is dropped, so that a read through
/// another shape of the same elements still factors.
struct node_dims {
    dims_vector extents;
    dims_vector result;   // strides
    maps_vector sources;  // strides, per source
};
node_dims dims_of(const Node& n);
/// The same without merging: the space of a kernel, which keeps every dimension until its loops are
/// ordered, so that operations over less than all of it find their place.
node_dims plain_dims_of(const Node& n);

/// The node's index as an affine function of the space's, per dimension; none if the map does not
/// factor through the result's layout or could leave it.
struct affine_index {
    dims_vector start;  // per dimension of the node
    maps_vector steps;  // per dimension, per space dimension
};
std::optional<affine_index> factor(const index_map& map, const dims_vector& space,
                                   const node_dims& dims, int64_t result_offset);

/// The map of source `s` of a node that is read at `at`.
index_map through(const affine_index& at, const node_dims& dims, std::size_t s, int64_t offset,
                  std::size_t rank);

}  // namespace sinter::plan
