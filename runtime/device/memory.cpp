#include "runtime/device/memory.hpp"

#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/device/buffer.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace sinter::runtime {

struct gpu_segment {
    char* data = nullptr;
    std::size_t bytes = 0;
    gpu_block* first = nullptr;
    bool small = false;
};

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t unit = 512;  // alignment of the start and end of every block
constexpr std::size_t small_block = mib, small_segment = 2 * mib;
constexpr std::size_t middle_block = 10 * mib, middle_segment = 20 * mib;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t segment_bytes(std::size_t block) {
    if (block <= small_block) return small_segment;
    if (block < middle_block) return middle_segment;
    return rounded(block, 2 * mib);
}

}  // namespace

/// The memory of one GPU.
class gpu_memory {
public:
    explicit gpu_memory(const gpu& g) : gpu_(g) {}

    gpu_block* take(std::size_t wanted) {
        gpu_stream& s = current_stream(gpu_);
        const std::size_t bytes = std::max(rounded(wanted, unit), unit);
        if (bytes < wanted) fail(wanted);
        const std::lock_guard lock(mutex_);
        ++stats_.requests;
        if (gpu_block* b = find(s, bytes, wanted)) return b;
        ++stats_.retries;
        drop_free();
        if (gpu_block* b = find(s, bytes, wanted)) return b;
        fail(wanted);
    }

    void give(gpu_block* b) {
        // The owner's stream waits for other streams before the block is used again.
        b->hand_over(*b->owner_);
        const std::lock_guard lock(mutex_);
        stats_.allocated -= b->bytes;
        --stats_.blocks;
        b->free_ = true;
        if (!environment().gpu_pool) {
            b->owner_->finish();  // checking tools report a free of memory in use
            release(b->segment_);
            return;
        }
        b = join(b);
        note_free(b);
    }

    std::size_t empty() {
        const std::lock_guard lock(mutex_);
        return drop_free();
    }

    gpu_memory_stats stats() {
        const std::lock_guard lock(mutex_);
        return stats_;
    }

    void reset_peaks() {
        const std::lock_guard lock(mutex_);
        stats_.allocated_peak = stats_.allocated;
        stats_.reserved_peak = stats_.reserved;
    }

    void limit(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        limit_ = bytes;
    }

private:
    struct by_size {
        bool operator()(const gpu_block* a, const gpu_block* b) const {
            return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
        }
    };
    using free_set = std::set<gpu_block*, by_size>;

    free_set& free_of(const gpu_block* b) {
        return free_[{b->owner_->number(), b->segment_->small}];
    }
    /// Adds a block to its free set. Reuses set nodes, because each result of a kernel cuts a block
    /// and joins it again.
    void note_free(gpu_block* b) {
        free_set& set = free_of(b);
        if (spare_nodes_.empty()) {
            set.insert(b);
            return;
        }
        spare_nodes_.back().value() = b;
        set.insert(std::move(spare_nodes_.back()));
        spare_nodes_.pop_back();
    }
    void keep_spare(free_set::node_type node) {
        if (spare_nodes_.size() < most_spare) spare_nodes_.push_back(std::move(node));
    }
    void note_used(gpu_block* b) { keep_spare(free_of(b).extract(b)); }
    gpu_block* make_block() {
        if (spare_blocks_.empty()) return new gpu_block;
        gpu_block* b = spare_blocks_.back().release();
        spare_blocks_.pop_back();
        return b;
    }

    gpu_block* from_pool(gpu_stream& s, std::size_t bytes) {
        const bool small = bytes <= small_block;
        free_set& fits = free_[{s.number(), small}];
        gpu_block wanted;
        wanted.bytes = bytes;
        const auto at = fits.lower_bound(&wanted);
        if (at == fits.end()) return nullptr;
        gpu_block* b = *at;
        // Does not spend a large segment on a block that leaves most of it unused.
        if (!small && bytes < middle_block && b->segment_->bytes > middle_segment) return nullptr;
        if (bytes >= middle_block && b->bytes > bytes + middle_segment) return nullptr;
        keep_spare(fits.extract(at));
        return cut(b, bytes);
    }

