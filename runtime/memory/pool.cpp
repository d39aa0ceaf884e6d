#include "runtime/memory/pool.hpp"

#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <utility>

namespace sinter::runtime {

constinit thread_local magazines* own_magazines = nullptr;

namespace {

// ---- set-up

struct pool_state {
    bool enabled = environment().pool;
    shared_pool shared{
        std::min(static_cast<std::size_t>(environment().pool_max_mb) << 20, largest_request)};
};

// Leaked: tensors in static storage may be released after all destructors of the library.
constinit std::atomic<pool_state*> made{nullptr};
pool_state& state() {
    return made_once(made, [] { return new pool_state; });
}

void lock_at_fork() {
    if (pool_state* s = made.load(std::memory_order_relaxed)) s->shared.lock();
}
void unlock_after_fork() {
    if (pool_state* s = made.load(std::memory_order_relaxed)) s->shared.unlock();
}
[[maybe_unused]] const at_fork pool_at_fork(fork_order::pool, lock_at_fork, unlock_after_fork,
                                            unlock_after_fork);

// ---- failure

[[noreturn]] void out_of_memory(std::size_t bytes) {
    fail<OutOfMemoryError>(
        "alloc", "out of memory",
        text("a request of ", bytes, " bytes with ", bytes_live(), " bytes in use"),
        text("at most ", memory_bytes(), " bytes in all"),
        "smaller tensors, or destroying tensors that are no longer needed");
}

/// Calls `attempt`, and again after trimming the lists if that fails. Throws OutOfMemoryError if
/// both fail.
template <class F>
auto insist(std::size_t bytes, F&& attempt) {
    auto result = attempt();
    if (!result && state().shared.trim() > 0) result = attempt();
    if (!result) out_of_memory(bytes);
    return result;
}

// ---- magazines: free small blocks of one thread

constexpr auto limits = [] {
    std::array<int, small_classes> r{};
    for (int c = 0; c < small_classes; ++c) r[static_cast<std::size_t>(c)] = magazine_limit(c);
    return r;
}();

constexpr int limit(int c) { return limits[static_cast<std::size_t>(c)]; }

constinit thread_local bool ended = false;

void move_to_shared(int c, magazine& m, int n) noexcept {
    free_block* first = m.head;
    free_block* last = first;
    for (int i = 1; i < n; ++i) last = last->next;
    m.head = last->next;
    m.count -= n;
    state().shared.give_small(c, first, last);
}

/// Gives the thread's blocks to the shared lists. Blocks that later destructors of the thread
/// release go there directly.
struct at_thread_end {
    bool used = false;
    ~at_thread_end() {
        magazines* m = std::exchange(own_magazines, nullptr);
        ended = true;
        for (int c = 0; m && c < small_classes; ++c)
            if (m->of[c].count > 0) move_to_shared(c, m->of[c], m->of[c].count);
        delete m;
    }
};
thread_local at_thread_end thread_end;

magazines* make_own() {
    if (!own_magazines && !ended && state().enabled) {
        thread_end.used = true;  // constructs it, so that its destructor runs
        own_magazines = new (std::nothrow) magazines;
    }
    return own_magazines;
}

// ---- the slow paths

void* plain_allocate(std::size_t bytes) {
    // Rounded, as aligned_alloc requires; bounded, because the address sanitizer aborts above.
    constexpr std::size_t most = std::size_t{1} << 39;
    if (bytes > most) return nullptr;
    std::size_t size =
        (std::max<std::size_t>(bytes, 1) + block_alignment - 1) / block_alignment * block_alignment;
    return std::aligned_alloc(block_alignment, size);
}

[[gnu::noinline]] void* allocate_slowly(std::size_t bytes) {
    if (bytes > largest_request) out_of_memory(bytes);
    pool_state& s = state();
    if (!s.enabled) return insist(bytes, [&] { return plain_allocate(bytes); });
    if (bytes > small_limit) return insist(bytes, [&] { return s.shared.take_large(bytes); });
    int c = size_class(bytes);
    magazines* m = make_own();
    int n = 1;
    free_block* chain = insist(bytes, [&] {
        n = m ? limit(c) / 2 : 1;
        return s.shared.take_small(c, n);
    });
    if (m) {
        m->of[c].head = chain->next;
        m->of[c].count = n - 1;
    }
    return chain;
}

[[gnu::noinline]] void release_slowly(void* p, std::size_t bytes) noexcept {
    pool_state& s = state();
    if (!s.enabled) return std::free(p);
    if (bytes > small_limit) return s.shared.give_large(p, bytes);
    int c = size_class(bytes);
    auto* b = static_cast<free_block*>(p);
    if (magazines* m = make_own()) {
        magazine& l = m->of[c];
        if (l.count >= limit(c)) move_to_shared(c, l, limit(c) / 2);
        b->next = std::exchange(l.head, b);
        ++l.count;
    } else {
        s.shared.give_small(c, b, b);
    }
}

}  // namespace

void* allocate_uncounted(std::size_t bytes) {
    if (bytes <= small_limit)
        if (void* p = take_block(size_class(bytes))) return p;
    return allocate_slowly(bytes);
}

void release_uncounted(void* p, std::size_t bytes) noexcept {
    if (!p) return;
    if (bytes <= small_limit) {
        const int c = size_class(bytes);
        if (give_block(p, c, limit(c))) return;
    }
    release_slowly(p, bytes);
}

void* allocate(std::size_t bytes) {
    void* p = allocate_uncounted(bytes);
    count().bytes.taken(bytes);
    if (bytes > small_limit && tracing()) trace_quantity("bytes in use", bytes_live());
    return p;
}

void release(void* p, std::size_t bytes) noexcept {
    if (!p) return;
    count().bytes.given(bytes);
    if (bytes > small_limit && tracing()) trace_quantity("bytes in use", bytes_live());
    release_uncounted(p, bytes);
}

std::size_t trim_pool() noexcept {
    pool_state* s = made.load(std::memory_order_acquire);
    return s ? s->shared.trim() : 0;
}

std::size_t pool_cached_bytes() noexcept {
    pool_state* s = made.load(std::memory_order_acquire);
    return s ? s->shared.cached() : 0;
}

bool pool_enabled() { return state().enabled; }

}  // namespace sinter::runtime
