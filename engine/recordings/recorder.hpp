// Records what this process plans, for `sinter cache build`: SINTER_CACHE_RECORD names a folder, in
// which each process makes a file.
#pragma once

#include "engine/plan/subgraph.hpp"

namespace sinter::plan {

/// Returns true if SINTER_CACHE_RECORD is set.
bool records();

/// Records a subgraph. A folder or file that cannot be written is reported once and ends recording.
void record_work(const subgraph& w);

}  // namespace sinter::plan
