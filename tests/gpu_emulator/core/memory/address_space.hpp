// The addresses of device memory: a reserved range that is never accessible, so that a host access
// faults at once. The bytes and the shadow data are at fixed distances from it.
#pragma once

#include "core/memory/race.hpp"

#include <cstddef>
#include <cstdint>

namespace gpu_emulator {

class address_space {
public:
    /// Mapped on the first call. Throws std::bad_alloc.
    static address_space& get();

    std::size_t arena() const { return arena_; }  // addresses per device
    uintptr_t begin(int device) const { return base_ + arena_ * static_cast<std::size_t>(device); }
    int device_of(uintptr_t address) const {
        if (address < base_ || address - base_ >= size_) return -1;
        return static_cast<int>((address - base_) / arena_);
    }

    char* bytes(uintptr_t address) const { return reinterpret_cast<char*>(address + distance_); }

    /// Returns true if all of `size` bytes are allocated, for an address of any device.
    bool is_allocated(uintptr_t address, std::size_t size) const {
        const uintptr_t at = address - base_;
        const uint8_t* known = bounds_ + at / 8;
        const std::size_t first = at % 8;
        if (first + size <= 8) return first + size <= *known;
        if (*known != 8) return false;
        std::size_t rest = size - (8 - first);
        for (++known; rest > 8; rest -= 8, ++known)
            if (*known != 8) return false;
        return rest <= *known;
    }

    /// Starts at the first address of the first device.
    race_shadow* shadows() const { return races_; }

    /// Opens a fresh allocation, aligned to 8.
    void open(uintptr_t address, std::size_t size) const;
    /// Returns the pages, which no other allocation may use.
    void close(uintptr_t first_page, std::size_t pages_size) const;

private:
    address_space();

    std::size_t arena_ = 0, size_ = 0;
    uintptr_t base_ = 0;
    std::size_t distance_ = 0;
    uint8_t* bounds_ = nullptr;  // for each 8 bytes, how many of them, from the first, may be used
    race_shadow* races_ = nullptr;  // one per race_granule bytes
};

}  // namespace gpu_emulator
