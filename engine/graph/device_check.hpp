// The device of a node: all operands are on one device, or the line that makes the node throws.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// For a node whose sources are on different devices: sets its device, and `apart` for 0-d sources
/// in main memory, which are to be copied there. Throws Error, naming both tensors, if other
/// sources are on different devices.
void check_devices(const char* op, Node& n);

/// For a node whose result goes to memory on `target`: sets its device, and `apart` if all its
/// sources are 0-d in main memory. Throws Error if they are on another device otherwise.
void check_target(const char* op, Node& n, runtime::device_index target);

/// Returns the name of a device: "cpu", "cuda:1".
std::string device_name(runtime::device_index device);

/// An operand, described for `refuse_apart`.
struct placed_operand {
    IntArrayRef sizes;
    runtime::device_index device;
};
[[noreturn]] void refuse_apart(const char* op, const placed_operand& a, const placed_operand& b);

}  // namespace sinter::inline v1
