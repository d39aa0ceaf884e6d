// The kinds of steps, one function each. Values that fail a guard become failed versions, and so do
// their readers. Other exceptions leave nodes that have not run pending.
#pragma once

#include "engine/run/steps/plan_run.hpp"

namespace sinter::plan {

/// Runs a kernel. (kernel_step.cpp)
void run_kernel(plan_run& r, const kernel_step& k, const plan_step& s);

/// Runs each node of a kernel by itself: after a guard failed or a source had failed, only the
/// nodes fail that must. (kernel_step.cpp)
void run_nodes_apart(plan_run& r, const kernel_step& k);
/// Does so with all nodes of the plan.
void run_nodes_apart(plan_run& r);

/// Runs the library node of a step. (library_step.cpp)
void run_library_step(plan_run& r, const plan_step& s);
/// Returns true if a value that the step's library node reads has failed.
bool failed_operand(const plan_run& r, const plan_step& s);

/// Runs a product with its prologue and epilogue on the CPU. Runs a kernel separately if fusing it
/// would be visible outside. (product_step.cpp)
void run_product_step(plan_run& r, const plan_step& s);

/// Runs a product and the sum with its bias on a GPU. Uses one library call if the library supports
/// it and neither the product nor the memory of the sum is visible outside. (bias_step.cpp)
void run_bias_step(plan_run& r, const plan_step& s);

}  // namespace sinter::plan
