// Where the elements of a row's chunks are, where the row is a range of several dimensions: the
// list that jit/kernel_ir/call.hpp describes for call_mode::runs.
#pragma once

#include "jit/kernel_ir/reduce_order.hpp"
#include "runtime/launch.hpp"
#include "runtime/scratch.hpp"
#include "runtime/stack_array.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sinter::runtime {

/// Writes the lists of chunks that follow one another.
class run_pieces {
public:
    /// Of the innermost `reduced` dimensions of the request.
    run_pieces(const launch_request& r, int reduced)
        : request_(r),
          dims_(reduced),
          extents_(r.extents + r.rank - reduced),
          operands_(r.operands.size()),
          at_(static_cast<std::size_t>(reduced)),
          offset_(operands_),
          n0_(1) {
        for (int d = 0; d < dims_; ++d) n0_ *= extents_[d];
        chunk_words_ = 1 + most_pieces() * (2 + static_cast<int64_t>(operands_));
        room_ = std::max(chunk_words_, list_words);
        list_.emplace(room_ * static_cast<int64_t>(sizeof(uint64_t)));
    }

    /// Moves to the first element of a chunk.
    void enter(int64_t chunk) {
        int64_t element = chunk * kernel_ir::reduce_chunk;
        for (int d = dims_; d-- > 0;) {
            at_[static_cast<std::size_t>(d)] = element % extents_[d];
            element /= extents_[d];
        }
        for (std::size_t k = 0; k < operands_; ++k) {
            offset_[k] = 0;
            for (int d = 0; d + 1 < dims_; ++d) offset_[k] += at_[index(d)] * stride(k, d);
        }
    }

    /// Lists chunks from `begin`, the one it is at, on, and moves behind them; returns where they
    /// end, `end` at most. `base` is where operands are in the row, or in a copy of the chunks.
    template <class Base>
    int64_t list(int64_t begin, int64_t end, const Base& base) {
        uint64_t* to = list_->as<uint64_t>();
        const uint64_t* last = to + room_ - chunk_words_;
        int64_t chunk = begin;
        for (; chunk < end && to <= last; ++chunk) to = list_chunk(chunk, to, base);
        return chunk;
    }

    const uint64_t* words() const { return list_->as<uint64_t>(); }

private:
    static constexpr int64_t list_words = 2048;
    static std::size_t index(int d) { return static_cast<std::size_t>(d); }

    int64_t run() const { return extents_[dims_ - 1]; }
    int64_t stride(std::size_t operand, int d) const {
        return request_.operands[operand].strides[request_.rank - dims_ + d];
    }
    /// Of a chunk: a run may be cut in two, and the first and the last one are parts.
    int64_t most_pieces() const { return 2 * (kernel_ir::reduce_chunk / run() + 2); }

    template <class Base>
    uint64_t* list_chunk(int64_t chunk, uint64_t* to, const Base& base) {
        constexpr int64_t lanes = kernel_ir::reduce_lanes;
        const int64_t length =
            std::min(n0_ - chunk * kernel_ir::reduce_chunk, kernel_ir::reduce_chunk);
        uint64_t* const count = to++;
        uint64_t pieces = 0;
        int64_t& place = at_[index(dims_ - 1)];
        for (int64_t j = 0; j < length;) {
            const int64_t end = j + std::min(run() - place, length - j);
            // What comes before the lanes' next turn is a piece of its own.
            for (int64_t from = j; from < end; ++pieces) {
                int64_t until = (from + lanes - 1) / lanes * lanes;
                if (until == from || until > end) until = end;
                *to++ = static_cast<uint64_t>(from);
                *to++ = static_cast<uint64_t>(until);
                for (std::size_t k = 0; k < operands_; ++k)
                    *to++ = base(k, chunk, offset_[k], place - j);
                from = until;
            }
            place += end - j;
            j = end;
            if (place == run()) next_run();
        }
        *count = pieces;
        return to;
    }

    void next_run() {
        at_[index(dims_ - 1)] = 0;
        for (int d = dims_ - 2; d >= 0; --d) {
            const bool carries = ++at_[index(d)] == extents_[d];
            for (std::size_t k = 0; k < operands_; ++k)
                offset_[k] += carries ? (1 - extents_[d]) * stride(k, d) : stride(k, d);
            if (!carries) return;
            at_[index(d)] = 0;
        }
    }

    const launch_request& request_;
    int dims_;
    const int64_t* extents_;
    std::size_t operands_;
    stack_array<int64_t, 8> at_;       // in each dimension
    stack_array<int64_t, 32> offset_;  // bytes, of the current run
    int64_t n0_, chunk_words_, room_;
    std::optional<scratch> list_;
};

}  // namespace sinter::runtime
