#include "runtime/device/finish.hpp"

#include "runtime/device/gpu.hpp"
#include "runtime/device/stream.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sinter::runtime {
namespace {

// A bit for each GPU; those behind the last bit share it. Process-wide, as contexts are.
constexpr int last = 63;
std::atomic<uint64_t> used{0};

uint64_t bit_of(int index) { return uint64_t{1} << std::min(index, last); }

}  // namespace

void note_used(int index) {
    // Almost always set: no write that other threads would have to wait for.
    if ((used.load(std::memory_order_relaxed) & bit_of(index)) == 0)
        used.fetch_or(bit_of(index), std::memory_order_relaxed);
}

void finish_used_devices() {
    const uint64_t all = used.load(std::memory_order_relaxed);
    if (all == 0) return;
    for (int i = 0; i < gpu_count(); ++i)
        if (all & bit_of(i)) finish_device(gpu_at(i));
}

}  // namespace sinter::runtime
