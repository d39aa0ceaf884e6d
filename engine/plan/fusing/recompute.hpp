// Decides what is stored and what is computed again: values that several kernels read, and values
// that gradients will read. Says what two kernels would have in common.
#pragma once

#include "engine/plan/cluster.hpp"

namespace sinter::plan {

/// What the clusters made so far read.
struct reads_so_far {
    const std::vector<cluster>& clusters;
    const std::vector<std::vector<use>>& uses;  // per node: who reads it
    const std::vector<uint8_t>& wanted;         // per node: it will be in memory
};

/// Returns true if each cluster that reads the value of node `v` should compute it again: this
/// takes less time than to write it, and to read it in all but one of them. What it is computed
/// from counts as read by the clusters that do not read it already. `joins`: one of the clusters
/// can store it; otherwise that takes a kernel more.
bool computed_again(const subgraph& w, int v, bool joins, const reads_so_far& reads);

/// Returns the time, in the cost model's unit, of what a cluster has in common with the operand of
/// reduction `v`: what both compute and read, of the size of that operand. 0 if the kernel could
/// not walk some operand on the way, which must be one number or dense, or, if `v` reduces rows,
/// one range along each row.
double shared_time(const subgraph& w, int v, int cluster, const reads_so_far& reads);

/// Adds to the wanted values those that gradients which are not pending yet will read, if they are
/// dearer to compute again than to store.
void want_saved(const subgraph& w, std::vector<uint8_t>& wanted);

}  // namespace sinter::plan
