// The places of random streams that the draws of one call read.
#pragma once

#include "engine/frames/recording.hpp"

#include <sinter/random_engines.hpp>

#include <mutex>
#include <vector>

namespace sinter::frames {

/// Takes places as the function itself would, and gives them back unless they are kept: then the
/// function runs, and takes them again.
class taken_places {
public:
    struct place {
        uint64_t seed = 0, first = 0;
    };

    taken_places() = default;
    ~taken_places() {
        for (std::size_t i = taken_.size(); i-- > 0;) {
            const std::lock_guard lock((*draws_)[i].from->mutex_);
            (*draws_)[i].from->give_back(taken_[i].seed, taken_[i].first, (*draws_)[i].count);
        }
    }
    taken_places(const taken_places&) = delete;
    taken_places& operator=(const taken_places&) = delete;

    /// Returns false if `wait` is false and another thread draws just now.
    bool take(const recording& r, bool wait) {
        if (r.draws.empty()) return true;
        draws_ = &r.draws;
        taken_.reserve(r.draws.size());
        for (const recorded_draw& d : r.draws) {
            std::unique_lock lock(d.from->mutex_, std::defer_lock);
            if (!wait && !lock.try_lock()) return false;
            if (wait) lock.lock();
            PhiloxGeneratorImpl& g = *d.from;
            taken_.push_back({g.current_seed(), g.reserve(d.count)});
        }
        return true;
    }
    /// Returns the place of a draw; {0, 0} if none were taken.
    place of(int draw) const {
        return taken_.empty() ? place{} : taken_[static_cast<std::size_t>(draw)];
    }
    void keep() { taken_.clear(); }

private:
    const std::vector<recorded_draw>* draws_ = nullptr;
    std::vector<place> taken_;
};

}  // namespace sinter::frames
