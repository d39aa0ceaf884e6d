#include "core/run/threads.hpp"

#include "core/base/codes.hpp"
#include "core/base/vendor.hpp"

#include <algorithm>

namespace gpu_emulator {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;

namespace {

constexpr uint32_t outside = UINT32_MAX;

/// Calls `f` with each block of a launch and its number.
template <class F>
void each_block(const launch& l, F f) {
    const uint32_t count = l.block_count();
    for (uint32_t turn = 0; turn < count; ++turn) {
        const uint32_t number = l.block_in_turn(turn);
        if (!f(l.block_at(number), number)) return;
    }
}

}  // namespace

void threads::run(launch& l, kernel_function kernel, const char* parameters) {
    launch_ = &l;
    kernel_ = kernel;
    parameters_ = parameters;
    l.running = this;
    if (!l.kernel.meets) {
        left_ = outside;
        jump_fcontext(make_fcontext(stacks_.top(0), stack_pool::size, run_straight), this);
        return;
    }
    threads_.resize(l.thread_count());
    received_.resize(l.thread_count());
    warps_.resize((l.thread_count() + static_cast<uint32_t>(vendor.warp) - 1) /
                  static_cast<uint32_t>(vendor.warp));
    each_block(l, [&](index3 block, uint32_t number) {
        l.begin_block(block, number);
        run_block();
        return !l.failed;
    });
}

// ---- threads that never wait for each other

void threads::run_straight(transfer from) {
    auto* t = static_cast<threads*>(from.data);
    t->outside_ = from.fctx;
    t->straight();
    jump_fcontext(t->outside_, nullptr);
}

void threads::straight() {
    launch& l = *launch_;
    launch_state& s = l.state;
    each_block(l, [&](index3 block, uint32_t number) {
        l.begin_block(block, number);
        if (l.in_turns) {
            for (uint32_t turn = 0; turn < l.thread_count(); ++turn) {
                const uint32_t thread = l.thread_in_turn(turn);
                s.thread = l.thread_at(thread);
                l.me.thread = thread & 1023;
                kernel_(parameters_);
            }
            return true;
        }
        uint32_t thread = 0;
        for (s.thread.z = 0; s.thread.z < s.threads.z; ++s.thread.z)
            for (s.thread.y = 0; s.thread.y < s.threads.y; ++s.thread.y)
                for (s.thread.x = 0; s.thread.x < s.threads.x; ++s.thread.x) {
                    l.me.thread = thread++ & 1023;
                    kernel_(parameters_);
                }
        return true;
    });
}

void threads::stop() {
    jump_fcontext(outside_, nullptr);
    __builtin_unreachable();
}

// ---- threads that wait for each other

void threads::run_block() {
    alive_ = launch_->thread_count();
    counted_ = counted_before_ = 0;
    for (warp& w : warps_) w.open.clear();
    for (uint32_t n = 0; n < alive_; ++n) {
        threads_[n] = {};
        threads_[n].at = make_fcontext(stacks_.top(n), stack_pool::size, run_thread);
    }
    current_ = outside;
    go_to(launch_->thread_order.first);
}

void threads::run_thread(transfer from) {
    auto* t = static_cast<threads*>(from.data);
    t->arrived(from);
    t->kernel_(t->parameters_);
    t->threads_[t->current_].is = condition::ended;
    --t->alive_;
    t->leave();
}

/// Stores where the thread that was left continues.
void threads::arrived(transfer from) {
    if (left_ == outside)
        outside_ = from.fctx;
    else
        threads_[left_].at = from.fctx;
}

void threads::select(uint32_t thread) {
    launch& l = *launch_;
    if (current_ != outside) threads_[current_].warp_epoch = l.me.warp_epoch;
    current_ = thread;
    l.state.thread =
        l.shape.threads.y * l.shape.threads.z == 1 ? index3{thread, 0, 0} : l.thread_at(thread);
    l.me.thread = thread & 1023;
    l.me.warp_epoch = threads_[thread].warp_epoch & 0x7fff;
}

void threads::go_to(uint32_t thread) {
    left_ = current_;
    select(thread);
    arrived(jump_fcontext(threads_[thread].at, this));
}

bool threads::next_ready(uint32_t& thread) const {
    const auto count = static_cast<uint32_t>(threads_.size());
    if (launch_->backwards) {
        for (uint32_t n = current_; n-- > 0;)
            if (threads_[n].is == condition::ready) return thread = n, true;
        for (uint32_t n = count; n-- > current_;)
            if (threads_[n].is == condition::ready) return thread = n, true;
        return false;
    }
    for (uint32_t n = current_ + 1; n < count; ++n)
        if (threads_[n].is == condition::ready) return thread = n, true;
    for (uint32_t n = 0; n <= current_; ++n)
        if (threads_[n].is == condition::ready) return thread = n, true;
    return false;
}

void threads::leave() {
    uint32_t next = 0;
    if (!next_ready(next)) {
        if (!release()) stop();
        next_ready(next);
    }
    if (next != current_) go_to(next);
}

bool threads::release() {
    if (alive_ == 0) return false;
    const thread *waits = nullptr, *ended = nullptr, *other = nullptr, *lane = nullptr;
    for (const thread& t : threads_) {
        if (t.is == condition::ended) ended = &t;
        if (t.is == condition::at_exchange) lane = &t;
        if (t.is != condition::at_barrier) continue;
        if (!waits) waits = &t;
        if (t.line != waits->line) other = &t;
    }
    const auto name = [&](const thread* t) {
        return launch_->name_of(launch_->me.block, static_cast<uint32_t>(t - threads_.data()));
    };
    const auto blame = [&](const std::string& what, const thread* t) {
        launch_->me.thread = static_cast<uint32_t>(t - threads_.data()) & 1023;
        launch_->note(launch_failure, "divergent " + what, t->line);
    };
    if (lane) {
        const char* rest = ended ? "has ended" : "waits elsewhere";
        blame(std::string("warp: not all lanes of the mask take part, ") +
                  name(ended   ? ended
                       : waits ? waits
                               : lane) +
                  " " + rest,
              lane);
        return false;
    }
    if (ended) {
        blame("barrier: " + name(ended) + " has ended", waits);
        return false;
    }
    if (other) {
        blame("barrier: " + name(other) + " waits at line " + std::to_string(other->line), waits);
        return false;
    }
    for (thread& t : threads_) {
        t.is = condition::ready;
        t.warp_epoch = 0;
    }
    launch_->me.epoch++;
    launch_->me.warp_epoch = 0;
    counted_before_ = counted_;
    counted_ = 0;
    return true;
}

void threads::barrier(uint32_t line) {
    thread& t = threads_[current_];
    t.is = condition::at_barrier;
    t.line = line;
    leave();
}

int threads::count(uint32_t line, int value, int how) {
    counted_ += value;
    barrier(line);
    if (how == 0) return counted_before_;
    return how == 1 ? counted_before_ == static_cast<int>(threads_.size()) : counted_before_ > 0;
}

const uint64_t* threads::exchange(uint32_t line, uint64_t mask, uint64_t value) {
    const auto width = static_cast<uint32_t>(vendor.warp);
    const uint32_t first = current_ / width * width, lane = current_ - first;
    warp& w = warps_[current_ / width];
    // Lanes beyond the block do not exist.
    const uint32_t lanes = std::min(width, static_cast<uint32_t>(threads_.size()) - first);
    if (lanes < 64) mask &= (uint64_t{1} << lanes) - 1;
    if ((mask >> lane & 1) == 0) {
        launch_->note(launch_failure, "divergent warp: the mask lacks the lane itself", line);
        stop();
    }
    const uint32_t me = current_;
    w.published[lane] = value;
    auto m = std::find_if(w.open.begin(), w.open.end(),
                          [&](const meeting& each) { return each.mask == mask; });
    if (m == w.open.end()) m = w.open.insert(m, meeting{mask, 0});
    m->arrived |= uint64_t{1} << lane;
    if (m->arrived == mask) {
        w.open.erase(m);
        finish_meeting(first, mask);
    } else {
        threads_[me].is = condition::at_exchange;
        threads_[me].line = line;
        leave();
    }
    return received_[me].data();
}

/// All lanes continue with all values, in an epoch later than that of each.
void threads::finish_meeting(uint32_t first, uint64_t mask) {
    const warp& w = warps_[first / static_cast<uint32_t>(vendor.warp)];
    threads_[current_].warp_epoch = launch_->me.warp_epoch;
    uint32_t epoch = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1)
        epoch = std::max(epoch,
                         threads_[first + static_cast<uint32_t>(__builtin_ctzll(rest))].warp_epoch);
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        const uint32_t n = first + static_cast<uint32_t>(__builtin_ctzll(rest));
        threads_[n].is = condition::ready;
        threads_[n].warp_epoch = (epoch + 1) & 0x7fff;
        received_[n] = w.published;
    }
    launch_->me.warp_epoch = (epoch + 1) & 0x7fff;
}

}  // namespace gpu_emulator
