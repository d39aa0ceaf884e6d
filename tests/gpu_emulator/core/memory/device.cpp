#include "core/memory/device.hpp"

#include "core/base/settings.hpp"
#include "core/memory/address_space.hpp"

#include <algorithm>
#include <new>

namespace gpu_emulator {

device::device(int number)
    : number_(number),
      memory_(number),
      default_(std::make_shared<stream>(number, false, 0)),
      peers_(static_cast<std::size_t>(environment().devices)) {
    peers_[static_cast<std::size_t>(number)] = true;
}

std::vector<device*>& device::all() {
    // Leaked, because threads of streams outlive the exit handlers.
    static std::vector<device*>& made = *[] {
        auto* list = new std::vector<device*>;
        for (int n = 0; n < environment().devices; ++n) list->push_back(new device(n));
        return list;
    }();
    return made;
}

bool device::are_usable() {
    try {
        return !all().empty();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

int device::count() { return static_cast<int>(all().size()); }

device* device::get(int number) {
    return number >= 0 && number < count() ? all()[static_cast<std::size_t>(number)] : nullptr;
}

std::shared_ptr<stream> device::make_stream(bool waits_for_default, int priority) {
    auto s = std::make_shared<stream>(number_, waits_for_default, priority);
    const std::lock_guard lock(mutex_);
    streams_.push_back(s);
    return s;
}

void device::forget(const std::shared_ptr<stream>& s) {
    const std::lock_guard lock(mutex_);
    streams_.erase(std::remove(streams_.begin(), streams_.end(), s), streams_.end());
}

stream::position device::submit(const std::shared_ptr<stream>& s, std::function<void()> task,
                                awaited_list before) {
    const std::lock_guard lock(mutex_);
    const auto add = [&](const std::shared_ptr<stream>& other) {
        const stream::position last = other->last();
        if (!other->has_finished(last)) before.push_back(other->end_of(last));
    };
    if (s == default_) {
        for (const auto& other : streams_)
            if (other->waits_for_default()) add(other);
    } else if (s->waits_for_default()) {
        add(default_);
    }
    return s->submit(std::move(task), std::move(before));
}

void device::finish() {
    std::vector<std::shared_ptr<stream>> streams;
    {
        const std::lock_guard lock(mutex_);
        streams = streams_;
    }
    default_->finish();
    for (const auto& s : streams) s->finish();
}

device* device_of(uintptr_t address) {
    return device::get(address_space::get().device_of(address));
}

}  // namespace gpu_emulator
