// Fuses kernels into a product as prologue (makes rows of its first operand) or epilogue (takes
// pieces of its result) while the data is in the caches of the thread that uses it.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Joins each product's step with the kernel that reads the result next (epilogue), and with a
/// kernel that makes its first operand for it alone (prologue), if a piece of the matrix is a part
/// of the kernel's space. Runs after the kernels are built, because their loop order decides that,
/// and before last reads are found, because it moves and joins steps.
void join_products(const subgraph& w, plan& p);

/// Returns true if a step reads a value.
bool reads(const plan_step& s, const subgraph& w, int value);

}  // namespace sinter::plan
