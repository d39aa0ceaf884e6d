// Functions whose inner values are not kept for their gradients.
#pragma once

#include <sinter/autograd/node.hpp>

#include <functional>

namespace sinter::inline v1::utils {

/// Returns f(inputs), which is computed again when its gradient is needed: of what f computes
/// nothing is saved but its inputs. f must compute the same values each time; random numbers that
/// it draws from the default generator are the same ones. Tensors that f uses beside `inputs` get
/// gradients, too. PyTorch: torch.utils.checkpoint.
SINTER_API autograd::variable_list checkpoint(
    const std::function<autograd::variable_list(const autograd::variable_list&)>& f,
    const autograd::variable_list& inputs);

}  // namespace sinter::inline v1::utils
