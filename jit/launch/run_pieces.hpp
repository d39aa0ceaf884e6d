// Lists where the elements of a row's chunks are if the row is a range of several dimensions: the
// `pieces` that jit/kernel_ir/call.hpp describes for call_mode::runs.
#pragma once

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/launch.hpp"
#include "runtime/memory/scratch.hpp"
#include "runtime/memory/stack_array.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sinter::runtime {

/// Writes the piece lists of consecutive chunks.
class run_pieces {
public:
    /// Walks the innermost `reduced` dimensions of the request.
    explicit run_pieces(const launch_request& r)
        : request_(r),
          dims_(r.reduced),
          extents_(r.extents + r.rank - r.reduced),
          at_(static_cast<std::size_t>(dims_)),
          walks_(r.operands.size()) {
        for (int d = 0; d < dims_; ++d) n0_ *= extents_[d];
        chunk_words_ = 1 + most_pieces() * piece_words();
        room_ = std::max(chunk_words_, list_words);
        list_.emplace(room_ * static_cast<int64_t>(sizeof(uint64_t)));
        // An operand that is constant over the range is skipped: its addresses are never read.
        for (std::size_t k = 0; k < r.operands.size(); ++k) {
            const int64_t* s = r.operands[k].strides + r.rank - dims_;
            if (std::any_of(s, s + dims_, [](int64_t stride) { return stride != 0; }))
                walks_[count_++] = {k, s, s[dims_ - 1], to_next(s), nullptr, 0};
        }
    }

    /// Makes every list refer to a dense copy of this operand's listed chunks.
    void find_in_copy(std::size_t operand, const char* copy, int64_t item) {
        for (std::size_t w = 0; w < count_; ++w)
            if (walks_[w].operand == operand) walks_[w] = {operand, nullptr, item, 0, copy, 0};
    }

    /// Moves to the first element of a chunk of the row whose operands are at `base`.
    void enter(int64_t chunk, const uint64_t* base) {
        int64_t element = chunk * kernel_ir::reduce_chunk;
        for (int d = dims_; d-- > 0;) {
            at_[index(d)] = element % extents_[d];
            element /= extents_[d];
        }
        for (std::size_t k = 0; k < count_; ++k) {
            walk& w = walks_[k];
            if (w.copy) continue;
            w.at = base[w.operand];
            for (int d = 0; d < dims_; ++d)
                w.at += static_cast<uint64_t>(at_[index(d)] * w.strides[d]);
        }
    }

    /// Lists chunks from `begin`, the current one, up to `end` at most, as far as the list has
    /// room. Moves past them and returns the end of the listed chunks.
    int64_t list(int64_t begin, int64_t end) {
        for (std::size_t k = 0; k < count_; ++k)
            if (walks_[k].copy) walks_[k].at = reinterpret_cast<uint64_t>(walks_[k].copy);
        uint64_t* to = list_->as<uint64_t>();
        const uint64_t* last = to + room_ - chunk_words_;
        int64_t chunk = begin;
        for (; chunk < end && to <= last; ++chunk) to = list_chunk(chunk, to);
        return chunk;
    }

    const uint64_t* words() const { return list_->as<uint64_t>(); }

private:
    struct walk {
        std::size_t operand;
        const int64_t* strides;  // null if the operand is read from a copy
        int64_t step;            // bytes between elements of a run, or of the copy
        int64_t next;            // change of `at` from one run to the next
        const char* copy;
        /// The address of element 0 of the chunk if the whole chunk were laid out like this run.
        uint64_t at;
    };

    static constexpr int64_t list_words = 2048;
    static std::size_t index(int d) { return static_cast<std::size_t>(d); }

    int64_t run() const { return extents_[dims_ - 1]; }
    int64_t piece_words() const { return 2 + static_cast<int64_t>(request_.operands.size()); }
    /// Most pieces of a chunk, including partial runs at its start and end.
    int64_t most_pieces() const { return kernel_ir::reduce_chunk / run() + 2; }

    /// The next run's element 0 address lies one run's length before its first element.
    int64_t to_next(const int64_t* strides) const {
        return dims_ < 2 ? 0 : strides[dims_ - 2] - run() * strides[dims_ - 1];
    }

    uint64_t* list_chunk(int64_t chunk, uint64_t* to) {
        const int64_t length =
            std::min(n0_ - chunk * kernel_ir::reduce_chunk, kernel_ir::reduce_chunk);
        const int64_t whole = run(), words = piece_words();
        const std::size_t count = count_;
        walk* const walks = walks_.data();
        uint64_t* const pieces = to++;
        int64_t& place = at_[index(dims_ - 1)];
        int64_t j = 0, end = whole - place, listed = 0;
        for (;; end += whole) {
            to[0] = static_cast<uint64_t>(j);
            to[1] = static_cast<uint64_t>(std::min(end, length));
            for (std::size_t k = 0; k < count; ++k) to[2 + walks[k].operand] = walks[k].at;
            to += words;
            ++listed;
            if (end > length) break;
            for (std::size_t k = 0; k < count; ++k)
                walks[k].at += static_cast<uint64_t>(walks[k].next);
            if (dims_ > 1 && ++at_[index(dims_ - 2)] == extents_[dims_ - 2]) carry();
            j = end;
            if (j == length) break;
        }
        place = j == length ? 0 : length - (end - whole);
        for (std::size_t k = 0; k < count; ++k)
            walks[k].at += static_cast<uint64_t>(kernel_ir::reduce_chunk * walks[k].step);
        *pieces = static_cast<uint64_t>(listed);
        return to;
    }

    /// Carries into the outer dimensions after the last run of a dimension.
    void carry() {
        for (int d = dims_ - 2; d >= 0 && at_[index(d)] == extents_[d]; --d) {
            at_[index(d)] = 0;
            if (d > 0) ++at_[index(d - 1)];
            for (std::size_t k = 0; k < count_; ++k)
                if (walks_[k].strides)
                    walks_[k].at += static_cast<uint64_t>((d > 0 ? walks_[k].strides[d - 1] : 0) -
                                                          extents_[d] * walks_[k].strides[d]);
        }
    }

    const launch_request& request_;
    int dims_;
    const int64_t* extents_;
    stack_array<int64_t, 8> at_;  // position in each dimension
    stack_array<walk, 32> walks_;
    std::size_t count_ = 0;
    int64_t n0_ = 1, chunk_words_, room_;
    std::optional<scratch> list_;
};

}  // namespace sinter::runtime
