// Code for absent architectures, and compilers that are older than the device.
#include "jit/cache/device_kernels.hpp"
#include "tests/on_gpu/emulator_control.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include <unistd.h>

using namespace sinter;
using testing::contains;
using testing::has_emulator;
using testing::text_of;

namespace {

const std::string text = "extern \"C\" __global__ void k(int* p) { *p = 1; }\n";

bool nvidia() { return Device("cuda:0").vendor() == Vendor::nvidia; }

/// Returns true if the cases pass with a compiler that knows only these architectures.
bool holds(const char* cases, const char* cuda, const char* hip) {
    return test::run_again(cases, "SINTER_EMULATOR_ARCHITECTURES", nvidia() ? cuda : hip) == 0;
}

}  // namespace

TEST_CASE("gpu architectures: code for some that are not there") {
    if (!has_emulator()) return;
    const codegen::gpu_compiler& c = codegen::compiler_of(runtime::gpu_at(0).api->vendor->id);
    for (const char* each : {"sm_80", "sm_90", "sm_100"})
        if (nvidia()) CHECK(!code_cache::compile_for(c, each, text).empty());
    for (const char* each : {"gfx90a", "gfx942", "gfx90a:sramecc+:xnack-"})
        if (!nvidia()) CHECK(!code_cache::compile_for(c, each, text).empty());
    const char* unknown = nvidia() ? "sm_133" : "gfx1333";
    const std::string error = text_of([&] { code_cache::compile_for(c, unknown, text); });
    CHECK(contains(error, nvidia() ? "[jit] NVRTC 13.0 does not compile for this architecture; got "
                                     "sm_133, expected one of sm_75, sm_80, "
                                   : "[jit] hiprtc 6.3 does not compile for this architecture; got "
                                     "gfx1333, expected one of gfx900, gfx906, "));
    CHECK(contains(error, nvidia() ? "; try a newer NVRTC" : "; try a newer hiprtc"));
}

TEST_CASE("gpu architecture unknown: to a compiler that is older than the device" *
          doctest::skip()) {
    setenv("SINTER_CACHE_DIR", "", 1);  // otherwise a kernel may be in the cache
    REQUIRE(has_emulator());
    const Tensor x = arange(1000, kFloat).cuda();
    const Tensor y = x * 3.5 + 0.25;
    if (nvidia()) {  // PTX, which the driver compiles
        CHECK(equal(y.cpu(), arange(1000, kFloat) * 3.5 + 0.25));
        return;
    }
    for (int i = 0; i < 2; i++)
        CHECK(contains(text_of([&] { y.cpu(); }),
                       "got gfx90a, expected one of gfx906, gfx908; try a newer "
                       "hiprtc"));
    CHECK((arange(4) + 1).sum().item<int64_t>() == 10);
    CHECK(x[3].item<float>() == 3);
}

TEST_CASE("gpu architecture dropped: by a compiler that is newer than the device" *
          doctest::skip()) {
    setenv("SINTER_CACHE_DIR", "", 1);  // otherwise a kernel may be in the cache
    REQUIRE(has_emulator());
    CHECK(contains(text_of([&] { (arange(1000, kFloat).cuda() * 4.5 + 0.25).cpu(); }),
                   nvidia() ? "got sm_90, expected one of sm_100, sm_120; try an older NVRTC"
                            : "got gfx90a, expected one of gfx942"));
}

TEST_CASE("gpu architectures: a compiler that does not know the device's") {
    if (!has_emulator()) return;
    CHECK(holds("gpu architecture unknown*", "sm_75,sm_80", "gfx906,gfx908"));
    CHECK(holds("gpu architecture dropped*", "sm_100,sm_120", "gfx942"));
}

// ---- releases of NVRTC and of the driver

