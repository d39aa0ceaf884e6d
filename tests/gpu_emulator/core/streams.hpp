// Streams by handle, for the parts of the driver.
#pragma once

#include "device.hpp"
#include "handles.hpp"

namespace gpu_emulator::driver {

handles<stream>& streams();
/// nullptr: there is no such stream.
std::shared_ptr<stream> stream_of(device* on, void* handle);
/// What every call of a device begins with.
int check(device* on);

}  // namespace gpu_emulator::driver
