#include "jit/cache/memory.hpp"

#include "runtime/base/fault.hpp"

#include <unistd.h>

#include <algorithm>

namespace sinter::code_cache {
namespace {

bool match_by_hash_only() { return fault("key-hash-only"); }

uint64_t bucket_of(byte_view key) {
    uint64_t hash = hash_of(key).low;
    return match_by_hash_only() ? hash & 15 : hash;
}

}  // namespace

const kernel* memory_cache::slot::ready() const {
    return ready_.load(std::memory_order_acquire) ? &kernel_ : nullptr;
}

memory_cache::slot* memory_cache::find(uint64_t hash, byte_view key) const {
    auto [from, to] = slots_.equal_range(hash);
    for (auto it = from; it != to; ++it)
        if (match_by_hash_only() || std::ranges::equal(it->second->key_, key))
            return it->second.get();
    return nullptr;
}

memory_cache::slot& memory_cache::claim(byte_view key, bool& mine) {
    uint64_t hash = bucket_of(key);
    mine = false;
    slot* s;
    {
        std::shared_lock lock(mutex_);
        s = find(hash, key);
    }
    if (!s) {
        std::unique_lock lock(mutex_);
        s = find(hash, key);
        if (!s) {
            auto fresh = std::make_unique<slot>();
            fresh->key_.assign(key.begin(), key.end());
            s = slots_.emplace(hash, std::move(fresh))->second.get();
        }
    }
    if (s->ready()) return *s;
    std::lock_guard lock(claims_);
    pid_t self = getpid();
    if (!s->ready() && s->claimed_by_ != self) {
        s->claimed_by_ = self;
        mine = true;
    }
    return *s;
}

void memory_cache::publish(slot& s, kernel k) {
    {
        std::lock_guard lock(claims_);
        s.kernel_ = k;
        s.ready_.store(true, std::memory_order_release);
        s.claimed_by_ = 0;
    }
    changed_.notify_all();
}

void memory_cache::abandon(slot& s) {
    {
        std::lock_guard lock(claims_);
        s.claimed_by_ = 0;
    }
    changed_.notify_all();
}

void memory_cache::fail(slot& s) {
    s.failed_.store(true, std::memory_order_relaxed);
    abandon(s);
}

void memory_cache::wait(slot& s) {
    std::unique_lock lock(claims_);
    changed_.wait(lock, [&] { return s.ready() || s.claimed_by_ != getpid(); });
}

std::size_t memory_cache::size() const {
    std::shared_lock lock(mutex_);
    return slots_.size();
}

}  // namespace sinter::code_cache
