#include "runtime/memory/pool_shared.hpp"

#include <sys/mman.h>

#include <utility>

namespace sinter::runtime {
namespace {

constexpr std::size_t page = 4096;  // for rounding only; larger system pages are multiples of it
constexpr std::size_t huge_page = std::size_t{2} << 20;

// Readable bytes after every mapping, which the library never touches: cgemv and zgemv of OpenBLAS
// 0.3.21 read one element past the end of a strided vector. If that is a row of a matrix, LAPACK
// reads up to a column's length past the matrix. Reserves addresses only: reading makes no page.
constexpr std::size_t slack = std::size_t{1} << 20;

// Large blocks that began at one place of their pages would be bad for loops down columns: of
// tensors whose rows are a power of two apart all elements of a column have one set of the first
// cache, which has 8 lines, and lose each line before they have read all of it. On the other hand a
// load is taken for one of what was just stored if both have one place in their pages, and a loop
// stores some 20 lines behind its loads. So a block begins 29 lines after the one before it:
// results are made after their operands.
constexpr std::size_t step = 29 * block_alignment;

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

/// Returns memory that begins `offset` bytes, less than a page, after a multiple of 2 MiB; or null.
void* map(std::size_t bytes, std::size_t offset, bool huge) {
    std::size_t wanted = offset + bytes + slack + huge_page;
    void* p = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    auto begin = reinterpret_cast<std::uintptr_t>(p);
    std::uintptr_t aligned = round_up(begin, huge_page);
    if (aligned != begin) munmap(p, aligned - begin);
    std::uintptr_t end = begin + wanted,
                   used_end = round_up(aligned + offset + bytes, page) + slack;
    if (used_end < end) munmap(reinterpret_cast<void*>(used_end), end - used_end);
    // Advice: failure costs speed only.
    if (huge) madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);
    return reinterpret_cast<void*>(aligned + offset);
}

void unmap(void* p, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(p), aligned = begin / page * page;
    munmap(reinterpret_cast<void*>(aligned), round_up(begin - aligned + bytes, page) + slack);
}

/// Returns the pages of an arena block to the system, except the first, which holds its node.
void hollow_out(void* p, std::size_t bytes) {
    auto begin = reinterpret_cast<std::uintptr_t>(p);
    std::uintptr_t first = round_up(begin + block_alignment, page),
                   end = (begin + bytes) / page * page;
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

}  // namespace

// ---- lists

void shared_pool::list::push(node* n) {
    n->newer = nullptr;
    n->older = newest;
    (newest ? newest->newer : oldest) = n;
    newest = n;
}

shared_pool::node* shared_pool::list::pop() {
    node* n = newest;
    if (!n) return nullptr;
    newest = n->older;
    (newest ? newest->newer : oldest) = nullptr;
    return n;
}

shared_pool::node* shared_pool::list::pop_oldest() {
    node* n = oldest;
    if (!n) return nullptr;
    oldest = n->newer;
    (oldest ? oldest->older : newest) = nullptr;
    return n;
}

// ---- arenas

bool shared_pool::add_arena() {
    // No huge pages for the first arena: clearing 2 MiB would dominate the cost of a small
    // program's first result.
    void* p = map(arena_bytes, 0, arenas_ > 0);
    if (!p) return false;
    keep_rest_of_arena();
    ++arenas_;
    arena_ = static_cast<char*>(p);
    arena_end_ = arena_ + arena_bytes;
    return true;
}

void shared_pool::keep_rest_of_arena() {
    while (arena_ != arena_end_) {
        auto rest = static_cast<std::size_t>(arena_end_ - arena_);
        int c = size_class(rest);
        if (class_bytes(c) > rest) --c;
        if (c >= small_classes) {
            // Never touched, so it has no pages to count.
            hollow_[static_cast<std::size_t>(c)].push(reinterpret_cast<node*>(arena_));
        } else {
            auto* b = reinterpret_cast<free_block*>(arena_);
            b->next = std::exchange(small_[static_cast<std::size_t>(c)], b);
        }
        arena_ += class_bytes(c);
    }
}

void* shared_pool::carve(std::size_t bytes) {
    if (static_cast<std::size_t>(arena_end_ - arena_) < bytes && !add_arena()) return nullptr;
    return std::exchange(arena_, arena_ + bytes);
}

void* shared_pool::carve_large(std::size_t bytes) {
    if (static_cast<std::size_t>(arena_end_ - arena_) >= bytes + step) arena_ += step;
    return carve(bytes);
}

// ---- small blocks

free_block* shared_pool::take_small(int c, int& count) {
    std::lock_guard lock(mutex_);
    free_block*& head = small_[static_cast<std::size_t>(c)];
    free_block* chain = nullptr;
    int taken = 0;
    for (; taken < count && head; ++taken) {
        free_block* b = std::exchange(head, head->next);
        b->next = std::exchange(chain, b);
    }
    // Carves at least one block, but adds no arena for further ones.
    while (taken < count) {
        bool fits = static_cast<std::size_t>(arena_end_ - arena_) >= class_bytes(c);
        if (taken > 0 && !fits) break;
        auto* b = static_cast<free_block*>(carve(class_bytes(c)));
        if (!b) break;
        b->next = std::exchange(chain, b);
        ++taken;
    }
    count = taken;
    return chain;
}

void shared_pool::give_small(int c, free_block* first, free_block* last) noexcept {
    std::lock_guard lock(mutex_);
    last->next = std::exchange(small_[static_cast<std::size_t>(c)], first);
}

// ---- large blocks

bool shared_pool::maps_exactly(std::size_t bytes) const {
    // A block above the limit cannot be kept, so it is not rounded up to a class.
    int c = size_class(bytes);
    return c >= first_mapped_class && class_bytes(c) > bound_;
}

void* shared_pool::take_large(std::size_t bytes) {
    int c = size_class(bytes);
    {
        std::lock_guard lock(mutex_);
        if (maps_exactly(bytes)) {
            c = -1;
        } else {
            auto i = static_cast<std::size_t>(c);
            if (node* n = kept_[i].pop()) {
                cached_ -= class_bytes(c);
                return n;
            }
            if (node* n = hollow_[i].pop()) return n;
            if (c < first_mapped_class) return carve_large(class_bytes(c));
        }
    }
    return map(c < 0 ? bytes : class_bytes(c), next_offset(), true);
}

std::size_t shared_pool::next_offset() noexcept {
    return mapped_.fetch_add(step, std::memory_order_relaxed) % page;
}

void shared_pool::give_large(void* p, std::size_t bytes) noexcept {
    int c = size_class(bytes);
    node* victims = nullptr;
    {
        std::lock_guard lock(mutex_);
        if (maps_exactly(bytes)) {
            c = -1;
        } else if (class_bytes(c) > bound_) {
            hollow_out(p, class_bytes(c));
            hollow_[static_cast<std::size_t>(c)].push(static_cast<node*>(p));
            return;
        } else {
            auto* n = static_cast<node*>(p);
            n->age = clock_++;
            kept_[static_cast<std::size_t>(c)].push(n);
            cached_ += class_bytes(c);
            if (cached_ > bound_) victims = evict_until(bound_);
        }
    }
    if (c < 0) unmap(p, bytes);
    give_back(victims);
}

/// Removes the blocks released longest ago from their lists until at most `allowed` bytes are
/// cached. Hollows out arena blocks at once. Returns the mapped blocks, with their class in `age`.
shared_pool::node* shared_pool::evict_until(std::size_t allowed) {
    node* victims = nullptr;
    while (cached_ > allowed) {
        std::size_t oldest = class_count;
        for (std::size_t i = small_classes; i < class_count; ++i) {
            if (!kept_[i].oldest) continue;
            if (oldest == class_count || kept_[i].oldest->age < kept_[oldest].oldest->age)
                oldest = i;
        }
        node* n = kept_[oldest].pop_oldest();
        std::size_t bytes = class_bytes(static_cast<int>(oldest));
        cached_ -= bytes;
        if (static_cast<int>(oldest) < first_mapped_class) {
            hollow_out(n, bytes);
            hollow_[oldest].push(n);
        } else {
            n->age = oldest;
            n->next_victim = std::exchange(victims, n);
        }
    }
    return victims;
}

/// Called without the lock, because unmapping a large block takes long.
void shared_pool::give_back(node* victims) noexcept {
    while (victims) {
        node* n = std::exchange(victims, victims->next_victim);
        unmap(n, class_bytes(static_cast<int>(n->age)));
    }
}

std::size_t shared_pool::trim() noexcept {
    std::size_t before = 0;
    node* victims = nullptr;
    {
        std::lock_guard lock(mutex_);
        before = cached_;
        victims = evict_until(0);
    }
    give_back(victims);
    return before;
}

std::size_t shared_pool::cached() noexcept {
    std::lock_guard lock(mutex_);
    return cached_;
}

}  // namespace sinter::runtime
