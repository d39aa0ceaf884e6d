// Which run-time compilers for device code there are: discovery only.
#pragma once

#include "runtime/device.hpp"

namespace sinter::runtime {

device_report find_nvrtc();
device_report find_hiprtc();

}  // namespace sinter::runtime
