// Events that are counted, and that can be made to fail: the n-th from now.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpu_emulator {

enum class occasion {
    allocate,
    deallocate,
    launch,
    asynchronous,  // a launch that fails when it runs
    copy,
    fill,
    module,
    compile,
    compile_beside,  // while another compilation runs
    synchronize,
    finding,
    blas,         // a call of a BLAS or solver library
    refuse,       // the same, failing as not supported
    graph,        // a launch of a graph
    instantiate,  // of a graph
    update,       // of a launch in an instance of a graph
    ask,          // a query for an algorithm
    context,      // made for a device
    query,        // of a stream or an event
    low,          // a stream of low priority is made
    none,
};

/// Maps "allocate" and so on; returns `none` for another name.
occasion occasion_named(std::string_view name);

/// Counts the event; returns true if it must fail.
bool happens(occasion o);

uint64_t times(occasion o);

/// Makes the `nth` event from now fail; 1 is the next one, 0 cancels.
void fail(occasion o, int nth);

}  // namespace gpu_emulator
