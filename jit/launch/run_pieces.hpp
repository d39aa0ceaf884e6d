// Lists where the elements of a row's chunks are if the row is a range of several dimensions: the
// `pieces` that jit/kernel_ir/call.hpp describes for call_mode::runs.
#pragma once

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/launch.hpp"
#include "runtime/memory/scratch.hpp"
#include "runtime/memory/stack_array.hpp"
#include "runtime/strided/walk.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace sinter::runtime {

/// Writes the piece lists of consecutive chunks.
class run_pieces {
public:
    /// Walks the innermost `reduced` dimensions of the request.
    explicit run_pieces(const launch_request& r)
        : space_{r, stack_array<operand, 32>(r.operands.size()), 0}, copies_(r.operands.size()) {
        for (std::size_t d = 0; d < space_.rank(); ++d) n0_ *= space_.size(d);
        chunk_words_ = 1 + most_pieces() * piece_words();
        room_ = std::max(chunk_words_, list_words);
        list_.emplace(room_ * static_cast<int64_t>(sizeof(uint64_t)));
        // An operand that is constant over the range is skipped: its addresses are never read.
        for (std::size_t k = 0; k < r.operands.size(); ++k) {
            const int64_t* s = r.operands[k].strides + r.rank - r.reduced;
            if (std::any_of(s, s + r.reduced, [](int64_t stride) { return stride != 0; }))
                space_.walked[space_.count++] = {k, s, 0};
        }
    }

    /// Makes every list refer to a dense copy of this operand's listed chunks.
    void find_in_copy(std::size_t operand, const char* copy, int64_t item) {
        const auto end = space_.walked.data() + space_.count;
        const auto found = std::find_if(space_.walked.data(), end,
                                        [&](const auto& w) { return w.number == operand; });
        if (found == end) return;
        std::move(found + 1, end, found);
        --space_.count;
        copies_[copied_++] = {operand, copy, item};
    }

    /// Moves to the first element of a chunk of the row whose operands are at `base`.
    void enter(int64_t chunk, const uint64_t* base) {
        for (std::size_t k = 0; k < space_.count; ++k)
            space_.walked[k].base = base[space_.walked[k].number];
        at_.emplace(space_, chunk * kernel_ir::reduce_chunk);
    }

    /// Lists chunks from `begin`, the current one, up to `end` at most, as far as the list has
    /// room. Moves past them and returns the end of the listed chunks.
    int64_t list(int64_t begin, int64_t end) {
        uint64_t* to = list_->as<uint64_t>();
        const uint64_t* last = to + room_ - chunk_words_;
        int64_t chunk = begin;
        for (; chunk < end && to <= last; ++chunk) to = list_chunk(chunk, chunk - begin, to);
        return chunk;
    }

    const uint64_t* words() const { return list_->as<uint64_t>(); }

private:
    struct operand {
        std::size_t number;
        const int64_t* strides;
        uint64_t base;
    };
    /// The reduced dimensions and the operands that are read where they are.
    struct range {
        const launch_request& r;
        stack_array<operand, 32> walked;
        std::size_t count;

        std::size_t rank() const { return static_cast<std::size_t>(r.reduced); }
        std::size_t operands() const { return count; }
        int64_t size(std::size_t d) const {
            return r.extents[static_cast<std::size_t>(r.rank - r.reduced) + d];
        }
        uint64_t start(std::size_t k) const { return walked[k].base; }
        int64_t stride(std::size_t k, std::size_t d) const { return walked[k].strides[d]; }
    };
    struct copied {
        std::size_t number;
        const char* data;
        int64_t item;
    };

    static constexpr int64_t list_words = 2048;

    int64_t run() const { return space_.size(space_.rank() - 1); }
    int64_t piece_words() const { return 2 + static_cast<int64_t>(space_.r.operands.size()); }
    /// Most pieces of a chunk, including partial runs at its start and end.
    int64_t most_pieces() const { return kernel_ir::reduce_chunk / run() + 2; }

    /// Addresses are those of element 0 of the chunk if the whole chunk were laid out like the run.
    uint64_t* list_chunk(int64_t chunk, int64_t listed, uint64_t* to) {
        const int64_t length =
            std::min(n0_ - chunk * kernel_ir::reduce_chunk, kernel_ir::reduce_chunk);
        uint64_t* const pieces = to++;
        *pieces = 0;
        for (int64_t j = 0; j < length; ++*pieces) {
            const int64_t end = std::min(j + at_->run(), length);
            to[0] = static_cast<uint64_t>(j);
            to[1] = static_cast<uint64_t>(end);
            for (std::size_t k = 0; k < space_.count; ++k)
                to[2 + space_.walked[k].number] =
                    at_->at(k) - static_cast<uint64_t>(j * at_->step(k));
            for (std::size_t k = 0; k < copied_; ++k)
                to[2 + copies_[k].number] = reinterpret_cast<uint64_t>(
                    copies_[k].data + listed * kernel_ir::reduce_chunk * copies_[k].item);
            to += piece_words();
            if (end < length || chunk * kernel_ir::reduce_chunk + end < n0_) at_->advance(end - j);
            j = end;
        }
        return to;
    }

    range space_;
    stack_array<copied, 32> copies_;
    std::size_t copied_ = 0;
    std::optional<cursor<range>> at_;
    int64_t n0_ = 1, chunk_words_, room_;
    std::optional<scratch> list_;
};

}  // namespace sinter::runtime
