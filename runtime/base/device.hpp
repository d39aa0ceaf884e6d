// The processor and the main memory, and what `sinter info` says of a device.
#pragma once

#include <cstdint>
#include <string>

namespace sinter::runtime {

struct device_report {
    bool present = false;
    std::string what;     // when present: names, sizes, versions
    std::string why_not;  // when not: what is missing
};

device_report find_cpu();

/// Returns true if the processor and the operating system support x86-64-v3, or x86-64-v4.
bool cpu_has_v3();
bool cpu_has_v4();

/// Returns the newest level of the processor that the library has code for: "x86-64-v4",
/// "x86-64-v3", "x86-64", "aarch64", or "generic".
const char* cpu_level();

/// Returns the number of processors that this process may use, at least 1: those of its affinity
/// mask when it is first called, or what its control groups grant if that is less.
int processors() noexcept;

/// Returns the bytes of main memory that this process may use: those of the machine, or the limit
/// of its control groups if that is less; 0 if unknown.
uint64_t memory_bytes();

}  // namespace sinter::runtime
