// Kernels of this process, by full key. They stay: plans point to them.
#pragma once

#include "jit/cache/artefact.hpp"
#include "jit/cache/kernel_cache.hpp"

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace sinter::cache {

class memory_cache {
public:
    /// A kernel that is there or that somebody is getting.
    class slot {
    public:
        /// The kernel, once it is there; else null.
        const kernel* ready() const;
        /// Whether getting it has failed before, in whatever way.
        bool failed() const { return failed_.load(std::memory_order_relaxed); }
        /// How often code ran without the kernel.
        std::atomic<uint64_t> missed{0};

    private:
        friend class memory_cache;
        bytes key_;
        kernel kernel_;
        std::atomic<bool> ready_{false}, failed_{false};
        pid_t claimed_by_ = 0;  // a process, as a fork leaves its parent's claims behind
    };

    /// The slot of `key`. `mine`: the kernel is not there, nobody else is getting it, and the
    /// caller must now call `publish` or `abandon`.
    slot& claim(byte_view key, bool& mine);
    void publish(slot& s, kernel k);
    void abandon(slot& s);
    /// Abandons it for a reason that may well come again.
    void fail(slot& s);
    /// Until the kernel is there, or whoever was getting it has given up.
    void wait(slot& s);

    std::size_t size() const;

private:
    slot* find(uint64_t hash, byte_view key) const;

    mutable std::shared_mutex mutex_;  // of slots_
    std::unordered_multimap<uint64_t, std::unique_ptr<slot>> slots_;
    std::mutex claims_;  // of claimed_by_
    std::condition_variable changed_;
};

}  // namespace sinter::cache
