#include "jit/cache/target.hpp"

#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fault.hpp"

namespace sinter::code_cache {

using codegen::target;

bool can_run(target level) {
    return level == target::x86_64_v3 ? runtime::cpu_has_v3()
                                      : level == target::x86_64_v4 && runtime::cpu_has_v4();
}

std::optional<target> process_target() {
    static const std::optional<target> level = []() -> std::optional<target> {
        const bool at_most_v3 = runtime::environment().isa == runtime::isa_choice::v3;
        if (!at_most_v3 && can_run(target::x86_64_v4)) return target::x86_64_v4;
        if (can_run(target::x86_64_v3)) return target::x86_64_v3;
        return std::nullopt;
    }();
    return level;
}

uint32_t process_mode() {
    uint32_t mode = codegen::mode_exact;
    if (fault("tail-mask")) mode |= codegen::mode_fault_tail_mask;
    if (fault("lane-order")) mode |= codegen::mode_fault_lane_order;
    if (fault("contract")) mode |= codegen::mode_fault_contract;
    return mode;
}

const std::vector<std::string>& process_targets() {
    static const std::vector<std::string> names = [] {
        const std::string mode =
            process_mode() == codegen::mode_exact ? "" : " mode " + std::to_string(process_mode());
        std::vector<std::string> all;
        if (process_target() == target::x86_64_v4) all.push_back(name_of(target::x86_64_v4) + mode);
        if (process_target()) all.push_back(name_of(target::x86_64_v3) + mode);
        return all;
    }();
    return names;
}

const char* name_of(std::optional<target> level) {
    if (!level) return "none";
    switch (*level) {
        case target::x86_64_v3: return "x86-64-v3";
        case target::x86_64_v4: return "x86-64-v4";
        case target::aarch64: return "aarch64";
    }
    return "none";
}

}  // namespace sinter::code_cache
