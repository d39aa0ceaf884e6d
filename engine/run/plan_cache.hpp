// Plans by structure: a subgraph of a known structure replays its plan.
#pragma once

#include "engine/run/executable/executable.hpp"

namespace sinter::plan {

/// The plan of a subgraph. It stays valid until the thread calls `find_or_build` again. `replayed`:
/// it was in the cache.
struct found_plan {
    const executable* e;
    bool replayed;
};
found_plan find_or_build(const subgraph& w);
/// Returns the same plan, which the pointer keeps.
std::shared_ptr<const executable> find_or_build_shared(const subgraph& w);

}  // namespace sinter::plan
