// Describes the drivers and their devices as text.
#include "runtime/base/device.hpp"
#include "runtime/device/driver.hpp"

namespace sinter::runtime {
namespace {

std::string describe(const driver& d, int device) {
    device_properties p;
    if (const int failed = d.properties(device, p))
        return "device " + std::to_string(device) + " does not answer: " + d.explain(failed);
    return p.name + ", " + (p.architecture.empty() ? "unknown architecture" : p.architecture) +
           ", " + std::to_string(p.multiprocessors) + " multiprocessors, " +
           std::to_string(p.memory >> 20) + " MiB";
}

device_report report(const found_driver& found) {
    if (!found.it) return {false, "", found.why_not};
    std::string what =
        std::string(found.it->name) + " " + found.it->release + ", " + found.it->library;
    for (int i = 0; i < found.it->count; ++i) what += "; " + describe(*found.it, i);
    return {true, what, ""};
}

}  // namespace

device_report find_cuda() { return report(cuda_driver()); }
device_report find_hip() { return report(hip_driver()); }

}  // namespace sinter::runtime
