// Threads that wait for each other: barriers, shuffles, votes, shared memory.
#include "tests/gpu_emulator/emulated.hpp"

#include <algorithm>
#include <numeric>

using namespace sinter::testing;

namespace {

constexpr const char* text = R"(
extern "C" __global__ void __launch_bounds__(1024) reverse(int* p, int n) {
    __shared__ int s[1024];
    s[threadIdx.x] = p[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    p[blockIdx.x * n + threadIdx.x] = s[n - 1 - threadIdx.x];
}
extern "C" __global__ void sum(const int* p, int* to) {
    __shared__ int s[256];
    s[threadIdx.x] = p[threadIdx.x];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *to = s[0];
}
extern "C" __global__ void dynamic(int* p) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void some_leave(int* p) {
    if (threadIdx.x >= 5) return;
    __syncthreads();
    p[threadIdx.x] = 1;
}
extern "C" __global__ void two_places(int* p) {
    if (threadIdx.x < 5)
        __syncthreads();
    else
        __syncthreads();
    p[threadIdx.x] = 1;
}
extern "C" __global__ void cube(int* p) {
    const int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    p[b * blockDim.x * blockDim.y * blockDim.z + i] = 100 * b + i;
}
#if HIP
#define shfl(v, from) __shfl(v, from)
#define shfl_down(v, by) __shfl_down(v, by)
#define shfl_xor(v, by) __shfl_xor(v, by)
#define ballot(x) __ballot(x)
#else
#define shfl(v, from) __shfl_sync(0xffffffffu, v, from)
#define shfl_down(v, by) __shfl_down_sync(0xffffffffu, v, by)
#define shfl_xor(v, by) __shfl_xor_sync(0xffffffffu, v, by)
#define ballot(x) __ballot_sync(0xffffffffu, x)
#endif
extern "C" __global__ void shuffles(double* p, int* all) {
    double v = threadIdx.x;
    for (int by = warpSize / 2; by > 0; by /= 2) v += shfl_xor(v, by);
    p[threadIdx.x] = v;
    float w = threadIdx.x;
    for (int by = warpSize / 2; by > 0; by /= 2) w += shfl_down(w, by);
    if (threadIdx.x % warpSize == 0) all[threadIdx.x / warpSize] = w;
    all[2 + threadIdx.x] = shfl((int)threadIdx.x * 10, 3);
}
extern "C" __global__ void votes(unsigned long long* p) {
    p[threadIdx.x] = ballot(threadIdx.x % 3 == 0);
}
extern "C" __global__ void lanes_leave(int* p) {
    if (threadIdx.x == 7) return;
    p[threadIdx.x] = shfl((int)threadIdx.x, 0);
}
extern "C" __global__ void within_a_warp(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}
)";

std::string with_vendor(const emulated_gpu& g) {
    return std::string("#define HIP ") + (g.is_cuda() ? "0" : "1") + "\n#line 1\n" + text;
}

}  // namespace

GPU_TEST_CASE("gpu emulator: a barrier keeps threads together") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    for (int n : {1, 2, 31, 256, 1024}) {
        std::vector<int> values(static_cast<std::size_t>(3 * n));
        std::iota(values.begin(), values.end(), 0);
        const device_array<int> a(g, values);
        CHECK(k.run("reverse", 3, static_cast<unsigned>(n), a.get(), n) == 0);
        for (int b = 0; b < 3; b++)
            std::reverse(values.begin() + b * n, values.begin() + (b + 1) * n);
        CHECK(a.values() == values);
    }
    std::vector<int> values(256);
    std::iota(values.begin(), values.end(), 1);
    const device_array<int> a(g, values), to(g, 1);
    CHECK(k.run("sum", 1, 256, a.get(), to.get()) == 0);
    CHECK(to.values()[0] == 256 * 257 / 2);
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: shared memory of the launch's size") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    const device_array<int> a(g, 16);
    int* p = a.get();
    void* parameters[] = {static_cast<void*>(&p)};
    void* f = k.function("dynamic");
    CHECK(g.d().launch(f, 1, 1, 1, 16, 1, 1, 64, nullptr, parameters, nullptr) == 0);
    CHECK(g.d().finish_device() == 0);
    CHECK(a.values()[0] == 15);
    CHECK(g.d().launch(f, 1, 1, 1, 16, 1, 1, 60, nullptr, parameters, nullptr) == 0);
    CHECK(g.d().finish_device() == 700);
    CHECK(contains(g.finding(), "write of 4 bytes at offset 60 of a variable of 60 bytes"));
    g.forgive();
    CHECK(g.d().launch(f, 1, 1, 1, 16, 1, 1, 1 << 20, nullptr, parameters, nullptr) == 1);
}

