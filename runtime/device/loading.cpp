#include "runtime/device/loading.hpp"

namespace sinter::runtime {

#define SINTER_DRIVER_LOAD(member, type, ...)                     \
    {                                                             \
        static constexpr const char* names[] = {__VA_ARGS__};     \
        if (!lib.find(names[column], table.member)) return false; \
    }

bool load_functions(driver& table, driver_library& lib) {
    const auto column = index_of(table.vendor->id);
    SINTER_DRIVER_FUNCTIONS(SINTER_DRIVER_LOAD)
    return true;
}

bool load_graph_functions(driver& table, driver_library& lib) {
    const auto column = index_of(table.vendor->id);
    SINTER_DRIVER_GRAPH_FUNCTIONS(SINTER_DRIVER_LOAD)
    return true;
}

#undef SINTER_DRIVER_LOAD

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
        return "the driver cannot be initialized: " + table.explain(failed);
    int version = 0;
    if (table.version(&version) == 0) table.release = release(version);
    if (const int failed = table.device_count(&table.count))
        return "the driver cannot count its devices: " + table.explain(failed);
    return table.count == 0 ? "the driver has no devices" : "";
}

}  // namespace sinter::runtime
