// Races between the threads of a launch: all real ones are found, and no others.
#include "tests/gpu_emulator/emulated.hpp"

using namespace sinter::testing;

namespace {

constexpr const char* race_kernels = R"(
extern "C" __global__ void no_barrier(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}
extern "C" __global__ void read_then_write(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[0];
    s[threadIdx.x] = 2;
}
extern "C" __global__ void one_place(int* p) { *p = threadIdx.x; }
extern "C" __global__ void blocks_meet(int* p) {
    if (blockIdx.x == 0) p[0] = 1;
    else p[1] = p[0];
}
extern "C" __global__ void count(int* p) { atomicAdd(p, 1); }
extern "C" __global__ void count_and_look(int* p) {
    atomicAdd(p, 1);
    if (threadIdx.x == 3) p[1] = p[0];
}
extern "C" __global__ void bytes(char* p) { p[threadIdx.x] = p[threadIdx.x] + 1; }
extern "C" __global__ void bytes_meet(char* p) { p[threadIdx.x / 2] = 1; }
extern "C" __global__ void in_turns(int* p) {
    for (int turn = 0; turn < blockDim.x; turn++) {
        if (turn == threadIdx.x) p[0] += 1;
        __syncthreads();
    }
}
extern "C" __global__ void all_read(const int* p, int* to) { to[threadIdx.x] = p[0] + p[1]; }
extern "C" __global__ void wide(int* p) {
    if (threadIdx.x == 0) *(int4*)p = make_int4(1, 2, 3, 4);
    if (threadIdx.x == 1) p[3] = 1;
}
extern "C" __global__ void two_warps(int* p) {
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp();
    p[threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];
}

// The last block to come adds what all of them wrote.
#define LAST_BLOCK(name, fence, again)                                              \
    extern "C" __global__ void name(int* partial, int* counter, int* to) {          \
        __shared__ int last;                                                        \
        if (threadIdx.x == 0) {                                                     \
            partial[blockIdx.x] = blockIdx.x + 1;                                   \
            fence;                                                                  \
            last = atomicAdd(counter, 1) == gridDim.x - 1;                          \
            again;                                                                  \
        }                                                                           \
        __syncthreads();                                                            \
        if (last && threadIdx.x == 1) {                                             \
            int sum = 0;                                                            \
            for (int b = 0; b < gridDim.x; b++) sum += partial[b];                  \
            *to = sum;                                                              \
        }                                                                           \
    }
LAST_BLOCK(last_block, __threadfence(), __threadfence())
LAST_BLOCK(not_published, , __threadfence())
LAST_BLOCK(not_acquired, __threadfence(), )
extern "C" __global__ void published_too_early(int* partial, int* counter, int* to) {
    __threadfence();
    const int n = atomicAdd(counter, 1);
    __threadfence();
    __syncthreads();
    partial[blockIdx.x] = 1;
    if (n == gridDim.x - 1) *to = partial[0];
}
)";

}  // namespace

GPU_TEST_CASE("gpu emulator: accesses without an order are races") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, race_kernels);
    const device_array<int> a(g, std::vector<int>(256));
    const auto finds = [&](const char* kernel, unsigned blocks, unsigned threads,
                           const std::string& what) {
        INFO(std::string(kernel));
        CHECK(k.run(kernel, blocks, threads, a.get()) == 719);
        CHECK(contains(g.finding(), what));
        g.forgive();
    };
    finds("no_barrier", 1, 64,
          "of shared memory that block (0,0,0), thread (0,0,0) read with nothing to order them; "
          "kernel no_barrier, block (0,0,0), thread (1,0,0), line 4");
    finds("read_then_write", 1, 64, "race: read of 4 bytes");
    finds("one_place", 1, 2,
          "that block (0,0,0), thread (0,0,0) wrote with nothing to order them; kernel one_place, "
          "block (0,0,0), thread (1,0,0)");
    finds("blocks_meet", 2, 1, "race: read of 4 bytes at 0x");
    finds("count_and_look", 1, 4, "changed atomically");
    finds("bytes_meet", 1, 2, "race: write of 1 bytes");
    finds("wide", 1, 2, "race: write of 4 bytes");
    finds("two_warps", 1, 128, "race: write of 4 bytes");
}

GPU_TEST_CASE("gpu emulator: accesses in order are no races") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, race_kernels);
    const device_array<int> a(g, std::vector<int>(256)), b(g, 256);
    CHECK(k.run("one_place", 1, 1, a.get()) == 0);
    CHECK(k.run("one_place", 1, 1, a.get()) == 0);  // launches follow each other
    CHECK(k.run("count", 4, 64, a.get()) == 0);
    CHECK(a.values()[0] == 256);
    CHECK(k.run("bytes", 1, 64, a.get()) == 0);
    CHECK(k.run("in_turns", 1, 64, a.get() + 64) == 0);
    CHECK(a.values()[64] == 64);
    CHECK(k.run("all_read", 1, 128, a.get(), b.get()) == 0);
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: fences and atomic accesses order blocks") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, race_kernels);
    const device_array<int> partial(g, 8), to(g, 1);
    const auto run = [&](const char* kernel, unsigned threads) {
        const device_array<int> counter(g, std::vector<int>{0});
        const int failed = k.run(kernel, 8, threads, partial.get(), counter.get(), to.get());
        const std::string finding = g.finding();
        g.forgive();
        return std::to_string(failed) + finding.substr(0, 5);
    };
    CHECK(run("last_block", 4) == "0");
    CHECK(to.values()[0] == 36);
    CHECK(run("not_published", 4) == "719race:");
    CHECK(run("not_acquired", 4) == "719race:");
    CHECK(run("published_too_early", 1) == "719race:");
}
