// The part of the CUDA driver API that is loaded, with the types of its header as integers and
// pointers.
#include "core/base/codes.hpp"
#include "core/base/occasions.hpp"
#include "core/base/settings.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/device.hpp"
#include "core/run/driver.hpp"
#include "exported.hpp"

#include <atomic>
#include <cstring>

using namespace gpu_emulator;

namespace {

using CUdeviceptr = unsigned long long;

std::atomic<bool> initialised{false};
thread_local device* current = nullptr;  // a context is represented by its device

void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

}  // namespace

device* gpu_emulator::current_device() { return current; }

// ---- calls before there is a context

EXPORTED int cuInit(unsigned flags) {
    if (flags != 0) return invalid_value;
    if (!device::are_usable()) return out_of_memory;
    initialised = true;
    return success;
}

EXPORTED int cuDriverGetVersion(int* version) {
    *version = environment().driver;
    return success;
}

EXPORTED int cuDeviceGetCount(int* count) {
    if (!initialised) return not_initialized;
    *count = device::count();
    return success;
}

EXPORTED int cuDeviceCanAccessPeer(int* can, int from, int to) {
    if (!device::get(from) || !device::get(to)) return invalid_device;
    *can = from != to;
    return success;
}

EXPORTED int cuDevicePrimaryCtxRetain(void** context, int number) {
    if (!initialised) return not_initialized;
    device* d = device::get(number);
    if (!d) return invalid_device;
    if (happens(occasion::context)) return device_unavailable;  // as in exclusive mode
    *context = d;
    return success;
}

EXPORTED int cuCtxGetCurrent(void** context) {
    if (!initialised) return not_initialized;
    *context = current;
    return success;
}

EXPORTED int cuCtxSetCurrent(void* context) {
    if (!initialised) return not_initialized;
    current = static_cast<device*>(context);
    return success;
}

// ---- the current context's device

EXPORTED int cuCtxSynchronize() { return driver::synchronize(current); }

EXPORTED int cuCtxEnablePeerAccess(void* peer, unsigned flags) {
    if (flags != 0) return invalid_value;
    return driver::open_peer(current, static_cast<device*>(peer));
}

EXPORTED int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    if (!current) return invalid_context;
    if (least) *least = vendor.least_priority;
    if (greatest) *greatest = vendor.greatest_priority;
    return success;
}

// ---- memory

EXPORTED int cuMemAlloc_v2(CUdeviceptr* memory, std::size_t bytes) {
    void* made = nullptr;
    const int failed = driver::allocate(current, &made, bytes);
    if (!failed) *memory = reinterpret_cast<CUdeviceptr>(made);
    return failed;
}

EXPORTED int cuMemFree_v2(CUdeviceptr memory) {
    return driver::deallocate(current, pointer(memory));
}

EXPORTED int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return driver::memory_info(current, free, total);
}

EXPORTED int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
    return driver::allocate_host(current, memory, bytes);
}

EXPORTED int cuMemFreeHost(void* memory) { return driver::deallocate_host(current, memory); }

EXPORTED int cuMemsetD8Async(CUdeviceptr memory, unsigned char value, std::size_t bytes,
                             void* stream) {
    return driver::fill(current, pointer(memory), value, bytes, stream);
}

EXPORTED int cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, void* stream) {
    return driver::copy(current, pointer(to), pointer(from), bytes, stream);
}

// ---- streams and events

EXPORTED int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
    constexpr unsigned non_blocking = 1;
    if (flags > non_blocking) return invalid_value;
    return driver::create_stream(current, stream, flags != non_blocking, priority);
}
EXPORTED int cuStreamDestroy_v2(void* stream) { return driver::destroy_stream(current, stream); }
EXPORTED int cuStreamSynchronize(void* stream) { return driver::finish_stream(current, stream); }
EXPORTED int cuStreamQuery(void* stream) { return driver::query_stream(current, stream); }
EXPORTED int cuStreamWaitEvent(void* stream, void* event, unsigned) {
    return driver::make_stream_wait(current, stream, event);
}

EXPORTED int cuEventCreate(void** event, unsigned flags) {
    constexpr unsigned disable_timing = 2;
    return driver::create_event(current, event, (flags & disable_timing) == 0);
}
EXPORTED int cuEventDestroy_v2(void* event) { return driver::destroy_event(current, event); }
EXPORTED int cuEventRecord(void* event, void* stream) {
    return driver::record_event(current, event, stream);
}
EXPORTED int cuEventQuery(void* event) { return driver::query_event(current, event); }
EXPORTED int cuEventSynchronize(void* event) { return driver::finish_event(current, event); }
EXPORTED int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
    return driver::elapsed(current, milliseconds, from, to);
}

// ---- modules

EXPORTED int cuModuleLoadData(void** module, const void* image) {
    return driver::load_module(current, module, image);
}
EXPORTED int cuModuleUnload(void* module) { return driver::unload_module(current, module); }
EXPORTED int cuModuleGetFunction(void** function, void* module, const char* name) {
    return driver::find_function(current, function, module, name);
}
EXPORTED int cuFuncSetAttribute(void* function, int attribute, int value) {
    constexpr int max_dynamic_shared_size_bytes = 8;
    if (attribute != max_dynamic_shared_size_bytes) return invalid_value;
    return driver::allow_shared(current, function, value);
}
EXPORTED int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                            void* stream, void** parameters, void** extra) {
    if (extra) return invalid_value;
    return driver::launch_kernel(current, function,
                                 {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared},
                                 stream, parameters);
}
