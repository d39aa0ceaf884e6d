// The shared part of the pool: arenas, mapped blocks, and lists of free blocks.
#pragma once

#include "runtime/memory/size_class.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace sinter::runtime {

inline constexpr std::size_t small_limit = std::size_t{32} << 10;
// A huge page, and room for the steps between large blocks that would fill it.
inline constexpr std::size_t arena_bytes = (std::size_t{2} << 20) + (std::size_t{64} << 10);
inline constexpr int small_classes = size_class(small_limit) + 1;
inline constexpr int first_mapped_class = size_class(std::size_t{1} << 20);
inline constexpr std::size_t largest_request = std::size_t{1} << 46;
inline constexpr int class_count = size_class(largest_request) + 1;

struct free_block {
    free_block* next;
};

class shared_pool {
public:
    /// Keeps at most `bound` bytes in its lists, not counting small blocks.
    explicit shared_pool(std::size_t bound) : bound_(bound) {}

    /// Returns a chain of 1 to `count` blocks, or null if the system has no memory. Sets `count`.
    free_block* take_small(int c, int& count);
    void give_small(int c, free_block* first, free_block* last) noexcept;

    /// Returns a block of more than small_limit bytes, or null if the system has no memory.
    void* take_large(std::size_t bytes);
    void give_large(void* p, std::size_t bytes) noexcept;

    std::size_t trim() noexcept;
    std::size_t cached() noexcept;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    /// The header at the beginning of a free large block.
    struct node {
        node* newer;
        node* older;
        std::uint64_t age;  // release time: smaller is older
        node* next_victim;
    };
    struct list {
        node* newest = nullptr;
        node* oldest = nullptr;

        void push(node* n);
        node* pop();
        node* pop_oldest();
    };

    void* carve(std::size_t bytes);
    /// Carves a block that begins at another place of its page than the large one before it.
    void* carve_large(std::size_t bytes);
    bool add_arena();
    void keep_rest_of_arena();
    node* evict_until(std::size_t allowed);
    void give_back(node* victims) noexcept;
    bool maps_exactly(std::size_t bytes) const;
    /// Returns how far into its first page the next mapped block begins.
    std::size_t next_offset() noexcept;

    const std::size_t bound_;
    std::mutex mutex_;
    std::array<free_block*, small_classes> small_{};
    std::array<list, class_count> kept_{};    // their pages count as cached
    std::array<list, class_count> hollow_{};  // arena blocks whose pages were given back
    std::size_t cached_ = 0;
    std::uint64_t clock_ = 0;
    char* arena_ = nullptr;
    char* arena_end_ = nullptr;
    int arenas_ = 0;
    std::atomic<std::size_t> mapped_{0};  // bytes: next_offset
};

}  // namespace sinter::runtime
