#include "jit/launch/nested_range.hpp"

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/row_stages.hpp"
#include "jit/launch/run_pieces.hpp"
#include "jit/launch/walk.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/memory/scratch.hpp"
#include "runtime/memory/stack_array.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
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

/// The reduced range as one operand walks it: adjacent dimensions that form one stride are merged.
struct range_view {
    std::vector<int64_t> extents, strides;  // innermost last

    range_view(int dims, const int64_t* n, const int64_t* s) {
        for (int d = 0; d < dims; ++d) {
            if (!extents.empty() && strides.back() == s[d] * n[d]) {
                extents.back() *= n[d];
                strides.back() = s[d];
            } else {
                extents.push_back(n[d]);
                strides.push_back(s[d]);
            }
        }
    }
};

/// A position in a range that moves run by run.
class range_cursor {
public:
    range_cursor(const range_view& v, int64_t element) : view_(v), at_(v.extents.size()) {
        for (std::size_t d = v.extents.size(); d-- > 0;) {
            at_[d] = element % v.extents[d];
            element /= v.extents[d];
            offset_ += at_[d] * v.strides[d];
        }
    }
    int64_t offset() const { return offset_; }
    int64_t run() const { return view_.extents.back() - at_[at_last()]; }
    /// Moves at most to the end of the run.
    void move(int64_t elements) {
        std::size_t d = at_last();
        at_[d] += elements;
        offset_ += elements * view_.strides[d];
        while (at_[d] == view_.extents[d] && d > 0) {
            offset_ -= at_[d] * view_.strides[d];
            at_[d] = 0;
            --d;
            ++at_[d];
            offset_ += view_.strides[d];
        }
    }

private:
    std::size_t at_last() const { return view_.extents.size() - 1; }

    const range_view& view_;
    stack_array<int64_t, 8> at_;
    int64_t offset_ = 0;
};

template <class T>
void copy_run(char* to, const char* from, int64_t stride, int64_t n) {
    T* out = reinterpret_cast<T*>(to);
    const auto read = [](const char* p) {
        T x;
        std::memcpy(&x, p, sizeof x);
        return x;
    };
    if (stride == sizeof(T)) {
        std::memcpy(out, from, static_cast<std::size_t>(n) * sizeof(T));
    } else if (stride == 0) {
        T line[64 / sizeof(T)];
        std::fill_n(line, std::size(line), read(from));
        int64_t i = 0;
        for (; i + static_cast<int64_t>(std::size(line)) <= n; i += std::size(line))
            std::memcpy(out + i, line, sizeof line);
        std::copy_n(line, n - i, out + i);
    } else {
        for (int64_t i = 0; i < n; ++i) out[i] = read(from + i * stride);
    }
}

void copy_run(char* to, const char* from, int64_t stride, int64_t n, int64_t item) {
    switch (item) {
        case 1: return copy_run<uint8_t>(to, from, stride, n);
        case 2: return copy_run<uint16_t>(to, from, stride, n);
        case 4: return copy_run<uint32_t>(to, from, stride, n);
        default: return copy_run<uint64_t>(to, from, stride, n);
    }
}

