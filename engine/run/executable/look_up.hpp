// Looks up the compiled kernels of a plan.
#pragma once

#include "engine/run/executable/executable.hpp"

#include <string>

namespace sinter::plan {

/// Gets the kernels of all steps at once, which takes less time than one by one. With
/// `executor::background`, gets those that are compiled and starts compiling the others. Throws
/// Error if a kernel cannot be compiled.
void look_up_all(const executable& e, executor how, const subgraph& w);

/// Returns the lines of the program from which a kernel's operations come, if they are known.
std::string lines_of(const kernel_step& k, const subgraph& w);

/// Returns true if every step has its kernel.
bool has_code(const executable& e);

}  // namespace sinter::plan
