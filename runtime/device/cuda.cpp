// The CUDA driver API.
#include "runtime/device/loading.hpp"

#include <sinter/dlpack.hpp>

#include <atomic>
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
#define SINTER_CUDA_FUNCTIONS(X)                                          \
    X(retain_primary, "cuDevicePrimaryCtxRetain", int(void**, int))       \
    X(get_current, "cuCtxGetCurrent", int(void**))                        \
    X(set_current, "cuCtxSetCurrent", int(void*))                         \
    X(copy, "cuMemcpyAsync", int(void*, const void*, std::size_t, void*)) \
    X(enable_peer, "cuCtxEnablePeerAccess", int(void*, unsigned))         \
    X(set_attribute, "cuFuncSetAttribute", int(void*, int, int))          \
    X(error_name, "cuGetErrorName", int(int, const char**))               \
    X(error_string, "cuGetErrorString", int(int, const char**))

struct {
    SINTER_GPU_FUNCTIONS(SINTER_CUDA_FUNCTIONS)
} cu;

driver table;
/// The primary contexts of the devices, which the CUDA runtime uses too. Null before first use: one
/// takes seconds and half a gigabyte, and a device may refuse it, as in exclusive mode.
std::atomic<void*>* contexts = nullptr;

/// Sets `context` to that of a device. Returns the driver's code.
int context_of(int device, void** context) {
    std::atomic<void*>& known = contexts[device];
    *context = known.load(std::memory_order_acquire);
    if (*context) return 0;
    // Threads that come here at once retain the same context.
    const int failed = cu.retain_primary(context, device);
    if (!failed) known.store(*context, std::memory_order_release);
    return failed;
}

int enter(int device, void** before) {
    void* mine = nullptr;
    if (const int failed = context_of(device, &mine)) return failed;
    if (const int failed = cu.get_current(before)) return failed;
    return *before == mine ? 0 : cu.set_current(mine);
}

int leave(void* before) { return cu.set_current(before); }

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
    return cu.copy(to, from, bytes, stream);
}

int open_peer(int peer) {
    void* theirs = nullptr;
    if (const int failed = context_of(peer, &theirs)) return failed;
    const int code = cu.enable_peer(theirs, 0);
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

    static kernel_node_params of(const graph_kernel& k, void** parameters) {
        return {k.function, {k.blocks, 1, 1}, {k.threads, 1, 1}, k.shared,
                parameters, nullptr,          nullptr,           nullptr};
    }
};
static_assert(offsetof(kernel_node_params, parameters) == 40 && sizeof(kernel_node_params) == 72);

int properties(int device, device_properties& p) {
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
                            {compute_capability_major, &p.major},
                            {compute_capability_minor, &p.minor},
                        });
    if (failed) return failed;
    p.architecture = "sm_" + std::to_string(p.major) + std::to_string(p.minor);
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
    static constexpr const char* files[] = {"libcuda.so.1"};
    driver_library lib{&settings::cuda_library, files};
    table.vendor = &cuda_vendor;
    if (!load_functions(table, lib) || !cu.fill(lib)) return lib.error();
    table.enter = enter;
    table.leave = leave;
    table.copy = copy;
    table.open_peer = open_peer;
    table.allow_shared = allow_shared;
    table.properties = properties;
    table.explain = explain;
    table.add_kernel = add_kernel<table, kernel_node_params>;
    table.set_kernel = set_kernel<table, kernel_node_params>;
    table.has_graphs = load_graph_functions(table, lib);  // those of release 12 and later
    std::string why_not = start(table, lib, [](int version) {
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    });
    if (why_not.empty())
        contexts = new std::atomic<void*>[static_cast<std::size_t>(table.count)] {};
    return why_not;
}

/// The figures of CUB.
constexpr bandwidth_need needs[] = {
    {"sm_7", "", 12}, {"sm_8", "", 16}, {"sm_90", "H200", 48}, {"sm_90", "", 32}, {"sm_1", "", 64},
};

}  // namespace

constinit const gpu_vendor cuda_vendor = {
    .id = Vendor::nvidia,
    .company = "nvidia",
    .name = "CUDA",
    .driver = loaded<table, load>,
    .blocking = &settings::cuda_launch_blocking,
    .needs = needs,
    .dlpack = {.device = kDLCUDA,
               .host = kDLCUDAHost,
               .default_stream = 1,  // the legacy one
               .refused_from = 0,
               .refused_to = 0,
               .streams = "1, 2, a handle, or -1"},
};

}  // namespace sinter::runtime