    /// Returns the front of a block, and frees the rest if it is large enough to keep.
    gpu_block* cut(gpu_block* b, std::size_t bytes) {
        const std::size_t rest = b->bytes - bytes;
        const bool worth = b->segment_->small ? rest >= unit : rest > small_block;
        if (!worth) return b;
        gpu_block* other = make_block();
        other->data = b->data + bytes;
        other->bytes = rest;
        other->owner_ = b->owner_;
        other->segment_ = b->segment_;
        other->free_ = true;
        other->before_ = b;
        other->behind_ = b->behind_;
        if (other->behind_) other->behind_->before_ = other;
        b->behind_ = other;
        b->bytes = bytes;
        note_free(other);
        return b;
    }

    gpu_block* join(gpu_block* b) {
        if (gpu_block* n = b->behind_; n && n->free_) {
            note_used(n);
            absorb(b, n);
        }
        if (gpu_block* n = b->before_; n && n->free_) {
            note_used(n);
            absorb(n, b);
            b = n;
        }
        return b;
    }

    void absorb(gpu_block* a, gpu_block* b) {
        a->bytes += b->bytes;
        a->behind_ = b->behind_;
        if (a->behind_) a->behind_->before_ = a;
        std::unique_ptr<gpu_block> gone(b);  // unused: it was free or has been handed over
        if (spare_blocks_.size() < most_spare) spare_blocks_.push_back(std::move(gone));
    }

    /// Returns a block, or null if the driver is out of memory.
    gpu_block* find(gpu_stream& s, std::size_t bytes, std::size_t wanted) {
        gpu_block* b = environment().gpu_pool ? from_pool(s, bytes) : nullptr;
        if (!b)
            b = environment().gpu_pool ? from_driver(s, segment_bytes(bytes), bytes)
                                       : from_driver(s, std::max<std::size_t>(wanted, 1), wanted);
        if (!b) return nullptr;
        b->free_ = false;
        stats_.allocated += b->bytes;
        ++stats_.blocks;
        stats_.allocated_peak = std::max(stats_.allocated_peak, stats_.allocated);
        return b;
    }

    gpu_block* from_driver(gpu_stream& s, std::size_t whole, std::size_t bytes) {
        void* data = ask(whole);
        if (!data) return nullptr;
        auto* segment =
            new gpu_segment{static_cast<char*>(data), whole, nullptr, bytes <= small_block};
        auto* b = new gpu_block;
        b->data = segment->data;
        b->bytes = whole;
        b->owner_ = &s;
        b->segment_ = segment;
        segment->first = b;
        segments_.insert(segment);
        stats_.reserved += whole;
        ++stats_.segments;
        stats_.reserved_peak = std::max(stats_.reserved_peak, stats_.reserved);
        return environment().gpu_pool ? cut(b, bytes) : b;
    }

    void* ask(std::size_t bytes) {
        if (limit_ && stats_.reserved + bytes > limit_) return nullptr;
        const device_scope scope(gpu_);
        void* data = nullptr;
        ++stats_.driver_calls;
        const int code = gpu_.api->allocate(&data, bytes);
        if (code == driver_code::out_of_memory) return nullptr;
        check(gpu_, "allocating memory", code);
        return data;
    }

    std::size_t drop_free() {
        std::vector<gpu_segment*> empty;
        for (gpu_segment* s : segments_)
            if (s->first->free_ && !s->first->behind_) empty.push_back(s);
        std::size_t bytes = 0;
        if (empty.empty()) return bytes;
        // Work that uses them may still run.
        for (gpu_segment* s : empty) s->first->owner_->finish();
        for (gpu_segment* s : empty) {
            bytes += s->bytes;
            free_of(s->first).erase(s->first);
            release(s);
        }
        return bytes;
    }

