// Counting without the price of an atomic operation while a process has one thread.
#pragma once

#include <atomic>
#include <cstdint>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace sinter::inline v1::detail {

/// Whether no other thread has been made so far. Thread creation orders what was done before it.
inline bool one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded != 0;
#else
    return false;
#endif
}

/// Adds to a number that other threads may add to as well; returns what it was before.
template <class T>
T add_to(std::atomic<T>& number, T n, std::memory_order order) noexcept {
    if (!one_thread()) return number.fetch_add(n, order);
    const T before = number.load(std::memory_order_relaxed);
    number.store(before + n, std::memory_order_relaxed);
    return before;
}

/// How many pointers share an object.
class reference_count {
public:
    /// One more, of an object that somebody shares already.
    void add() noexcept { add_to(n_, uint32_t{1}, std::memory_order_relaxed); }
    /// One more, by a pointer that no other thread can see: as long as it is the only one, nobody
    /// else counts.
    void add_unseen() noexcept {
        if (n_.load(std::memory_order_relaxed) == 1)
            n_.store(2, std::memory_order_relaxed);
        else
            add();
    }
    /// One less; whether it was the last. With one left nobody else can make another, unless by
    /// `add_if_any`, so that nothing has to be written; what the others did with the object before
    /// they let go of it is seen.
    bool drop() noexcept { return n_.load(std::memory_order_acquire) == 1 || drop_found(); }
    /// The same of an object that `add_if_any` may find.
    bool drop_found() noexcept { return add_to(n_, ~uint32_t{0}, std::memory_order_acq_rel) == 1; }
    /// One more, unless there is none: then another thread is destroying the object.
    bool add_if_any() noexcept {
        uint32_t n = n_.load();
        do {
            if (n == 0) return false;
        } while (!n_.compare_exchange_weak(n, n + 1));
        return true;
    }
    /// The first pointer to a new object.
    void begin() noexcept { n_.store(1, std::memory_order_relaxed); }
    uint32_t load() const noexcept { return n_.load(); }

private:
    std::atomic<uint32_t> n_{0};
};

}  // namespace sinter::inline v1::detail
