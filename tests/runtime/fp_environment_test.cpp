#include "runtime/base/fp_environment.hpp"

#include "jit/launch/launch.hpp"
#include "runtime/threads/threads.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <latch>
#include <limits>
#include <vector>

using namespace sinter;

#if defined(__x86_64__)
#include <xmmintrin.h>

namespace {

constexpr unsigned hostile = 0x1F80 | 0x8040 | 0x6000;  // FTZ, DAZ, toward zero

/// Sets the control register to `value` for a scope, then restores it.
struct with_control {
    explicit with_control(unsigned value) : saved(_mm_getcsr()) { _mm_setcsr(value); }
    ~with_control() { _mm_setcsr(saved); }
    unsigned saved;
};

/// Sets the control registers of this thread and of its helpers.
void on_all(int threads, unsigned value) {
    std::latch all_here(threads);
    runtime::parallel_for(0, threads, 1, [&](int64_t, int64_t) {
        _mm_setcsr(value);
        all_here.arrive_and_wait();
    });
}

void halve(const kernel_ir::kernel_call* call) {
    const kernel_ir::operand_arg *in = &call->operands[0], *out = &call->operands[1];
    for (int64_t r = 0; r < call->n1; ++r)
        for (int64_t i = 0; i < call->n0; ++i) {
            volatile float half = 0.5f;
            float x = *reinterpret_cast<float*>(in->ptr + r * in->s1 + i * in->s0);
            *reinterpret_cast<float*>(out->ptr + r * out->s1 + i * out->s0) = x * half;
        }
}

}  // namespace

TEST_CASE("fp_environment: defaults inside, the caller's settings after") {
    with_control scope(hostile | 0x3F);
    {
        runtime::fp_environment environment;
        CHECK((_mm_getcsr() & ~0x3Fu) == 0x1F80);
    }
    CHECK(_mm_getcsr() == (hostile | 0x3F));
}

TEST_CASE("fp_environment: exception flags of a kernel do not reach the caller") {
    with_control scope(0x1F80);
    {
        runtime::fp_environment environment;
        volatile float zero = 0, one = 1;
        volatile float inf = one / zero;
        (void)inf;
    }
    CHECK(_mm_getcsr() == 0x1F80);
}

TEST_CASE("fp_environment: a launch keeps subnormals on every thread") {
    constexpr int64_t n = 1 << 18;
    std::vector<float> in(n, std::numeric_limits<float>::denorm_min() * 6), out(n);
    int64_t extents[] = {n}, strides[] = {4};
    runtime::launch_operand operands[] = {{reinterpret_cast<char*>(in.data()), strides},
                                          {reinterpret_cast<char*>(out.data()), strides}};
    int before = get_num_threads();
    for (int threads : {1, 2, 3}) {
        set_num_threads(threads);
        std::fill(out.begin(), out.end(), -1.0f);
        // As a library built with -ffast-math does to every thread.
        on_all(threads, hostile);
        _mm_setcsr(hostile);  // clang's OpenMP restores its caller's
        runtime::launch({.fn = halve, .rank = 1, .extents = extents, .operands = operands});
        CHECK(_mm_getcsr() == hostile);
        on_all(threads, 0x1F80);
        _mm_setcsr(0x1F80);
        float expected = std::numeric_limits<float>::denorm_min() * 3;
        CHECK(std::all_of(out.begin(), out.end(), [&](float x) { return x == expected; }));
    }
    set_num_threads(before);
}
#endif
