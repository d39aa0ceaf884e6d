// Runs the gradient graph forwards: from tangents of variables to those of what depends on them.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

struct forward_options {
    bool batched = false;       // the tangents have one more leading dimension: several at once
    bool create_graph = false;  // what is computed is recorded
};

/// Returns the tangents of `roots`, if those of `varied` are given, of which undefined ones are 0:
/// undefined where a root depends on none of these. Nothing is computed, and no saved value is
/// dropped. Throws Error if saved values are gone or were overwritten, NotImplementedError for an
/// operation without a derivative.
variable_list run_forward(const std::vector<Edge>& roots, const std::vector<Edge>& varied,
                          const variable_list& tangents, const forward_options& options);

}  // namespace sinter::inline v1::autograd
