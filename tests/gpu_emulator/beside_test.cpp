// The emulator's LLVM and the LLVM inside the library's plugin, in one process.
#include "tests/gpu_emulator/emulated.hpp"
#include "tests/support/compiler.hpp"

#include <sinter/sinter.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sinter::testing;

GPU_TEST_CASE("gpu emulator: compiles beside the library's compiler") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const char* text = "extern \"C\" __global__ void add(float* p, float v) { *p += v; }";
    const auto on_device = [&] {
        const kernels k(g, text);
        const device_array<float> a(g, std::vector<float>{1});
        CHECK(k.run("add", 1, 1, a.get(), 2.0f) == 0);
        return a.values()[0];
    };
    CHECK(on_device() == 3);
    const bool compiles = sinter::test::has_compiler();
    for (int n = 0; n < 3; n++) {
        const auto x = sinter::full({1000 + n}, 2.0f) * 3.0f + 1.0f;
        CHECK((x.exp() - x).sum().item<double>() != 0);
        CHECK(on_device() == 3);
    }
    if (compiles) CHECK(sinter::code_cache::compiler_available(nullptr));
}

GPU_TEST_CASE("gpu emulator: the host must not touch device memory") {
    emulated_gpu& g = V::gpu();
    const device_scope scope(g);
    const device_array<char> a(g, 16);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        prctl(PR_SET_DUMPABLE, 0);  // no core file
        *static_cast<volatile char*>(a.get()) = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
}
