// Plans by the structure of what they compute: a work of a known structure replays its plan.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// The plan of a work with this structure, built at most once. It is there until the thread asks
/// for another one.
struct found_plan {
    const plan* p;
    bool replayed;
};
found_plan find_or_build(const subgraph& w);

}  // namespace sinter::plan
