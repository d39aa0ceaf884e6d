// The shortest way to values, tried before all others: one operation over ready values that all
// share one dense layout, or few nodes, whose kernel is known.
#pragma once

#include "engine/graph/graph.hpp"

#include <sinter/stats.hpp>

#include <span>

namespace sinter::plan {

/// Computes the newest value of a tensor and publishes it. Returns false, with nothing done, if it
/// is not such a value, or anything else has to be looked at: fast_path.hpp.
bool run_brief_path(const TensorImpl& t, flush_reason why);
/// The same for several values that belong together.
bool run_brief_path(std::span<Version* const> wanted, flush_reason why);

}  // namespace sinter::plan
