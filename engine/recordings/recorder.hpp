// Records what this process plans, for `sinter cache build`: SINTER_CACHE_RECORD names a folder, in
// which each process makes a file.
#pragma once

#include "engine/plan/subgraph.hpp"

#include <atomic>
#include <cstdint>

namespace sinter::plan {

/// Returns true if SINTER_CACHE_RECORD is set.
bool records();

/// How often this process ran a work. Lives as long as the process.
using run_count = std::atomic<uint64_t>;

/// Records a subgraph, if it is new, and returns its count, to which the caller adds each run: the
/// counts are written when the process exits. A folder or file that cannot be written is reported
/// once and ends recording.
run_count& record_work(const subgraph& w);

}  // namespace sinter::plan
