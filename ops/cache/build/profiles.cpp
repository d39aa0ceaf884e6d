#include "ops/cache/build/profiles.hpp"

#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace sinter::cache_command {
namespace {

struct known_gpu {
    const char *profile, *architecture, *name;
    int multiprocessors, threads;  // threads: most of a multiprocessor
    int shared_kib;                // most of a block
};

// From the vendors' data sheets and the CUDA programming guide (compute capabilities). AMD's are
// for one die. The first of an architecture stands for it.
constexpr known_gpu table[] = {
    {"t4", "sm_75", "Tesla T4", 40, 1024, 64},
    {"a100", "sm_80", "NVIDIA A100-SXM4-80GB", 108, 2048, 163},
    {"a10", "sm_86", "NVIDIA A10", 72, 1536, 99},
    {"a40", "sm_86", "NVIDIA A40", 84, 1536, 99},
    {"rtx3090", "sm_86", "NVIDIA GeForce RTX 3090", 82, 1536, 99},
    {"l4", "sm_89", "NVIDIA L4", 58, 1536, 99},
    {"l40s", "sm_89", "NVIDIA L40S", 142, 1536, 99},
    {"rtx4090", "sm_89", "NVIDIA GeForce RTX 4090", 128, 1536, 99},
    {"h100", "sm_90", "NVIDIA H100 80GB HBM3", 132, 2048, 227},
    {"h200", "sm_90", "NVIDIA H200", 132, 2048, 227},
    {"b200", "sm_100", "NVIDIA B200", 148, 2048, 227},
    {"rtx5090", "sm_120", "NVIDIA GeForce RTX 5090", 170, 1536, 99},
    {"mi100", "gfx908", "AMD Instinct MI100", 120, 2560, 64},
    {"mi210", "gfx90a", "AMD Instinct MI210", 104, 2048, 64},
    {"mi250x", "gfx90a", "AMD Instinct MI250X", 110, 2048, 64},
    {"mi300x", "gfx942", "AMD Instinct MI300X", 304, 2048, 64},
};

constexpr const char *first_line = "sinter device profile 1", *last_line = "end";

struct field {
    const char* name;
    int runtime::device_properties::* member;
};
constexpr field fields[] = {
    {"multiprocessors", &runtime::device_properties::multiprocessors},
    {"threads_per_multiprocessor", &runtime::device_properties::threads_per_multiprocessor},
    {"shared_memory", &runtime::device_properties::shared_memory},
    {"most_shared", &runtime::device_properties::most_shared},
};

bool ends_in_sdev(const std::string& path) { return path.ends_with(".sdev"); }

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
    runtime::fail("cache", "a device profile cannot be read", path + ": " + why,
                  "a file that `sinter cache probe -o FILE.sdev` wrote", "writing it again");
}

runtime::device_properties read_profile(const std::string& path) {
    std::ifstream in(path);
    if (!in) refuse_file(path, std::strerror(errno));
    std::string line;
    if (!std::getline(in, line) || line != first_line) refuse_file(path, "it is no profile");
    std::map<std::string, std::string> values;
    while (std::getline(in, line) && line != last_line) {
        const std::size_t space = line.find(' ');
        if (space != std::string::npos) values[line.substr(0, space)] = line.substr(space + 1);
    }
    if (line != last_line) refuse_file(path, "it is not whole");
    runtime::device_properties p;
    p.name = values["name"];
    p.architecture = values["architecture"];
    if (p.architecture.empty()) refuse_file(path, "it names no architecture");
    for (const field& f : fields) {
        p.*f.member = std::atoi(values[f.name].c_str());
        if (p.*f.member <= 0 || p.*f.member > 1 << 24)
            refuse_file(path, std::string("its ") + f.name + " is no number");
    }
    return p;
}

runtime::device_properties of_table(const known_gpu& k) {
    runtime::device_properties p;
    p.name = k.name;
    p.architecture = k.architecture;
    p.multiprocessors = k.multiprocessors;
    p.threads_per_multiprocessor = k.threads;
    p.most_shared = k.shared_kib << 10;
    const bool nvidia = p.architecture.starts_with("sm_");
    p.shared_memory = nvidia ? 48 << 10 : p.most_shared;
    return p;
}

}  // namespace

std::string known_profiles() {
    std::string names;
    for (const known_gpu& k : table)
        names += (names.empty() ? "" : ", ") + std::string(k.profile) + " (" + k.architecture + ")";
    return names;
}

std::string profile_text(const runtime::device_properties& p) {
    std::ostringstream text;
    text << first_line << "\nname " << p.name << "\narchitecture " << p.architecture << "\n";
    for (const field& f : fields) text << f.name << " " << p.*f.member << "\n";
    text << last_line << "\n";
    return text.str();
}

std::shared_ptr<const runtime::gpu> gpu_of_profile(const std::string& profile,
                                                   const std::string& architecture) {
    auto g = std::make_shared<runtime::gpu>();
    if (ends_in_sdev(profile)) {
        g->properties = read_profile(profile);
    } else {
        const auto* const found =
            std::find_if(std::begin(table), std::end(table), [&](const known_gpu& k) {
                return profile.empty() ? architecture == k.architecture : profile == k.profile;
            });
        if (found == std::end(table))
            runtime::fail("cache", "the device is not known",
                          profile.empty() ? architecture : profile, known_profiles(),
                          "the file that `sinter cache probe -o FILE.sdev` writes on a machine "
                          "that has one: --targets " +
                              architecture + "@FILE.sdev");
        g->properties = of_table(*found);
    }
    if (g->properties.architecture != architecture)
        runtime::fail("cache", "a device has another architecture than its target",
                      architecture + "@" + profile, g->properties.architecture + "@" + profile,
                      "that target");
    return g;
}

}  // namespace sinter::cache_command
