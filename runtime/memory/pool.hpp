// Recycled CPU memory: fresh pages cost far more than the kernels that fill them.
//
//   below 32 KiB    blocks of 2 MiB arenas, kept in lists of the thread
//   below 1 MiB     blocks of the same arenas, kept in shared lists
//   above           mapped one by one, aligned to 2 MiB and on huge pages, kept in shared lists
//
// Lists are last in, first out, so that what comes back is warm. Memory is never cleared. What the
// shared lists hold is bounded by SINTER_POOL_MAX_MB, default a quarter of main memory; the blocks
// unused for longest go first. SINTER_POOL=off turns to plain aligned allocation, for sanitizers.
#pragma once

#include "runtime/memory/magazine.hpp"

#include <cstddef>

namespace sinter::runtime {

/// At least `bytes` bytes aligned to 64. Throws OutOfMemoryError.
[[nodiscard]] void* allocate(std::size_t bytes);

/// `p` from allocate(bytes), with the same `bytes`; or null.
void release(void* p, std::size_t bytes) noexcept;

/// The same for the library's own small objects, which stats() does not count.
[[nodiscard]] void* allocate_uncounted(std::size_t bytes);
void release_uncounted(void* p, std::size_t bytes) noexcept;

/// Gives what the shared lists hold back to the system. Returns the number of bytes.
std::size_t trim_pool() noexcept;

/// Bytes that the shared lists hold and that count against the bound.
std::size_t pool_cached_bytes() noexcept;

bool pool_enabled() noexcept;

/// Base of small objects of the library's own that a statement makes and destroys.
struct pooled {
    // Inlined into what knows the size.
    static void* operator new(std::size_t bytes) {
        if (bytes <= small_limit)
            if (void* p = take_block(size_class(bytes))) return p;
        return allocate_uncounted(bytes);
    }
    static void operator delete(void* p, std::size_t bytes) noexcept {
        if (!p) return;
        const int c = size_class(bytes);
        if (bytes > small_limit || !give_block(p, c, magazine_limit(c)))
            release_uncounted(p, bytes);
    }
};

}  // namespace sinter::runtime
