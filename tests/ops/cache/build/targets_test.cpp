// What --targets names, and profiles of GPUs that are not here.
#include "ops/cache/build/targets.hpp"

#include "ops/cache/build/profiles.hpp"
#include "ops/cache/files.hpp"
#include "tests/jit/cache/temporary_folder.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace sinter;
using namespace sinter::cache_command;

namespace {

std::string refusal(const std::string& name) {
    try {
        target_of(name);
    } catch (const Error& e) {
        return e.what();
    }
    return "taken";
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("targets: names of CPUs, GPUs, devices and PTX") {
    CHECK(target_of("x86-64-v4").stored == "x86-64-v4");
    CHECK_FALSE(target_of("aarch64").is_gpu());
    const build_target h200 = target_of("sm_90@h200");
    CHECK(h200.stored == "CUDA sm_90");
    CHECK(h200.architecture == "sm_90");
    CHECK(h200.gpu->properties.name == "NVIDIA H200");
    CHECK(h200.gpu->api == nullptr);
    // The first device of an architecture stands for it.
    CHECK(target_of("sm_90").gpu->properties.name == "NVIDIA H100 80GB HBM3");
    const build_target ptx = target_of("ptx:80");
    CHECK(ptx.stored == "CUDA compute_80");
    CHECK(ptx.gpu->properties.architecture == "sm_80");
    CHECK(target_of("gfx90a").stored == "HIP gfx90a");
    // As in packs.
    for (const char* name : {"CUDA sm_90", "CUDA compute_80", "HIP gfx90a"})
        CHECK(target_of(name).stored == name);
}

TEST_CASE("targets: what there is no code generator or device for is refused") {
    for (const char* name : {"", "z80", "sm_", "sm_x", "gfx", "gfx90a:xnack-", "x86-64-v2", "ptx:"})
        CHECK_MESSAGE(says(refusal(name), "there is no code generator for a target"), name);
    CHECK(says(refusal("sm_50"), "the device is not known; got sm_50, expected t4 (sm_75)"));
    CHECK(says(refusal("sm_90@z80"), "the device is not known; got z80"));
    CHECK(says(refusal("sm_80@h100"), "has another architecture than its target; got sm_80@h100"));
}

TEST_CASE("targets: a profile that was written is read, one that is damaged refused") {
    const testing::temporary_folder folder;
    const std::string path = folder / "some.sdev";
    runtime::device_properties p = target_of("sm_80").gpu->properties;
    p.multiprocessors = 17;
    const std::string text = profile_text(p);
    write_file(path, bytes_of(text));
    const build_target t = target_of("sm_80@" + path);
    CHECK(t.gpu->properties.multiprocessors == 17);
    CHECK(t.gpu->properties.name == p.name);
    CHECK(profile_text(t.gpu->properties) == text);
    CHECK(says(refusal("sm_90@" + path), "has another architecture"));
    CHECK(says(refusal("sm_80@" + (folder / "none.sdev")), "No such file"));
    for (std::size_t size = 0; size + 1 < text.size(); size += 7) {
        write_file(path, bytes_of(text.substr(0, size)));
        CHECK_MESSAGE(says(refusal("sm_80@" + path), "a device profile cannot be read"), size);
    }
    std::string bad = text;
    bad.replace(bad.find("17"), 2, "-5");
    write_file(path, bytes_of(bad));
    CHECK(says(refusal("sm_80@" + path), "its multiprocessors is no number"));
}
