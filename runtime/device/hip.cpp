// The HIP runtime.
#include "runtime/device/loading.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace sinter::runtime {
namespace {

// hipDeviceAttribute_t
enum attribute : int {
    l2_cache_size = 19,
    max_threads_per_block = 56,
    max_threads_per_multiprocessor = 57,
    multiprocessor_count = 63,
    max_shared_memory_per_block = 74,
    warp_size = 87,
};

/// Functions that only the adapters of the table call.
struct {
    int (*get_device)(int*);
    int (*set_device)(int);
    int (*copy)(void*, const void*, std::size_t, int kind, void*);
    int (*enable_peer)(int, unsigned);
    int (*device_properties)(void*, int);
    const char* (*error_name)(int);
    const char* (*error_string)(int);
    int (*add_kernel_node)(void**, void*, void* const*, std::size_t, const void*);
    int (*set_kernel_node)(void*, void*, const void*);
} hip;

driver table;

int enter(int device, void** before) {
    int current = 0;
    if (const int failed = hip.get_device(&current)) return failed;
    *before = reinterpret_cast<void*>(static_cast<intptr_t>(current));
    return current == device ? 0 : hip.set_device(device);
}

int leave(void* before) {
    return hip.set_device(static_cast<int>(reinterpret_cast<intptr_t>(before)));
}

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
    constexpr int by_addresses = 4;  // hipMemcpyDefault
    return hip.copy(to, from, bytes, by_addresses, stream);
}

int open_peer(int peer) {
    const int code = hip.enable_peer(peer, 0);
    return code == driver_code::peer_is_open ? 0 : code;
}

/// hipKernelNodeParams
struct kernel_node_params {
    unsigned block[3];
    void** extra;
    void* function;
    unsigned grid[3];
    void** parameters;
    unsigned shared;
};
static_assert(offsetof(kernel_node_params, parameters) == 48 && sizeof(kernel_node_params) == 64);

kernel_node_params params_of(const graph_kernel& k, void** parameters) {
    return {{k.threads, 1, 1}, nullptr, k.function, {k.blocks, 1, 1}, parameters, k.shared};
}

int add_kernel(void** node, void* graph, void* behind, const graph_kernel& k) {
    void* parameters[] = {const_cast<void*>(k.argument)};
    const kernel_node_params params = params_of(k, parameters);
    return hip.add_kernel_node(node, graph, &behind, behind ? 1 : 0, &params);
}

int set_kernel(void* instance, void* node, const graph_kernel& k) {
    void* parameters[] = {const_cast<void*>(k.argument)};
    const kernel_node_params params = params_of(k, parameters);
    return hip.set_kernel_node(instance, node, &params);
}

/// Loads the graph API. Releases before 6 refuse kernels of modules in graphs: building one fails.
void load_graphs(driver_library& lib) {
#define SINTER_DRIVER_LOAD(member, cuda, hip_name, ...) \
    if (!lib.find(hip_name, table.member)) return;
    SINTER_DRIVER_GRAPH_FUNCTIONS(SINTER_DRIVER_LOAD)
#undef SINTER_DRIVER_LOAD
    table.add_kernel = add_kernel;
    table.set_kernel = set_kernel;
    table.has_graphs = lib.find("hipGraphAddKernelNode", hip.add_kernel_node) &&
                       lib.find("hipGraphExecKernelNodeSetParams", hip.set_kernel_node);
}

/// Returns the architecture. It is a text in a structure whose layout differs between releases, so
/// it is searched for by its prefix, in a buffer larger than any of the structures.
std::string architecture_of(int device) {
    static constexpr std::size_t room = 16384;
    const std::string bytes = [device] {
        std::string b(room, '\0');
        if (hip.device_properties(b.data(), device) != 0) b.clear();
        return b;
    }();
    const std::size_t from = bytes.find("gfx");
    if (from == std::string::npos) return "";
    // Features follow a colon; the compiler takes them from the device.
    const std::size_t to = bytes.find_first_not_of("0123456789abcdefgx", from);
    return bytes.substr(from, to - from);
}

int properties(int device, device_properties& p) {
    const int failed =
        read_properties(table, device, p,
                        {
                            {max_threads_per_block, &p.threads_per_block},
                            {max_shared_memory_per_block, &p.shared_memory},
                            {max_shared_memory_per_block, &p.most_shared},
                            {warp_size, &p.warp},
                            {multiprocessor_count, &p.multiprocessors},
                            {l2_cache_size, &p.l2},
                            {max_threads_per_multiprocessor, &p.threads_per_multiprocessor},
                        });
    if (failed) return failed;
    p.architecture = architecture_of(device);
    return 0;
}

std::string explain(int code) {
    const char *name = hip.error_name(code), *words = hip.error_string(code);
    if (!name) return "error " + std::to_string(code);
    return words ? std::string(name) + " (" + words + ")" : name;
}

/// Loads the driver. Returns why it is not usable, or an empty text.
std::string load() {
    driver_library lib{"SINTER_HIP_LIBRARY",
                       {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}};
#define SINTER_DRIVER_LOAD(member, cuda, hip_name, ...) \
    if (!lib.find(hip_name, table.member)) return lib.error();
    SINTER_DRIVER_FUNCTIONS(SINTER_DRIVER_LOAD)
#undef SINTER_DRIVER_LOAD
    // Release 6 enlarged the structure; the function that fills the new one has a different name.
    if (!lib.find("hipGetDevicePropertiesR0600", hip.device_properties) &&
        !lib.find("hipGetDeviceProperties", hip.device_properties))
        return lib.error();
    if (!lib.find("hipGetDevice", hip.get_device) || !lib.find("hipSetDevice", hip.set_device) ||
        !lib.find("hipMemcpyAsync", hip.copy) ||
        !lib.find("hipDeviceEnablePeerAccess", hip.enable_peer) ||
        !lib.find("hipGetErrorName", hip.error_name) ||
        !lib.find("hipGetErrorString", hip.error_string))
        return lib.error();
    table.made_by = vendor::amd;
    table.name = "HIP";
    table.enter = enter;
    table.leave = leave;
    table.copy = copy;
    table.open_peer = open_peer;
    table.properties = properties;
    table.explain = explain;
    load_graphs(lib);
    return start(table, lib, [](int version) {
        return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100);
    });
}

}  // namespace

const found_driver& hip_driver() {
    // Leaked, as the runtime is.
    static const found_driver& found = *new found_driver([] {
        std::string why_not = load();
        return why_not.empty() ? found_driver{&table, ""} : found_driver{nullptr, why_not};
    }());
    return found;
}

}  // namespace sinter::runtime
