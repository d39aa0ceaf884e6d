#include "jit/launch/gpu/bytes_in_flight.hpp"

#include <algorithm>

namespace sinter::runtime {
namespace {

/// Returns the KiB in flight per multiprocessor.
int64_t needed(const device_properties& p) {
    for (const gpu_vendor* v : gpu_vendors)
        for (const bandwidth_need& n : v->needs)
            if (p.architecture.starts_with(n.architecture) &&
                p.name.find(n.name) != std::string::npos)
                return n.kib;
    return 32;
}

}  // namespace

int64_t bytes_of_thread(const device_properties& p) {
    // Registers seldom allow more than half of the maximum number of threads.
    const int64_t threads = std::max(256, p.threads_per_multiprocessor / 2);
    return (needed(p) << 10) / threads;
}

}  // namespace sinter::runtime
