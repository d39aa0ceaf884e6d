// How much memory traffic a GPU must have under way to use its bandwidth.
#pragma once

#include "runtime/device/driver.hpp"

#include <cstdint>

namespace sinter::plan {

/// Bytes that each thread of a kernel should have loads of in flight.
int64_t bytes_of_thread(const runtime::device_properties& p);

}  // namespace sinter::plan
