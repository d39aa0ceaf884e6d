#include "runtime/base/cgroup.hpp"
#include "runtime/base/device.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <thread>

namespace sinter::runtime {
namespace {

/// Returns the processor name from the OS kernel, which has none on some architectures.
std::string model_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        std::size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unnamed processor";
}

}  // namespace

#if defined(__x86_64__)
// Every feature that compilers may use at a level; the tests include operating system support.
bool cpu_has_v3() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
           __builtin_cpu_supports("movbe") && __builtin_cpu_supports("popcnt");
}
bool cpu_has_v4() {
    return cpu_has_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
bool cpu_has_v3() { return false; }
bool cpu_has_v4() { return false; }
#endif

const char* cpu_level() {
#if defined(__x86_64__)
    return cpu_has_v4() ? "x86-64-v4" : cpu_has_v3() ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "generic";
#endif
}

int processors() noexcept {
    static constinit std::atomic<int> known{0};
    if (const int n = known.load(std::memory_order_relaxed)) return n;
    cpu_set_t mask;  // of 1024 processors; on larger machines the call fails
    const bool masked = sched_getaffinity(0, sizeof mask, &mask) == 0;
    const unsigned all =
        masked ? static_cast<unsigned>(CPU_COUNT(&mask)) : std::thread::hardware_concurrency();
    double granted = all;
    try {
        granted = std::min(granted, cgroup_processors());
    } catch (const std::exception&) {  // no memory to read the files
    }
    const int n = std::max(1, static_cast<int>(granted));
    known.store(n, std::memory_order_relaxed);
    return n;
}

uint64_t memory_bytes() {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || size <= 0) return 0;
    return std::min(static_cast<uint64_t>(pages) * static_cast<uint64_t>(size),
                    cgroup_memory_limit());
}

device_report find_cpu() {
    device_report r;
    r.present = true;
    r.what = model_name() + ", " + std::to_string(std::thread::hardware_concurrency()) +
             " threads, " + cpu_level() + ", " + std::to_string(memory_bytes() >> 20) + " MiB";
    return r;
}

}  // namespace sinter::runtime
