// The HIP runtime.
#include "runtime/device/loading.hpp"

#include <sinter/dlpack.hpp>

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
#define SINTER_HIP_FUNCTIONS(X)                                                      \
    X(get_device, "hipGetDevice", int(int*))                                         \
    X(set_device, "hipSetDevice", int(int))                                          \
    X(copy, "hipMemcpyAsync", int(void*, const void*, std::size_t, int kind, void*)) \
    X(enable_peer, "hipDeviceEnablePeerAccess", int(int, unsigned))                  \
    X(error_name, "hipGetErrorName", const char*(int))                               \
    X(error_string, "hipGetErrorString", const char*(int))

struct {
    SINTER_GPU_FUNCTIONS(SINTER_HIP_FUNCTIONS)
    int (*device_properties)(void*, int) = nullptr;
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

    static kernel_node_params of(const graph_kernel& k, void** parameters) {
        return {{k.threads, 1, 1}, nullptr, k.function, {k.blocks, 1, 1}, parameters, k.shared};
    }
};
static_assert(offsetof(kernel_node_params, parameters) == 48 && sizeof(kernel_node_params) == 64);

/// Returns the architecture. It is a text in a structure whose layout differs between releases, so
/// it is searched for by its prefix, in a buffer larger than any of the structures. All begin with
/// the name, which may tell another architecture: HSA_OVERRIDE_GFX_VERSION does not change it.
std::string architecture_of(int device) {
    static constexpr std::size_t room = 16384, name_room = 256;
    const std::string bytes = [device] {
        std::string b(room, '\0');
        if (hip.device_properties(b.data(), device) != 0) b.clear();
        return b;
    }();
    const std::size_t from = bytes.find("gfx", name_room);
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
    // After "gfx" come the generation, whose last digit is the minor number, and a hexadecimal
    // stepping.
    const std::string& name = p.architecture;
    std::size_t end = 3;
    while (end + 1 < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (end < 5) return 0;
    p.major = std::stoi(name.substr(3, end - 4));
    p.minor = name[end - 1] - '0';
    return 0;
}

std::string explain(int code) {
    const char *name = hip.error_name(code), *words = hip.error_string(code);
    if (!name) return "error " + std::to_string(code);
    return words ? std::string(name) + " (" + words + ")" : name;
}

/// Loads the driver. Returns why it is not usable, or an empty text.
std::string load() {
    static constexpr const char* files[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                            "libamdhip64.so.5"};
    driver_library lib{&settings::hip_library, files};
    table.vendor = &hip_vendor;
    if (!load_functions(table, lib)) return lib.error();
    // Release 6 enlarged the structure; the function that fills the new one has a different name.
    if (!lib.find("hipGetDevicePropertiesR0600", hip.device_properties) &&
        !lib.find("hipGetDeviceProperties", hip.device_properties))
        return lib.error();
    if (!hip.fill(lib)) return lib.error();
    table.enter = enter;
    table.leave = leave;
    table.copy = copy;
    table.open_peer = open_peer;
    table.properties = properties;
    table.explain = explain;
    table.add_kernel = add_kernel<table, kernel_node_params>;
    table.set_kernel = set_kernel<table, kernel_node_params>;
    // Releases before 6 refuse kernels of modules in graphs: building one fails.
    table.has_graphs = load_graph_functions(table, lib);
    return start(table, lib, [](int version) {
        return std::to_string(version / 10000000) + "." + std::to_string(version / 100000 % 100);
    });
}

/// A compute unit of an MI200 has the bandwidth share of an A100 multiprocessor, one of an MI300 a
/// fifth more; the latency of both is about 1.5 times as long.
constexpr bandwidth_need needs[] = {{"gfx90a", "", 24}, {"gfx94", "", 32}, {"gfx95", "", 48}};

}  // namespace

constinit const gpu_vendor hip_vendor = {
    .id = Vendor::amd,
    .company = "amd",
    .name = "HIP",
    .driver = loaded<table, load>,
    .blocking = &settings::hip_launch_blocking,
    .needs = needs,
    .dlpack = {.device = kDLROCM,
               .host = kDLROCMHost,
               .default_stream = 0,
               .refused_from = 1,  // NVIDIA's numbers
               .refused_to = 2,
               .streams = "0, a handle, or -1"},
};

}  // namespace sinter::runtime
