// The addresses of device memory: a range that is reserved and never accessible, so that a host's
// access faults at once. The bytes lie a fixed distance behind; what is known of them, too.
#pragma once

#include "race.hpp"

#include <cstddef>
#include <cstdint>

namespace gpu_emulator {

class address_space {
public:
    /// Mapped on the first call. Throws std::bad_alloc.
    static address_space& get();

    std::size_t arena() const { return arena_; }  // addresses of one device
    uintptr_t begin(int device) const { return base_ + arena_ * static_cast<std::size_t>(device); }
    int device_of(uintptr_t address) const {
        if (address < base_ || address - base_ >= size_) return -1;
        return static_cast<int>((address - base_) / arena_);
    }

    char* bytes(uintptr_t address) const { return reinterpret_cast<char*>(address + distance_); }

    /// Whether all of `size` bytes are allocated, for an address of any device's.
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

    /// From the first device's first address.
    race_shadow* shadows() const { return races_; }

    /// Of a fresh allocation, aligned to 8.
    void open(uintptr_t address, std::size_t size) const;
    /// Gives the pages back, which must be its own.
    void close(uintptr_t first_page, std::size_t pages_size) const;

private:
    address_space();

    std::size_t arena_ = 0, size_ = 0;
    uintptr_t base_ = 0;
    std::size_t distance_ = 0;
    uint8_t* bounds_ = nullptr;  // for 8 bytes each, how many of them, from the first, may be used
    race_shadow* races_ = nullptr;  // for race_granule bytes each
};

}  // namespace gpu_emulator
