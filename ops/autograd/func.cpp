// The part of include/sinter/func.hpp that is no template.
#include "ops/common/op_checks.hpp"

#include <sinter/func.hpp>

namespace sinter::inline v1::func::detail {
namespace {

thread_local int depth = 0;

}  // namespace

level::level() { ++depth; }
level::~level() { --depth; }
bool level::is_nested() { return depth > 0; }

Tensor as_variable(const Tensor& t) {
    if (!t.requires_grad()) return t.detach().requires_grad_();
    const TensorImpl& same = ops::body("func", t);
    return Tensor(make_view(same, same.shape));
}

autograd::variable_list gradients(const Tensor& output, const Tensor& cotangent,
                                  const autograd::variable_list& inputs, bool nested) {
    autograd::variable_list found(inputs.size());
    if (output.requires_grad()) {
        autograd::variable_list given;
        if (cotangent.defined()) given.push_back(cotangent);
        found = autograd::grad({output}, inputs, given, true, nested, true);
    }
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!found[i].defined()) found[i] = zeros_like(inputs[i].detach());
    return found;
}

}  // namespace sinter::inline v1::func::detail
