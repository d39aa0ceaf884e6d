// Failures on request, and what the compilers refuse.
#include "tests/gpu_emulator/emulated.hpp"

using namespace sinter::testing;

namespace {

constexpr const char* put_kernel = R"(extern "C" __global__ void put(int* p, int v) { *p = v; })";

}  // namespace

GPU_TEST_CASE("gpu emulator: the n-th allocation, copy, launch or module fails") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, put_kernel);
    const device_array<int> a(g, std::vector<int>{1});
    const auto before = g.counts("allocate");
    void *p = nullptr, *q = nullptr;
    CHECK(g.fail("allocate", 2) == 0);
    CHECK(g.d().allocate(&p, 4) == 0);
    CHECK(g.d().allocate(&q, 4) == 2);
    CHECK(g.d().allocate(&q, 4) == 0);
    CHECK(g.counts("allocate") == before + 3);
    CHECK(g.d().deallocate(p) == 0);
    CHECK(g.d().deallocate(q) == 0);

    CHECK(g.fail("launch", 1) == 0);
    CHECK(k.run("put", 1, 1, a.get(), 2) == 701);
    CHECK(k.run("put", 1, 1, a.get(), 3) == 0);

    CHECK(g.fail("copy", 1) == 0);
    int value = 0;
    CHECK(g.d().copy(&value, a.get(), 4, nullptr) == 999);
    CHECK(g.d().copy(&value, a.get(), 4, nullptr) == 0);
    CHECK(g.d().finish_stream(nullptr) == 0);
    CHECK(value == 3);

    const auto code = g.compile(put_kernel);
    void* module = nullptr;
    CHECK(g.fail("module", 1) == 0);
    CHECK(g.d().load_module(&module, code.bytes.data()) == 200);

    CHECK(g.fail("allocate", 1) == 0);
    CHECK(g.fail("allocate", 0) == 0);
    CHECK(g.d().allocate(&p, 4) == 0);
    CHECK(g.d().deallocate(p) == 0);
    CHECK(g.fail("nonsense", 1) == 1);
}

GPU_TEST_CASE("gpu emulator: a launch that fails while it runs fails all that follows") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const kernels k(g, put_kernel);
    const device_array<int> a(g, std::vector<int>{1});
    CHECK(g.fail("asynchronous", 1) == 0);
    CHECK(k.start(nullptr, "put", 1, 1, a.get(), 2) == 0);
    CHECK(g.d().finish_device() == 719);
    CHECK(g.d().fill(a.get(), 0, 4, nullptr) == 719);
    const device_scope other(g, 1);
    CHECK(g.d().finish_device() == 0);
    g.forgive();
    const device_scope again(g, 0);
    CHECK(a.values()[0] == 1);
}