class nested_launch {
public:
    explicit nested_launch(const launch_request& r)
        : request_(r),
          row_dims_(r.rank - r.reduced),
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
            v.range.emplace(r.reduced, r.extents + row_dims_, from.strides + row_dims_);
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
        std::optional<range_view> range;
        int64_t item = 0, rows = 0;  // bytes per element; rows per copy
        int64_t at = 0;              // offset of its copy
    };

    bool is_copied(std::size_t k) const {
        const launch_operand& o = request_.operands[k];
        if (walks_as_one(request_.reduced, request_.extents + row_dims_, o.strides + row_dims_))
            return false;
        const int64_t step = o.strides[request_.rank - 1];
        return !by_run_ || (step != 0 && step != o.item);
    }

    /// The data of one thread: operand addresses in the current row, and copies.
    struct workspace {
        explicit workspace(const nested_launch& l)
            : copies(l.copy_bytes_ + 64), base(l.operands_.size()), arguments(l.operands_.size()) {
            if (!l.by_run_) return;
            pieces.emplace(l.request_);
            for (std::size_t k = 0; k < l.operands_.size(); ++k) {
                const view& v = l.operands_[k];
                if (v.copied) pieces->find_in_copy(k, copies.get() + v.at, v.item);
            }
        }

        scratch copies;
        stack_array<uint64_t, 32> base;
        stack_array<operand_arg, 32> arguments;
        std::optional<run_pieces> pieces;
        fp_environment environment;
    };

    void enter_row(workspace& w, int64_t row) const {
        for (std::size_t k = 0; k < operands_.size(); ++k)
            w.base[k] = reinterpret_cast<uint64_t>(request_.operands[k].base);
        for (int d = row_dims_ - 1; d >= 0; --d) {
            const int64_t i = row % request_.extents[d];
            row /= request_.extents[d];
            for (std::size_t k = 0; i != 0 && k < operands_.size(); ++k)
                w.base[k] += static_cast<uint64_t>(i) *
                             static_cast<uint64_t>(request_.operands[k].strides[d]);
        }
    }

    // ---- rows of one chunk at most, several at a time

    void run_tiles() {
        const int64_t a_row = (n1_ + tile_ - 1) / tile_, tiles = rows_ / n1_ * a_row;
        parallel_for(0, tiles, std::max<int64_t>(grain / (n0_ * tile_), 1),
                     [&](int64_t begin, int64_t end) {
                         workspace w(*this);
                         for (int64_t t = begin; t < end; ++t) {
                             const int64_t first = t % a_row * tile_;
                             enter_row(w, t / a_row * n1_ + first);
                             run_tile(w, std::min(tile_, n1_ - first));
                         }
                     });
    }

    void run_tile(workspace& w, int64_t rows) {
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            const view& v = operands_[k];
            if (!v.copied) {
                w.arguments[k] = {reinterpret_cast<char*>(w.base[k]), v.row_step, v.step};
                continue;
            }
            const int64_t n = v.rows == 1 ? 1 : rows;
            char* to = w.copies.get() + v.at;
            if (by_row_)
                copy_columns(to, v, w.base[k], n);
            else
                for (int64_t r = 0; r < n; ++r)
                    copy_elements(to + r * n0_ * v.item, v,
                                  w.base[k] + static_cast<uint64_t>(r * v.row_step), 0, n0_);
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

    static void copy_elements(char* to, const view& v, uint64_t base, int64_t begin, int64_t n) {
        const char* from = reinterpret_cast<const char*>(base);
        const int64_t stride = v.range->strides.back();
        range_cursor at(*v.range, begin);
        while (n > 0) {
            const int64_t run = std::min(at.run(), n);
            copy_run(to, from + at.offset(), stride, run, v.item);
            to += run * v.item;
            n -= run;
            at.move(run);
        }
    }

    /// Copies every element of `rows` rows, element by element.
    void copy_columns(char* to, const view& v, uint64_t base, int64_t rows) const {
        const char* from = reinterpret_cast<const char*>(base);
        range_cursor at(*v.range, 0);
        for (int64_t e = 0; e < n0_; ++e, at.move(1), to += rows * v.item)
            copy_run(to, from + at.offset(), v.row_step, rows, v.item);
    }

    // ---- rows of several chunks, one by one

    void run_rows(int64_t begin, int64_t end, bool shared) {
        row_stages stages(request_, n0_);
        workspace row(*this);
        const int64_t chunks = kernel_ir::chunk_count(n0_);
        for (int64_t r = begin; r < end; ++r) {
            enter_row(row, r);
            stages.run([&](call_mode mode, int64_t stage) {
                if (mode == call_mode::elements) {  // row values only: there are no element stores
                    for (std::size_t k = 0; k < operands_.size(); ++k)
                        row.arguments[k] = {reinterpret_cast<char*>(row.base[k]), 0, 0};
                    stages.call(row.arguments.data(), mode, stage, 0, 0);
                    return;
                }
                const auto some = [&](workspace& w, int64_t from, int64_t to) {
                    if (by_run_) return run_pieces_of(w, row, stages, stage, from, to);
                    for (int64_t c = from; c < to; c += piece_) {
                        const int64_t end = std::min(c + piece_, to);
                        enter_chunks(w, row, c, end);
                        stages.call(w.arguments.data(), mode, stage, c, end);
                    }
                };
                if (!shared) return some(row, 0, chunks);
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
    void run_pieces_of(workspace& w, const workspace& row, row_stages& stages, int64_t stage,
                       int64_t begin, int64_t end) const {
        w.pieces->enter(begin, row.base.data());
        while (begin < end) {
            const int64_t first = begin, most = copy_bytes_ ? std::min(end, begin + piece_) : end;
            begin = w.pieces->list(begin, most);
            for (std::size_t k = 0; k < operands_.size(); ++k) {
                const view& v = operands_[k];
                w.arguments[k] = {reinterpret_cast<char*>(row.base[k]), 0,
                                  v.copied ? v.item : v.step};
                if (v.copied)
                    copy_elements(w.copies.get() + v.at, v, row.base[k], first * reduce_chunk,
                                  std::min(begin * reduce_chunk, n0_) - first * reduce_chunk);
            }
            stages.call(w.arguments.data(), call_mode::runs, stage, first, begin,
                        w.pieces->words());
        }
    }

    void enter_chunks(workspace& w, const workspace& row, int64_t begin, int64_t end) const {
        const int64_t first = begin * reduce_chunk, n = std::min(end * reduce_chunk, n0_) - first;
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            const view& v = operands_[k];
            if (!v.copied) {
                w.arguments[k] = {reinterpret_cast<char*>(row.base[k]), 0, v.step};
                continue;
            }
            // The kernel counts elements from the row's first one.
            const auto before = static_cast<uint64_t>(first * v.item);
            const range_cursor at(*v.range, first);
            uint64_t from;
            if (v.range->strides.back() == v.item && at.run() >= n) {
                from = row.base[k] + static_cast<uint64_t>(at.offset());
            } else {
                char* to = w.copies.get() + v.at;
                copy_elements(to, v, row.base[k], first, n);
                from = reinterpret_cast<uint64_t>(to);
            }
            w.arguments[k] = {reinterpret_cast<char*>(from - before), 0, v.item};
        }
    }

    const launch_request& request_;
    int row_dims_;
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
