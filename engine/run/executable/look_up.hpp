// Looks up the compiled kernels of a plan.
#pragma once

#include "engine/run/executable/executable.hpp"

namespace sinter::plan {

/// Gets the kernels of all steps at once, which takes less time than one by one. With
/// `executor::background`, gets those that are compiled and starts compiling the others. Throws
/// Error if a kernel cannot be compiled.
void look_up_all(const executable& e, executor how, const subgraph& w);

/// Returns true if every step has its kernel.
bool has_code(const executable& e);

}  // namespace sinter::plan
