#include "runtime/memory/address_space.hpp"

#include <sys/mman.h>

namespace sinter::runtime {

bool address_space_left(std::size_t bytes) noexcept {
    void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    munmap(p, bytes);
    return true;
}

}  // namespace sinter::runtime
