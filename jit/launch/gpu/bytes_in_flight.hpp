// The memory traffic that a GPU must have in flight to use its bandwidth.
#pragma once

#include "runtime/device/driver.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Returns the bytes of loads that each thread of a kernel should have in flight.
int64_t bytes_of_thread(const device_properties& p);

}  // namespace sinter::runtime
