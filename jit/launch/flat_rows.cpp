#include "jit/launch/flat_rows.hpp"

#include "runtime/base/fp_environment.hpp"
#include "runtime/memory/scratch.hpp"
#include "runtime/memory/stack_array.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace sinter::runtime {
namespace {

using kernel_ir::operand_arg;

constexpr int64_t chunk = 16;              // bytes per write
constexpr int64_t spread_bytes = 24576;    // of all spread operands
constexpr int64_t fewest_elements = 1024;  // per call
constexpr int64_t most_calls = 8;          // per piece; more elements make calls longer
constexpr int64_t even_rows = 32;          // multiple of rows, so that only the last call ends
                                           // within a vector
constexpr int64_t pieces_per_thread = 4;   // so that unequal shares cost little

typedef uint64_t words [[gnu::vector_size(chunk)]];

/// Returns a word filled with copies of one number.
template <class T>
uint64_t in_word(const char* from) {
    T x;
    std::memcpy(&x, from, sizeof x);
    uint64_t word = x;
    for (std::size_t bits = 8 * sizeof(T); bits < 64; bits *= 2) word |= word << bits;
    return word;
}

template <int... I>
void write_chunks(std::integer_sequence<int, I...>, char* to, const words& line) {
    (std::memcpy(to + I * chunk, &line, chunk), ...);
}

/// Writes `count` chunks of one number per row, rows `bytes` apart. The last chunk may reach into
/// the next row, which is written later.
template <class T, int count>
void spread_chunks(char* to, const char* from, int64_t step, int64_t rows, int64_t bytes) {
    for (int64_t r = 0; r < rows; ++r, from += step, to += bytes) {
        const uint64_t word = in_word<T>(from);
        write_chunks(std::make_integer_sequence<int, count>(), to, words{word, word});
    }
}

/// Writes `n` copies of one number for each of `rows` rows, and up to a chunk past the last one.
template <class T>
void spread_column(char* to, const char* from, int64_t step, int64_t rows, int64_t n) {
    const auto bytes = n * static_cast<int64_t>(sizeof(T));
    switch ((bytes + chunk - 1) / chunk) {
        case 1: return spread_chunks<T, 1>(to, from, step, rows, bytes);
        case 2: return spread_chunks<T, 2>(to, from, step, rows, bytes);
        case 3: return spread_chunks<T, 3>(to, from, step, rows, bytes);
        case 4: return spread_chunks<T, 4>(to, from, step, rows, bytes);
        case 5: return spread_chunks<T, 5>(to, from, step, rows, bytes);
        case 6: return spread_chunks<T, 6>(to, from, step, rows, bytes);
        case 7: return spread_chunks<T, 7>(to, from, step, rows, bytes);
        case 8: return spread_chunks<T, 8>(to, from, step, rows, bytes);
        default: break;
    }
    constexpr int many = 4;
    for (int64_t r = 0; r < rows; ++r, from += step, to += bytes) {
        const uint64_t word = in_word<T>(from);
        for (int64_t i = 0; i < bytes; i += many * chunk)
            write_chunks(std::make_integer_sequence<int, many>(),
                         to + std::min(i, bytes - many * chunk), words{word, word});
    }
}

template <class T>
void copy_row(char* to, const char* from, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), from + i * step, sizeof(T));
}

/// Copies rows of `bytes` bytes, `step` apart, to contiguous rows.
void copy_rows(char* to, const char* from, int64_t step, int64_t rows, int64_t bytes) {
    for (int64_t r = 0; r < rows; ++r, from += step, to += bytes) {
        if (bytes >= chunk) {  // the last chunk begins earlier if it would not fit
            for (int64_t i = 0; i < bytes - chunk; i += chunk) std::memcpy(to + i, from + i, chunk);
            std::memcpy(to + bytes - chunk, from + bytes - chunk, chunk);
        } else {
            for (int64_t i = 0; i < bytes; ++i) to[i] = from[i];
        }
    }
}

template <class F>
void with_item(int64_t item, F f) {
    switch (item) {
        case 1: return f(uint8_t{});
        case 2: return f(uint16_t{});
        case 4: return f(uint32_t{});
        default: return f(uint64_t{});
    }
}

/// Writes rows of `n` elements of operand `from` densely.
void spread(char* to, const operand_arg& from, int64_t item, int64_t rows, int64_t n) {
    const int64_t bytes = n * item;
    if (from.s1 == 0) {
        with_item(item, [&](auto zero) { copy_row<decltype(zero)>(to, from.ptr, from.s0, n); });
        for (int64_t done = bytes; done < rows * bytes; done *= 2)
            std::memcpy(to + done, to,
                        static_cast<std::size_t>(std::min(done, rows * bytes - done)));
    } else if (from.s0 == 0) {
        with_item(item, [&](auto zero) {
            spread_column<decltype(zero)>(to, from.ptr, from.s1, rows, n);
        });
    } else if (from.s0 == item) {
        copy_rows(to, from.ptr, from.s1, rows, bytes);
    } else {
        with_item(item, [&](auto zero) {
            for (int64_t r = 0; r < rows; ++r)
                copy_row<decltype(zero)>(to + r * bytes, from.ptr + r * from.s1, from.s0, n);
        });
    }
}

