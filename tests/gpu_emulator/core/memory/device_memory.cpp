#include "core/memory/device_memory.hpp"

#include "core/base/settings.hpp"
#include "core/memory/address_space.hpp"

#include <cstdio>
#include <iterator>

namespace gpu_emulator {
namespace {

// Each allocation has separate pages and begins after a gap in the first one, so it has exactly the
// alignment that the vendors promise.
constexpr std::size_t page = 4096, gap = 256;

std::size_t span_of(std::size_t bytes) { return (gap + bytes + gap + page - 1) / page * page; }

std::string allocation(const char* what, uintptr_t at, std::size_t size) {
    char text[96];
    std::snprintf(text, sizeof text, "%s of %zu bytes at 0x%zx", what, size, at);
    return text;
}

}  // namespace

device_memory::device_memory(int device)
    : capacity_(environment().memory),
      begin_(address_space::get().begin(device)),
      end_(begin_ + address_space::get().arena()),
      cursor_(begin_ + page) {}

/// Returns the next free addresses, starting where the last allocation ended.
uintptr_t device_memory::place(std::size_t span) {
    for (int turn = 0; turn < 2; ++turn) {
        while (cursor_ + span <= end_) {
            const auto behind = live_.lower_bound(cursor_ + span);
            if (behind == live_.begin()) return cursor_;
            const auto& [at, size] = *std::prev(behind);
            if (at - gap + span_of(size) <= cursor_) return cursor_;
            cursor_ = at - gap + span_of(size);
        }
        cursor_ = begin_ + page;
    }
    return 0;
}

uintptr_t device_memory::allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > capacity_ - used_) return 0;
    const std::size_t span = span_of(bytes);
    const uintptr_t first = place(span);
    if (first == 0) return 0;
    cursor_ = first + span;
    const uintptr_t at = first + gap;
    freed_.erase(freed_.lower_bound(first), freed_.lower_bound(first + span));
    live_[at] = bytes;
    used_ += bytes;
    address_space::get().open(at, bytes);
    return at;
}

bool device_memory::owns(uintptr_t address) {
    const std::lock_guard lock(mutex_);
    return live_.count(address) != 0;
}

bool device_memory::release(uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto it = live_.find(address);
    if (it == live_.end()) return false;
    address_space::get().close(address - gap, span_of(it->second));
    used_ -= it->second;
    freed_[address] = it->second;
    live_.erase(it);
    return true;
}

bool device_memory::holds(uintptr_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto behind = live_.upper_bound(address);
    if (behind == live_.begin()) return false;
    const auto& [at, size] = *std::prev(behind);
    return address - at <= size && bytes <= size - (address - at);
}

std::string device_memory::describe(uintptr_t address, std::size_t bytes, bool& freed) {
    const std::lock_guard lock(mutex_);
    freed = false;
    const auto before = [](const auto& map, uintptr_t a) {
        const auto behind = map.upper_bound(a);
        return behind == map.begin() ? map.end() : std::prev(behind);
    };
    if (const auto old = before(freed_, address);
        old != freed_.end() && address < old->first + old->second) {
        freed = true;
        return std::to_string(address - old->first) + " bytes into the freed " +
               allocation("allocation", old->first, old->second);
    }
    const auto lower = before(live_, address);
    const auto upper = live_.lower_bound(address);
    const std::size_t behind =
        lower == live_.end() ? SIZE_MAX : address + bytes - lower->first - lower->second;
    const std::size_t ahead = upper == live_.end() ? SIZE_MAX : upper->first - address;
    if (behind == SIZE_MAX && ahead == SIZE_MAX) return "nothing is allocated";
    if (behind <= ahead) {
        return "its end is " + std::to_string(behind) + " bytes behind that of the nearest " +
               allocation("allocation", lower->first, lower->second);
    }
    return std::to_string(ahead) + " bytes before the nearest " +
           allocation("allocation", upper->first, upper->second);
}

std::size_t device_memory::used() {
    const std::lock_guard lock(mutex_);
    return used_;
}

}  // namespace gpu_emulator
