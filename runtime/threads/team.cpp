#include "runtime/threads/team.hpp"

#include "runtime/base/device.hpp"
#include "runtime/threads/futex.hpp"
#include "runtime/threads/quiet_thread.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>

namespace sinter::runtime {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// How long a thread spins before it sleeps: a sleeping helper costs its caller a system call, and
// comes some 5 to 50 us later.
constexpr microseconds helper_patience{500}, caller_patience{50};
/// A thread whose clock leaps so far while it spins was not run meanwhile.
constexpr microseconds leap{50};
constexpr int pauses = 16;  // between two looks at the clock

struct alignas(64) helper_state {
    std::atomic<uint32_t> asleep{0};
};

// Process-wide, as the threads are. Without destructors: helpers may outlive main.
constinit job_board board;
constinit std::array<helper_state, max_threads> helpers;
constinit int helper_count = 0;             // of the thread that runs a job
constinit std::atomic<uint64_t> rested{0};  // after this job, helpers do not spin
constinit thread_local bool inside = false;

/// Returns true if threads that spin may take the processor from those that work.
bool crowded(int threads) { return threads > processors(); }

/// Spins until `done`, at most for `patience`, and not after the system has run something else.
/// Returns false if it gave up.
template <class F>
bool spin(microseconds patience, const F& done) {
    const auto begin = clock::now();
    for (auto before = begin;;) {
        for (int i = 0; i < pauses; ++i) {
            if (done()) return true;
            pause_spinning();
        }
        const auto now = clock::now();
        if (now - before > leap || now - begin > patience) return done();
        before = now;
    }
}

// ---- helpers

/// Returns true if this thread runs where the caller of the last job did. Then the caller probably
/// waits for this processor.
bool displaces_caller() { return sched_getcpu() == board.processor(); }

/// Waits until a job after number `seen` is posted, and returns its number.
uint64_t next_job(int self, uint64_t seen) {
    const auto posted = [seen] { return board.number() != seen; };
    const auto called = [&] { return posted() || rested.load(std::memory_order_relaxed) == seen; };
    const bool spins = !crowded(self + 1) && !displaces_caller();
    if (!spins || !spin(helper_patience, called) || !posted()) {
        std::atomic<uint32_t>& asleep = helpers[static_cast<std::size_t>(self)].asleep;
        for (;;) {
            asleep.store(1, std::memory_order_seq_cst);
            if (posted()) break;
            futex_wait(asleep, 1);
        }
        asleep.store(0, std::memory_order_relaxed);
    }
    return board.number();
}

/// A helper that wakes takes an idle processor at once, but waits its turn where the system runs
/// something else: on a busy machine it would often displace its caller, which then waits in turn.
void wait_for_turns() {
    constexpr sched_param none{};
    if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
}

void help(int self, uint64_t seen) {
    inside = true;
    wait_for_turns();
    job_board::chunk c;
    for (;;) {
        seen = next_job(self, seen);
        const int team = board.team();
        if (self >= team) continue;
        for (int i = 0; i < team; ++i)
            while (board.claim(seen, (self + i) % team, c)) {
                c.run();
                if (board.end()) futex_wake(board.ended());
            }
    }
}

void start_helpers(int wanted) {
    try {
        for (; helper_count < wanted; ++helper_count)
            start_quiet_thread(
                [self = helper_count + 1, seen = board.number()] { help(self, seen); });
    } catch (const std::exception&) {  // no more threads or memory
    }
}

void wake_helpers(int team) {
    for (int h = 1; h < team; ++h) {
        std::atomic<uint32_t>& asleep = helpers[static_cast<std::size_t>(h)].asleep;
        if (asleep.load(std::memory_order_seq_cst) == 0) continue;
        asleep.store(0, std::memory_order_relaxed);
        futex_wake(asleep);
    }
}

/// Waits until helpers have ended the chunks that they have begun.
void wait_for(uint32_t ended, int team) {
    const auto done = [ended] { return board.ended().load(std::memory_order_acquire) == ended; };
    if (!crowded(team) && spin(caller_patience, done)) return;
    board.asleep().store(true, std::memory_order_seq_cst);
    for (;;) {
        const uint32_t now = board.ended().load(std::memory_order_seq_cst);
        if (now == ended) break;
        futex_wait(board.ended(), now);
    }
    board.asleep().store(false, std::memory_order_relaxed);
}

}  // namespace

void run_on_team(const job& j) noexcept {
    job of_team = j;
    start_helpers(j.shares - 1);
    if (helper_count < j.shares - 1) of_team.shares = helper_count + 1;
    auto ended = board.ended().load(std::memory_order_relaxed) + static_cast<uint32_t>(j.chunks);
    const uint64_t number = board.post(of_team, sched_getcpu());
    wake_helpers(of_team.shares);
    inside = true;
    job_board::chunk c;
    for (int s = 0; s < of_team.shares; ++s)
        for (; board.claim(number, s, c); --ended) c.run();
    inside = false;
    wait_for(ended, of_team.shares);
}

bool in_team() noexcept { return inside; }

void rest_team() noexcept { rested.store(board.number(), std::memory_order_relaxed); }

void forget_team() noexcept {
    helper_count = 0;
    board.clear();
    for (helper_state& h : helpers) h.asleep = 0;
}

}  // namespace sinter::runtime
