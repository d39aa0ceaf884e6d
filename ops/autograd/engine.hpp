// Runs the gradient graph.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

struct run_options {
    bool keep_graph = false;
    bool create_graph = false;
    // Gradients to return, in this order; the nodes that lead to none of them do not run.
    std::vector<Edge> wanted;
    bool accumulate = true;  // false: leaves get nothing
};

/// Runs the nodes that lead from `roots`, whose gradients are given. Returns the wanted gradients,
/// undefined where no root depends on one.
variable_list run_backward(const std::vector<Edge>& roots, variable_list gradients,
                           const run_options& options);

/// Returns the nodes that lead from `roots` to `targets`, with these, ordered by their numbers:
/// each after those that it leads to.
std::vector<Node*> nodes_between(const std::vector<Edge>& roots, const std::vector<Edge>& targets);

/// Returns the gradient in the shape and dtype of the result that it belongs to, which `by`
/// returned it for; after a leading dimension of its own if it is one of several at once.
Tensor fitted(Tensor gradient, const Node& by, const result_metadata& to, bool batched = false);

}  // namespace sinter::inline v1::autograd
