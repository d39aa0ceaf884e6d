// A table of entries that are never replaced, so readers need no lock. Entries live as long as the
// process. If all places of an entry are taken, it is not kept.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace sinter::plan {

template <class T, std::size_t Size, std::size_t Probes>
class entry_table {
public:
    /// Returns the entry with this hash for which `is_it` is true, or null.
    template <class F>
    const T* find(uint64_t hash, const F& is_it) const {
        for (std::size_t p = 0; p < Probes; ++p) {
            const T* k = at(hash, p).load(std::memory_order_acquire);
            if (!k) return nullptr;
            if (is_it(*k)) return k;
        }
        return nullptr;
    }
    /// Keeps an entry, unless there is one for which `is_it` is true.
    template <class F>
    void keep(uint64_t hash, std::unique_ptr<const T> entry, const F& is_it) {
        for (std::size_t p = 0; p < Probes; ++p) {
            const T* none = nullptr;
            if (at(hash, p).compare_exchange_strong(none, entry.get(), std::memory_order_acq_rel)) {
                entry.release();  // NOLINT: the table owns it now
                return;
            }
            if (is_it(*none)) return;
        }
    }

private:
    auto& at(uint64_t hash, std::size_t probe) const {
        return places_[((hash ^ hash >> 29) + probe) % Size];
    }
    mutable std::array<std::atomic<const T*>, Size> places_{};
};

}  // namespace sinter::plan
