// Records what this process asks planner and compilers for, for `sinter cache build`:
// SINTER_CACHE_RECORD names a folder, in which each process makes a file.
#pragma once

#include "jit/stored/recording.hpp"

#include <atomic>
#include <cstdint>

namespace sinter::code_cache {

/// Returns true if SINTER_CACHE_RECORD is set.
bool records();

/// How often this process ran a work. Lives as long as the process.
using run_count = std::atomic<uint64_t>;

/// Records something, if it is new, and returns its count, to which the caller may add each run:
/// the counts are written when the process exits. A folder or file that cannot be written is
/// reported once and ends recording.
run_count& record(record_kind kind, byte_view content);

}  // namespace sinter::code_cache
