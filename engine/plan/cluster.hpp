// A cluster: the operations that one kernel will compute, over one space.
#pragma once

#include "engine/plan/index_map.hpp"
#include "engine/plan/subgraph.hpp"

#include <set>
#include <string>

namespace sinter::plan {

/// Why an edge between two operations is not inside one kernel.
enum class cut : uint8_t {
    none,
    wanted,        // the value is asked for, and its reader's kernel could not store it
    passed_twice,  // an earlier flush fused through it while it was held: kept from now on
    shared,        // several kernels read it
    layout,        // the view does not factor through the operation's result
    ranges,        // the iteration ranges disagree
    merge,    // its operands cannot be walked as one reduced range: cheaper to write it densely
    size,     // the kernel would have too many operations or operands
    cost,     // it would be computed many times over, or where that takes much longer
    unsure,   // as the cost model says; by itself it was not slower
    library,  // a library call reads or makes it
    opaque,   // a kernel that is not generated does
    dtype,    // its bytes are read as another dtype
    nested,   // a reduction is read along the dimension that another one reduces
};
const char* to_string(cut c);

/// A node as computed in a cluster: its result's element for each point of the space.
struct instance {
    int node;
    index_map at;
    runtime::arena_vector<index_map> sources;
};

struct output {
    int value;
    index_map at;
};

using key_text = std::basic_string<char, std::char_traits<char>, runtime::arena_allocator<char>>;

/// A value read through a map, as a key.
key_text read_key(int value, const index_map& at);

struct cluster {
    dims_vector space;
    std::vector<bool> reduced;  // per space dimension
    runtime::arena_vector<instance> instances;
    runtime::arena_vector<output> outputs;
    bool nested = false;  // some input does not see the reduced dimensions as one
    int operations = 0;
    int reductions = 0;
    int reads = 0;        // distinct operands in memory
    int open = 0;         // reads of pending values that have no place yet: operands at worst
    int kept = 0;         // values that stages will find in outputs: stage_values.hpp
    double cost = 0;      // primitives of an element
    double points = 1;    // of the space
    std::size_t run = 0;  // from this dimension on all reads see the space as one
    bool dense_elements = false;  // some read is dense along the last reduced dimension

    std::set<key_text, std::less<>, runtime::arena_allocator<key_text>>
        read_keys;  // value and map of each read

    bool has_reduction() const { return reductions > 0; }
};

/// A read of a value by a cluster; `by` is the node that reads.
struct use {
    int cluster;
    int by;
    index_map at;
    uint32_t levels = 1;  // passes over a row that need it, one bit each; the last one is bit 0
};

/// Where a node goes in a cluster: the maps of its sources.
struct placement {
    cut why = cut::none;
    runtime::arena_vector<index_map> sources;
    dims_vector append;              // reduced extents to add to the space
    std::vector<bool> reduce_space;  // space dimensions that become the reduced ones
    bool nests = false;              // some source does not see the reduced dimensions as one
    bool kept = false;               // later stages find the value in an output
    bool unsure = false;
};

/// Whether a map takes several values in a row of a cluster with a reduction.
bool by_element(const cluster& c, const index_map& m);
/// The innermost dimension of the reduced range; beyond the space where there is none.
std::size_t last_reduced(const cluster& c);
/// Keeps `run` and `dense_elements` true with one more read.
void note_read(cluster& c, const index_map& m);

/// One thing to run. Clusters and library calls in an order that obeys their data.
struct step {
    int cluster = -1;
    int library = -1;  // node
};

struct cut_record {
    int producer;  // value
    int consumer;  // node
    cut why;
};

struct fused {
    std::vector<cluster> clusters;
    std::vector<step> steps;
    std::vector<cut_record> cuts;
    int unsure = 0;  // values that are computed where they are read though it may not pay
};

/// Decides which operations share a kernel. Goes through the nodes from the last to the first, so
/// that every reader of a value has its place before the value itself gets one. `apart`: what the
/// cost model is not sure of is written out.
fused fuse(const subgraph& w, bool apart = false);

/// Rows that cost much more than a memory access.
bool heavy(op::id id);

inline constexpr int max_operations = 512;
inline constexpr int max_operands = 64;
inline constexpr int max_reductions = 16;

}  // namespace sinter::plan