    void release(gpu_segment* s) noexcept {
        try {
            const device_scope scope(gpu_);
            gpu_.api->deallocate(s->data);
        } catch (const Error&) {
            // The driver may be gone while the process exits.
        }
        stats_.reserved -= s->bytes;
        --stats_.segments;
        segments_.erase(s);
        delete s->first;
        delete s;
    }

    [[noreturn]] void fail(std::size_t wanted) {
        ++stats_.failures;
        std::size_t free = 0, total = gpu_.properties.memory;
        try {
            gpu_memory_info(gpu_, free, total);
        } catch (const Error&) {
        }
        std::map<std::size_t, std::size_t, std::greater<>> sizes;  // of blocks in use, how many
        for (const gpu_segment* s : segments_)
            for (const gpu_block* b = s->first; b; b = b->behind_)
                if (!b->free_) ++sizes[b->bytes];
        const auto number = [](std::size_t n) { return std::to_string(n); };
        std::string largest;
        int shown = 0;
        for (const auto& [bytes, times] : sizes) {
            if (++shown > 5) break;
            largest += (shown > 1 ? ", " : ", the largest blocks ") + number(times) + " x " +
                       number(bytes);
        }
        const std::size_t others = total - std::min(total, free + stats_.reserved);
        throw OutOfMemoryError(
            "[" + gpu_.str() + "] out of memory; got a request of " + number(wanted) +
            " bytes, expected at most " + number(limit_ ? limit_ : total) +
            " in all: " + number(stats_.allocated) + " are in " +
            count_of(static_cast<int64_t>(stats_.blocks), "block") + " in use" + largest + ", " +
            number(stats_.reserved - stats_.allocated) +
            " are cached in blocks that are too small, " + number(others) + " belong to others, " +
            number(free) +
            " are free; try smaller tensors, or destroying tensors that are no longer needed");
    }

    const gpu& gpu_;
    std::mutex mutex_;
    std::map<std::pair<int, bool>, free_set> free_;  // by stream number and `gpu_segment::small`
    static constexpr std::size_t most_spare = 256;
    std::vector<free_set::node_type> spare_nodes_;
    std::vector<std::unique_ptr<gpu_block>> spare_blocks_;
    std::set<gpu_segment*> segments_;
    gpu_memory_stats stats_;
    std::size_t limit_ = 0;
};

namespace {

gpu_memory& memory_of(const gpu& g) {
    // Leaked: tensors in static storage are released after all destructors. Lock-free, because each
    // buffer looks it up twice.
    static auto& all =
        *new std::array<std::atomic<gpu_memory*>, std::numeric_limits<device_index>::max() + 1>{};
    std::atomic<gpu_memory*>& here = all[static_cast<std::size_t>(g.index)];
    if (gpu_memory* m = here.load(std::memory_order_acquire)) return *m;
    auto made = std::make_unique<gpu_memory>(g);
    gpu_memory* none = nullptr;
    if (here.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel))
        return *made.release();
    return *none;
}

}  // namespace

gpu_block* take_gpu_block(const gpu& g, std::size_t bytes) {
    require_usable(g);
    return memory_of(g).take(bytes);
}

void give_gpu_block(gpu_block* b) noexcept {
    if (driver_is_lost()) return;
    try {
        memory_of(b->device()).give(b);
    } catch (const Error&) {
        // The device has failed and its memory is lost; the next call reports the error.
    }
}

gpu_memory_stats gpu_memory_stats_of(const gpu& g) { return memory_of(g).stats(); }
void reset_gpu_peaks(const gpu& g) { memory_of(g).reset_peaks(); }
std::size_t empty_gpu_cache(const gpu& g) { return memory_of(g).empty(); }
void limit_gpu_memory(const gpu& g, std::size_t bytes) { memory_of(g).limit(bytes); }

void gpu_memory_info(const gpu& g, std::size_t& free, std::size_t& total) {
    const device_scope scope(g);
    check(g, "querying free memory", g.api->memory_info(&free, &total));
}

}  // namespace sinter::runtime
