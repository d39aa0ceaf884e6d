// Index maps: how a kernel's space indexes a value, and how a read maps through the operation that
// produces the value.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/memory/arena.hpp"

#include <optional>
#include <vector>

namespace sinter::plan {

// Temporary data of planning is in the thread's arena.
using dims_vector = runtime::arena_vector<int64_t>;
using maps_vector = runtime::arena_vector<dims_vector>;

/// Maps point i of the space to element `offset + sum(strides[k] * i[k])` of a storage. Missing
/// strides are 0.
struct index_map {
    int64_t offset = 0;
    dims_vector strides;

    int64_t stride(std::size_t k) const { return k < strides.size() ? strides[k] : 0; }
    bool operator==(const index_map& o) const;
};

/// Returns the map to one part (0 real, 1 imaginary) of complex elements, counted in parts.
index_map part_of(const index_map& m, int part);

/// Returns the map to the complex elements that the parts belong to, or nullopt if there is none.
std::optional<index_map> whole_of(const index_map& parts);

/// The dimensions of a node: extents, and strides of its result and its sources. Adjacent
/// dimensions that are contiguous for all of them are merged and size 1 is dropped, so that a read
/// through another shape of the same elements still factors.
struct node_dims {
    dims_vector extents;
    dims_vector result;   // strides
    maps_vector sources;  // strides, per source
};
node_dims dims_of(const Node& n);
/// Returns the dimensions without merging. A kernel's space keeps every dimension until loops are
/// ordered, so that operations over some of the dimensions can join it.
node_dims plain_dims_of(const Node& n);

/// The index of a node as an affine function of the index of the space.
struct affine_index {
    dims_vector start;  // per dimension of the node
    maps_vector steps;  // per dimension, per space dimension
};
/// Returns the node's index for each point of the space, or nullopt if the map does not factor
/// through the result's layout or could leave it.
std::optional<affine_index> factor(const index_map& map, const dims_vector& space,
                                   const node_dims& dims, int64_t result_offset);

/// Returns the map of source `s` of a node that is read at `at`.
index_map through(const affine_index& at, const node_dims& dims, std::size_t s, int64_t offset,
                  std::size_t rank);

}  // namespace sinter::plan
