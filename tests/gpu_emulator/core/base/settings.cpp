#include "core/base/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

namespace gpu_emulator {
namespace {

uint64_t number(const char* name, uint64_t usual) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 0) : usual;
}

/// Returns a number, which is drawn and printed if the variable is "any".
uint64_t seed(const char* name) {
    const char* text = std::getenv(name);
    if (!text || std::string(text) != "any") return number(name, 0);
    const uint64_t drawn = 1 + std::random_device()();
    std::fprintf(stderr, "[gpu emulator] %s=%llu replays the order\n", name,
                 static_cast<unsigned long long>(drawn));
    return drawn;
}

/// Returns names that are separated by commas.
std::vector<std::string> list(const char* name) {
    const char* text = std::getenv(name);
    std::istringstream in(text ? text : "");
    std::vector<std::string> names;
    for (std::string each; std::getline(in, each, ',');) names.push_back(each);
    return names;
}

}  // namespace

const settings& environment() {
    static const settings read = [] {
        settings s;
        s.devices = static_cast<int>(number("SINTER_EMULATOR_DEVICES", 1));
        s.memory = number("SINTER_EMULATOR_MEMORY_MB", s.memory >> 20) << 20;
        s.race_limit = number("SINTER_EMULATOR_RACE_LIMIT", s.race_limit);
        s.delay = number("SINTER_EMULATOR_DELAY", 0);
        s.seed = seed("SINTER_EMULATOR_SEED");
        s.small = number("SINTER_EMULATOR_SMALL", 0) != 0;
        s.wave = static_cast<int>(number("SINTER_EMULATOR_WAVE", 64));
        s.driver = static_cast<int>(number("SINTER_EMULATOR_DRIVER", 13000));
        s.abort = number("SINTER_EMULATOR_ABORT", 0) != 0;
        s.architectures = list("SINTER_EMULATOR_ARCHITECTURES");
        return s;
    }();
    return read;
}

}  // namespace gpu_emulator
