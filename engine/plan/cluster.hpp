// A cluster: the operations that one kernel computes, over one iteration space.
#pragma once

#include "engine/plan/index_map.hpp"
#include "engine/plan/subgraph.hpp"

#include <set>
#include <string>

namespace sinter::plan {

/// The reason why two connected operations are not in one kernel.
enum class cut : uint8_t {
    none,
    wanted,        // the value is wanted in memory, and its reader's kernel could not store it
    passed_twice,  // an earlier flush fused it away while it was held: materialised from now on
    saved,         // its gradient will read it, and to compute it again would take longer
    shared,        // several kernels read it
    layout,        // the view does not factor through the operation's result
    ranges,        // the iteration ranges disagree
    merge,         // its operands cannot be walked as one reduced range: a dense copy is cheaper
    size,          // the kernel would have too many operations or operands
    cost,          // it would be computed many times over, or much more slowly
    unsure,        // the cost model could not tell, and the separate kernels measured no slower
    library,       // a library call reads or makes it
    opaque,        // a hand-written kernel reads or makes it
    dtype,         // its bytes are read as another dtype
    nested,        // a reduction is read along a dimension that another one reduces
    in_place,  // a partial write with it in one kernel would copy the whole storage: in_place.hpp
};
const char* to_string(cut c);

/// A node in a cluster; `at` gives the element of its result for each point of the space.
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

/// Returns a key for the read of a value through a map.
key_text read_key(int value, const index_map& at);

struct cluster {
    dims_vector space;
    std::vector<bool> reduced;  // per space dimension
    runtime::arena_vector<instance> instances;
    runtime::arena_vector<output> outputs;
    bool full = false;    // of pointwise operations: their cost
    int continues = -1;   // the full cluster for which it makes a value
    bool nested = false;  // the reduced dimensions of some input do not merge into one
    int operations = 0;
    int reductions = 0;
    int reads = 0;    // distinct operands in memory
    int open = 0;     // reads of values not placed yet, which may become operands
    int waiting = 0;  // reads of temporary values: computed and freed by this flush
    std::size_t waiting_bytes = 0;
    int kept = 0;                 // values that later stages reload from outputs: stage_values.hpp
    double cost = 0;              // primitives per element
    double points = 1;            // points of the space
    std::size_t run = 0;          // for all reads, the dimensions from this one on merge into one
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
    uint32_t levels = 1;  // passes over a row that need it, one bit each; bit 0 is the last pass
};

/// The place of a node in a cluster: the maps of its sources, or the reason against it.
struct placement {
    cut why = cut::none;
    runtime::arena_vector<index_map> sources;
    dims_vector append;              // reduced extents to add to the space
    std::vector<bool> reduce_space;  // space dimensions that become the reduced ones
    bool nests = false;              // the reduced dimensions of some source do not merge
    bool kept = false;               // later stages reload the value from an output
    bool unsure = false;
};

/// Returns true if a map varies along a row (the reduced range) of the cluster.
bool by_element(const cluster& c, const index_map& m);
/// Returns the innermost reduced dimension with several elements, or the rank if there is none.
std::size_t last_reduced(const cluster& c);
/// Updates `run` and `dense_elements` for one more read.
void note_read(cluster& c, const index_map& m);

/// A cluster or a library call. Steps are ordered by their data dependences.
struct step {
    int cluster = -1;
    int library = -1;  // node
};

struct cut_record {
    int producer;  // value
    int consumer;  // node
    cut why;
    bool operator==(const cut_record&) const = default;
};

struct fused {
    std::vector<cluster> clusters;
    std::vector<step> steps;
    std::vector<cut_record> cuts;
    int unsure = 0;  // values fused into their readers although the gain is uncertain
};

/// Decides which operations share a kernel. Visits the nodes from last to first, so that all
/// readers of a value are placed before the value. `apart`: values that the cost model is unsure of
/// are materialised.
fused fuse(const subgraph& w, bool apart = false);

/// Returns true for a row that costs much more than a memory access.
bool heavy(op::id id);

// ---- limits of a kernel
inline constexpr int max_operations = 128;
inline constexpr int max_operands = 64;
inline constexpr int max_reductions = 16;
/// Primitives per element. Compilation takes about as long for each, and one more pass over memory
/// costs 16 to 36 (`storing`). Equal parts of a long program are compiled once.
inline constexpr double max_cost = 768;
/// A function and its gradient are not cut for their size up to these limits: each part of the
/// gradient reads values of the function, and a cut between them would store all of these.
inline constexpr double max_whole_cost = 6144;
inline constexpr int max_whole_operations = 512;
/// The same of a kernel that reduces many points whose lanes run along rows: its loop is not split
/// into short ones (jit/codegen/llvm/loop_fission.hpp), and a processor stalls in long ones.
inline constexpr int max_before_reduction = 64;
inline constexpr double max_cost_before_reduction = 256;
inline constexpr double many_points = 1e4;
/// Temporary values that a kernel of a loop reads, if they take more than these bytes. A kernel
/// that reads more passes over its result less often, but keeps them all in memory until it runs.
inline constexpr int max_waiting = 4;
inline constexpr std::size_t max_waiting_bytes = std::size_t{1} << 20;

}  // namespace sinter::plan
