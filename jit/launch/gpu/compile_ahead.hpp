// Compiles the kernels of a plan before it runs. Each is a program of its own, because a launch
// determines its form, so that launches would compile one after the other while other processors
// are idle. What can be known before the plan runs are the forms that its launches will most likely
// have.
#pragma once

#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/buffer.hpp"

#include <span>

namespace sinter::runtime {

struct expected_launch {
    const launched_kernel* kernel;
    std::span<const codegen::argument_operand>
        operands;  // of memory that is not there yet: offsets
};

/// Gets the code that launches on `device` will need, by several threads. Does nothing where code
/// comes from elsewhere (SINTER_CACHE=require, forms that a test limits). A kernel that does not
/// compile throws at its launch.
void compile_ahead(device_index device, std::span<const expected_launch> launches);

}  // namespace sinter::runtime
