// Device memory: valid and invalid accesses.
#include "tests/gpu_emulator/emulated.hpp"

using namespace sinter::testing;

namespace {

constexpr const char* memory_kernels = R"(
extern "C" __global__ void put(float* p, long long at, float value) { p[at] = value; }
extern "C" __global__ void get(const float* p, long long at, float* to) { *to = p[at]; }
extern "C" __global__ void odd(char* p, int by) { *(double*)(p + by) = 1; }
extern "C" __global__ void twice(float* p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 2 * p[i];
}
extern "C" __global__ void behind(float* p, int at) {
    __shared__ float s[8];
    s[at] = 1;
    *p = s[at];
}
static __device__ const float table[4] = {1, 2, 3, 4};
extern "C" __global__ void look(float* p, int at) { *p = table[at]; }
)";

}  // namespace

GPU_TEST_CASE("gpu emulator: kernels change device memory and nothing else") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    const device_array<float> a(g, std::vector<float>{1, 2, 3, 4, 5});
    CHECK(k.run("twice", 2, 4, a.get(), 5) == 0);
    CHECK(a.values() == std::vector<float>{2, 4, 6, 8, 10});
    CHECK(g.finding() == "");
}

GPU_TEST_CASE("gpu emulator: fresh memory is no number") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const device_array<uint32_t> a(g, 3);
    CHECK(a.values() == std::vector<uint32_t>(3, 0xffffffff));
    CHECK(g.d().fill(a.get(), 0, 8, nullptr) == 0);
    CHECK(a.values() == std::vector<uint32_t>{0, 0, 0xffffffff});
}

GPU_TEST_CASE("gpu emulator: an access out of bounds names who, where and what") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    const device_array<float> a(g, 25);
    CHECK(k.run("put", 1, 1, a.get(), 25ll, 1.0f) == 700);
    const std::string f = g.finding();
    CHECK(contains(f, "out of bounds: write of 4 bytes at 0x"));
    CHECK(contains(f, "its end is 4 bytes behind that of the nearest allocation of 100 bytes"));
    CHECK(contains(f, "kernel put, block (0,0,0), thread (0,0,0), line 2"));
    // The error is sticky.
    CHECK(g.d().finish_device() == 700);
    void* more = nullptr;
    CHECK(g.d().allocate(&more, 4) == 700);
    g.forgive();
    CHECK(k.run("put", 1, 1, a.get(), -1ll, 1.0f) == 700);
    CHECK(contains(g.finding(), "4 bytes before the nearest allocation of 100 bytes"));
    g.forgive();
    CHECK(k.run("put", 1, 1, a.get(), 24ll, 1.0f) == 0);
}

GPU_TEST_CASE("gpu emulator: a read that begins inside and ends outside is out of bounds") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    const device_array<char> a(g, 7);
    const device_array<float> result(g, 1);
    CHECK(k.run("get", 1, 1, a.get(), 0ll, result.get()) == 0);
    CHECK(k.run("get", 1, 1, a.get(), 1ll, result.get()) == 700);
    CHECK(contains(g.finding(), "out of bounds: read of 4 bytes"));
    CHECK(contains(g.finding(), "its end is 1 bytes behind"));
}

GPU_TEST_CASE("gpu emulator: freed memory is not to be used") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    void* p = nullptr;
    REQUIRE(g.d().allocate(&p, 64) == 0);
    REQUIRE(g.d().deallocate(p) == 0);
    CHECK(g.d().deallocate(p) == 1);
    CHECK(k.run("put", 1, 1, p, 4ll, 1.0f) == 700);
    CHECK(contains(g.finding(), "use after free: write of 4 bytes"));
    CHECK(contains(g.finding(), "16 bytes into the freed allocation of 64 bytes"));
    g.forgive();
    float host = 0;
    CHECK(g.d().copy(&host, p, 4, nullptr) == 1);
    CHECK(contains(g.finding(), "use after free: copy from of 4 bytes"));
}

GPU_TEST_CASE("gpu emulator: accesses are aligned") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    const device_array<double> a(g, 4);
    CHECK(k.run("odd", 1, 1, a.get(), 8) == 0);
    CHECK(k.run("odd", 1, 1, a.get(), 4) == (g.is_cuda() ? 716 : 700));
    CHECK(contains(g.finding(), "misaligned: write of 8 bytes at 0x"));
    CHECK(contains(g.finding(), "must be at a multiple of 8; kernel odd"));
}

