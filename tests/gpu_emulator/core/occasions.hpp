// What is counted, and what can be made to fail: the n-th from now.
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
    synchronize,
    finding,
    blas,         // a call of a BLAS or solver library
    refuse,       // the same, which says that it does not support that
    graph,        // a launch of a graph
    instantiate,  // of a graph
    update,       // of a launch in an instance of a graph
    ask,          // a library for an algorithm
    none,
};

/// "allocate" and so on; `none` for another name.
occasion occasion_named(std::string_view name);

/// Counts it; whether it is to fail.
bool happens(occasion o);

uint64_t times(occasion o);

/// The `nth` one from now on fails, 1 being the next; 0 takes it back.
void fail(occasion o, int nth);

}  // namespace gpu_emulator
