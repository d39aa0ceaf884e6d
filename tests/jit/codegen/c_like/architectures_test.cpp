// The vendors' compilers are asked for their architectures before they are used. No GPU is needed.
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace sinter;

namespace {

const char* const text = "extern \"C\" __global__ void k(int* p) { *p = 1; }\n";

bool usable(const codegen::rtc_library& compiler) {
    if (test::sanitized()) {
        MESSAGE("[SKIP] under a sanitizer, which would watch the vendor's library too");
        return false;
    }
    if (compiler.why_not().empty()) return true;
    MESSAGE("[SKIP] nothing was asked: " << compiler.why_not());
    return false;
}

bool has(const std::vector<std::string>& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("architectures: NVRTC compiles what it knows, and is not asked for the rest") {
    const codegen::rtc_library& nvrtc = codegen::cuda_compiler.library();
    if (!usable(nvrtc)) return;
    const std::vector<std::string> known = codegen::cuda_compiler.architectures(nvrtc);
    REQUIRE(!known.empty());
    for (const char* wanted : {"sm_80", "sm_90", "sm_100", "compute_90"}) {
        const auto code = codegen::compile(codegen::cuda_compiler, text, wanted);
        if (codegen::cuda_compiler.knows(nvrtc, wanted))
            CHECK_MESSAGE(code.error == "", wanted);
        else
            CHECK_MESSAGE(code.refused, wanted);
    }
    CHECK(has(known, "sm_90"));
    const auto ancient = codegen::compile(codegen::cuda_compiler, text, "sm_20");
    CHECK(ancient.bytes.empty());
    CHECK(
        ancient.error.find("[jit] NVRTC " + nvrtc.version() +
                           " does not compile for this architecture; got sm_20, expected one of " +
                           known.front() + ", ") == 0);
    CHECK(ancient.error.find("; try an older NVRTC") != std::string::npos);
    CHECK(codegen::compile(codegen::cuda_compiler, text, "sm_999").error.find("got sm_999") !=
          std::string::npos);
    CHECK(codegen::cuda_compiler.target(nvrtc, "sm_90") == "sm_90");
    CHECK("sm_" + codegen::cuda_compiler.target(nvrtc, "sm_999").substr(8) == known.back());
}

TEST_CASE("architectures: hiprtc compiles what it knows, and the process lives on after the rest") {
    const codegen::rtc_library& hiprtc = codegen::hip_compiler.library();
    if (!usable(hiprtc)) return;
    const std::vector<std::string> known = codegen::hip_compiler.architectures(hiprtc);
    CHECK(has(known, "gfx90a"));
    for (const char* wanted : {"gfx90a", "gfx90a:sramecc+:xnack-", "gfx942", "gfx1030"}) {
        const auto code = codegen::compile(codegen::hip_compiler, text, wanted);
        if (codegen::hip_compiler.knows(hiprtc, wanted))
            CHECK_MESSAGE(code.error == "", wanted);
        else
            CHECK_MESSAGE(code.refused, wanted);
    }
    for (const char* wrong : {"gfx9999", "gfx1030:xnack+", "gfx90a:", "gfx", "", "sm_90"})
        CHECK_MESSAGE(!codegen::hip_compiler.knows(hiprtc, wrong), wrong);
    const auto unknown = codegen::compile(codegen::hip_compiler, text, "gfx9999");
    CHECK(unknown.bytes.empty());
    CHECK(unknown.error.find("[jit] hiprtc " + hiprtc.version() +
                             " does not compile for this architecture; got gfx9999, expected one "
                             "of ") == 0);
    CHECK(unknown.error.find(", gfx90a, ") != std::string::npos);
    CHECK(unknown.error.find("; try a newer hiprtc") != std::string::npos);
}

TEST_CASE("architectures: where a compiler cannot be asked") {
    const char* places[] = {"libsinter_no_such_compiler.so.1"};
    const codegen::rtc_library none({"none", &runtime::settings::nvrtc_library, places, "", ""});
    CHECK(codegen::cuda_compiler.architectures(none).empty());
    CHECK(codegen::cuda_compiler.knows(none, "sm_123"));
    CHECK(codegen::cuda_compiler.target(none, "sm_123") == "sm_123");
    CHECK(codegen::hip_compiler.architectures(none).empty());
    CHECK(codegen::hip_compiler.knows(none, "gfx90a:xnack-"));
    CHECK(!codegen::hip_compiler.knows(none, "gfx942"));
    CHECK(codegen::unknown_architecture(none, "gfx942", {}) ==
          "[jit] none  does not compile for this architecture; got gfx942, expected one that it is "
          "known to take; try a newer none");
}
