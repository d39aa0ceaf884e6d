#include "runtime/device/transfer.hpp"

#include "runtime/memory/size_class.hpp"

#include <sinter/error.hpp>

#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::runtime {

uint64_t put_copy(gpu_stream& s, void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return s.position();
    const gpu& g = s.device();
    const device_scope scope(g);
    check(g, "copying memory", g.api->copy(to, from, bytes, s.handle()));
    return s.put("copying memory");
}

uint64_t put_fill(gpu_stream& s, void* to, unsigned char value, std::size_t bytes) {
    if (bytes == 0) return s.position();
    const gpu& g = s.device();
    const device_scope scope(g);
    check(g, "filling memory", g.api->fill(to, value, bytes, s.handle()));
    return s.put("filling memory");
}

bool can_open_peer(const gpu& g, const gpu& peer) {
    int can = 0;
    if (g.api != peer.api || g.index == peer.index) return false;
    check(g, "querying peer access", g.api->can_access_peer(&can, g.ordinal, peer.ordinal));
    return can != 0;
}

bool open_peer(const gpu& g, const gpu& peer) {
    if (!can_open_peer(g, peer)) return false;
    const device_scope scope(g);
    check(g, "enabling peer access", g.api->open_peer(peer.ordinal));
    return true;
}

namespace {

using event_list = std::vector<std::unique_ptr<gpu_event>>;

/// Pinned blocks by size class, never returned to the driver: programs pin small blocks often.
class pinned_memory {
public:
    void* take(std::size_t bytes) {
        const int c = size_class(bytes);
        const gpu& g = used_gpu();
        const std::lock_guard lock(mutex_);
        if (void* p = from_free(c)) return p;
        const device_scope scope(g);
        constexpr unsigned portable = 1;  // for all GPUs
        void* p = nullptr;
        check(g, "allocating pinned memory", g.api->allocate_host(&p, class_bytes(c), portable));
        classes_[static_cast<char*>(p)] = c;
        return p;
    }

    void give(void* p, event_list marks) {
        const std::lock_guard lock(mutex_);
        blocks& all = by_class_[classes_.at(static_cast<char*>(p))];
        if (marks.empty())
            all.free.push_back(p);
        else
            all.used.push_back({p, std::move(marks)});
    }

    bool holds(const void* p) {
        const std::lock_guard lock(mutex_);
        auto* at = static_cast<char*>(const_cast<void*>(p));
        auto block = classes_.upper_bound(at);
        if (block == classes_.begin()) return false;
        --block;
        return at < block->first + class_bytes(block->second);
    }

private:
    struct used_block {
        void* at;
        event_list marks;  // behind the copies that use it
    };
    struct blocks {
        std::vector<void*> free;
        std::deque<used_block> used;
    };

    /// Returns null if no block of the class is free. Asks the driver only where none is known to
    /// be, and only of one block in use.
    void* from_free(int c) {
        blocks& all = by_class_[c];
        if (all.free.empty() && !all.used.empty()) {
            used_block& oldest = all.used.front();
            try {
                if (have_ended(oldest.marks))
                    all.free.push_back(oldest.at);
                else  // the next question is about another one, whose stream may be faster
                    all.used.push_back(std::move(oldest));
            } catch (const Error&) {
                // Its device has failed, and may still write to it.
            }
            all.used.pop_front();
        }
        if (all.free.empty()) return nullptr;
        void* p = all.free.back();
        all.free.pop_back();
        return p;
    }

    static bool have_ended(event_list& marks) {
        while (!marks.empty()) {
            if (!marks.back()->done()) return false;
            recycle(std::move(marks.back()));
            marks.pop_back();
        }
        return true;
    }

    std::mutex mutex_;
    std::map<char*, int> classes_;
    std::map<int, blocks> by_class_;
};

pinned_memory& pinned() {
    static pinned_memory& m = *new pinned_memory;
    return m;
}

}  // namespace

void* take_pinned(std::size_t bytes) { return pinned().take(bytes); }
void give_pinned(void* p, std::unique_ptr<stream_uses> uses) noexcept {
    if (!p || driver_is_lost()) return;
    try {
        pinned().give(p, uses ? uses->marks() : event_list());
    } catch (const std::exception&) {
        // A device has failed, and may still use the memory.
    }
}
bool is_pinned(const void* p) noexcept { return pinned().holds(p); }

}  // namespace sinter::runtime
