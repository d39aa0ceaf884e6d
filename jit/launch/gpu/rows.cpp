#include "jit/launch/gpu/rows.hpp"

#include "jit/codegen/c_like/kept.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/rows/cost.hpp"
#include "jit/kernel_ir/rows/rows.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <sinter/op/op.hpp>

#include <algorithm>
#include <bit>

namespace sinter::runtime {

using codegen::row_form;
using kernel_ir::chunk_count;
using kernel_ir::opcode;
using kernel_ir::reduce_lanes;
using kernel_ir::stride_class;

namespace {

constexpr int64_t block_threads = 256;
static_assert(block_threads <= codegen::merge_threads);
constexpr int64_t most_text = 512;                  // most primitives of an unrolled loop
constexpr int64_t most_threads = int64_t{1} << 31;  // per launch

int64_t up_to_power(int64_t n) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}
int64_t down_to_power(int64_t n) {
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

/// Returns the chunk states that a block has room for, each of so many words.
int64_t chunk_states(int64_t words) {
    constexpr int64_t room = 16 << 10;
    return down_to_power(std::min<int64_t>(64, room / (8 * std::max<int64_t>(1, words))));
}

struct chooser {
    const row_space& s;
    const device_properties& device;
    const int64_t chunks = chunk_count(s.length);
    row_form form{.slots = 1};
    int64_t span = 64;

    void lanes(int64_t n) { form.lanes = static_cast<uint8_t>(n); }
    void teams(int64_t n) { form.teams = static_cast<uint8_t>(n); }
    void rows(int64_t n) { form.rows = static_cast<uint8_t>(n); }
    void slots(int64_t n) { form.slots = static_cast<uint8_t>(n); }
    int64_t members() const { return reduce_lanes / form.lanes; }
    /// Returns the number of threads that fills the device.
    int64_t enough() const {
        return int64_t{device.multiprocessors} * device.threads_per_multiprocessor;
    }
    /// Returns the number of blocks that fills the device.
    int64_t blocks() const { return 4 * int64_t{device.multiprocessors}; }
    int64_t pack() const { return s.largest == 0 ? 1 : 16 / s.largest; }

    /// Chooses the loads that a thread has in flight, limited by the unrolled code size. Few
    /// threads need more loads each.
    void choose_steps() {
        const int64_t working =
            std::max<int64_t>(1, s.rows * std::max<int64_t>(1, chunks) * members());
        const int64_t flight = std::clamp<int64_t>(32 * enough() / working, 64, 256);
        const int64_t bytes = std::max<int64_t>(1, s.loaded * form.lanes);
        int64_t steps = std::min<int64_t>(flight / bytes, 32);
        steps = std::min(steps, most_text / std::max<int64_t>(1, s.cost * form.lanes));
        steps = std::min<int64_t>(steps, (form.across ? 32 : 64) / form.lanes);
        steps = std::min(steps, std::min(s.length, kernel_ir::reduce_chunk) / reduce_lanes);
        form.steps = static_cast<uint8_t>(down_to_power(steps));
    }

    /// Returns the lanes per thread if elements are read one by one. Short rows get more lanes per
    /// thread, so that no thread is idle.
    int64_t single_lanes() const { return s.length <= 16 ? 8 : s.length <= 128 ? 4 : 1; }

    /// Chooses the rows per block: enough to fill a block, few enough that every multiprocessor
    /// gets some, but at least a warp's worth.
    void fill_block(int64_t most) {
        most = std::min(most, up_to_power(s.rows / device.multiprocessors));
        const int64_t wave = std::max<int64_t>(1, reduce_lanes / (members() * form.teams));
        const int64_t fit = std::max(wave, block_threads / (members() * form.teams));
        rows(std::clamp(std::min(up_to_power(s.rows), most), wave, fit));
    }

    void choose() {
        if (s.across && s.rows >= 4)
            choose_across();
        else if (s.passes > 1 && s.largest > 0 && choose_room())
            choose_kept();
        else if (chunks <= 1)
            choose_short();
        else {
            choose_long();
            if (!form.parts && s.repeated > 0 && s.kept == 0) choose_partly_kept();
        }
        if (!form.across) form.stored = static_cast<uint8_t>(s.stored);
        choose_steps();
    }

    /// Bytes per operand; every operand has at least one byte per element.
    static constexpr int64_t rounding = 64;
    int64_t states() const { return 8 * 64 * s.words; }
    bool keeps(int64_t rows, int64_t room) const {
        return rows * (s.length + rounding) * (form.kept == 2 ? s.kept : s.dense) + states() <=
               room;
    }

    int64_t slots_for(int64_t rows) const {
        return chunk_states(std::max<int64_t>(1, s.words) * rows);
    }

    /// Adjacent threads have adjacent rows; threads further apart share the lanes of a chunk.
    void choose_across() {
        form.across = true;
        form.packed = s.pairs && s.packs;
        // Blocks of pairs of narrow numbers are as wide as a line of memory, too.
        const bool wide = s.pairs && s.rows * std::max<int64_t>(1, chunks) >= 64 * blocks();
        lanes(s.length <= 4 || wide ? 8 : 4);
        teams(1);
        const int64_t wave = std::max<int64_t>(4, reduce_lanes / members());
        rows(std::clamp<int64_t>(up_to_power(s.rows), wave, wide ? 64 : 32));
        // Memory is fetched in units of 8 floats.
        while (form.rows > 8 && chunks <= 1 && s.rows < form.rows * device.multiprocessors)
            rows(form.rows / 2);
        if (chunks <= 1) return;
        const int64_t groups = (s.rows + form.rows - 1) / form.rows;
        const int64_t most = std::min<int64_t>(8, slots_for(form.rows));
        form.parts = chunks > most || groups * 2 < device.multiprocessors;
        if (form.parts)
            span = std::clamp<int64_t>(down_to_power(groups * chunks / blocks()), 1, most);
        if (!form.parts || span > 1) slots(most);
    }

    /// Chooses what of a row is kept, the most that fits; returns false if nothing does.
    bool choose_room() {
        for (form.kept = s.kept > 0 ? 2 : 1; form.kept > 0; form.kept--)
            if (keeps(1, device.most_shared)) return true;
        return false;
    }

    /// Several passes over rows that fit in shared memory.
    void choose_kept() {
        form.packed = s.fetches;
        if (s.length > 1024) {
            // One warp folds a chunk while others wait, so there are no others if enough rows fit a
            // multiprocessor to give it 16 warps: with 12 or 13, an H200 waited for memory half of
            // the time. AMD's warps may have 64 threads.
            const bool many = device.architecture.starts_with("sm_") && s.rows >= 2 * blocks() &&
                              keeps(std::max<int64_t>(2, 16 / chunks), device.most_shared);
            teams(many ? up_to_power(chunks) : chunks == 1 ? 4 : chunks <= 4 ? 8 : 16);
            slots(form.teams == 1 ? 1 : std::max<int64_t>(2, up_to_power(chunks)));
            return;
        }
        lanes(single_lanes());
        teams(1);
        int64_t most = 1;
        // Several blocks per multiprocessor.
        while (most < block_threads && keeps(2 * most, device.shared_memory)) most *= 2;
        fill_block(most);
    }

    /// Several passes over rows that do not fit: the chunks that do are kept, if they are a quarter
    /// (a guess). A multiprocessor then has one block, in which some teams wait for memory while
    /// others compute what is kept. On an H200 that takes 0.69 (f16) to 0.80 (f32) of the time for
    /// a layer norm of 131072 elements, but 1.14 and 0.99 for a softmax, whose passes compute the
    /// same exponentials again and are bound by instructions.
    void choose_partly_kept() {
        const int64_t room = device.most_shared - states() - rounding * s.repeated;
        const int64_t fit = room / (kernel_ir::reduce_chunk * s.repeated);
        if (4 * fit < chunks) return;
        form.kept = 3;
        form.packed = s.fetches;
        lanes(1);
        teams(std::min<int64_t>(32, up_to_power(chunks)));
        span = fit;
    }

    /// Rows of at most one chunk: one team per row.
    void choose_short() {
        teams(1);
        lanes(single_lanes());
        const bool many = s.rows * s.length >= enough() * pack() || s.length <= 256;
        if (s.packs && pack() > 1 && many) {
            form.packed = true;
            lanes(pack());
        }
        fill_block(block_threads);
    }

    /// Rows of several chunks: the teams of one block share them, or several blocks do.
    void choose_long() {
        const int64_t all = s.rows * chunks;
        if (s.packs && pack() > 1 && all * (reduce_lanes / pack()) * 4 >= enough()) {
            form.packed = true;
            lanes(pack());
        }
        const int64_t fewest = std::max<int64_t>(1, reduce_lanes / members());
        const int64_t most = block_threads / members();
        const int64_t most_chunks = std::max<int64_t>(2, slots_for(1));
        form.parts = chunks > most_chunks || (chunks > 8 && s.rows < blocks());
        if (form.parts) {
            span = std::clamp<int64_t>(down_to_power(all / blocks()), 1, most_chunks);
            teams(std::clamp(span, fewest, most));
            slots(std::max<int64_t>(2, span));
            return;
        }
        teams(std::clamp(up_to_power(chunks), fewest, most));
        slots(up_to_power(chunks));
    }
};

/// Finds the pack sizes that divide all rows of dense operands.
void find_packs(const launched_kernel& k, operand_strides strides, const std::vector<bool>& read,
                row_space& s) {
    const std::size_t outer = k.extents.size() - static_cast<std::size_t>(k.reduced);
    const auto size_of = [&](std::size_t o) {
        return static_cast<int64_t>(elementSize(k.ir.operands[o].type));
    };
    const auto stored = [&](std::size_t o) {
        return k.ir.operands[o].use == kernel_ir::role::output &&
               strides[o][k.extents.size() - 1] == 1;
    };
    bool stores = false, whole = k.reduced == 1;
    const int64_t pack = 16 / std::max(s.largest, 1);
    int64_t largest = std::max(s.largest, 1);
    for (std::size_t o = 0; o < read.size(); ++o) {
        if (!stored(o)) continue;
        stores = true;
        largest = std::max(largest, size_of(o));
    }
    for (std::size_t o = 0; o < read.size(); ++o) {
        const bool dense = read[o] && k.ir.operands[o].lane == stride_class::unit;
        if (!dense && !stored(o)) continue;
        const auto made_of = [&](int64_t n) {
            if (dense) {
                s.packs = s.packs && n % pack == 0;
                s.fetches = s.fetches && n % (16 / size_of(o)) == 0;
            }
            whole = whole && n % (16 / largest) == 0;
        };
        made_of(s.length);
        for (std::size_t d = 0; d < outer; ++d) made_of(strides[o][d]);
    }
    if (stores && whole) s.stored = static_cast<int>(16 / largest);
}

/// Finds the bytes per element that a block may keep.
void find_kept_bytes(const kernel_ir::kernel& rows, row_space& s) {
    const kernel_ir::kernel k = kernel_ir::decompose(rows);
    const codegen::kept_rows kept = codegen::find_kept(k, make_schedule(k));
    const auto size = [&](std::size_t o) {
        return static_cast<int64_t>(elementSize(k.operands[o].type));
    };
    for (const std::size_t o : kept.operands) s.repeated += size(o);
    if (kept.value != kernel_ir::none)
        s.kept = s.dense + codegen::kept_size(k, kept, kept.replaced) - size(kept.replaced);
}

/// Returns true if threads can load elements of two adjacent rows at once. It serves narrow ones:
/// of 32 of them a warp would fetch too few bytes at once. The pass must depend on nothing that
/// only the thread of a row knows.
bool finds_pairs(const launched_kernel& k, const kernel_ir::schedule& order,
                 operand_strides strides, const std::vector<bool>& read) {
    const std::size_t outer = k.extents.size() - static_cast<std::size_t>(k.reduced);
    if (outer == 0 || k.reduced != 1 || k.extents[outer - 1] % 2 != 0 || order.stages.size() != 1)
        return false;
    const kernel_ir::stage& only = order.stages.front();
    const auto at = [&](kernel_ir::value_id v) -> const kernel_ir::instr& {
        return k.ir.body[static_cast<std::size_t>(v)];
    };
    const auto of_row = [&](kernel_ir::value_id v) {
        return at(v).op == opcode::load || at(v).op == opcode::index;
    };
    if (!only.stores.empty() || std::any_of(only.before.begin(), only.before.end(), of_row) ||
        std::any_of(only.elements.begin(), only.elements.end(),
                    [&](kernel_ir::value_id v) { return at(v).op == opcode::index; }) ||
        std::any_of(only.reduces.begin(), only.reduces.end(), [&](kernel_ir::value_id v) {
            return op::reductions[at(v).row].kind == op::reduction_kind::moments;
        }))
        return false;
    bool narrow = false;
    for (std::size_t o = 0; o < read.size(); ++o) {
        if (!read[o]) continue;
        const std::size_t size = elementSize(k.ir.operands[o].type);
        if (size > 4 || strides[o][outer - 1] != 1 || k.ir.operands[o].lane != stride_class::other)
            return false;
        for (std::size_t d = 0; d < k.extents.size(); ++d)
            if (d != outer - 1 && strides[o][d] % 2 != 0) return false;
        narrow = narrow || size <= 2;
    }
    return narrow;
}

}  // namespace

row_space row_space_of(const launched_kernel& k, operand_strides strides) {
    row_space s;
    const std::size_t outer = k.extents.size() - static_cast<std::size_t>(k.reduced);
    s.length = 1;
    for (std::size_t d = 0; d < k.extents.size(); ++d)
        (d < outer ? s.rows : s.length) *= k.extents[d];
    s.loaded = s.dense = s.repeated = s.kept = s.largest = s.passes = 0;
    s.cost = kernel_ir::element_cost(k.ir);
    const kernel_ir::schedule order = make_schedule(k.ir);
    s.words = 0;
    std::vector<bool> read(strides.size(), false);
    for (const kernel_ir::stage& stage : order.stages) {
        int of_stage = 0;
        for (kernel_ir::value_id v : stage.elements) {
            const kernel_ir::instr& i = k.ir.body[static_cast<std::size_t>(v)];
            if (i.op != opcode::load) continue;
            read[static_cast<std::size_t>(i.a)] = true;
            of_stage = 1;
        }
        for (kernel_ir::value_id v : stage.reduces) {
            const kernel_ir::instr& i = k.ir.body[static_cast<std::size_t>(v)];
            s.words += state_words(i);
            if (op::reductions[i.row].kind == op::reduction_kind::moments && of_stage == 1)
                of_stage = 2;
        }
        s.passes += of_stage;
    }
    s.packs = s.fetches = k.reduced == 1;
    for (std::size_t o = 0; o < read.size(); ++o) {
        const kernel_ir::operand& operand = k.ir.operands[o];
        if (!read[o]) continue;
        const int64_t* of = strides[o];
        const int64_t innermost = of[k.extents.size() - 1];
        const auto size = static_cast<int64_t>(elementSize(operand.type));
        if (innermost != 0) s.loaded += size;
        if (outer > 0 && of[outer - 1] == 1 && innermost != 1 && innermost != 0) s.across = true;
        if (operand.lane != stride_class::unit || k.reduced != 1) continue;
        s.dense += size;
        s.largest = std::max(s.largest, static_cast<int>(size));
    }
    if (s.passes > 1 && s.dense > 0) find_kept_bytes(k.ir, s);
    s.pairs = s.across && finds_pairs(k, order, strides, read);
    find_packs(k, strides, read, s);
    return s;
}

gpu_rows rows_of_any_length(const kernel_ir::kernel& k) {
    int64_t words = 0;
    for (const kernel_ir::instr& i : k.body)
        if (i.op == opcode::reduce) words += state_words(i);
    gpu_rows r;
    r.span = chunk_states(words);
    r.form = {.lanes = 1, .teams = block_threads / reduce_lanes, .parts = true};
    r.form.slots = static_cast<uint8_t>(std::max<int64_t>(2, r.span));
    r.unaligned = r.form;
    return r;
}

gpu_rows choose_rows(const row_space& s, const device_properties& device) {
    chooser aligned{s, device};
    aligned.choose();
    row_space apart = s;
    apart.packs = apart.fetches = false;
    apart.stored = 1;
    chooser unaligned{apart, device};
    unaligned.choose();
    gpu_rows r;
    r.form = aligned.form;
    r.unaligned = unaligned.form;
    r.span = std::min(aligned.span, unaligned.span);
    if (r.form.across) r.together = std::min<int64_t>(32, up_to_power(s.rows));
    return r;
}

int64_t part_count(int64_t length, int64_t span) { return (chunk_count(length) + span - 1) / span; }

row_grid grid_of_rows(int64_t rows, int64_t length, const row_form& form, int64_t span) {
    const int64_t groups = (rows + form.rows - 1) / form.rows;
    const int64_t units = form.parts ? groups * part_count(length, span) : groups;
    return {static_cast<unsigned>(std::clamp<int64_t>(units, 1, most_threads / form.threads())),
            form.threads()};
}

row_grid grid_of_merge(int64_t rows, int64_t length, const gpu_rows& how) {
    const int64_t blocks = (rows + how.together - 1) / how.together;
    const int64_t threads = how.form.across
                                ? block_threads
                                : std::clamp(up_to_power(part_count(length, how.span) / 2),
                                             reduce_lanes, block_threads);
    return {static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, most_threads / threads)),
            static_cast<unsigned>(threads)};
}

unsigned kept_bytes(int64_t length, const row_form& form, int64_t span, int64_t of_element,
                    int64_t operands) {
    if (operands == 0) return 0;
    if (form.kept == 3) length = std::min(length, span * kernel_ir::reduce_chunk);
    // The kernel source rounds in the same way.
    const int64_t members = reduce_lanes / form.lanes, most = members < 32 ? 8 * members : 16;
    return static_cast<unsigned>(form.rows * (length * of_element + most * operands));
}

}  // namespace sinter::runtime
