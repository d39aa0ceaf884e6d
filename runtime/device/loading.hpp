// What the two loaders do alike.
#pragma once

#include "runtime/device/driver.hpp"
#include "runtime/device/driver_library.hpp"

#include <initializer_list>
#include <utility>

namespace sinter::runtime {

/// Name and memory, and attributes by the vendor's numbers. The driver's code.
int read_properties(const driver& table, int device, device_properties& p,
                    std::initializer_list<std::pair<int, int*>> attributes);

/// Starts a driver whose functions are known, and asks for its version and its devices.
/// `release`: the text of a version. Returns why it is of no use; empty: it is.
std::string start(driver& table, const driver_library& lib, std::string (*release)(int));

}  // namespace sinter::runtime
