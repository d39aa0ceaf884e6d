// Makes the library survive a fork. A child has one thread: locks that other threads of its parent
// held would never be released, and their computations would never finish. So the forking thread
// first waits until no other thread computes, compiles, or makes an object on first use. It takes
// every lock that may be held otherwise, in the order of `fork_order`; afterwards parent and child
// release them. Hot paths are not affected.
//
// A lock that may be taken while others are held comes after those in the order. An object that is
// made on first use, and could be in the making when another thread forks, is made when the library
// is loaded, or by `made_once`. Statics of functions that only flushes and compilations call need
// neither.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace sinter::runtime {

enum class fork_order : uint8_t {
    generators,  // programs may hold their mutexes while they compute
    flushes,     // waits for all: then nothing is claimed, and no plan or cache is in use
    recorder,    // a child counts from nothing
    background,  // waits for running jobs
    blas,        // waits for running calls: the library has internal locks
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

/// The fork handlers of one place in the order, registered when the library is loaded.
class at_fork {
public:
    using handler = void (*)();
    /// `before` and `in_parent` run in the forking thread of the parent, `in_child` in the child.
    /// None may throw.
    at_fork(fork_order place, handler before, handler in_parent, handler in_child) noexcept;
};

/// Holds the lock that `get` returns during a fork. The constructor calls `get`, so that the lock
/// exists.
template <auto get>
class held_at_fork : at_fork {
public:
    explicit held_at_fork(fork_order place)
        : at_fork(place, [] { get().lock(); }, [] { get().unlock(); }, [] { get().unlock(); }) {
        static_cast<void>(get());
    }
};

/// While it lives, the thread may make objects on first use. Instances may nest on a thread.
class first_use {
public:
    first_use();
    ~first_use();
    first_use(const first_use&) = delete;
    first_use& operator=(const first_use&) = delete;
};

/// Returns `*at`, which the first call sets to the pointer that `make` returns. Replaces a
/// function-local static, whose initialisation by another thread would never end in a forked child.
/// If `make` throws, the next call tries again. It must not compute tensors, wait for a thread that
/// does, or take locks that come before `first_uses` in `fork_order`.
template <class T, class Make>
T& made_once(std::atomic<T*>& at, Make&& make) {
    if (T* known = at.load(std::memory_order_acquire)) return *known;
    const first_use alone;
    T* known = at.load(std::memory_order_acquire);
    if (!known) at.store(known = make(), std::memory_order_release);
    return *known;
}

}  // namespace sinter::runtime
