// Free small blocks of one thread. Taking and giving are inline for callers with a constant size.
#pragma once

#include "runtime/memory/pool_shared.hpp"

#include <algorithm>
#include <utility>

namespace sinter::runtime {

struct magazine {
    free_block* head = nullptr;
    int count = 0;
};

struct magazines {
    magazine of[small_classes];
};

/// Returns the block limit of a magazine: about 64 KiB. Half of that moves at a time.
constexpr int magazine_limit(int c) {
    return static_cast<int>(std::clamp<std::size_t>((64u << 10) / class_bytes(c), 4, 64));
}

// A plain pointer, because a thread_local with a constructor or destructor needs a check at each
// access. initial-exec: other TLS models call __tls_get_addr. Null before a thread's first block,
// with the pool off, and after the thread's end.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local magazines* own_magazines;

/// Returns a block of class `c`, or null if the thread has none.
inline void* take_block(int c) noexcept {
    if (!own_magazines) return nullptr;
    magazine& m = own_magazines->of[c];
    free_block* b = m.head;
    if (!b) return nullptr;
    m.head = b->next;
    --m.count;
    return b;
}

/// Keeps a block of class `c`. Returns false if the thread has reached `limit` or keeps none.
inline bool give_block(void* p, int c, int limit) noexcept {
    if (!own_magazines) return false;
    magazine& m = own_magazines->of[c];
    if (m.count >= limit) return false;
    auto* b = static_cast<free_block*>(p);
    b->next = std::exchange(m.head, b);
    ++m.count;
    return true;
}

}  // namespace sinter::runtime
