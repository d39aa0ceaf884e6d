// The functions of both vendors' drivers, with common codes. The vendor libraries add the names,
// handle types and notions of a current device.
#pragma once

#include "core/run/launch.hpp"

#include <cstddef>
#include <cstdint>

namespace gpu_emulator::driver {

// For the device `on`; nullptr means none. Every call on a failed device fails.

int synchronize(device* on);

int allocate(device* on, void** memory, std::size_t bytes);
int deallocate(device* on, void* memory);
int memory_info(device* on, std::size_t* free, std::size_t* total);
int allocate_host(device* on, void** memory, std::size_t bytes);
int deallocate_host(device* on, void* memory);
int fill(device* on, void* memory, unsigned char value, std::size_t bytes, void* stream);
int copy(device* on, void* to, const void* from, std::size_t bytes, void* stream);
int open_peer(device* on, device* peer);

int create_stream(device* on, void** stream, bool waits_for_default, int priority);
int destroy_stream(device* on, void* stream);
int finish_stream(device* on, void* stream);
int query_stream(device* on, void* stream);
int make_stream_wait(device* on, void* stream, void* event);

int create_event(device* on, void** event, bool timed);
int destroy_event(device* on, void* event);
int record_event(device* on, void* event, void* stream);
int query_event(device* on, void* event);
int finish_event(device* on, void* event);
int elapsed(device* on, float* milliseconds, void* from, void* to);

int load_module(device* on, void** module, const void* image);
int unload_module(device* on, void* module);
int find_function(device* on, void** function, void* module, const char* name);
/// Sets the shared memory that a launch may request in addition to the kernel's declared memory.
int allow_shared(device* on, void* function, int bytes);
int launch_kernel(device* on, void* function, const launch_shape& shape, void* stream,
                  void** parameters);

struct kernel_node {
    void* function;
    launch_shape shape;
    void** parameters;
};
int create_graph(device* on, void** made, unsigned flags);
int destroy_graph(device* on, void* graph);
int add_kernel_node(device* on, void** made, void* graph, void* const* behind, std::size_t count,
                    const kernel_node& k);
int instantiate(device* on, void** made, void* graph, unsigned long long flags);
int destroy_instance(device* on, void* instance);
int set_kernel_node(device* on, void* instance, void* node, const kernel_node& k);
int launch_instance(device* on, void* instance, void* stream);

}  // namespace gpu_emulator::driver
