// What the files of the vendors share.
#pragma once

#include "runtime/device/driver.hpp"
#include "runtime/device/driver_library.hpp"

#include <initializer_list>
#include <utility>

namespace sinter::runtime {

/// Returns true if the library has all functions of the table, which it fills; the second is about
/// graphs.
bool load_functions(driver& table, driver_library& lib);
bool load_graph_functions(driver& table, driver_library& lib);

/// Reads name, memory, and attributes by the vendor's numbers. Returns the driver's code.
int read_properties(const driver& table, int device, device_properties& p,
                    std::initializer_list<std::pair<int, int*>> attributes);

/// Initialises a driver whose functions are loaded, and queries its version and its devices.
/// `release`: returns the text of a version. Returns why the driver is not usable, or an empty
/// text.
std::string start(driver& table, const driver_library& lib, std::string (*release)(int));

/// The launches in graphs of a driver; `Params` is the vendor's structure.
template <driver& table, class Params>
int add_kernel(void** node, void* graph, void* behind, const graph_kernel& k) {
    void* parameters[] = {const_cast<void*>(k.argument)};
    const Params params = Params::of(k, parameters);
    return table.add_node(node, graph, &behind, behind ? 1 : 0, &params);
}

template <driver& table, class Params>
int set_kernel(void* instance, void* node, const graph_kernel& k) {
    void* parameters[] = {const_cast<void*>(k.argument)};
    const Params params = Params::of(k, parameters);
    return table.set_node(instance, node, &params);
}

/// The driver of a vendor. `load` fills the table once and returns why it is not usable, or an
/// empty text.
template <driver& table, std::string (*load)()>
const found_driver& loaded() {
    // Leaked, as the driver is.
    static const found_driver& found = *new found_driver([] {
        std::string why_not = load();
        return why_not.empty() ? found_driver{&table, ""} : found_driver{nullptr, why_not};
    }());
    return found;
}

}  // namespace sinter::runtime
