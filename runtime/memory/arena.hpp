// Bump-allocated memory that lives until a piece of work ends and is released all at once.
#pragma once

#include "runtime/memory/pool.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sinter::runtime {

/// While it lives, `arena_vector`s of its thread allocate here. They must be destroyed before it.
class arena {
public:
    arena() noexcept : before_(current_) { current_ = this; }
    ~arena() {
        current_ = before_;
        while (chunk* c = chunks_) {
            chunks_ = c->next;
            release_uncounted(c, c->bytes);
        }
    }
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;

    static arena& current() noexcept { return *current_; }

    void* take(std::size_t bytes) {
        bytes = rounded(bytes);
        if (bytes > static_cast<std::size_t>(end_ - at_)) add_chunk(bytes);
        char* p = at_;
        at_ += bytes;
        return p;
    }
    /// Makes the block reusable if it was the last one taken; otherwise does nothing.
    void give_back(void* p, std::size_t bytes) noexcept {
        if (static_cast<char*>(p) + rounded(bytes) == at_) at_ = static_cast<char*>(p);
    }

private:
    static constexpr std::size_t unit = alignof(std::max_align_t);

    struct alignas(unit) chunk {
        chunk* next;
        std::size_t bytes;
    };

    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + unit - 1) / unit * unit;
    }

    [[gnu::noinline]] void add_chunk(std::size_t bytes) {
        next_bytes_ = std::max(2 * next_bytes_, bytes + sizeof(chunk));
        chunks_ = ::new (allocate_uncounted(next_bytes_)) chunk{chunks_, next_bytes_};
        at_ = reinterpret_cast<char*>(chunks_ + 1);
        end_ = reinterpret_cast<char*>(chunks_) + next_bytes_;
    }

    // initial-exec: other TLS models call __tls_get_addr at each access.
    [[gnu::tls_model("initial-exec")]] static inline constinit thread_local arena* current_ =
        nullptr;

    arena* before_;
    chunk* chunks_ = nullptr;
    std::size_t next_bytes_ = 4096;
    alignas(unit) char room_[4096];
    char* at_ = room_;
    char* end_ = room_ + sizeof room_;
};

template <class T>
struct arena_allocator {
    using value_type = T;
    arena_allocator() = default;
    template <class U>
    arena_allocator(const arena_allocator<U>&) noexcept {}  // NOLINT: allocators convert
    T* allocate(std::size_t n) {
        static_assert(alignof(T) <= alignof(std::max_align_t));
        // NOLINTNEXTLINE(bugprone-sizeof-expression): a T may well be a pointer
        return static_cast<T*>(arena::current().take(n * sizeof(T)));
    }
    void deallocate(T* p, std::size_t n) noexcept {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): a T may well be a pointer
        arena::current().give_back(static_cast<void*>(p), n * sizeof(T));
    }
    bool operator==(const arena_allocator&) const { return true; }
};

template <class T>
using arena_vector = std::vector<T, arena_allocator<T>>;

}  // namespace sinter::runtime
