// Counters of what the library has done since reset_stats().
#pragma once

#include <sinter/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace sinter::inline v1 {

/// Why pending operations were run.
enum class flush_reason : uint8_t {
    value_read,   ///< item, equal, a truth test, or a shape that depends on values
    eval,         ///< eval()
    external,     ///< an expression reads or writes memory that is reachable from outside
    data_ptr,     ///< a pointer was handed out
    bounds,       ///< the limits on pending operations
    library,      ///< a library call needs its operands
    print,        ///< a tensor was printed
    save,         ///< a tensor was saved
    device_copy,  ///< a copy to another device
    other,        ///< any other reason
};
/// The number of reasons.
inline constexpr std::size_t flush_reason_count = 10;

/// Returns the name of a reason, such as "value_read". PyTorch: none.
SINTER_API const char* to_string(flush_reason reason);

/// Counters since the last reset_stats(), or the start.
struct stats_report {
    uint64_t kernels_launched = 0;  ///< A fused group counts once, whichever tier ran it.
    uint64_t kernels_compiled = 0;  ///< Kernels compiled in this process.
    uint64_t kernels_loaded = 0;    ///< Kernels loaded from the cache on disk.
    uint64_t cache_hits = 0;        ///< Look-ups that found a compiled kernel in memory.
    uint64_t interpreted = 0;       ///< Launches of kernels that were interpreted.
    uint64_t run_by_blocks = 0;     ///< Launches of kernels that were not compiled yet.
    uint64_t library_calls = 0;     ///< Calls of BLAS, LAPACK and the GPU vendors' libraries.
    uint64_t epilogues = 0;         ///< Of kernels_launched: ran over a product's result in pieces.
    uint64_t plans_built = 0;       ///< Plans made for new programs.
    uint64_t plans_replayed = 0;    ///< Runs of plans that were there.
    uint64_t functions_replayed = 0;  ///< Calls of compiled functions that ran a recording.
    /// Kernels made for the extents and scalars of a hot plan, and of those, the ones given up.
    ///@{
    uint64_t kernels_specialised = 0, kernels_generalised = 0;
    ///@}
    uint64_t host_fallbacks = 0;  ///< Operations on a GPU's tensors computed by the CPU.
    /// Of kernels_launched: on GPUs without a compiler, by a stored kernel of another form than
    /// that for the launch, and by the base form, which takes every layout.
    ///@{
    uint64_t other_form_launches = 0, base_form_launches = 0;
    ///@}
    /// Waits of the host for a GPU: for a value or a size that is read, for a check of indices or
    /// of divisions, for memory that goes back to the driver.
    uint64_t host_waits = 0;
    uint64_t graph_launches = 0;   ///< Plans on a GPU whose launches were replayed as one.
    int64_t nodes_pending = 0;     ///< Pending operations now; not reset.
    uint64_t bytes_allocated = 0;  ///< Sum of all requests, in bytes.
    int64_t bytes_live = 0;        ///< Bytes allocated now; not reset.
    int64_t bytes_peak = 0;        ///< Highest bytes_live.
    uint64_t bytes_donated = 0;    ///< Bytes of results that reused an operand's memory.
    std::array<uint64_t, flush_reason_count> flushes{};  ///< Counted by flush_reason.

    /// Returns how often pending operations were run for this reason.
    uint64_t flushed(flush_reason reason) const {
        return flushes[static_cast<std::size_t>(reason)];
    }
};

/// Returns the counters of the process: each is right, together they are of no exact moment.
/// PyTorch: none.
SINTER_API stats_report stats();
/// Sets the counters to 0, except those that say otherwise. PyTorch: none.
SINTER_API void reset_stats();

}  // namespace sinter::inline v1
