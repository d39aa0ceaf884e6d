#include "jit/launch/launch.hpp"

#include "jit/launch/flat_rows.hpp"
#include "jit/launch/nested_range.hpp"
#include "jit/launch/shared_row.hpp"
#include "jit/launch/streaming_store.hpp"
#include "jit/launch/walk.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

namespace sinter::runtime {
namespace {

constexpr int64_t lane_block =
    64;  // rows or elements, so that threads do not share a vector or a cache line
constexpr int64_t pieces_per_thread = 4;  // so that unequal shares cost little

/// Returns the fewest elements that a thread should get: 192 KiB of traffic, well over 1 us in
/// cache, or as much computation. Using a second thread that is already awake costs about as much.
int64_t grain_elements(const space& s) {
    int64_t bytes = 0;
    for (std::size_t k = 0; k < s.request.operands.size(); ++k)
        bytes += std::min<int64_t>(std::abs(s.stride0(k)), 8);
    const int64_t of_bytes = (int64_t{192} << 10) / std::max<int64_t>(bytes, 1);
    // A reduction counts twice: additions to one accumulator form a dependency chain, and later
    // stages read the rows again.
    const int64_t cost = s.request.cost * (s.request.reduction ? 2 : 1);
    return std::min(grain_of_cost(cost), std::max(of_bytes, light_grain));
}

/// The units that threads get: blocks of `block` rows inside one outer index, each cut into
/// `pieces` ranges of `piece` elements. They are numbered outer index first, piece last.
struct division {
    int64_t block = 1, blocks = 1;
    int64_t piece = 0, pieces = 1;
    int64_t units = 0;
};

division divide(const space& s, int threads) {
    division d;
    d.block = s.request.along == kernel_ir::lanes::row ? lane_block : 1;
    d.blocks = (s.n1 + d.block - 1) / d.block;
    d.piece = s.n0;
    int64_t wanted = threads > 1 ? pieces_per_thread * threads : 1;
    if (int64_t blocks = s.outer * d.blocks; !s.request.reduction && blocks < wanted) {
        int64_t cuts = (wanted + blocks - 1) / blocks;
        d.piece = ((s.n0 + cuts - 1) / cuts + lane_block - 1) / lane_block * lane_block;
        d.pieces = (s.n0 + d.piece - 1) / d.piece;
    }
    d.units = s.outer * d.blocks * d.pieces;
    return d;
}

/// Returns true if a call should repeat its rows along the next outer dimension: every repetition
/// reads some of the same data, part of which stays in the first-level cache.
bool repeats_rows(const space& s) {
    const launch_request& r = s.request;
    if (!r.fn || !r.few || s.outer_dims == 0) return false;
    for (std::size_t k = 0; k < r.operands.size(); ++k)
        if (s.stride(k, s.outer_dims - 1) == 0 && s.stride1(k) != 0 && s.stride0(k) != 0)
            return true;
    return false;
}

/// Runs units [begin, end) with as few calls as possible.
void run_units(const space& s, const division& d, bool past_caches, int64_t begin, int64_t end,
               uint64_t* status) {
    int64_t per_outer = d.blocks * d.pieces;
    kernel_ir::kernel_call call{};
    call.scalars = s.request.scalars.data();
    call.status = status;
    call.mode = kernel_ir::call_mode::rows;
    walker w(s, begin / per_outer);
    const bool repeats = repeats_rows(s);
    while (begin < end) {
        if (begin >= (w.outer_index() + 1) * per_outer) w.next();
        if (repeats && begin % per_outer == 0 && end - begin >= per_outer) {
            call.n2 = std::min((end - begin) / per_outer, w.left());
            call.n1 = s.n1;
            call.n0 = s.n0;
            call.operands = w.arguments(0, 0);
            call_kernel(s.request, call);
            begin += call.n2 * per_outer;
            if (begin < end) w.next(call.n2);
            call.n2 = 1;
            continue;
        }
        int64_t unit = begin - w.outer_index() * per_outer;
        int64_t block = unit / d.pieces, piece = unit % d.pieces;
        int64_t left = std::min(end - begin, per_outer - unit);
        int64_t blocks = 1, pieces = 1;
        if (piece == 0 && left >= d.pieces) {
            blocks = left / d.pieces;
            pieces = d.pieces;
        } else {
            pieces = std::min(left, d.pieces - piece);
        }
        int64_t row = block * d.block, element = piece * d.piece;
        const int64_t rows = std::min(s.n1, (block + blocks) * d.block) - row;
        const int64_t elements = std::min(s.n0, (piece + pieces) * d.piece) - element;
        call.n0 = elements;
        call.n1 = rows;
        if (!past_caches) {
            call.operands = w.arguments(row, element);
            call_kernel(s.request, call);
        } else {
            call.n1 = 1;
            for (int64_t r = row; r < row + rows; ++r) {
                call.n0 = elements;
                run_past_caches(s, w, call, r, element);
            }
        }
        begin += blocks * pieces;
    }
    if (past_caches) fence_stores();
}

bool by_blocks(const launch_request& r) {
    return !r.fn && r.runner->by() == kernel_ir::call_runner::means::blocks;
}

void describe(const space& s, const char* how) {
    std::string text = s.request.fn ? "compiled" : by_blocks(s.request) ? "blocks" : "interpreted";
    text += s.request.reduction ? " reduction, space" : " map, space";
    for (int d = 0; d < s.request.rank; ++d)
        text += (d ? "x" : " ") + std::to_string(s.request.extents[d]);
    debug_print(debug_stage::launch, text + ", " + std::to_string(s.request.operands.size()) +
                                         " operands, " + std::to_string(s.request.cost) +
                                         " primitives an element, " + how);
}

}  // namespace

uint64_t call_rows(kernel_ir::kernel_fn fn, const kernel_ir::operand_arg* operands,
                   const uint64_t* scalars, int64_t rows, int64_t elements) {
    uint64_t status = 0;
    kernel_ir::kernel_call call{};
    call.operands = operands;
    call.scalars = scalars;
    call.status = &status;
    call.n1 = rows;
    call.n0 = elements;
    call.mode = kernel_ir::call_mode::rows;
    const fp_environment environment;
    fn(&call);
    return status;
}

uint64_t launch_short_row(kernel_ir::kernel_fn fn, std::span<const kernel_ir::operand_arg> operands,
                          const uint64_t* scalars, int64_t elements) {
    count().kernels_launched.add();
    if (debug_enabled(debug_stage::launch, 1))
        debug_print(debug_stage::launch, "compiled map, space " + std::to_string(elements) + ", " +
                                             std::to_string(operands.size()) +
                                             " operands, one thread");
    trace_span span("launch", "kernel");
    span.detail("elements", elements);
    return call_rows(fn, operands.data(), scalars, 1, elements);
}

void count_launch(const launch_request& request) {
    count().kernels_launched.add();
    if (!request.fn) (by_blocks(request) ? count().run_by_blocks : count().interpreted).add();
}

namespace {

constexpr std::size_t few_operands = 12;

}  // namespace

// Dividing such a request would take longer than the call.
bool is_one_call(const launch_request& r) {
    constexpr int64_t few_elements = 4096;
    if (!r.fn || r.rank > 2 || r.flat || r.runs || r.reduced > 1 || r.past_caches_from != 0 ||
        r.operands.size() > few_operands)
        return false;
    const int64_t n0 = r.rank >= 1 ? r.extents[r.rank - 1] : 1;
    const int64_t n1 = r.rank == 2 ? r.extents[0] : 1;
    return n0 > 0 && n1 > 0 && n0 <= few_elements && n1 <= few_elements &&
           n0 * n1 <= few_elements && n0 * n1 < short_row(r.cost * (r.reduction ? 2 : 1));
}

namespace {

uint64_t run_one_call(const launch_request& r) {
    count().kernels_launched.add();
    stack_array<kernel_ir::operand_arg, few_operands> operands(r.operands.size());
    for (std::size_t k = 0; k < r.operands.size(); ++k) {
        const int64_t* const strides = r.operands[k].strides;
        operands[k] = {r.operands[k].base, r.rank == 2 ? strides[0] : 0,
                       r.rank >= 1 ? strides[r.rank - 1] : 0};
    }
    return call_rows(r.fn, operands.data(), r.scalars.data(), r.rank == 2 ? r.extents[0] : 1,
                     r.rank >= 1 ? r.extents[r.rank - 1] : 1);
}

}  // namespace

uint64_t launch_part(const launch_request& part) {
    const space s(part);
    if (part.flat) return run_flat_rows(s, 0);
    const division d = divide(s, 1);
    const fp_environment environment;
    uint64_t raised = 0;
    run_units(s, d, false, 0, d.units, &raised);
    return raised;
}

uint64_t launch(const launch_request& request) {
    if (is_one_call(request) && !tracing() && !debug_enabled(debug_stage::launch, 1))
        return run_one_call(request);
    space s(request);
    // A reduction over zero elements still has a result per row.
    if (s.rows() == 0 || (s.n0 == 0 && !request.reduction)) return 0;
    count_launch(request);
    bool debug = debug_enabled(debug_stage::launch, 1);
    if (request.reduced > 1) {
        if (debug) describe(s, "its range piece by piece");
        const trace_span span("launch", "reduction");
        return launch_nested(request);
    }

    int64_t grain = grain_elements(s);
    int64_t row_cost = std::max<int64_t>(s.n0, 1);
    // Divides first: with zero strides the number of elements may exceed 64 bits.
    bool large = s.rows() / 2 >= grain || row_cost / 2 >= grain || s.rows() * row_cost >= 2 * grain;
    int threads = large ? available_threads() : 1;
    std::atomic<uint64_t> status{0};

    trace_span span("launch", request.reduction ? "reduction" : "kernel");
    if (span) {
        span.detail("rows", s.rows());
        span.detail("elements a row", s.n0);
        span.detail("operands", static_cast<int64_t>(request.operands.size()));
        span.detail("threads", threads);
    }
    if (threads > 1 && shares_rows(s, threads)) {
        if (debug) describe(s, "rows shared by threads");
        return run_shared_rows(s, grain);
    }
    if (request.flat) {
        if (debug) describe(s, "rows behind each other");
        return run_flat_rows(s, threads > 1 ? grain : 0);
    }
    const bool past_caches = goes_past_caches(s);
    division d = divide(s, threads);
    if (debug) describe(s, threads > 1 ? "divided among threads" : "one thread");
    auto run = [&](int64_t begin, int64_t end) {
        fp_environment environment;
        uint64_t raised = 0;
        run_units(s, d, past_caches, begin, end, &raised);
        if (raised) status.fetch_or(raised, std::memory_order_relaxed);
    };
    if (threads > 1) {
        int64_t unit_cost = std::max<int64_t>(d.piece, 1) * std::min(d.block, s.n1);
        parallel_for(0, d.units, (grain + unit_cost - 1) / unit_cost, run);
    } else {
        run(0, d.units);
    }
    return status.load(std::memory_order_relaxed);
}

}  // namespace sinter::runtime
