// Recycled CPU memory: fresh pages cost far more than the kernels that fill them.
//
//   below 32 KiB    blocks of arenas of 2 MiB and a bit, kept in per-thread lists
//   below 1 MiB     blocks of the same arenas, kept in shared lists
//   above           mapped one by one, on huge pages from their first page on, kept in shared lists
//
// Lists are last in, first out, so that reused blocks are warm in the caches. Memory is never
// cleared. SINTER_POOL_MAX_MB limits what the shared lists hold, default a quarter of main memory;
// the blocks unused for longest are freed first. SINTER_POOL=off uses plain aligned allocation, for
// sanitizers.
#pragma once

#include "runtime/memory/magazine.hpp"

#include <cstddef>

namespace sinter::runtime {

/// Returns at least `bytes` bytes aligned to 64. Throws OutOfMemoryError.
[[nodiscard]] void* allocate(std::size_t bytes);

/// Releases `p` from allocate(bytes), with the same `bytes`; `p` may be null.
void release(void* p, std::size_t bytes) noexcept;

/// Like `allocate` and `release`, for internal objects, which stats() does not count.
[[nodiscard]] void* allocate_uncounted(std::size_t bytes);
void release_uncounted(void* p, std::size_t bytes) noexcept;

/// Returns the memory in the shared lists to the system. Returns the number of bytes.
std::size_t trim_pool() noexcept;

/// Returns the bytes in the shared lists that count against the limit.
std::size_t pool_cached_bytes() noexcept;

bool pool_enabled();

/// Base of small internal objects that a statement makes and destroys.
struct pooled {
    // Inlined into callers that know the size.
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
