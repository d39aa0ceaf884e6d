// The fast path: one pointwise operation over ready values, with a known kernel, or one product of
// them. Tried before planning, because most statements need no key, no plan and no allocation but
// the result.
#pragma once

#include "engine/run/execute.hpp"

namespace sinter::plan {

/// Runs the producer of `v` and publishes the value if it is a product or its kernel is known.
/// Returns false if it must be planned or must wait for another flush. `held`: the storage whose
/// newest version is `v`, which the caller keeps alive and does not change meanwhile; or null.
bool run_fast_path(Version& v, Storage* held, executor how);

/// Adds the only kernel of a plan whose only node is `n` to the fast path.
void learn_fast_path(const Node& n, const executable& e, executor how);

}  // namespace sinter::plan
