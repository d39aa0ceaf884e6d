// Reference counting without the cost of an atomic operation while a process has one thread.
#pragma once

#include <atomic>
#include <cstdint>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace sinter::inline v1::detail {

/// Returns true if no other thread has been made so far. Thread creation orders what was done
/// before it.
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

/// The number of pointers that share an object.
class reference_count {
public:
    /// Adds one pointer to an object that another pointer shares already.
    void add() noexcept { add_to(n_, uint32_t{1}, std::memory_order_relaxed); }
    /// Adds one pointer by way of a pointer that no other thread can see: while it is the only one,
    /// no other thread counts.
    void add_unseen() noexcept {
        if (n_.load(std::memory_order_relaxed) == 1)
            n_.store(2, std::memory_order_relaxed);
        else
            add();
    }
    /// Drops one pointer; returns true if it was the last. With one left no other thread can make
    /// another, except by `add_if_any`, so that nothing has to be written; what other threads did
    /// with the object before they dropped it is visible.
    bool drop() noexcept { return n_.load(std::memory_order_acquire) == 1 || drop_found(); }
    /// As drop(), for an object that `add_if_any` may find.
    bool drop_found() noexcept { return add_to(n_, ~uint32_t{0}, std::memory_order_acq_rel) == 1; }
    /// Adds one pointer unless there is none, in which case another thread is destroying the
    /// object; returns true if it did.
    bool add_if_any() noexcept {
        uint32_t n = n_.load();
        do {
            if (n == 0) return false;
        } while (!n_.compare_exchange_weak(n, n + 1));
        return true;
    }
    /// Counts the first pointer to a new object.
    void begin() noexcept { n_.store(1, std::memory_order_relaxed); }
    /// Returns the number of pointers.
    uint32_t load() const noexcept { return n_.load(); }

private:
    std::atomic<uint32_t> n_{0};
};

}  // namespace sinter::inline v1::detail
