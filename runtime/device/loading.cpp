#include "runtime/device/loading.hpp"

namespace sinter::runtime {

int read_properties(const driver& table, int device, device_properties& p,
                    std::initializer_list<std::pair<int, int*>> attributes) {
    char name[256] = {};
    if (const int failed = table.device_name(name, sizeof name - 1, device)) return failed;
    p.name = name;
    if (const int failed = table.device_memory(&p.memory, device)) return failed;
    for (const auto& [number, value] : attributes)
        if (const int failed = table.device_attribute(value, number, device)) return failed;
    return 0;
}

std::string start(driver& table, const driver_library& lib, std::string (*release)(int)) {
    table.library = lib.path();
    if (const int failed = table.init(0))
        return "the driver does not start: " + table.explain(failed);
    int version = 0;
    if (table.version(&version) == 0) table.release = release(version);
    if (const int failed = table.device_count(&table.count))
        return "the driver lists no devices: " + table.explain(failed);
    return table.count == 0 ? "the driver lists no device" : "";
}

}  // namespace sinter::runtime
