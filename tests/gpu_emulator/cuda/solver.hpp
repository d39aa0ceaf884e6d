// What the parts of the emulated cuSOLVER share. A call's workspace must be as large as the query
// returned, and is overwritten.
#pragma once

#include "core/linalg/linear_algebra.hpp"
#include "exported.hpp"

namespace cuda_solver {

using namespace gpu_emulator;
using library::batch;

inline constexpr int invalid = 3;

inline int code(library::status s) {
    switch (s) {
        case library::status::done: return 0;
        case library::status::no_handle: return 1;
        case library::status::no_memory: return 2;
        case library::status::invalid: return invalid;
        case library::status::not_supported: return 9;
        default: return 6;
    }
}

inline char operation(int o) { return o == 0 ? 'N' : o == 1 ? 'T' : o == 2 ? 'C' : 0; }
inline char fill(int f) { return f == 0 ? 'L' : f == 1 ? 'U' : 0; }
inline char side(int s) { return s == 0 ? 'L' : s == 1 ? 'R' : 0; }

inline int work_for(int m, int n) { return 16 + 2 * std::max(m, n); }

inline int answer(void* handle, int m, int n, int* size) {
    if (!library::find(handle)) return 1;
    if (m < 0 || n < 0) return invalid;
    *size = work_for(m, n);
    return 0;
}

/// Overwrites a workspace, in the stream's order; returns an error code if it is too small.
template <class T>
int use(void* handle, T* work, int size, int m, int n) {
    if (size < work_for(m, n)) return invalid;
    library::uses u(1);
    u.memory(work, size);
    return code(u.submit(handle, "a workspace", true, [=](int) {
        std::memset(static_cast<void*>(library::host(work)), 0x5a,
                    static_cast<std::size_t>(size) * sizeof(T));
    }));
}

/// Sets the info of a call that can only fail on arguments.
inline int put_zero(void* handle, int* info) {
    library::uses u(1);
    u.memory(info, 1);
    return code(u.submit(handle, "info", true, [=](int) { *library::host(info) = 0; }));
}

/// What a call with parameters gets: they were made and not dropped.
struct parameters {
    static constexpr int living = 0x1234;
    int state = living;
};
inline bool is_living(const void* p) {
    return p && static_cast<const parameters*>(p)->state == parameters::living;
}
#define RETURN_FAILED(call) \
    if (const int failed = (call)) return failed

}  // namespace cuda_solver
