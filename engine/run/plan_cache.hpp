// Plans by structure: a subgraph of a known structure replays its plan.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// The plan of a subgraph. It stays valid until the thread calls `find_or_build` again. `replayed`:
/// it was in the cache.
struct found_plan {
    const plan* p;
    bool replayed;
};
found_plan find_or_build(const subgraph& w);

}  // namespace sinter::plan
