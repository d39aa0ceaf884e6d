// Free small blocks of one thread: taken and given back inline where the compiler knows the size.
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

/// A magazine keeps about 64 KiB, and moves half of that at a time.
constexpr int magazine_limit(int c) {
    return static_cast<int>(std::clamp<std::size_t>((64u << 10) / class_bytes(c), 4, 64));
}

// Plain, because an access to a thread-local with a constructor or destructor is checked each time;
// initial-exec, because the general model calls a function. Null before a thread's first block,
// with the pool off, and after the thread's end.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local magazines* own_magazines;

/// A block of class `c`, or null where the thread has none.
inline void* take_block(int c) noexcept {
    if (!own_magazines) return nullptr;
    magazine& m = own_magazines->of[c];
    free_block* b = m.head;
    if (!b) return nullptr;
    m.head = b->next;
    --m.count;
    return b;
}

/// False where the thread keeps no more of them.
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
