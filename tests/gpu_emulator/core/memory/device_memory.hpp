// The allocations of one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace gpu_emulator {

class device_memory {
public:
    explicit device_memory(int device);

    uintptr_t allocate(std::size_t bytes);  // 0: no memory left
    bool owns(uintptr_t address);           // true if it is the first address of an allocation
    bool release(uintptr_t address);
    /// Returns true if the bytes are in one allocation.
    bool holds(uintptr_t address, std::size_t bytes);
    /// Describes the location of an invalid address; sets `freed` if its memory was freed.
    std::string describe(uintptr_t address, std::size_t bytes, bool& freed);

    std::size_t capacity() const { return capacity_; }
    std::size_t used();

private:
    uintptr_t place(std::size_t span);

    const std::size_t capacity_;
    const uintptr_t begin_, end_;
    std::mutex mutex_;
    std::map<uintptr_t, std::size_t> live_, freed_;  // by address
    std::size_t used_ = 0;
    uintptr_t cursor_;
};

}  // namespace gpu_emulator
