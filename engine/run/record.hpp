// How the tensor surface adds work: the graph records it, and what may not stay pending is run.
// That is everything in eager mode, work that reads or writes memory which the outside may change,
// and work that meets the bounds on pending work.
#pragma once

#include "engine/graph/results.hpp"

#include <memory>
#include <span>
#include <vector>

namespace sinter::inline v1 {

/// Copies the 0-d sources of a node that are still in main memory to the node's device.
void move_numbers(Node& n);

/// Runs the newest version of a storage if it may not stay pending.
void run_if_due(Storage& s, record_outcome is);

/// Returns a tensor over a fresh storage whose value `node` will compute. Inline: every statement
/// comes here.
inline intrusive_ptr<TensorImpl> make_pending(std::unique_ptr<Node> node, geometry_ptr shape) {
    if (node->apart) move_numbers(*node);
    record_outcome is;
    intrusive_ptr<TensorImpl> t = record(std::move(node), std::move(shape), is);
    run_if_due(*t->storage, is);
    return t;
}

/// Returns tensors of storages of their own, one for each of `attributes->results`. If the same
/// operation on the same inputs with equal attributes is pending already, it is not made again.
std::vector<intrusive_ptr<TensorImpl>> make_pending_results(const kernel_op* op,
                                                            std::span<const leaf> inputs,
                                                            const attributes_ptr& attributes);

/// Gives the storage of `target` a new version: `node` computes the elements that `target` sees.
/// A write that runs at its line and fails there leaves the tensor as it was.
void assign(const TensorImpl& target, std::unique_ptr<Node> node);

/// Sets whether the flush that computes the newest value of `t` stores it, also if only values that
/// read it are wanted. Else the planner decides. Nothing happens if the value is being computed.
void keep(const TensorImpl& t, bool kept);

/// Runs what is pending on the storage and gives it memory for `numel` elements, more than it had.
/// The address changes, and the new elements are undefined.
void grow(Storage& s, int64_t numel, int reason);

}  // namespace sinter::inline v1
