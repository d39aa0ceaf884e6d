#include "core/memory/host_memory.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

namespace gpu_emulator {
namespace {

struct pinned {
    std::mutex mutex;
    std::map<uintptr_t, std::size_t> live;
};
pinned& all() {
    static pinned& p = *new pinned;
    return p;
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
    void* memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory) return nullptr;
    std::memset(memory, 0xff, bytes);
    const std::lock_guard lock(all().mutex);
    all().live[reinterpret_cast<uintptr_t>(memory)] = bytes;
    return memory;
}

bool release_pinned(void* memory) {
    {
        const std::lock_guard lock(all().mutex);
        if (all().live.erase(reinterpret_cast<uintptr_t>(memory)) == 0) return false;
    }
    std::free(memory);
    return true;
}

bool is_pinned(const void* memory, std::size_t bytes) {
    const auto address = reinterpret_cast<uintptr_t>(memory);
    const std::lock_guard lock(all().mutex);
    const auto behind = all().live.upper_bound(address);
    if (behind == all().live.begin()) return false;
    const auto& [at, size] = *std::prev(behind);
    return address - at <= size && bytes <= size - (address - at);
}

}  // namespace gpu_emulator