GPU_TEST_CASE("gpu emulator: what is no handle is an error") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    int nothing = 0;
    CHECK(g.d().finish_stream(&nothing) == 400);
    CHECK(g.d().record_event(&nothing, nullptr) == 400);
    CHECK(g.d().unload_module(&nothing) == 400);
    CHECK(g.d().deallocate(&nothing) == 1);
    void* p = nullptr;
    const char no_image[64] = "no image";
    CHECK(g.d().load_module(&p, no_image) == 200);
    const kernels k(g, put_kernel);
    CHECK(g.d().launch(&nothing, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 400);
    const auto code = g.compile(put_kernel);
    REQUIRE(g.d().load_module(&p, code.bytes.data()) == 0);
    void* f = nullptr;
    CHECK(g.d().find_function(&f, p, "other") == 500);
    CHECK(g.d().find_function(&f, p, "put") == 0);
    CHECK(g.d().unload_module(p) == 0);
    CHECK(g.d().launch(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 400);
}

GPU_TEST_CASE("gpu emulator: compilers say what is wrong and where") {
    emulated_gpu& g = V::gpu();
    REQUIRE(g.why_not() == "");
    const auto bad = g.compile("extern \"C\" __global__ void f(int* p) {\n    *p = nonsense;\n}\n");
    CHECK(bad.bytes.empty());
    CHECK(contains(bad.error, "sinter:2:10: error: use of undeclared identifier 'nonsense'"));
    // As in the real compilers, which compile for a device, a function must be marked as a device
    // function.
    const auto host = g.compile(
        "int f() { return 1; }\n"
        "extern \"C\" __global__ void k(int* p) { *p = f(); }\n");
    CHECK(contains(host.error, "call to __host__ function from __global__ function"));
    const auto large = g.compile(
        "extern \"C\" __global__ void k(char* p) { __shared__ char s[100000]; s[*p] = 1; "
        "*p = s[1]; }");
    CHECK(contains(large.error, "kernel k uses too much shared data (100000 bytes, "));
    const std::string unknown = g.for_architecture(g.is_cuda() ? "sm_01" : "gfx1");
    CHECK(contains(g.compiler().compile(put_kernel, unknown).error,
                   g.is_cuda() ? "invalid value for --gpu-architecture" : "invalid target ID"));
    CHECK(contains(g.compile(put_kernel, "--nonsense").error, "--nonsense"));
    CHECK(g.fail("compile", 1) == 0);
    CHECK(contains(g.compile(put_kernel).error, "made to fail"));
    CHECK(g.compile(put_kernel).error == "");
}

GPU_TEST_CASE("gpu emulator: code is for an architecture") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const auto load = [&](const char* architecture) {
        const auto code = g.compiler().compile(put_kernel, g.for_architecture(architecture));
        REQUIRE(code.error == "");
        void* module = nullptr;
        const int failed = g.d().load_module(&module, code.bytes.data());
        if (!failed) g.d().unload_module(module);
        return failed;
    };
    if (g.is_cuda()) {
        CHECK(load("sm_90") == (g.other() ? 209 : 0));
        CHECK(load("sm_80") == (g.other() ? 0 : 209));
        CHECK(load("sm_100") == 209);
    } else {
        CHECK(load("gfx90a") == (g.other() ? 209 : 0));
        CHECK(load("gfx1100") == (g.other() ? 0 : 209));
        CHECK(load("gfx942") == 209);
    }
}

GPU_TEST_CASE("gpu emulator: text is contracted unless it is told not to be") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const char* product =
        "extern \"C\" __global__ void f(float a, float b, float c, float* to) "
        "{ *to = a * b + c; }";
    const auto run = [&](const std::string& option) {
        const auto code =
            g.compiler().compile(product, g.for_architecture(g.architecture()) + " " + option);
        REQUIRE(code.error == "");
        void *module = nullptr, *f = nullptr;
        REQUIRE(g.d().load_module(&module, code.bytes.data()) == 0);
        REQUIRE(g.d().find_function(&f, module, "f") == 0);
        const device_array<float> to(g, 1);
        float a = 1 + 0x1p-12f, b = a, c = -1 - 0x1p-11f;
        float* p = to.get();
        void* parameters[] = {&a, &b, &c, static_cast<void*>(&p)};
        CHECK(g.d().launch(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == 0);
        const float result = to.values()[0];
        g.d().unload_module(module);
        return result;
    };
    CHECK(run(g.is_cuda() ? "--fmad=false" : "-ffp-contract=off") == 0);
    CHECK(run("") == 0x1p-24f);
}

GPU_TEST_CASE("gpu emulator: devices say what they are") {
    emulated_gpu& g = V::gpu();
    REQUIRE(g.why_not() == "");
    sinter::runtime::device_properties p;
    CHECK(g.d().properties(0, p) == 0);
    CHECK(contains(p.name, "Emulated"));
    CHECK(p.architecture == g.architecture());
    CHECK(p.warp == static_cast<int>(g.warp()));
    const int large = g.is_cuda() ? 132 : 104, small = g.is_cuda() ? 82 : 48;
    CHECK(p.multiprocessors == (g.other() ? small : large));
    CHECK(p.memory == device_megabytes << 20);
    CHECK(p.threads_per_block == 1024);
    CHECK(g.d().release == (g.is_cuda() ? "13.0" : "6.3"));
    CHECK(contains(g.d().explain(700), "an illegal memory access was encountered"));
    CHECK(g.compiler().version() == (g.is_cuda() ? "13.0" : "6.3"));
}
