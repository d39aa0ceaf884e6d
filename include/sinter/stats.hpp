// What the library has done: counters since reset_stats().
#pragma once

#include <sinter/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sinter::inline v1 {

/// Why pending work was run.
enum class flush_reason : uint8_t {
    value_read,  // item, equal, a truth test, a shape that depends on values
    eval,
    external,  // an expression reads or writes memory that the outside can see
    data_ptr,  // a pointer was handed out
    bounds,    // the limits on pending work
    library,   // a library call needs its operands
    print,
    save,
    device_copy,  // to another device
    other,
};
inline constexpr std::size_t flush_reason_count = 10;

SINTER_API const char* to_string(flush_reason reason);

struct stats_report {
    uint64_t kernels_launched = 0;  // a fused group counts once, whichever tier ran it
    uint64_t kernels_compiled = 0;
    uint64_t kernels_loaded = 0;  // from disk
    uint64_t cache_hits = 0;
    uint64_t interpreted = 0;
    uint64_t run_by_blocks = 0;  // launches of kernels that were not compiled yet
    uint64_t library_calls = 0;
    uint64_t epilogues = 0;  // of kernels_launched: ran over a product's result piece by piece
    uint64_t plans_built = 0;
    uint64_t plans_replayed = 0;
    /// Made for the extents and scalars of a hot plan, and faster; of those, given up again.
    uint64_t kernels_specialised = 0, kernels_generalised = 0;
    /// Operations on a GPU's tensors that the CPU computed, for want of a kernel there.
    uint64_t host_fallbacks = 0;
    uint64_t graph_launches = 0;   // plans on a GPU whose launches were replayed as one
    int64_t nodes_pending = 0;     // now; not reset
    uint64_t bytes_allocated = 0;  // sum of all requests
    int64_t bytes_live = 0;        // now; not reset
    int64_t bytes_peak = 0;        // highest bytes_live
    uint64_t bytes_donated = 0;
    std::array<uint64_t, flush_reason_count> flushes{};  // by flush_reason

    uint64_t flushed(flush_reason reason) const {
        return flushes[static_cast<std::size_t>(reason)];
    }
};

SINTER_API stats_report stats();
SINTER_API void reset_stats();

}  // namespace sinter::inline v1
