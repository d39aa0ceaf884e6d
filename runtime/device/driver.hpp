// A vendor's GPU driver as a table of functions: the CUDA driver API or the HIP runtime, opened
// with dlopen and declared here. So no vendor headers are needed, and the same binary runs with
// either, both or none. The two agree except for a few functions, which the loaders adapt.
//
// Handles (stream, event, module, function) and device addresses are opaque pointers. Every
// function returns 0 or an error code; the codes used here have the same numbers in both.
#pragma once

#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"

#include <sinter/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinter::runtime {

namespace driver_code {
inline constexpr int success = 0, out_of_memory = 2, not_ready = 600, peer_is_open = 704;
}

/// Each row: the member, the function type, and the names by vendor, in the order of `Vendor`.
#define SINTER_DRIVER_FUNCTIONS(X)                                                                \
    X(init, int(unsigned), "cuInit", "hipInit")                                                   \
    X(version, int(int*), "cuDriverGetVersion", "hipRuntimeGetVersion")                           \
    X(device_count, int(int*), "cuDeviceGetCount", "hipGetDeviceCount")                           \
    X(device_name, int(char*, int, int), "cuDeviceGetName", "hipDeviceGetName")                   \
    X(device_memory, int(std::size_t*, int), "cuDeviceTotalMem_v2", "hipDeviceTotalMem")          \
    X(device_attribute, int(int*, int, int), "cuDeviceGetAttribute", "hipDeviceGetAttribute")     \
    X(can_access_peer, int(int*, int, int), "cuDeviceCanAccessPeer", "hipDeviceCanAccessPeer")    \
    X(finish_device, int(), "cuCtxSynchronize", "hipDeviceSynchronize")                           \
    X(allocate, int(void**, std::size_t), "cuMemAlloc_v2", "hipMalloc")                           \
    X(deallocate, int(void*), "cuMemFree_v2", "hipFree")                                          \
    X(memory_info, int(std::size_t*, std::size_t*), "cuMemGetInfo_v2", "hipMemGetInfo")           \
    X(allocate_host, int(void**, std::size_t, unsigned), "cuMemHostAlloc", "hipHostMalloc")       \
    X(deallocate_host, int(void*), "cuMemFreeHost", "hipHostFree")                                \
    X(fill, int(void*, unsigned char, std::size_t, void*), "cuMemsetD8Async", "hipMemsetD8Async") \
    X(stream_priorities, int(int*, int*), "cuCtxGetStreamPriorityRange",                          \
      "hipDeviceGetStreamPriorityRange")                                                          \
    X(create_stream, int(void**, unsigned, int), "cuStreamCreateWithPriority",                    \
      "hipStreamCreateWithPriority")                                                              \
    X(destroy_stream, int(void*), "cuStreamDestroy_v2", "hipStreamDestroy")                       \
    X(finish_stream, int(void*), "cuStreamSynchronize", "hipStreamSynchronize")                   \
    X(query_stream, int(void*), "cuStreamQuery", "hipStreamQuery")                                \
    X(make_stream_wait, int(void*, void*, unsigned), "cuStreamWaitEvent", "hipStreamWaitEvent")   \
    X(create_event, int(void**, unsigned), "cuEventCreate", "hipEventCreateWithFlags")            \
    X(destroy_event, int(void*), "cuEventDestroy_v2", "hipEventDestroy")                          \
    X(record_event, int(void*, void*), "cuEventRecord", "hipEventRecord")                         \
    X(query_event, int(void*), "cuEventQuery", "hipEventQuery")                                   \
    X(finish_event, int(void*), "cuEventSynchronize", "hipEventSynchronize")                      \
    X(elapsed, int(float*, void*, void*), "cuEventElapsedTime", "hipEventElapsedTime")            \
    X(load_module, int(void**, const void*), "cuModuleLoadData", "hipModuleLoadData")             \
    X(unload_module, int(void*), "cuModuleUnload", "hipModuleUnload")                             \
    X(find_function, int(void**, void*, const char*), "cuModuleGetFunction",                      \
      "hipModuleGetFunction")                                                                     \
    X(launch,                                                                                     \
      int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,     \
          void**, void**),                                                                        \
      "cuLaunchKernel", "hipModuleLaunchKernel")

/// Functions of graphs, which a driver may lack: all are present or graphs are not used.
#define SINTER_DRIVER_GRAPH_FUNCTIONS(X)                                                  \
    X(create_graph, int(void**, unsigned), "cuGraphCreate", "hipGraphCreate")             \
    X(destroy_graph, int(void*), "cuGraphDestroy", "hipGraphDestroy")                     \
    X(instantiate, int(void**, void*, unsigned long long), "cuGraphInstantiateWithFlags", \
      "hipGraphInstantiateWithFlags")                                                     \
    X(destroy_instance, int(void*), "cuGraphExecDestroy", "hipGraphExecDestroy")          \
    X(launch_instance, int(void*, void*), "cuGraphLaunch", "hipGraphLaunch")              \
    X(add_node, int(void**, void*, void* const*, std::size_t, const void*),               \
      "cuGraphAddKernelNode_v2", "hipGraphAddKernelNode")                                 \
    X(set_node, int(void*, void*, const void*), "cuGraphExecKernelNodeSetParams_v2",      \
      "hipGraphExecKernelNodeSetParams")

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
    int major = 0, minor = 0;  // its generation: 9 and 0 for both
    std::size_t memory = 0;    // bytes
    int multiprocessors = 0, warp = 0, threads_per_block = 0, threads_per_multiprocessor = 0;
    int shared_memory = 0;  // bytes per block
    int most_shared = 0;    // bytes per block after `allow_shared`
    int l2 = 0;             // bytes
};

struct gpu_vendor;

struct driver {
    const gpu_vendor* vendor = nullptr;

#define SINTER_DRIVER_MEMBER(member, type, ...) std::add_pointer_t<type> member = nullptr;
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

/// The KiB that a multiprocessor must have in flight to use its share of the bandwidth: the share
/// times the latency.
struct bandwidth_need {
    std::string_view architecture, name;  // prefix of the architecture, part of the name
    int64_t kib;
};

/// What differs between vendors and is known without a driver. The vendor's file defines it; its
/// compiler and its libraries have records of their own (jit/codegen/c_like/gpu_compiler.hpp,
/// kernels/gpu_linalg/gpu_libraries.hpp).
struct gpu_vendor {
    Vendor id;
    const char* company;  // "nvidia", "amd"
    const char* name;     // of the platform: "CUDA", "HIP"
    /// Returns the driver, opened on the first call. SINTER_CUDA_LIBRARY and SINTER_HIP_LIBRARY
    /// name another library instead; "none" disables the driver.
    const found_driver& (*driver)();
    text_setting blocking;                  // variable that makes launches block
    std::span<const bandwidth_need> needs;  // the first match counts
    struct {
        int device, host;                  // DLDeviceType
        int64_t default_stream;            // its number
        int64_t refused_from, refused_to;  // numbers that are no streams
        const char* streams;               // the valid numbers, for errors
    } dlpack;
};
extern const gpu_vendor cuda_vendor, hip_vendor;
/// In the order of their GPUs, and of `Vendor`.
inline constexpr const gpu_vendor* gpu_vendors[] = {&cuda_vendor, &hip_vendor};
/// Returns the index of a vendor there, and in such arrays of other layers.
constexpr std::size_t index_of(Vendor v) { return static_cast<std::size_t>(v) - 1; }

/// Describes a driver and its devices.
device_report report_driver(const gpu_vendor& v);

}  // namespace sinter::runtime
