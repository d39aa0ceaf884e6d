// The part of the HIP runtime that is loaded, with the types of its header as integers and
// pointers.
#include "core/base/codes.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/device.hpp"
#include "core/run/driver.hpp"
#include "exported.hpp"
#include "hip/release.hpp"

using namespace gpu_emulator;

namespace {

thread_local int current_number = 0;

device* current() { return device::get(current_number); }

}  // namespace

// ---- devices

device* gpu_emulator::current_device() { return current(); }

EXPORTED int hipInit(unsigned flags) {
    if (flags != 0) return invalid_value;
    return device::are_usable() ? success : out_of_memory;
}

EXPORTED int hipRuntimeGetVersion(int* version) {
    *version = release().version;
    return success;
}

EXPORTED int hipGetDeviceCount(int* count) {
    *count = device::count();
    return success;
}

EXPORTED int hipGetDevice(int* number) {
    *number = current_number;
    return success;
}

EXPORTED int hipSetDevice(int number) {
    if (!device::get(number)) return invalid_device;
    current_number = number;
    return success;
}

EXPORTED int hipDeviceCanAccessPeer(int* can, int from, int to) {
    if (!device::get(from) || !device::get(to)) return invalid_device;
    *can = from != to;
    return success;
}

EXPORTED int hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    if (flags != 0) return invalid_value;
    return driver::open_peer(current(), device::get(peer));
}

EXPORTED int hipDeviceSynchronize() { return driver::synchronize(current()); }

EXPORTED int hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = vendor.least_priority;
    if (greatest) *greatest = vendor.greatest_priority;
    return success;
}

// ---- memory

EXPORTED int hipMalloc(void** memory, std::size_t bytes) {
    if (memory && bytes == 0) return *memory = nullptr, success;
    return driver::allocate(current(), memory, bytes);
}
EXPORTED int hipFree(void* memory) { return driver::deallocate(current(), memory); }
EXPORTED int hipMemGetInfo(std::size_t* free, std::size_t* total) {
    return driver::memory_info(current(), free, total);
}
EXPORTED int hipHostMalloc(void** memory, std::size_t bytes, unsigned) {
    return driver::allocate_host(current(), memory, bytes);
}
EXPORTED int hipHostFree(void* memory) { return driver::deallocate_host(current(), memory); }

EXPORTED int hipMemsetD8Async(void* memory, unsigned char value, std::size_t bytes, void* stream) {
    return driver::fill(current(), memory, value, bytes, stream);
}

EXPORTED int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
    constexpr int last_kind = 4;  // hipMemcpyDefault: the addresses decide, as for all kinds here
    if (kind < 0 || kind > last_kind) return 21;
    return driver::copy(current(), to, from, bytes, stream);
}

// ---- streams and events

EXPORTED int hipStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
    constexpr unsigned non_blocking = 1;
    if (flags > non_blocking) return invalid_value;
    return driver::create_stream(current(), stream, flags != non_blocking, priority);
}
EXPORTED int hipStreamDestroy(void* stream) { return driver::destroy_stream(current(), stream); }
EXPORTED int hipStreamSynchronize(void* stream) { return driver::finish_stream(current(), stream); }
EXPORTED int hipStreamQuery(void* stream) { return driver::query_stream(current(), stream); }
EXPORTED int hipStreamWaitEvent(void* stream, void* event, unsigned) {
    return driver::make_stream_wait(current(), stream, event);
}

EXPORTED int hipEventCreateWithFlags(void** event, unsigned flags) {
    constexpr unsigned disable_timing = 2;
    return driver::create_event(current(), event, (flags & disable_timing) == 0);
}
EXPORTED int hipEventDestroy(void* event) { return driver::destroy_event(current(), event); }
EXPORTED int hipEventRecord(void* event, void* stream) {
    return driver::record_event(current(), event, stream);
}
EXPORTED int hipEventQuery(void* event) { return driver::query_event(current(), event); }
EXPORTED int hipEventSynchronize(void* event) { return driver::finish_event(current(), event); }
EXPORTED int hipEventElapsedTime(float* milliseconds, void* from, void* to) {
    return driver::elapsed(current(), milliseconds, from, to);
}

// ---- modules

EXPORTED int hipModuleLoadData(void** module, const void* image) {
    return driver::load_module(current(), module, image);
}
EXPORTED int hipModuleUnload(void* module) { return driver::unload_module(current(), module); }
EXPORTED int hipModuleGetFunction(void** function, void* module, const char* name) {
    return driver::find_function(current(), function, module, name);
}
EXPORTED int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, void* stream,
                                   void** parameters, void** extra) {
    if (extra) return invalid_value;
    return driver::launch_kernel(current(), function,
                                 {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared},
                                 stream, parameters);
}