GPU_TEST_CASE("gpu emulator: threads that end do not come to a barrier") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    const device_array<int> a(g, 8);
    CHECK(k.run("some_leave", 1, 5, a.get()) == 0);
    CHECK(k.run("some_leave", 1, 8, a.get()) == 719);
    CHECK(contains(g.finding(),
                   "divergent barrier: block (0,0,0), thread (7,0,0) has ended; "
                   "kernel some_leave, block (0,0,0), thread (0,0,0), line 25"));
    g.forgive();
    CHECK(k.run("two_places", 1, 8, a.get()) == 719);
    CHECK(contains(g.finding(),
                   "divergent barrier: block (0,0,0), thread (7,0,0) waits at line 32; "
                   "kernel two_places, block (0,0,0), thread (0,0,0), line 30"));
}

GPU_TEST_CASE("gpu emulator: grids and blocks have three dimensions") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    const device_array<int> a(g, 24 * 6);
    int* p = a.get();
    void* parameters[] = {static_cast<void*>(&p)};
    CHECK(g.d().launch(k.function("cube"), 2, 3, 1, 2, 3, 4, 0, nullptr, parameters, nullptr) == 0);
    const std::vector<int> values = a.values();
    for (int n = 0; n < 24 * 6; n++)
        CHECK(values[static_cast<std::size_t>(n)] == n / 24 * 100 + n % 24);
    const auto launch = [&](unsigned grid, unsigned block) {
        return g.d().launch(k.function("cube"), grid, 1, 1, block, 1, 1, 0, nullptr, parameters,
                            nullptr);
    };
    CHECK(launch(0, 1) == 1);
    CHECK(launch(1, 0) == 1);
    CHECK(launch(1, 1025) == 1);
}

GPU_TEST_CASE("gpu emulator: lanes of a warp exchange values") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    const unsigned w = g.warp(), n = 2 * w;
    const device_array<double> p(g, n);
    const device_array<int> all(g, 2 + n);
    CHECK(k.run("shuffles", 1, n, p.get(), all.get()) == 0);
    const double first = w * (w - 1) / 2.0;
    CHECK(p.values()[0] == first);
    CHECK(p.values()[w - 1] == first);
    CHECK(p.values()[w] == first + w * w);
    CHECK(all.values()[0] == first);
    CHECK(all.values()[1] == first + w * w);
    CHECK(all.values()[2 + 5] == 30);
    CHECK(all.values()[2 + w + 5] == static_cast<int>(10 * (w + 3)));
    const device_array<unsigned long long> votes(g, w);
    CHECK(k.run("votes", 1, w, votes.get()) == 0);
    unsigned long long expected = 0;
    for (unsigned lane = 0; lane < w; lane += 3) expected |= 1ull << lane;
    CHECK(votes.values()[0] == expected);
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: lanes that a shuffle waits for must come") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    const device_array<int> a(g, 64);
    CHECK(k.run("lanes_leave", 1, g.warp(), a.get()) == 719);
    CHECK(contains(g.finding(),
                   "divergent warp: not all lanes of the mask take part, "
                   "block (0,0,0), thread (7,0,0) has ended; kernel lanes_leave"));
}

GPU_TEST_CASE("gpu emulator: lanes are ordered by what keeps a warp together") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, with_vendor(g));
    const device_array<int> a(g, 64);
    CHECK(k.run("within_a_warp", 1, g.warp(), a.get()) == 0);
    CHECK(a.values()[0] == 1);
    CHECK(g.finding() == "");
}
