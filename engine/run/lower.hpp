// Lowers pending values to running kernels: calls the passes in order.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/execute.hpp"

#include <string>

namespace sinter {

/// Computes these versions. Their dependences are pending or ready. Only a single target may be a
/// partial write, and its base must be ready.
void lower(std::span<Version* const> targets);

/// Computes a version by the fast path. Returns false if it needs a plan. `held`: see
/// run_fast_path.
bool lower_by_fast_path(Version& v, Storage* held);

/// Returns the plan that `lower` would run, as text.
std::string describe(std::span<Version* const> targets);

/// Returns what runs kernels in this process. Depends on SINTER_JIT=background|wait|off|interpret
/// (default background) and on whether there is a compiler. Throws ValueError for other values.
plan::executor default_executor();

}  // namespace sinter
