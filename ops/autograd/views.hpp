// The gradients of views, and of tensors that are written through them.
#pragma once

#include "engine/graph/gradient.hpp"

namespace sinter::inline v1::autograd {

intrusive_ptr<Node> make_view_gradient(const gradient_view& v, const gradient_family& family,
                                       Edge next);
/// Returns the node of a tensor, a part of which was written. `old` is where the gradient of the
/// other elements goes, `source` that of the new ones; one of them may have no node.
intrusive_ptr<Node> make_partial_write_gradient(const TensorImpl& part,
                                                const gradient_family& family, Edge old,
                                                Edge source);
/// Returns the node of a tensor that was wholly overwritten by what has no gradient.
intrusive_ptr<Node> make_overwritten_gradient(const gradient_family& family, Edge old);

}  // namespace sinter::inline v1::autograd
