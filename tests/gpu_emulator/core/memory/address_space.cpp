#include "core/memory/address_space.hpp"

#include "core/base/settings.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace gpu_emulator {
namespace {

char* map(std::size_t size, int protection) {
    void* at = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    if (protection != PROT_NONE) madvise(at, size, MADV_DONTDUMP);
    return static_cast<char*>(at);
}

}  // namespace

address_space& address_space::get() {
    static address_space& space = *new address_space;
    return space;
}

address_space::address_space() {
    // There are far more addresses than memory. Freed ones are not reused for long, so that late
    // accesses are detected.
    arena_ = std::max(environment().memory * 4, std::size_t{64} << 30);
    size_ = arena_ * static_cast<std::size_t>(environment().devices);
    char* addresses = map(size_, PROT_NONE);
    char* memory = map(size_, PROT_READ | PROT_WRITE);
    base_ = reinterpret_cast<uintptr_t>(addresses);
    distance_ = reinterpret_cast<uintptr_t>(memory) - base_;
    bounds_ = reinterpret_cast<uint8_t*>(map(size_ / 8, PROT_READ | PROT_WRITE));
    races_ = reinterpret_cast<race_shadow*>(
        map(size_ / race_granule * sizeof(race_shadow), PROT_READ | PROT_WRITE));
}

void address_space::open(uintptr_t address, std::size_t size) const {
    std::memset(bytes(address), 0xff, size);
    uint8_t* known = bounds_ + (address - base_) / 8;
    std::memset(known, 8, size / 8);
    if (size % 8 != 0) known[size / 8] = static_cast<uint8_t>(size % 8);
}

void address_space::close(uintptr_t first_page, std::size_t pages_size) const {
    // Afterwards anonymous pages read as zero: not allocated, not accessed.
    const uintptr_t at = first_page - base_;
    std::memset(bounds_ + at / 8, 0, pages_size / 8);
    madvise(bytes(first_page), pages_size, MADV_DONTNEED);
    madvise(races_ + at / race_granule, pages_size / race_granule * sizeof(race_shadow),
            MADV_DONTNEED);
}

}  // namespace gpu_emulator
