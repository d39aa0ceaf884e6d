#include "jit/launch/nested_range.hpp"

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/row_stages.hpp"
#include "jit/launch/run_pieces.hpp"
#include "jit/launch/walk.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/memory/scratch.hpp"
#include "runtime/memory/stack_array.hpp"
#include "runtime/strided/copy.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

namespace sinter::runtime {
namespace {

using kernel_ir::call_mode;
using kernel_ir::operand_arg;
using kernel_ir::reduce_chunk;

constexpr int64_t grain = 32768;         // fewest elements per thread
constexpr int64_t tile_elements = 8192;  // of short rows that are copied together
constexpr int64_t piece_bytes = 32768;   // most bytes of copies if two chunks run in one call
constexpr int64_t lane_rows = 64;        // rows of a tile where lanes run along rows

/// The reduced range as one operand walks it.
struct operand_range : strided_space {
    operand_range() = default;
    operand_range(const launch_dims& reduced, std::size_t operand) {
        const std::size_t n = reduced.rank();
        const int64_t *sizes = reduced.extents(), *steps = reduced.strides(operand);
        extents.assign(sizes, sizes + n);
        strides.emplace_back(steps, steps + n);
        merge();
        at_least_one();
    }
    static std::size_t operands() { return 1; }  // known to the compiler: runs may be short
};

class nested_launch {
public:
    explicit nested_launch(const launch_request& r)
        : request_(r),
          row_dims_(r.rank - r.reduced),
          row_space_{r, 0, row_dims_},
          range_{r, row_dims_, r.reduced},
          by_row_(r.along == kernel_ir::lanes::row),
          by_run_(r.fn && r.runs),
          operands_(r.operands.size()) {
        for (int d = 0; d < r.rank; ++d) (d < row_dims_ ? rows_ : n0_) *= r.extents[d];
        n1_ = row_dims_ > 0 ? r.extents[row_dims_ - 1] : 1;
        tile_ = n0_ > reduce_chunk ? 1 : by_row_ ? lane_rows : tile_elements / n0_;
        tile_ = std::clamp<int64_t>(tile_, 1, n1_);
        int64_t each = 0;  // copied bytes per element
        for (std::size_t k = 0; k < r.operands.size(); ++k)
            if (is_copied(k)) each += r.operands[k].item;
        piece_ = 2 * reduce_chunk * each <= piece_bytes ? 2 : 1;
        for (std::size_t k = 0; k < r.operands.size(); ++k) {
            const launch_operand& from = r.operands[k];
            view& v = operands_[k];
            v.copied = is_copied(k);
            v.row_step = row_dims_ > 0 ? from.strides[row_dims_ - 1] : 0;
            v.step = from.strides[r.rank - 1];
            if (!v.copied) continue;
            v.range = {range_, k};
            v.item = from.item;
            v.rows = v.row_step == 0 ? 1 : tile_;
            v.at = copy_bytes_;
            copy_bytes_ += (v.rows * std::min(n0_, piece_ * reduce_chunk) * v.item + 63) / 64 * 64;
        }
    }

    uint64_t run() {
        if (rows_ == 0) return 0;
        if (n0_ <= reduce_chunk && !by_run_) {
            run_tiles();
        } else if (rows_ >= 2 * available_threads()) {
            parallel_for(0, rows_, std::max<int64_t>(grain / n0_, 1),
                         [&](int64_t b, int64_t e) { run_rows(b, e, false); });
        } else {
            run_rows(0, rows_, true);
        }
        return status_.load(std::memory_order_relaxed);
    }

private:
    struct view {
        bool copied = false;
        int64_t row_step = 0, step = 0;  // bytes between rows, and between elements if not copied
        operand_range range;             // if copied
        int64_t item = 0, rows = 0;      // bytes per element; rows per copy
        int64_t at = 0;                  // offset of its copy
    };

