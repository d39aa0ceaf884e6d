// The CUDA driver API.
#include "runtime/device/loading.hpp"

#include <cstddef>

namespace sinter::runtime {
namespace {

// CUdevice_attribute
enum attribute : int {
    max_threads_per_block = 1,
    max_shared_memory_per_block = 8,
    warp_size = 10,
    multiprocessor_count = 16,
    l2_cache_size = 38,
    max_threads_per_multiprocessor = 39,
    compute_capability_major = 75,
    compute_capability_minor = 76,
    max_shared_memory_per_block_optin = 97,
};
constexpr int max_dynamic_shared_size_bytes = 8;  // CUfunction_attribute

/// Functions that only the adapters of the table call.
struct {
    int (*retain_primary)(void**, int);
    int (*get_current)(void**);
    int (*set_current)(void*);
    int (*copy)(void*, const void*, std::size_t, void*);
    int (*enable_peer)(void*, unsigned);
    int (*set_attribute)(void*, int, int);
    int (*error_name)(int, const char**);
    int (*error_string)(int, const char**);
    int (*add_kernel_node)(void**, void*, void* const*, std::size_t, const void*);
    int (*set_kernel_node)(void*, void*, const void*);
} cu;

driver table;
std::vector<void*> contexts;  // primary contexts of the devices, which the CUDA runtime uses too

int enter(int device, void** before) {
    if (const int failed = cu.get_current(before)) return failed;
    void* mine = contexts[static_cast<std::size_t>(device)];
    return *before == mine ? 0 : cu.set_current(mine);
}

int leave(void* before) { return cu.set_current(before); }

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
    return cu.copy(to, from, bytes, stream);
}

int open_peer(int peer) {
    const int code = cu.enable_peer(contexts[static_cast<std::size_t>(peer)], 0);
    return code == driver_code::peer_is_open ? 0 : code;
}

int allow_shared(void* function, int bytes) {
    return cu.set_attribute(function, max_dynamic_shared_size_bytes, bytes);
}

/// CUDA_KERNEL_NODE_PARAMS_v2
struct kernel_node_params {
    void* function;
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel, *context;  // used if there is no function
};
static_assert(offsetof(kernel_node_params, parameters) == 40 && sizeof(kernel_node_params) == 72);

kernel_node_params params_of(const graph_kernel& k, void** parameters) {
    return {k.function, {k.blocks, 1, 1}, {k.threads, 1, 1}, k.shared,
            parameters, nullptr,          nullptr,           nullptr};
}

int add_kernel(void** node, void* graph, void* behind, const graph_kernel& k) {
    void* parameters[] = {const_cast<void*>(k.argument)};
    const kernel_node_params params = params_of(k, parameters);
    return cu.add_kernel_node(node, graph, &behind, behind ? 1 : 0, &params);
}

int set_kernel(void* instance, void* node, const graph_kernel& k) {
    void* parameters[] = {const_cast<void*>(k.argument)};
    const kernel_node_params params = params_of(k, parameters);
    return cu.set_kernel_node(instance, node, &params);
}

/// Loads the graph API of release 12 and later.
void load_graphs(driver_library& lib) {
#define SINTER_DRIVER_LOAD(member, cuda, hip, ...) \
    if (!lib.find(cuda, table.member)) return;
    SINTER_DRIVER_GRAPH_FUNCTIONS(SINTER_DRIVER_LOAD)
#undef SINTER_DRIVER_LOAD
    table.add_kernel = add_kernel;
    table.set_kernel = set_kernel;
    table.has_graphs = lib.find("cuGraphAddKernelNode_v2", cu.add_kernel_node) &&
                       lib.find("cuGraphExecKernelNodeSetParams_v2", cu.set_kernel_node);
}

int properties(int device, device_properties& p) {
    int major = 0, minor = 0;
    const int failed =
        read_properties(table, device, p,
                        {
                            {max_threads_per_block, &p.threads_per_block},
                            {max_shared_memory_per_block, &p.shared_memory},
                            {max_shared_memory_per_block_optin, &p.most_shared},
                            {warp_size, &p.warp},
                            {multiprocessor_count, &p.multiprocessors},
                            {l2_cache_size, &p.l2},
                            {max_threads_per_multiprocessor, &p.threads_per_multiprocessor},
                            {compute_capability_major, &major},
                            {compute_capability_minor, &minor},
                        });
    if (failed) return failed;
    p.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
    return 0;
}

std::string explain(int code) {
    const char *name = nullptr, *words = nullptr;
    if (cu.error_name(code, &name) != 0 || !name) return "error " + std::to_string(code);
    if (cu.error_string(code, &words) != 0 || !words) return name;
    return std::string(name) + " (" + words + ")";
}

/// Loads the driver. Returns why it is not usable, or an empty text.
std::string load() {
    driver_library lib{"SINTER_CUDA_LIBRARY", {"libcuda.so.1"}};
#define SINTER_DRIVER_LOAD(member, cuda, hip, ...) \
    if (!lib.find(cuda, table.member)) return lib.error();
    SINTER_DRIVER_FUNCTIONS(SINTER_DRIVER_LOAD)
#undef SINTER_DRIVER_LOAD
    if (!lib.find("cuDevicePrimaryCtxRetain", cu.retain_primary) ||
        !lib.find("cuCtxGetCurrent", cu.get_current) ||
        !lib.find("cuCtxSetCurrent", cu.set_current) || !lib.find("cuMemcpyAsync", cu.copy) ||
        !lib.find("cuCtxEnablePeerAccess", cu.enable_peer) ||
        !lib.find("cuFuncSetAttribute", cu.set_attribute) ||
        !lib.find("cuGetErrorName", cu.error_name) ||
        !lib.find("cuGetErrorString", cu.error_string))
        return lib.error();
    table.made_by = vendor::nvidia;
    table.name = "CUDA";
    table.enter = enter;
    table.leave = leave;
    table.copy = copy;
    table.open_peer = open_peer;
    table.allow_shared = allow_shared;
    table.properties = properties;
    table.explain = explain;
    load_graphs(lib);
    std::string why_not = start(table, lib, [](int version) {
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    });
    if (!why_not.empty()) return why_not;
    for (int device = 0; device < table.count; ++device) {
        void* context = nullptr;
        if (const int failed = cu.retain_primary(&context, device))
            return "device " + std::to_string(device) + " gives no context: " + explain(failed);
        contexts.push_back(context);
    }
    return "";
}

}  // namespace

const found_driver& cuda_driver() {
    // Leaked, as the driver is.
    static const found_driver& found = *new found_driver([] {
        std::string why_not = load();
        return why_not.empty() ? found_driver{&table, ""} : found_driver{nullptr, why_not};
    }());
    return found;
}

}  // namespace sinter::runtime
