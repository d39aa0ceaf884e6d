#include "runtime/device/transfer.hpp"

#include "runtime/memory/size_class.hpp"

#include <sinter/error.hpp>

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

/// Pinned blocks by size class, never returned to the driver: programs pin small blocks often.
class pinned_memory {
public:
    void* take(std::size_t bytes) {
        const int c = size_class(bytes);
        const gpu& g = gpu_at(0);
        const std::lock_guard lock(mutex_);
        reclaim();
        if (const auto at = free_.find(c); at != free_.end() && !at->second.empty()) {
            void* p = at->second.back();
            at->second.pop_back();
            return p;
        }
        const device_scope scope(g);
        constexpr unsigned portable = 1;  // for all GPUs
        void* p = nullptr;
        check(g, "allocating pinned memory", g.api->allocate_host(&p, class_bytes(c), portable));
        classes_[static_cast<char*>(p)] = c;
        return p;
    }

    void give(void* p, std::unique_ptr<stream_uses> uses) {
        const std::lock_guard lock(mutex_);
        if (uses)
            used_.push_back({p, std::move(uses)});
        else
            free_[classes_.at(static_cast<char*>(p))].push_back(p);
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
        std::unique_ptr<stream_uses> uses;
    };

    /// Frees blocks that are no longer used. Blocks used by a failed device stay.
    void reclaim() {
        std::erase_if(used_, [this](const used_block& b) {
            try {
                if (!b.uses->done()) return false;
            } catch (const Error&) {
                return false;
            }
            free_[classes_.at(static_cast<char*>(b.at))].push_back(b.at);
            return true;
        });
    }

    std::mutex mutex_;
    std::map<char*, int> classes_;
    std::map<int, std::vector<void*>> free_;
    std::vector<used_block> used_;
};

pinned_memory& pinned() {
    static pinned_memory& m = *new pinned_memory;
    return m;
}

}  // namespace

void* take_pinned(std::size_t bytes) { return pinned().take(bytes); }
void give_pinned(void* p, std::unique_ptr<stream_uses> uses) noexcept {
    if (p && !driver_is_lost()) pinned().give(p, std::move(uses));
}
bool is_pinned(const void* p) noexcept { return pinned().holds(p); }

}  // namespace sinter::runtime
