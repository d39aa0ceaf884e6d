// Comparison of gradients with finite differences.
#pragma once

#include <sinter/autograd/node.hpp>

#include <functional>

namespace sinter::inline v1::autograd {

/// A function of tensors, as gradcheck() calls it.
using checked_function = std::function<variable_list(const variable_list&)>;

/// Returns true if the gradients of `f` at `inputs` agree with central differences of width `eps`:
/// |a - n| <= atol + rtol |n| for each element of the Jacobian. Only inputs that require a gradient
/// are changed; they should be Double or ComplexDouble and their elements should not share memory.
/// Otherwise throws Error that names the first element which disagrees, or returns false with
/// `raise_exception` = false. `check_forward_ad` compares derivatives in forward mode, too, and
/// `check_batched_forward_grad` those along all directions at once. Computes at once. Source of the
/// method: PyTorch, torch.autograd.gradcheck (slow mode).
SINTER_API bool gradcheck(const checked_function& f, const variable_list& inputs, double eps = 1e-6,
                          double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true,
                          bool check_forward_ad = false, bool check_batched_forward_grad = false);

/// The same for the gradients of `f`: their own gradients with respect to inputs and to
/// `grad_outputs`, by default random ones. `check_fwd_over_rev` compares their derivatives in
/// forward mode, too.
SINTER_API bool gradgradcheck(const checked_function& f, const variable_list& inputs,
                              const variable_list& grad_outputs = {}, double eps = 1e-6,
                              double atol = 1e-5, double rtol = 1e-3, bool raise_exception = true,
                              bool check_fwd_over_rev = false);

}  // namespace sinter::inline v1::autograd
