#include "runtime/device/uses.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace sinter::runtime {

// Returns a copy: waiting may call the driver, so it happens outside the lock.

std::array<stream_uses::use, 4> stream_uses::uses() const {
    const std::lock_guard lock(lock_);
    return uses_;
}

void stream_uses::before_read(gpu_stream& s) {
    for (const use& u : uses())
        if (u.on && u.on != &s) s.wait_for(*u.on, u.written);
}

void stream_uses::before_write(gpu_stream& s) {
    for (const use& u : uses())
        if (u.on && u.on != &s) s.wait_for(*u.on, u.used);
}

void stream_uses::after_read(gpu_stream& s, uint64_t position) {
    use oldest;
    for (;;) {
        {
            const std::lock_guard lock(lock_);
            // If there are more streams than entries, `s` waits for the oldest use, and its own
            // entry then covers that.
            if (oldest.on)
                for (use& u : uses_)
                    if (u.on == oldest.on && u.used == oldest.used) u = {};
            for (use& u : uses_)
                if (u.on == &s) {
                    u.used = std::max(u.used, position);
                    return;
                }
            for (use& u : uses_)
                if (!u.on) {
                    u = {&s, oldest.written ? position : 0, position};
                    return;
                }
            oldest = uses_[0];
        }
        s.wait_for(*oldest.on, oldest.used);
        position = std::max(position, s.position());
    }
}

void stream_uses::after_write(gpu_stream& s, uint64_t position) {
    // before_write has made the stream wait for all others.
    const std::lock_guard lock(lock_);
    uses_ = {};
    uses_[0] = {&s, position, position};
}

void stream_uses::used_by_others_on(gpu_stream& s) {
    const std::lock_guard lock(lock_);
    if (std::find(others_.begin(), others_.end(), &s) == others_.end()) others_.push_back(&s);
}

void stream_uses::finish_uses() {
    for (const use& u : uses())
        if (u.on) u.on->finish(u.used);
}

void stream_uses::finish_writes() {
    for (const use& u : uses())
        if (u.on) u.on->finish(u.written);
}

std::vector<std::unique_ptr<gpu_event>> stream_uses::marks() const {
    std::vector<gpu_stream*> on;
    {
        const std::lock_guard lock(lock_);
        on = others_;
    }
    for (const use& u : uses())
        if (u.on && !u.on->known_done(u.used)) on.push_back(u.on);
    std::vector<std::unique_ptr<gpu_event>> marks;
    for (gpu_stream* s : on) marks.push_back(mark_behind(*s));
    return marks;
}

void stream_uses::hand_over(gpu_stream& s) {
    std::array<use, 4> uses{};
    std::vector<gpu_stream*> others;
    {
        const std::lock_guard lock(lock_);
        uses.swap(uses_);
        others.swap(others_);
    }
    for (const use& u : uses)
        if (u.on && u.on != &s) s.wait_for(*u.on, u.used);
    for (gpu_stream* other : others)
        if (other != &s) s.wait_for(*other, other->mark());
}

}  // namespace sinter::runtime