    bool is_copied(std::size_t k) const {
        const launch_operand& o = request_.operands[k];
        if (walks_as_one(request_.reduced, range_.extents(), range_.strides(k))) return false;
        const int64_t step = o.strides[request_.rank - 1];
        return !by_run_ || (step != 0 && step != o.item);
    }

    /// The data of one thread: the current row, and copies.
    struct workspace {
        explicit workspace(const nested_launch& l)
            : copies(l.copy_bytes_ + 64), row(l.row_space_), arguments(l.operands_.size()) {
            if (!l.by_run_) return;
            pieces.emplace(l.request_);
            for (std::size_t k = 0; k < l.operands_.size(); ++k) {
                const view& v = l.operands_[k];
                if (v.copied) pieces->find_in_copy(k, copies.get() + v.at, v.item);
            }
        }

        scratch copies;
        launch_cursor row;
        stack_array<operand_arg, 32> arguments;
        std::optional<run_pieces> pieces;
        fp_environment environment;
    };

    // ---- rows of one chunk at most, several at a time

    void run_tiles() {
        const int64_t a_row = (n1_ + tile_ - 1) / tile_, tiles = rows_ / n1_ * a_row;
        parallel_for(0, tiles, std::max<int64_t>(grain / (n0_ * tile_), 1),
                     [&](int64_t begin, int64_t end) {
                         workspace w(*this);
                         for (int64_t t = begin; t < end; ++t) {
                             const int64_t first = t % a_row * tile_;
                             w.row.seek(t / a_row * n1_ + first);
                             run_tile(w, std::min(tile_, n1_ - first));
                         }
                     });
    }

    void run_tile(workspace& w, int64_t rows) {
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            const view& v = operands_[k];
            if (!v.copied) {
                w.arguments[k] = {reinterpret_cast<char*>(w.row.at(k)), v.row_step, v.step};
                continue;
            }
            const int64_t n = v.rows == 1 ? 1 : rows;
            char* to = w.copies.get() + v.at;
            if (by_row_)
                copy_columns(to, v, w.row.at(k), n);
            else
                for (int64_t r = 0; r < n; ++r)
                    copy_range(to + r * n0_ * v.item, v,
                               w.row.at(k) + static_cast<uint64_t>(r * v.row_step), 0, n0_);
            const int64_t across = v.rows == 1 ? 0 : by_row_ ? v.item : n0_ * v.item;
            w.arguments[k] = {to, across, by_row_ ? n * v.item : v.item};
        }
        kernel_ir::kernel_call call{};
        uint64_t raised = 0;
        call.operands = w.arguments.data();
        call.scalars = request_.scalars.data();
        call.status = &raised;
        call.n1 = rows;
        call.n0 = n0_;
        call.mode = call_mode::rows;
        call_kernel(request_, call);
        if (raised) status_.fetch_or(raised, std::memory_order_relaxed);
    }

    static void copy_range(char* to, const view& v, uint64_t base, int64_t begin, int64_t n) {
        const char* from = reinterpret_cast<const char*>(base);
        cursor<operand_range> at(v.range, begin);
        const int64_t step = at.step(0);
        while (n > 0) {
            const int64_t run = std::min(at.run(), n);
            copy_run(to, v.item, from + at.offset(0), step, run, v.item);
            to += run * v.item;
            n -= run;
            at.advance(run);
        }
    }

    /// Copies every element of `rows` rows, element by element.
    void copy_columns(char* to, const view& v, uint64_t base, int64_t rows) const {
        const char* from = reinterpret_cast<const char*>(base);
        cursor<operand_range> at(v.range);
        for (int64_t e = 0; e < n0_; ++e, at.advance(1), to += rows * v.item)
            copy_run(to, v.item, from + at.offset(0), v.row_step, rows, v.item);
    }

    // ---- rows of several chunks, one by one

