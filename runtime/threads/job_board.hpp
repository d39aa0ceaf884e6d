// Where a team of threads finds the chunks of a loop. The caller posts a job, and it and its
// helpers claim chunks one by one. A claim is one compare-and-swap of a word that holds the job's
// number, so a helper that comes late finds nothing, whatever the board says by then. So the caller
// waits only for chunks that helpers have begun, never for a helper that the system does not run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sinter::runtime {

inline constexpr int max_threads = 1024;

using range_fn = void (*)(void* context, int64_t begin, int64_t end);

/// A loop over [begin, begin + count), cut into `chunks` ranges. Each of `shares` threads prefers
/// the neighbouring chunks of one share, so that it finds in its cache what it has used before.
struct job {
    range_fn fn;
    void* context;
    int64_t begin, count;
    int64_t chunks;  // shares <= chunks <= count, and at most job_board::most_chunks a share
    int shares;      // at most max_threads
};

class job_board {
public:
    static constexpr int64_t most_chunks = 0xFFFF;

    /// A chunk that nobody had begun when it was seen.
    struct chunk {
        std::atomic<uint64_t>* from;
        uint64_t seen;
        range_fn fn;
        void* context;
        int64_t begin, end;

        void run() const { fn(context, begin, end); }
    };

    /// Posts a job, from the caller's processor, and returns its number. Of the job before, no
    /// chunk may be unclaimed or running.
    uint64_t post(const job& j, int processor) noexcept {
        fn_.store(j.fn, std::memory_order_relaxed);
        context_.store(j.context, std::memory_order_relaxed);
        begin_.store(j.begin, std::memory_order_relaxed);
        quotient_.store(j.count / j.chunks, std::memory_order_relaxed);
        rest_.store(j.count % j.chunks, std::memory_order_relaxed);
        team_.store(j.shares, std::memory_order_relaxed);
        processor_.store(processor, std::memory_order_relaxed);
        const uint64_t number = (number_.load(std::memory_order_relaxed) + 1) & most_numbers;
        int64_t first = 0;
        for (int s = 0; s < j.shares; ++s) {
            const int64_t last = j.chunks * (s + 1) / j.shares;
            job_share& at = shares_[static_cast<std::size_t>(s)];
            at.last.store(last, std::memory_order_relaxed);
            // Whoever acquires the word sees all of the above.
            at.word.store(number << 16 | static_cast<uint64_t>(last - first),
                          std::memory_order_release);
            first = last;
        }
        // Sequentially consistent with the flag of a helper that is about to sleep.
        number_.store(number, std::memory_order_seq_cst);
        return number;
    }

    /// Return the number of the last job, for how many threads it is, and where its caller was.
    uint64_t number() const noexcept { return number_.load(std::memory_order_seq_cst); }
    int team() const noexcept { return team_.load(std::memory_order_relaxed); }
    int processor() const noexcept { return processor_.load(std::memory_order_relaxed); }

    /// Looks for the next chunk of a share of this job. Returns false if all have begun, or the job
    /// is over.
    bool look(uint64_t number, int share, chunk& c) noexcept {
        job_share& at = shares_[static_cast<std::size_t>(share)];
        c.seen = at.word.load(std::memory_order_acquire);
        const auto left = static_cast<int64_t>(c.seen & most_chunks);
        if (left == 0 || c.seen >> 16 != number) return false;
        c.from = &at.word;
        c.fn = fn_.load(std::memory_order_relaxed);
        c.context = context_.load(std::memory_order_relaxed);
        const int64_t index = at.last.load(std::memory_order_relaxed) - left;
        const int64_t quotient = quotient_.load(std::memory_order_relaxed);
        const int64_t rest = rest_.load(std::memory_order_relaxed);
        c.begin = begin_.load(std::memory_order_relaxed) + index * quotient +
                  (index < rest ? index : rest);
        c.end = c.begin + quotient + (index < rest);
        return true;
    }
    /// Begins a chunk that `look` has found. Returns false if another thread has begun it; then `c`
    /// may be of no job at all. If it returns true the job cannot end before the chunk does, so
    /// what `look` read is of this job: later posts happen after this.
    static bool begin(const chunk& c) noexcept {
        uint64_t expected = c.seen;
        return c.from->compare_exchange_strong(expected, c.seen - 1, std::memory_order_acq_rel,
                                               std::memory_order_relaxed);
    }
    bool claim(uint64_t number, int share, chunk& c) noexcept {
        while (look(number, share, c))
            if (begin(c)) return true;
        return false;
    }

    /// Says that a helper has run a chunk. Returns true if the caller may be asleep.
    bool end() noexcept {
        ended_.fetch_add(1, std::memory_order_seq_cst);
        return asleep_.load(std::memory_order_seq_cst);
    }
    /// The number of chunks that helpers have ended so far, of all jobs. It wraps.
    std::atomic<uint32_t>& ended() noexcept { return ended_; }
    /// True while the caller sleeps until helpers have ended chunks.
    std::atomic<bool>& asleep() noexcept { return asleep_; }

    /// For a forked child, which has none of the threads that claim.
    void clear() noexcept {
        for (job_share& s : shares_) s.word = 0;
        asleep_ = false;
    }

private:
    static constexpr uint64_t most_numbers = UINT64_MAX >> 16;  // years of the shortest jobs
    static constexpr std::size_t line = 64;

    struct alignas(line) job_share {
        std::atomic<uint64_t> word{0};  // the job's number, and how many chunks are not begun
        std::atomic<int64_t> last{0};   // one past the share's last chunk
    };

    // What the caller writes and helpers read.
    alignas(line) std::atomic<uint64_t> number_{0};
    std::atomic<range_fn> fn_{nullptr};
    std::atomic<void*> context_{nullptr};
    std::atomic<int64_t> begin_{0}, quotient_{0}, rest_{0};
    std::atomic<int> team_{0}, processor_{0};
    std::array<job_share, max_threads> shares_;
    // What helpers write and the caller reads.
    alignas(line) std::atomic<uint32_t> ended_{0};
    std::atomic<bool> asleep_{false};
};

}  // namespace sinter::runtime
