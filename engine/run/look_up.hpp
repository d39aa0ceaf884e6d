// The compiled kernels of a plan.
#pragma once

#include "engine/plan/plan.hpp"
#include "engine/run/execute.hpp"

namespace sinter::plan {

/// Gets the kernels of all steps at once: together they take less time. With
/// `executor::background`, those that are at hand; the others are being compiled then. Throws Error
/// where one must be compiled and cannot be.
void look_up_all(const plan& p, executor how);

/// Whether every step has its kernel.
bool has_code(const plan& p);

}  // namespace sinter::plan
