// From pending values to running kernels: the passes in order.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/execute.hpp"

#include <string>

namespace sinter {

/// Computes these versions; what they need is pending or ready, and only the one target, if any, is
/// a partial write whose base is ready.
void lower(std::span<Version* const> targets);

/// Computes a version whose operation is pointwise, over ready values, by a kernel that has run
/// before; false if it takes more.
/// `held` as of run_fast_path.
bool lower_by_fast_path(Version& v, Storage* held);

/// The plan that `lower` would run, as text.
std::string describe(std::span<Version* const> targets);

/// What runs kernels in this process: SINTER_JIT=background|wait|off|interpret, of which the first
/// is the default, and whether there is a compiler. Throws ValueError for any other.
plan::executor default_executor();

}  // namespace sinter