GPU_TEST_CASE("gpu emulator: variables have bounds") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    const device_array<float> a(g, 1);
    CHECK(k.run("behind", 1, 1, a.get(), 7) == 0);
    CHECK(k.run("look", 1, 1, a.get(), 3) == 0);
    CHECK(a.values()[0] == 4);
    CHECK(k.run("behind", 1, 1, a.get(), 8) == 700);
    CHECK(contains(g.finding(),
                   "out of bounds: write of 4 bytes at offset 32 of a variable of 32 bytes"));
    g.forgive();
    CHECK(k.run("look", 1, 1, a.get(), -1) == 700);
    CHECK(contains(g.finding(),
                   "out of bounds: read of 4 bytes at offset -4 of a variable of 16 bytes"));
}

GPU_TEST_CASE("gpu emulator: kernels use pinned host memory and no other") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, memory_kernels);
    void* pinned = nullptr;
    REQUIRE(g.d().allocate_host(&pinned, 16, 0) == 0);
    CHECK(k.run("put", 1, 1, pinned, 3ll, 5.0f) == 0);
    CHECK(static_cast<float*>(pinned)[3] == 5);
    std::vector<float> pageable(4);
    CHECK(k.run("put", 1, 1, pageable.data(), 0ll, 1.0f) == 700);
    CHECK(contains(g.finding(), "which is no device memory"));
    CHECK(pageable[0] == 0);
    g.forgive();
    CHECK(g.d().deallocate_host(pinned) == 0);
}

GPU_TEST_CASE("gpu emulator: another device's memory takes leave") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g, 1);
    const kernels k(g, memory_kernels);
    void* theirs = nullptr;
    {
        const device_scope other(g, 0);
        REQUIRE(g.d().allocate(&theirs, 64) == 0);
    }
    CHECK(k.run("put", 1, 1, theirs, 0ll, 5.0f) == 700);
    CHECK(contains(g.finding(), "in memory of device 0, which device 1 has no access to"));
    g.forgive();
    int can = 0;
    CHECK(g.d().can_access_peer(&can, 1, 0) == 0);
    CHECK(can == 1);
    CHECK(g.d().open_peer(0) == 0);
    CHECK(k.run("put", 1, 1, theirs, 0ll, 5.0f) == 0);
    float got = 0;
    CHECK(g.d().copy(&got, theirs, 4, nullptr) == 0);
    CHECK(g.d().finish_stream(nullptr) == 0);
    CHECK(got == 5);
    CHECK(g.d().deallocate(theirs) == 0);
}

GPU_TEST_CASE("gpu emulator: memory is used up and given back") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    std::size_t free = 0, total = 0;
    CHECK(g.d().memory_info(&free, &total) == 0);
    CHECK(total == device_megabytes << 20);
    CHECK(free == total);
    void *p = nullptr, *q = nullptr;
    CHECK(g.d().allocate(&p, total - 1000) == 0);
    CHECK(g.d().allocate(&q, 1001) == 2);
    CHECK(g.d().memory_info(&free, &total) == 0);
    CHECK(free == 1000);
    CHECK(g.d().deallocate(p) == 0);
    CHECK(g.d().allocate(&q, 1001) == 0);
    CHECK(q != p);
    CHECK(reinterpret_cast<uintptr_t>(q) % 256 == 0);
    CHECK(g.d().deallocate(q) == 0);
}

GPU_TEST_CASE("gpu emulator: copies stay within allocations") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const device_array<char> a(g, 10), b(g, 10);
    CHECK(g.d().copy(a.get(), b.get() + 2, 8, nullptr) == 0);
    CHECK(g.d().copy(a.get(), b.get() + 2, 9, nullptr) == 1);
    CHECK(contains(g.finding(), "out of bounds: copy from of 9 bytes"));
    CHECK(g.d().fill(a.get() + 5, 0, 6, nullptr) == 1);
    CHECK(contains(g.finding(), "out of bounds: fill of 6 bytes"));
}
