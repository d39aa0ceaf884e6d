// Kernels of this process, by full key. They are never removed, since plans point to them.
#pragma once

#include "jit/stored/artefact.hpp"
#include "jit/cache/kernel_cache.hpp"

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace sinter::code_cache {

class memory_cache {
public:
    /// A kernel that is ready or that some thread is getting.
    class slot {
    public:
        /// Returns the kernel if it is ready, else null.
        const kernel* ready() const;
        byte_view key() const { return key_; }
        /// Returns true if getting the kernel has failed before.
        bool failed() const { return failed_.load(std::memory_order_relaxed); }
        /// Number of runs that found no kernel here.
        std::atomic<uint64_t> missed{0};

    private:
        friend class memory_cache;
        bytes key_;
        kernel kernel_;
        std::atomic<bool> ready_{false}, failed_{false};
        pid_t claimed_by_ = 0;  // a process id, since a forked child must ignore its parent's
                                // claims
    };

    /// Returns the slot of `key`. Sets `mine` to true if the kernel is not ready and no other
    /// thread is getting it; the caller must then call `publish`, `abandon` or `fail`.
    slot& claim(byte_view key, bool& mine);
    void publish(slot& s, kernel k);
    void abandon(slot& s);
    /// Abandons the slot and marks it as failed: a retry may well fail again.
    void fail(slot& s);
    /// Waits until the kernel is ready or the thread that was getting it has given up.
    void wait(slot& s);

    std::size_t size() const;

private:
    slot* find(uint64_t hash, byte_view key) const;

    mutable std::shared_mutex mutex_;  // guards slots_
    std::unordered_multimap<uint64_t, std::unique_ptr<slot>> slots_;
    std::mutex claims_;  // guards claimed_by_
    std::condition_variable changed_;
};

}  // namespace sinter::code_cache
