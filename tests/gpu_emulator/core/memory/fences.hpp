// How blocks of one launch pass results to each other: the writer does a write, a fence and an
// atomic access; the reader does an atomic access, a fence and a read. Blocks run one after
// another, so everything that a block wrote up to its last such access was written before any later
// block began.
#pragma once

#include "core/memory/race.hpp"

#include <cstdint>
#include <vector>

namespace gpu_emulator {

class fence_tracker {
public:
    /// Returns true if any thread has used a fence.
    bool is_used() const { return !blocks_.empty(); }

    void begin_block() {
        if (is_used()) threads_.assign(threads_.size(), {});
    }

    void fence(const access_record& me, uint32_t blocks, uint32_t threads) {
        blocks_.resize(blocks);
        threads_.resize(threads);
        thread_state& t = threads_[me.thread];
        t.fenced = true;
        if (t.looked) blocks_[me.block].seen = count_;
    }

    void atomic_access(const access_record& me) {
        if (!is_used()) return;
        thread_state& t = threads_[me.thread];
        t.looked = true;
        if (t.fenced) blocks_[me.block] = {++count_, me.epoch, blocks_[me.block].seen};
        t.fenced = false;  // later writes need another fence
    }

    /// Returns true if block `me` may rely on the access `other` of another block.
    bool orders(const access_record& other, const access_record& me) const {
        if (!is_used() || static_cast<reach>(other.wide) == reach::grid) return false;
        const block_state& theirs = blocks_[other.block];
        return theirs.published != 0 && other.epoch <= theirs.epoch &&
               theirs.published <= blocks_[me.block].seen;
    }

private:
    struct thread_state {
        bool fenced = false, looked = false;
    };
    struct block_state {
        uint64_t published = 0;  // the number of its last publication, among all
        uint32_t epoch = 0;      // of that publication
        uint64_t seen = 0;       // number of other blocks' publications when it last looked
    };
    std::vector<thread_state> threads_;
    std::vector<block_state> blocks_;
    uint64_t count_ = 0;
};

}  // namespace gpu_emulator