    void run_rows(int64_t begin, int64_t end, bool shared) {
        row_stages stages(request_, n0_);
        workspace own(*this);
        const int64_t chunks = kernel_ir::chunk_count(n0_);
        for (int64_t r = begin; r < end; ++r) {
            own.row.seek(r);
            stages.run([&](call_mode mode, int64_t stage) {
                if (mode == call_mode::elements) {  // row values only: there are no element stores
                    for (std::size_t k = 0; k < operands_.size(); ++k)
                        own.arguments[k] = {reinterpret_cast<char*>(own.row.at(k)), 0, 0};
                    stages.call(own.arguments.data(), mode, stage, 0, 0);
                    return;
                }
                const auto some = [&](workspace& w, int64_t from, int64_t to) {
                    if (by_run_) return run_pieces_of(w, own.row, stages, stage, from, to);
                    for (int64_t c = from; c < to; c += piece_) {
                        const int64_t end = std::min(c + piece_, to);
                        enter_chunks(w, own.row, c, end);
                        stages.call(w.arguments.data(), mode, stage, c, end);
                    }
                };
                if (!shared) return some(own, 0, chunks);
                parallel_for(0, chunks, grain / reduce_chunk, [&](int64_t from, int64_t to) {
                    workspace w(*this);
                    some(w, from, to);
                });
            });
        }
        if (const uint64_t raised = stages.status())
            status_.fetch_or(raised, std::memory_order_relaxed);
    }

    /// Runs chunks [begin, end) of a row in place, except for operands that must be copied.
    void run_pieces_of(workspace& w, const launch_cursor& row, row_stages& stages, int64_t stage,
                       int64_t begin, int64_t end) const {
        w.pieces->enter(begin, row.all());
        while (begin < end) {
            const int64_t first = begin, most = copy_bytes_ ? std::min(end, begin + piece_) : end;
            begin = w.pieces->list(begin, most);
            for (std::size_t k = 0; k < operands_.size(); ++k) {
                const view& v = operands_[k];
                w.arguments[k] = {reinterpret_cast<char*>(row.at(k)), 0,
                                  v.copied ? v.item : v.step};
                if (v.copied)
                    copy_range(w.copies.get() + v.at, v, row.at(k), first * reduce_chunk,
                               std::min(begin * reduce_chunk, n0_) - first * reduce_chunk);
            }
            stages.call(w.arguments.data(), call_mode::runs, stage, first, begin,
                        w.pieces->words());
        }
    }

    void enter_chunks(workspace& w, const launch_cursor& row, int64_t begin, int64_t end) const {
        const int64_t first = begin * reduce_chunk, n = std::min(end * reduce_chunk, n0_) - first;
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            const view& v = operands_[k];
            if (!v.copied) {
                w.arguments[k] = {reinterpret_cast<char*>(row.at(k)), 0, v.step};
                continue;
            }
            // The kernel counts elements from the row's first one.
            const auto before = static_cast<uint64_t>(first * v.item);
            const cursor<operand_range> at(v.range, first);
            uint64_t from;
            if (at.step(0) == v.item && at.run() >= n) {
                from = row.at(k) + at.at(0);
            } else {
                char* to = w.copies.get() + v.at;
                copy_range(to, v, row.at(k), first, n);
                from = reinterpret_cast<uint64_t>(to);
            }
            w.arguments[k] = {reinterpret_cast<char*>(from - before), 0, v.item};
        }
    }

    const launch_request& request_;
    int row_dims_;
    launch_dims row_space_, range_;
    bool by_row_, by_run_;  // lanes run along rows; the kernel takes runs
    int64_t rows_ = 1, n0_ = 1, n1_;
    int64_t tile_, piece_;  // rows and chunks per call
    std::vector<view> operands_;
    int64_t copy_bytes_ = 0;
    std::atomic<uint64_t> status_{0};
};

}  // namespace

bool walks_as_one(int dims, const int64_t* extents, const int64_t* strides) {
    for (int d = 0; d + 1 < dims; ++d)
        if (strides[d] != strides[d + 1] * extents[d + 1]) return false;
    return true;
}

uint64_t launch_nested(const launch_request& request) { return nested_launch(request).run(); }

}  // namespace sinter::runtime
