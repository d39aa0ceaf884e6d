// Describes the drivers and their devices as text.
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

}  // namespace

device_report report_driver(const gpu_vendor& v) {
    const found_driver& found = v.driver();
    if (!found.it) return {false, "", found.why_not};
    std::string what = std::string(v.name) + " " + found.it->release + ", " + found.it->library;
    for (int i = 0; i < found.it->count; ++i) what += "; " + describe(*found.it, i);
    return {true, what, ""};
}

}  // namespace sinter::runtime
