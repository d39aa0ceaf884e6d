#include "core/base/settings.hpp"

#include <cstdlib>
#include <sstream>

namespace gpu_emulator {
namespace {

uint64_t number(const char* name, uint64_t usual) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 0) : usual;
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
        s.driver = static_cast<int>(number("SINTER_EMULATOR_DRIVER", 13000));
        s.abort = number("SINTER_EMULATOR_ABORT", 0) != 0;
        s.architectures = list("SINTER_EMULATOR_ARCHITECTURES");
        return s;
    }();
    return read;
}

}  // namespace gpu_emulator