class flat_launch {
public:
    flat_launch(const space& s, int threads) : space_(s) {
        int64_t each = 0;  // bytes per element of all spread operands
        for (const launch_operand& o : s.request.operands) each += o.spread ? o.item : 0;
        for (std::size_t k = 0; k < s.request.operands.size(); ++k)
            whole_ = whole_ && (s.request.operands[k].spread || s.n1 == 1 ||
                                s.stride1(k) == s.n0 * s.stride0(k));
        const int64_t share = std::max<int64_t>(s.rows() * s.n0 / (threads * most_calls), 1);
        const int64_t wanted =
            std::min(std::max(share, fewest_elements), spread_bytes / std::max<int64_t>(each, 1));
        rows_ = std::max<int64_t>(wanted / std::max<int64_t>(s.n0, 1), 1);
        int64_t even = even_rows;
        while (even > rows_) even /= 2;
        rows_ -= rows_ % even;
        rows_ = std::min(rows_, s.n1);
        blocks_ = (s.n1 + rows_ - 1) / rows_;
        for (const launch_operand& o : s.request.operands) bytes_ += o.spread ? room(o) : 0;
    }

    int64_t units() const { return space_.outer * blocks_; }
    int64_t unit_elements() const { return rows_ * space_.n0; }

    /// Runs units [begin, end). A unit is a block of rows; units are numbered by outer index first.
    uint64_t run(int64_t begin, int64_t end) const {
        const launch_request& r = space_.request;
        const std::size_t operands = r.operands.size();
        const fp_environment environment;
        const scratch memory(bytes_);
        stack_array<operand_arg, 32> arguments(operands);
        stack_array<const char*, 32> repeated(operands);  // repeated rows that are already spread
        std::fill_n(repeated.data(), operands, nullptr);
        uint64_t raised = 0;
        kernel_ir::kernel_call call{};
        call.operands = arguments.data();
        call.scalars = r.scalars.data();
        call.status = &raised;
        call.mode = kernel_ir::call_mode::rows;
        walker w(space_, begin / blocks_);
        for (int64_t unit = begin; unit < end; ++unit) {
            if (unit == (w.outer_index() + 1) * blocks_) w.next();
            const int64_t row = (unit - w.outer_index() * blocks_) * rows_;
            const int64_t rows = std::min(rows_, space_.n1 - row);
            const operand_arg* from = w.arguments(row, 0);
            char* to = memory.get();
            for (std::size_t k = 0; k < operands; ++k) {
                arguments[k] = from[k];
                const launch_operand& o = r.operands[k];
                if (!o.spread) continue;
                const bool repeats = from[k].s1 == 0;
                if (!repeats || repeated[k] != from[k].ptr)
                    spread(to, from[k], o.item, repeats ? rows_ : rows, space_.n0);
                if (repeats) repeated[k] = from[k].ptr;
                arguments[k] = {to, space_.n0 * o.item, o.item};
                to += room(o);
            }
            call.n1 = whole_ ? 1 : rows;
            call.n0 = whole_ ? rows * space_.n0 : space_.n0;
            call_kernel(r, call);
        }
        return raised;
    }

private:
    int64_t room(const launch_operand& o) const {
        return (rows_ * space_.n0 * o.item + chunk + 63) / 64 * 64;
    }

    const space& space_;
    bool whole_ = true;  // operands that are not spread have contiguous rows
    int64_t rows_, blocks_, bytes_ = 0;
};

}  // namespace

uint64_t run_flat_rows(const space& s, int64_t grain) {
    if (s.rows() == 0 || s.n0 == 0) return 0;
    const int threads = grain > 0 ? available_threads() * static_cast<int>(pieces_per_thread) : 1;
    const flat_launch launch(s, threads);
    if (grain == 0) return launch.run(0, launch.units());
    std::atomic<uint64_t> status{0};
    parallel_for(0, launch.units(), std::max<int64_t>(grain / launch.unit_elements(), 1),
                 [&](int64_t begin, int64_t end) {
                     if (const uint64_t raised = launch.run(begin, end))
                         status.fetch_or(raised, std::memory_order_relaxed);
                 });
    return status.load(std::memory_order_relaxed);
}

}  // namespace sinter::runtime
