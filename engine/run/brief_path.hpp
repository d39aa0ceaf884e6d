// The shortest way to a value, tried before all others: one operation over ready values that all
// share one dense layout, or one reduction, whose kernel is known and takes about as long as the
// way to it.
#pragma once

#include "engine/graph/graph.hpp"

#include <sinter/stats.hpp>

namespace sinter::plan {

/// Computes the newest value of a tensor and publishes it. Returns false, with nothing done, if it
/// is not such a value, or anything else has to be looked at: fast_path.hpp.
bool run_brief_path(const TensorImpl& t, flush_reason why);

}  // namespace sinter::plan
