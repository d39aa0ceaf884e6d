// The short way: one pointwise operation over ready values, with a kernel that is known, or one
// product of them. Stands before planning, because most statements need none: no key, no plan, no
// allocation but the result.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Runs the producer of `v` and publishes the value if it is a product or its kernel is known;
/// false if it must be planned, or another flush is in the way. `held`: the storage whose newest
/// version `v` is, which the caller keeps alive and does not change meanwhile; or null.
bool run_fast_path(Version& v, Storage* held);

/// Remembers the only kernel of a plan whose only node is `n`.
void learn_fast_path(const Node& n, const plan& p);

}  // namespace sinter::plan
