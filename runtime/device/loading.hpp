// Functions that both driver loaders use.
#pragma once

#include "runtime/device/driver.hpp"
#include "runtime/device/driver_library.hpp"

#include <initializer_list>
#include <utility>

namespace sinter::runtime {

/// Reads name, memory, and attributes by the vendor's numbers. Returns the driver's code.
int read_properties(const driver& table, int device, device_properties& p,
                    std::initializer_list<std::pair<int, int*>> attributes);

/// Initialises a driver whose functions are loaded, and queries its version and its devices.
/// `release`: returns the text of a version. Returns why the driver is not usable, or an empty
/// text.
std::string start(driver& table, const driver_library& lib, std::string (*release)(int));

}  // namespace sinter::runtime
