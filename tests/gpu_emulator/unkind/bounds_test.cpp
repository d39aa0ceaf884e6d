// A launch that relies on how many registers the compiler happened to need is refused.
#include "tests/gpu_emulator/emulated.hpp"

using namespace sinter::testing;

namespace {

constexpr const char* bounded_kernels = R"(
enum { few = 64 };
extern "C" __global__ void __launch_bounds__(2 * few) bounded(int* p) {
    atomicAdd(p, 1);
}
extern "C" __global__ void __launch_bounds__(1024) large(int* p) { atomicAdd(p, 1); }
extern "C" __global__ void unbounded(int* p) { atomicAdd(p, 1); }
)";

}  // namespace

GPU_TEST_CASE("gpu emulator: a block has no more threads than the launch bounds allow") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, bounded_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    const int refused = g.is_cuda() ? 1 : 719;
    CHECK(k.run("bounded", 2, 128, a.get()) == 0);
    CHECK(g.finding() == "");
    CHECK(k.run("bounded", 2, 129, a.get()) == refused);
    CHECK(contains(g.finding(),
                   "launch bounds: a block of 129 threads; kernel bounded has bounds "
                   "of 128"));
    // The device goes on.
    CHECK(k.run("large", 1, 1024, a.get()) == 0);
    CHECK(a.values()[0] == 256 + 1024);
    // The threads of all dimensions count.
    int* target = a.get();
    void* parameters[] = {static_cast<void*>(&target)};
    const auto launch = [&](unsigned x, unsigned y, unsigned z) {
        return g.d().launch(k.function("bounded"), 1, 1, 1, x, y, z, 0, nullptr, parameters,
                            nullptr);
    };
    CHECK(launch(8, 8, 2) == 0);
    CHECK(launch(8, 8, 3) == refused);
}

GPU_TEST_CASE("gpu emulator: without launch bounds a block has what is certain to be possible") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, bounded_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    CHECK(k.run("unbounded", 1, 256, a.get()) == 0);
    // A thread may need 255 registers of 65536; HIP's compiler takes bounds of 1024.
    CHECK(k.run("unbounded", 1, 257, a.get()) == (g.is_cuda() ? 701 : 0));
    if (g.is_cuda())
        CHECK(contains(g.finding(), "kernel unbounded has none"));
    else
        CHECK(g.finding() == "");
    CHECK(k.run("unbounded", 1, 1024, a.get()) == (g.is_cuda() ? 701 : 0));
}

TEST_CASE("gpu emulator: a grid of HIP's has fewer than 2^32 threads along a dimension") {
    emulated_gpu& g = emulated_hip::gpu();
    const device_scope scope(g);
    const kernels k(g, bounded_kernels);
    const device_array<int> a(g, std::vector<int>{0});
    CHECK(k.start(nullptr, "large", 1u << 22, 1024, a.get()) == 1);
    CHECK(k.start(nullptr, "bounded", 1u << 26, 64, a.get()) == 1);
    CHECK(k.run("large", 1, 1024, a.get()) == 0);
    CHECK(a.values()[0] == 1024);
}

TEST_CASE("gpu emulator: the size of a warp is no constant") {
    for (emulated_gpu* g : {&emulated_cuda::gpu(), &emulated_hip::gpu()}) {
        const auto code = g->compile(
            "extern \"C\" __global__ void f(int* p) { __shared__ int s[warpSize]; *p = s[0]; }");
        CHECK(code.error != "");
    }
}

TEST_CASE("gpu emulator: NVRTC takes as many bytes of parameters as its release does") {
    emulated_gpu& g = emulated_cuda::gpu();
    const auto compiled = [&](int words) {
        return g
            .compile("struct many { int at[" + std::to_string(words) +
                     "]; };\nextern \"C\" __global__ void f(many m, int* p) { *p = m.at[3]; }")
            .error;
    };
    CHECK(compiled(1000) == "");
    CHECK(compiled(8188) == "");
    CHECK(contains(compiled(8190),
                   "formal parameter space overflowed (32768 bytes required, max "
                   "32764 bytes allowed) in function f"));
}