namespace {

/// A folder of compilers of these releases, which the loader finds first.
class planted_compilers {
public:
    explicit planted_compilers(std::initializer_list<const char*> releases) {
        std::string name = (std::filesystem::temp_directory_path() / "nvrtc-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        for (const char* r : releases)
            std::filesystem::copy(std::getenv("SINTER_NVRTC_LIBRARY"),
                                  folder_ / (std::string("libnvrtc.so.") + r));
    }
    ~planted_compilers() { std::filesystem::remove_all(folder_); }
    planted_compilers(const planted_compilers&) = delete;
    planted_compilers& operator=(const planted_compilers&) = delete;

    /// Returns true if the cases pass with a driver of this release.
    bool holds(const char* cases, const char* driver) const {
        return std::system(("LD_LIBRARY_PATH=" + folder_.string() +
                            " SINTER_NVRTC_LIBRARY= SINTER_CACHE_DIR= SINTER_EMULATOR_DRIVER=" +
                            driver + " /proc/" + std::to_string(getpid()) + "/exe --no-skip -tc='" +
                            cases + "' > /dev/null")
                               .c_str()) == 0;
    }

private:
    std::filesystem::path folder_;
};

void computes_with(const char* release) {
    REQUIRE(has_emulator());
    const codegen::rtc_library& nvrtc = codegen::cuda_compiler.library();
    CHECK(nvrtc.version() == release);
    CHECK(nvrtc.why_not_here() == "");
    const Tensor y = arange(1000, kFloat).cuda() * 3.5 + 0.25;
    CHECK(equal(y.cpu(), arange(1000, kFloat) * 3.5 + 0.25));
}

}  // namespace

TEST_CASE("gpu releases: compiles with NVRTC 12" * doctest::skip()) { computes_with("12.0"); }
TEST_CASE("gpu releases: compiles with NVRTC 13" * doctest::skip()) { computes_with("13.0"); }
TEST_CASE("gpu releases: NVRTC is too new" * doctest::skip()) {
    REQUIRE(has_emulator());
    const codegen::rtc_library& nvrtc = codegen::cuda_compiler.library();
    CHECK(
        nvrtc.why_not_here() ==
        "NVRTC 13.0 (libnvrtc.so.13) is newer than the driver, 12.4, which does not run its code");
    CHECK(nvrtc.why_not() == "");  // for other machines
    CHECK(!code_cache::compile_for(codegen::cuda_compiler, "sm_90", text).empty());
    // The CPU computes it.
    const Tensor y = arange(1000, kFloat).cuda() * 3.5 + 0.25;
    CHECK(equal(y.cpu(), arange(1000, kFloat) * 3.5 + 0.25));
    CHECK(stats().host_fallbacks > 0);
}

TEST_CASE("gpu releases: NVRTC is one whose code the driver runs") {
    if (!has_emulator() || !nvidia()) return;
    const planted_compilers both{"13", "12"}, newest{"13"};
    CHECK(both.holds("gpu releases: compiles with NVRTC 13", "13000"));
    CHECK(both.holds("gpu releases: compiles with NVRTC 12", "12040"));
    CHECK(newest.holds("gpu releases: NVRTC is too new", "12040"));
    // 12.0 takes no more than 4096 bytes of arguments.
    CHECK(both.holds("gpu elements: many operands*", "12040"));
}

// ---- releases of HIP: what the files are called, which functions they have, and what they refuse

namespace {

/// A folder with HIP of these releases, which the loader finds first.
class planted_hip {
public:
    explicit planted_hip(std::initializer_list<char> releases) {
        std::string name = (std::filesystem::temp_directory_path() / "hip-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        const std::string present = runtime::gpu_at(0).api->library;  // ends in hip.so
        const std::string of_5 = present.substr(0, present.size() - 3) + "5.so";
        for (const char r : releases)
            std::filesystem::copy(r == '5' ? of_5 : present,
                                  folder_ / (std::string("libamdhip64.so.") + r));
    }
    ~planted_hip() { std::filesystem::remove_all(folder_); }
    planted_hip(const planted_hip&) = delete;
    planted_hip& operator=(const planted_hip&) = delete;

    /// Returns true if the case passes where this folder is the only place of HIP.
    bool holds(const char* cases) const {
        return std::system(("LD_LIBRARY_PATH=" + folder_.string() +
                            " SINTER_HIP_LIBRARY= SINTER_CACHE_DIR= SINTER_GRAPHS=on"
                            " SINTER_ROCBLAS_LIBRARY=none SINTER_ROCSOLVER_LIBRARY=none /proc/" +
                            std::to_string(getpid()) + "/exe --no-skip -tc='" + cases +
                            "' > /dev/null")
                               .c_str()) == 0;
    }

private:
    std::filesystem::path folder_;
};

void computes(const char* library, const char* release, bool graphs) {
    REQUIRE(testing::has_gpu());
    const runtime::driver& d = *runtime::gpu_at(0).api;
    CHECK(d.library == library);
    CHECK(d.release == release);
    runtime::device_properties p;
    CHECK(d.properties(0, p) == 0);
    CHECK(p.architecture == "gfx90a");
    CHECK(p.major == 9);
    CHECK(p.warp == 64);
    CHECK(p.memory == std::size_t{512} << 20);
    // Enough launches for a graph, where the driver accepts kernels of modules there.
    const Tensor x = arange(600, kFloat).view({20, 30});
    const auto normed = [](const Tensor& t) {
        Tensor y = t;
        for (int i = 0; i < 4; ++i) y = (y - y.mean(1, true)) / (y.std(1, true, true) + 1);
        return y + y.sum(0);
    };
    reset_stats();
    for (int run = 0; run < 3; ++run) CHECK(equal(normed(x.cuda()).cpu(), normed(x)));
    CHECK((stats().graph_launches > 0) == graphs);
    CHECK(stats().kernels_launched > 0);
}

}  // namespace

TEST_CASE("gpu HIP: release 7" * doctest::skip()) { computes("libamdhip64.so.7", "7.0", true); }
TEST_CASE("gpu HIP: release 6" * doctest::skip()) { computes("libamdhip64.so.6", "6.3", true); }
TEST_CASE("gpu HIP: release 5" * doctest::skip()) { computes("libamdhip64.so.5", "5.2", false); }

TEST_CASE("gpu HIP: the newest release that is there is taken, and works") {
    if (!has_emulator() || nvidia() || runtime::gpu_at(0).properties.warp != 64) return;
    const planted_hip all{'5', '6', '7'}, older{'5', '6'}, oldest{'5'};
    CHECK(all.holds("gpu HIP: release 7"));
    CHECK(older.holds("gpu HIP: release 6"));
    CHECK(oldest.holds("gpu HIP: release 5"));
    CHECK(!oldest.holds("gpu HIP: release 6"));
}
