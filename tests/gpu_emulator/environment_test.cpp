// Settings from the environment, each in a separate process: this program again, with one test.
#include "tests/gpu_emulator/by_itself.hpp"
#include "tests/gpu_emulator/emulated.hpp"

using namespace sinter::testing;

TEST_CASE("gpu emulator, by itself: a missing wait" * doctest::skip()) {
    emulated_gpu& g = emulated_cuda::gpu();
    const device_scope scope(g);
    const kernels first(g, "extern \"C\" __global__ void put(int* p, int v) { *p = v; }");
    const kernels second(g, "extern \"C\" __global__ void copy(int* p, int* q) { *q = *p; }");
    const device_array<int> p(g, std::vector<int>{0}), q(g, 1);
    void *s = nullptr, *t = nullptr;
    REQUIRE(g.d().create_stream(&s, 1, 0) == 0);
    REQUIRE(g.d().create_stream(&t, 1, 0) == 0);
    int late = 0;
    for (int n = 1; n <= 50; n++) {
        CHECK(first.start(s, "put", 1, 1, p.get(), n) == 0);
        CHECK(second.start(t, "copy", 1, 1, p.get(), q.get()) == 0);
        CHECK(g.d().finish_device() == 0);
        late += q.values()[0] != n;
    }
    CHECK_MESSAGE(late == 0, "came too early " << late << " times of 50");
}

TEST_CASE("gpu emulator, by itself: a finding" * doctest::skip()) {
    emulated_gpu& g = emulated_hip::gpu();
    const device_scope scope(g);
    const kernels k(g, "extern \"C\" __global__ void put(int* p) { p[1] = 1; }");
    const device_array<int> p(g, 1);
    CHECK(k.run("put", 1, 1, p.get()) == 700);
}

TEST_CASE("gpu emulator, by itself: an allocation" * doctest::skip()) {
    emulated_gpu& g = emulated_cuda::gpu();
    const device_scope scope(g);
    void* p = nullptr;
    CHECK(g.d().allocate(&p, 1) == 0);
    CHECK(g.d().allocate(&p, 1) == 2);
    CHECK(g.d().allocate(&p, 1) == 0);
}

TEST_CASE("gpu emulator, by itself: a race in a long launch" * doctest::skip()) {
    emulated_gpu& g = emulated_cuda::gpu();
    const device_scope scope(g);
    const kernels k(g,
                    "extern \"C\" __global__ void twice(int* p, int n) {\n"
                    "for (int i = 0; i < n; i++) p[i] = threadIdx.x;\n}");
    const device_array<int> p(g, 10000);
    CHECK(k.run("twice", 1, 2, p.get(), 10000) == 719);
}

TEST_CASE("gpu emulator: delays show what does not wait") {
    const outcome o = run_with("SINTER_EMULATOR_DELAY=7", "*by itself: a missing wait");
    CHECK(o.status != 0);
    CHECK(contains(o.printed, "came too early"));
}

TEST_CASE("gpu emulator: a finding may end the process") {
    CHECK(run_with("", "*by itself: a finding").status == 0);
    const outcome o = run_with("SINTER_EMULATOR_ABORT=1", "*by itself: a finding");
    CHECK(o.status != 0);
    CHECK(contains(o.printed, "[gpu emulator] out of bounds: write of 4 bytes"));
    CHECK(contains(o.printed, "SIGABRT"));
}

TEST_CASE("gpu emulator: the environment makes things fail") {
    CHECK(
        run_with("SINTER_EMULATOR_FAIL=launch:9,allocate:2", "*by itself: an allocation").status ==
        0);
    CHECK(run_with("", "*by itself: an allocation").status != 0);
}

TEST_CASE("gpu emulator: races are looked for in samples of long launches") {
    CHECK(
        run_with("SINTER_EMULATOR_RACE_LIMIT=100", "*by itself: a race in a long launch").status ==
        0);
}
