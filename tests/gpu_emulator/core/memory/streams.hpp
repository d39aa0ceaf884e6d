// Streams by handle, for the parts of the driver.
#pragma once

#include "core/base/handles.hpp"
#include "core/memory/device.hpp"

namespace gpu_emulator::driver {

handles<stream>& streams();
/// Returns nullptr if there is no such stream.
std::shared_ptr<stream> stream_of(device* on, void* handle);
/// The check at the start of every call on a device.
int check(device* on);

}  // namespace gpu_emulator::driver
