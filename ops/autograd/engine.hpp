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

}  // namespace sinter::inline v1::autograd
