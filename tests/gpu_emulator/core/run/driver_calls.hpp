// Launches that are submitted, directly or in a graph.
#pragma once

#include "core/run/graph.hpp"

namespace gpu_emulator::driver {

/// Checks a launch on a device, and copies its parameters.
int make_call(device* on, void* handle, const launch_shape& shape, void** parameters,
              kernel_call& made);

}  // namespace gpu_emulator::driver
