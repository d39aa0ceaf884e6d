// What a fork does to the library. A child has one thread: what other threads of its parent held
// would never be given back, and what they computed never be finished. So the forking thread first
// waits until no other thread computes, compiles, or makes what is made once, and takes every lock
// that may be held otherwise, in the order of `fork_order`; afterwards parent and child give them
// back. Hot paths know nothing of it.
//   Locks that may be taken while others are held stand behind those. What is made on first use and
// could be in the making when another thread forks is made when the library is loaded, or by
// `made_once`; statics of functions that only flushes and compilations call need neither.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace sinter::runtime {

enum class fork_order : uint8_t {
    generators,  // programs may hold their mutexes, and compute meanwhile
    flushes,     // none runs: nothing is claimed, no plan or cache is looked into
    background,  // no job runs
    blas,        // nobody is inside: the library has locks of its own
    first_uses,
    programs,
    warnings,
    print_options,
    waiters,
    trace,
    log,
    pool,
    links,  // of storages and versions
    count
};

/// One for each place in the order, made when the library is loaded.
class at_fork {
public:
    using handler = void (*)();
    /// `before` and `in_parent` run in the forking thread of the parent, `in_child` in the child.
    /// None may throw.
    at_fork(fork_order place, handler before, handler in_parent, handler in_child) noexcept;
};

/// For what the lock that `get` returns protects. Calls it, so that it has been made.
template <auto get>
class held_at_fork : at_fork {
public:
    explicit held_at_fork(fork_order place)
        : at_fork(place, [] { get().lock(); }, [] { get().unlock(); }, [] { get().unlock(); }) {
        static_cast<void>(get());
    }
};

/// While it lives, the thread may make what is made once; another object of it may be made
/// meanwhile.
class first_use {
public:
    first_use();
    ~first_use();
    first_use(const first_use&) = delete;
    first_use& operator=(const first_use&) = delete;
};

/// `*at`, which the first call makes by `make` (a pointer). Like a function's static variable,
/// whose making by another thread would never end in a forked child. `make` may throw: then the
/// next call tries again. It must not compute tensors, wait for a thread that does, or take locks
/// that stand before this one in `fork_order`.
template <class T, class Make>
T& made_once(std::atomic<T*>& at, Make&& make) {
    if (T* known = at.load(std::memory_order_acquire)) return *known;
    const first_use alone;
    T* known = at.load(std::memory_order_acquire);
    if (!known) at.store(known = make(), std::memory_order_release);
    return *known;
}

}  // namespace sinter::runtime
