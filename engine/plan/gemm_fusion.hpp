// Kernels that make rows of a product's operand or take pieces of its result, while these are in
// the caches of the thread that has them.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Joins each product's step with that of the kernel that reads it next, and with that of a kernel
/// that makes its first operand for it alone, where a piece of the matrix is a part of the kernel's
/// space. Stands after the kernels are built, since the order of their loops decides that; before
/// last reads are found, since it moves and joins steps.
void join_products(const subgraph& w, plan& p);

/// Whether a step reads a value.
bool reads(const plan_step& s, const subgraph& w, int value);

}  // namespace sinter::plan
