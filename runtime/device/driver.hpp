// A vendor's GPU driver as a table of functions: the CUDA driver API or the HIP runtime, opened
// with dlopen and declared here. So no vendor headers are needed, and the same binary runs with
// either, both or none. The two agree except for a few functions, which the loaders adapt.
//
// Handles (stream, event, module, function) and device addresses are opaque pointers. Every
// function returns 0 or an error code; the codes used here have the same numbers in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sinter::runtime {

enum class vendor : uint8_t { nvidia, amd };

namespace driver_code {
inline constexpr int success = 0, out_of_memory = 2, not_ready = 600, peer_is_open = 704;
}

/// Each row: the member, the names in CUDA and in HIP, and the function type.
#define SINTER_DRIVER_FUNCTIONS(X)                                                                \
    X(init, "cuInit", "hipInit", int(unsigned))                                                   \
    X(version, "cuDriverGetVersion", "hipRuntimeGetVersion", int(int*))                           \
    X(device_count, "cuDeviceGetCount", "hipGetDeviceCount", int(int*))                           \
    X(device_name, "cuDeviceGetName", "hipDeviceGetName", int(char*, int, int))                   \
    X(device_memory, "cuDeviceTotalMem_v2", "hipDeviceTotalMem", int(std::size_t*, int))          \
    X(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute", int(int*, int, int))     \
    X(can_access_peer, "cuDeviceCanAccessPeer", "hipDeviceCanAccessPeer", int(int*, int, int))    \
    X(finish_device, "cuCtxSynchronize", "hipDeviceSynchronize", int())                           \
    X(allocate, "cuMemAlloc_v2", "hipMalloc", int(void**, std::size_t))                           \
    X(deallocate, "cuMemFree_v2", "hipFree", int(void*))                                          \
    X(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo", int(std::size_t*, std::size_t*))           \
    X(allocate_host, "cuMemHostAlloc", "hipHostMalloc", int(void**, std::size_t, unsigned))       \
    X(deallocate_host, "cuMemFreeHost", "hipHostFree", int(void*))                                \
    X(fill, "cuMemsetD8Async", "hipMemsetD8Async", int(void*, unsigned char, std::size_t, void*)) \
    X(stream_priorities, "cuCtxGetStreamPriorityRange", "hipDeviceGetStreamPriorityRange",        \
      int(int*, int*))                                                                            \
    X(create_stream, "cuStreamCreateWithPriority", "hipStreamCreateWithPriority",                 \
      int(void**, unsigned, int))                                                                 \
    X(destroy_stream, "cuStreamDestroy_v2", "hipStreamDestroy", int(void*))                       \
    X(finish_stream, "cuStreamSynchronize", "hipStreamSynchronize", int(void*))                   \
    X(query_stream, "cuStreamQuery", "hipStreamQuery", int(void*))                                \
    X(make_stream_wait, "cuStreamWaitEvent", "hipStreamWaitEvent", int(void*, void*, unsigned))   \
    X(create_event, "cuEventCreate", "hipEventCreateWithFlags", int(void**, unsigned))            \
    X(destroy_event, "cuEventDestroy_v2", "hipEventDestroy", int(void*))                          \
    X(record_event, "cuEventRecord", "hipEventRecord", int(void*, void*))                         \
    X(query_event, "cuEventQuery", "hipEventQuery", int(void*))                                   \
    X(finish_event, "cuEventSynchronize", "hipEventSynchronize", int(void*))                      \
    X(elapsed, "cuEventElapsedTime", "hipEventElapsedTime", int(float*, void*, void*))            \
    X(load_module, "cuModuleLoadData", "hipModuleLoadData", int(void**, const void*))             \
    X(unload_module, "cuModuleUnload", "hipModuleUnload", int(void*))                             \
    X(find_function, "cuModuleGetFunction", "hipModuleGetFunction",                               \
      int(void**, void*, const char*))                                                            \
    X(launch, "cuLaunchKernel", "hipModuleLaunchKernel",                                          \
      int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,     \
          void**, void**))

/// Functions of graphs, which a driver may lack: all are present or graphs are not used.
#define SINTER_DRIVER_GRAPH_FUNCTIONS(X)                                          \
    X(create_graph, "cuGraphCreate", "hipGraphCreate", int(void**, unsigned))     \
    X(destroy_graph, "cuGraphDestroy", "hipGraphDestroy", int(void*))             \
    X(instantiate, "cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags", \
      int(void**, void*, unsigned long long))                                     \
    X(destroy_instance, "cuGraphExecDestroy", "hipGraphExecDestroy", int(void*))  \
    X(launch_instance, "cuGraphLaunch", "hipGraphLaunch", int(void*, void*))

/// A launch in a graph.
struct graph_kernel {
    void* function;
    unsigned blocks, threads;
    unsigned shared;       // bytes per block, in addition to what the kernel declares
    const void* argument;  // the kernel's only parameter, read during the call
};

struct device_properties {
    std::string name;
    std::string architecture;  // as the vendor's compiler names it: "sm_90", "gfx90a"
    std::size_t memory = 0;    // bytes
    int multiprocessors = 0, warp = 0, threads_per_block = 0, threads_per_multiprocessor = 0;
    int shared_memory = 0;  // bytes per block
    int most_shared = 0;    // bytes per block after `allow_shared`
    int l2 = 0;             // bytes
};

struct driver {
    vendor made_by{};
    const char* name = "";  // "CUDA", "HIP"

#define SINTER_DRIVER_MEMBER(member, cuda, hip, ...) \
    std::add_pointer_t<__VA_ARGS__> member = nullptr;
    SINTER_DRIVER_FUNCTIONS(SINTER_DRIVER_MEMBER)
    SINTER_DRIVER_GRAPH_FUNCTIONS(SINTER_DRIVER_MEMBER)
#undef SINTER_DRIVER_MEMBER

    // ---- functions that the loaders adapt

    /// Makes a device current on the calling thread and stores the previous one in `before` for
    /// `leave`, because other libraries on the thread rely on their current device.
    int (*enter)(int device, void** before) = nullptr;
    int (*leave)(void* before) = nullptr;
    /// Copies between any two of host, pinned host and device memory, in the order of a stream.
    int (*copy)(void* to, const void* from, std::size_t bytes, void* stream) = nullptr;
    /// Enables the current device to read and write memory of `peer`.
    int (*open_peer)(int peer) = nullptr;
    /// Allows launches of a kernel with this many bytes of shared memory per block. Null if no
    /// permission is needed.
    int (*allow_shared)(void* function, int bytes) = nullptr;
    int (*properties)(int device, device_properties& p) = nullptr;
    /// Adds a launch to a graph, to run after node `behind` if that is not null.
    int (*add_kernel)(void** node, void* graph, void* behind, const graph_kernel& k) = nullptr;
    /// Replaces a node of an instance for later launches.
    int (*set_kernel)(void* instance, void* node, const graph_kernel& k) = nullptr;
    bool has_graphs = false;
    /// Returns the text of a code: "CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)".
    std::string (*explain)(int code) = nullptr;

    // ---- set when the driver is loaded
    std::string library;  // path or name
    std::string release;  // "13.0"
    int count = 0;
};

/// The result of looking for a driver; the table lives as long as the process.
struct found_driver {
    const driver* it = nullptr;  // a usable driver with at least one device, or null
    std::string why_not;
};

/// Return the driver, opened on the first call. SINTER_CUDA_LIBRARY and SINTER_HIP_LIBRARY name
/// another library instead; "none" disables the driver.
const found_driver& cuda_driver();
const found_driver& hip_driver();

}  // namespace sinter::runtime
