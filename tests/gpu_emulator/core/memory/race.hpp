// The last accesses to four bytes: enough to tell whether two accesses were ordered.
#pragma once

#include <cstdint>

namespace gpu_emulator {

/// The threads for which a record stands. If it stands for several, every later access conflicts
/// with at least one of them.
enum class reach : uint32_t { thread, warp, block, grid };

struct access_record {
    uint32_t launch = 0;
    uint32_t block = 0;
    uint32_t epoch = 0;            // barriers that the block has passed
    uint32_t thread : 10 = 0;      // in the block
    uint32_t warp_epoch : 15 = 0;  // synchronisations of the warp since
    uint32_t bytes : 4 = 0;        // a mask
    uint32_t atomic : 1 = 0;
    uint32_t wide : 2 = 0;  // reach
};

struct race_shadow {
    access_record write, read;
};

inline constexpr unsigned race_granule = 4;

/// Checks the accesses of a launch in order. `warp` is a power of two.
class race_checker {
public:
    explicit race_checker(uint32_t warp) : warp_(warp) {}

    enum class kind { read, write, atomic };
    enum class memory { global, shared };  // each block has separate shared memory

    /// Returns the record with which `a` conflicts, or nullptr after recording `a`.
    template <kind k, memory m>
    access_record* enter(race_shadow& s, access_record a) const {
        if (conflicts<m>(s.write, a)) return &s.write;
        if constexpr (k != kind::read) {
            if (conflicts<m>(s.read, a)) return &s.read;
            record<m>(s.write, a);
        } else {
            record<m>(s.read, a);
        }
        return nullptr;
    }

private:
    template <memory m>
    static bool is_stale(const access_record& r, const access_record& a) {
        return r.launch != a.launch || (m == memory::shared && r.block != a.block);
    }

    bool same_warp(const access_record& r, const access_record& a) const {
        return r.thread / warp_ == a.thread / warp_;
    }

    template <memory m>
    bool conflicts(const access_record& r, const access_record& a) const {
        if (is_stale<m>(r, a) || (r.bytes & a.bytes) == 0 || (r.atomic && a.atomic)) return false;
        if (r.block != a.block) return true;
        const auto wide = static_cast<reach>(r.wide);
        if (wide == reach::grid) return true;
        if (r.epoch != a.epoch) return false;
        if (wide == reach::block) return true;
        if (wide == reach::thread && r.thread == a.thread) return false;
        return !same_warp(r, a) || r.warp_epoch == a.warp_epoch;
    }

    /// Accesses that do not conflict with each other are merged, so that a later one that conflicts
    /// with any of them is detected. If the record cannot hold all of them, it keeps less and never
    /// more.
    template <memory m>
    void record(access_record& r, const access_record& a) const {
        if (is_stale<m>(r, a) || (r.bytes & a.bytes) == 0 || r.atomic != a.atomic) {
            if (!is_stale<m>(r, a) && same_moment(r, a))
                r.bytes |= a.bytes;
            else
                r = a;
            return;
        }
        const auto wide = static_cast<reach>(r.wide);
        if (wide == reach::grid) return;
        if (r.block != a.block) return widen(r, a, reach::grid);
        if (r.epoch != a.epoch) {
            r = a;
            return;
        }
        if (wide == reach::block) return;
        if (same_moment(r, a)) {
            r.bytes |= a.bytes;
        } else if (!same_warp(r, a)) {
            widen(r, a, reach::block);
        } else if (r.warp_epoch != a.warp_epoch || r.thread == a.thread) {
            if (wide == reach::thread || r.warp_epoch != a.warp_epoch) r = a;
        } else if (wide == reach::thread) {
            widen(r, a, reach::warp);
        }
    }

    static bool same_moment(const access_record& r, const access_record& a) {
        return static_cast<reach>(r.wide) == reach::thread && r.thread == a.thread &&
               r.block == a.block && r.epoch == a.epoch && r.warp_epoch == a.warp_epoch &&
               r.atomic == a.atomic;
    }

    static void widen(access_record& r, const access_record& a, reach to) {
        r.bytes &= a.bytes;
        r.wide = static_cast<uint32_t>(to);
    }

    uint32_t warp_;
};

}  // namespace gpu_emulator
