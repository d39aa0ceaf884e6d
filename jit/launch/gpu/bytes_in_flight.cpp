#include "jit/launch/gpu/bytes_in_flight.hpp"

#include <algorithm>
#include <string_view>

namespace sinter::runtime {
namespace {

/// KiB in flight per multiprocessor, first match: its share of the bandwidth times the latency.
/// NVIDIA's figures are those of CUB. A compute unit of an MI200 has the bandwidth share of an A100
/// multiprocessor, one of an MI300 a fifth more; the latency of both is about 1.5 times as long.
struct need {
    std::string_view architecture, name;  // prefix of the architecture, part of the name
    int64_t kib;
};
constexpr need needs[] = {
    {"sm_7", "", 12}, {"sm_8", "", 16},   {"sm_90", "H200", 48}, {"sm_90", "", 32},
    {"sm_1", "", 64}, {"gfx90a", "", 24}, {"gfx94", "", 32},     {"gfx95", "", 48},
};
constexpr int64_t otherwise = 32;

}  // namespace

int64_t bytes_of_thread(const device_properties& p) {
    int64_t kib = otherwise;
    for (const need& n : needs) {
        if (!std::string_view(p.architecture).starts_with(n.architecture) ||
            p.name.find(n.name) == std::string::npos)
            continue;
        kib = n.kib;
        break;
    }
    // Registers seldom allow more than half of the maximum number of threads.
    const int64_t threads = std::max(256, p.threads_per_multiprocessor / 2);
    return (kib << 10) / threads;
}

}  // namespace sinter::runtime
