#include "jit/interpret/block_kernel.hpp"

#include "jit/interpret/moves.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/rows.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <string>

namespace sinter::block {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::opcode;
using kernel_ir::reduce_chunk;
using kernel_ir::reduce_lanes;
using kernel_ir::stride_class;
using kernel_ir::value_id;

namespace {

/// Bytes of the first-level cache for the slots of a block.
constexpr int64_t slots_budget = 24 << 10;
constexpr int64_t most_lanes = 2048;
/// Most columns of a reduction along rows, and the bytes for a group of its rows.
constexpr int64_t reduced_columns = 256;
constexpr int64_t group_budget = 64 << 10;

std::size_t index_of(value_id v) { return static_cast<std::size_t>(v); }

/// Returns the logical type in which a row takes its k-th operand.
ScalarType wanted_type(const instr& i, int k) {
    switch (op::rows[i.row].rule) {
        case dtype_rule::choice: return k == 0 ? kBool : i.in;
        case dtype_rule::random: return kLong;
        default: return i.in;
    }
}

value_id argument(const instr& i, int k) { return k == 0 ? i.a : k == 1 ? i.b : i.c; }

}  // namespace

block_kernel::block_kernel(const kernel_ir::kernel& k)
    : kernel_(kernel_ir::with_moves_as_integers(k)) {
    if (k.primitive) runtime::bug("block_kernel", "the kernel is at primitive level");
    for (std::size_t v = 0; v < k.body.size(); ++v)
        forms_.push_back(make_form(static_cast<value_id>(v)));
    if (k.has_reduction()) reductions_ = runtime::plan_reductions(k);
    row_array_at_.resize(k.body.size());
    make_lists();
    // What a row computes once must not follow its elements, because tiles visit a row repeatedly.
    reads_across_ = stages_.size() == 1 && after_.empty() &&
                    std::any_of(kernel_.operands.begin(), kernel_.operands.end(),
                                [](auto& o) { return o.lane == stride_class::across; });
    only_reduces_ = by_element() && stages_.size() == 1 && !stages_[0].reductions.empty() &&
                    stages_[0].idle &&
                    std::all_of(stages_[0].collectors.begin(), stages_[0].collectors.end(),
                                [](const collector& c) { return c.memory; });
    lay_out();
}

// ---- values

block_kernel::value_form block_kernel::make_form(value_id v) const {
    const instr& i = at(v);
    value_form f;
    const ScalarType in_memory = block::form_type(i.type);
    f.size = static_cast<int64_t>(block::block_size(i.type));
    f.spread = block::find_load(in_memory, in_memory);
    f.store = block::find_store(i.type, i.type);
    const bool row = i.dom == domain::row;
    // A computed value is uniform if all its operands are.
    f.uniform = f.constant = true;
    kernel_ir::for_each_value(i, [&](value_id u) {
        f.uniform = f.uniform && form(u).uniform;
        f.constant = f.constant && form(u).constant;
    });
    switch (i.op) {
        case opcode::load: {
            const kernel_ir::operand& o = kernel_.operands[index_of(i.a)];
            f.uniform = by_element() && row ? true : is_still(o);
            f.constant = false;
            f.load = block::find_load(o.type, i.type);
            f.direct_load =
                !f.uniform && o.lane == stride_class::unit && !kernel_ir::is_narrow(i.type);
            break;
        }
        case opcode::index:
            f.uniform = by_element() && row ? true : is_still(kernel_.operands[index_of(i.a)]);
            f.constant = false;
            break;
        case opcode::reduce: f.uniform = by_element(), f.constant = false; break;
        case opcode::cast: f.load = block::find_load(block::form_type(i.in), i.type); break;
        case opcode::row: form_row(f, i); break;
        default: break;
    }
    if (kernel_ir::is_narrow(i.type) && i.op != opcode::load && i.op != opcode::cast)
        f.round = block::find_store(i.type, in_memory);
    return f;
}

void block_kernel::form_row(value_form& f, const instr& i) const {
    const auto row = static_cast<op::id>(i.row);
    f.row = block::find(row, i.in, i.type);
    if (!f.row)
        runtime::bug("block_kernel", runtime::text("the row ", op::info(row).name,
                                                   " has no block function for ", toString(i.in)));
    for (int k = 0; k < op::info(row).arity; ++k) {
        const instr& from = at(argument(i, k));
        const ScalarType wanted = wanted_type(i, k);
        const bool wide = from.op == opcode::scalar && from.type == kFloat &&
                          kernel_ir::keeps_numbers_wide(i.row, i.in);
        if (from.type != wanted && !wide)
            f.convert[k] = block::find_load(block::form_type(from.type), wanted);
    }
}

// ---- lists

void block_kernel::make_lists() {
    const kernel_ir::schedule order = kernel_ir::make_schedule(kernel_);
    const auto is_constant = [this](value_id v) {
        return at(v).op != opcode::store && form(v).constant;
    };
    const auto without_constants = [&](std::vector<value_id> list) {
        for (value_id v : list)
            if (is_constant(v)) constants_.push_back(place_row_value(v));
        std::erase_if(list, is_constant);
        return list;
    };
    for (const kernel_ir::stage& s : order.stages) {
        stage_steps& steps = stages_.emplace_back();
        steps.before = place_row_values(without_constants(s.before));
        for (value_id r : s.reduces) place_row_value(r);
        place_elements(s, steps);
    }
    after_ = place_row_values(without_constants(order.after));
}

std::vector<block_kernel::step> block_kernel::place_row_values(const std::vector<value_id>& list) {
    std::vector<step> steps;
    for (value_id v : list) steps.push_back(place_row_value(v));
    return steps;
}

block_kernel::step block_kernel::place_row_value(value_id v) {
    const value_form& f = form(v);
    step s{v, f.uniform ? place::cell : place::row_array, f.round != nullptr};
    if (at(v).op == opcode::store) return s;
    for (int k = 0; k < 3; ++k) {
        s.converted[k] = 8 * k;  // no slot is in use now
        if (f.convert[k]) slot_lane_ = std::max<int64_t>(slot_lane_, 24);
    }
    if (f.uniform) return s;
    s.at = row_array_at_[index_of(v)] = row_array_lane_;
    row_array_lane_ += f.size;
    return s;
}

void block_kernel::collect(const kernel_ir::stage& s, stage_steps& steps) const {
    const kernel_ir::partial_layout layout = kernel_ir::make_partial_layout(kernel_, s);
    steps.words = layout.words;
    for (std::size_t n = 0; n < s.reduces.size(); ++n) {
        const value_id r = s.reduces[n];
        const instr& i = at(r);
        const auto row = static_cast<op::reduction>(i.row);
        const ScalarType accumulator = block::accumulator_type(row, i.in);
        const ScalarType from = block::form_type(i.in);
        const state_form states = make_state_form(row, accumulator);
        if (!states.fns)
            runtime::bug("block_kernel",
                         runtime::text("the reduction ", op::info(row).name,
                                       " has no block function for ", toString(i.in)));
        collector c{i.a, nullptr, states.state_size};
        if (from != block::form_type(accumulator) || at(i.a).dom == domain::row ||
            form(i.a).uniform)
            c.convert = block::find_load(from, accumulator);
        std::size_t which = 0;
        while (which < steps.collectors.size() &&
               (steps.collectors[which].v != c.v || steps.collectors[which].convert != c.convert))
            ++which;
        if (which == steps.collectors.size()) steps.collectors.push_back(c);
        std::size_t ordinal = 0;
        for (value_id v = 0; v < r; ++v) ordinal += at(v).op == opcode::reduce;
        steps.reductions.push_back({r, states, which, ordinal, layout.offsets[n]});
        steps.passes = std::max(steps.passes, states.fns->passes);
    }
}

namespace {

/// Slots of element values, in bytes per lane. Values of the same size reuse them.
class slot_allocator {
public:
    int64_t take(int64_t size) {
        for (slot& s : slots_)
            if (s.free && s.size == size) {
                s.free = false;
                return s.at;
            }
        slots_.push_back({width_, size, false});
        width_ += size;
        return slots_.back().at;
    }
    void give(int64_t at) {
        for (slot& s : slots_)
            if (s.at == at) s.free = true;
    }
    int64_t width() const { return width_; }

private:
    struct slot {
        int64_t at, size;
        bool free;
    };
    std::vector<slot> slots_;
    int64_t width_ = 0;
};

}  // namespace

void block_kernel::place_elements(const kernel_ir::stage& s, stage_steps& steps) {
    collect(s, steps);
    for (value_id v : s.stores) steps.stores.push_back({v});
    // Per value: the last step that reads it, and its other readers.
    std::vector<std::size_t> last(kernel_.body.size(), 0);
    std::vector<uint8_t> computed_with(last.size(), 0), stored(last.size(), 0);
    std::vector<int> collected(last.size(), -1);
    for (std::size_t n = 0; n < s.elements.size(); ++n)
        kernel_ir::for_each_value(at(s.elements[n]), [&](value_id u) {
            last[index_of(u)] = n;
            computed_with[index_of(u)] = 1;
        });
    for (value_id w : s.stores) {
        last[index_of(at(w).b)] = s.elements.size();
        stored[index_of(at(w).b)] = 1;
    }
    for (std::size_t c = 0; c < steps.collectors.size(); ++c) {
        collector& each = steps.collectors[c];
        last[index_of(each.v)] = s.elements.size();
        computed_with[index_of(each.v)] = 1;
        // A store may overwrite the operand's memory before the chunk is reduced.
        each.memory = !each.convert && form(each.v).direct_load && s.stores.empty();
        if (!each.convert && !each.memory) collected[index_of(each.v)] = static_cast<int>(c);
    }

    slot_allocator slots;
    std::vector<int64_t> slot_of(last.size(), -1);
    for (std::size_t n = 0; n < s.elements.size(); ++n) {
        const value_id v = s.elements[n];
        const value_form& f = form(v);
        step each{v, place::slot, f.round && computed_with[index_of(v)]};
        for (int k = 0; k < 3; ++k)
            if (f.convert[k])
                each.converted[k] =
                    slots.take(static_cast<int64_t>(block::block_size(wanted_type(at(v), k))));
        // A block row may write to the slot of an operand that it is the last to read.
        const auto give_operands = [&] {
            kernel_ir::for_each_value(at(v), [&](value_id u) {
                if (last[index_of(u)] == n && slot_of[index_of(u)] >= 0)
                    slots.give(slot_of[index_of(u)]);
            });
        };
        if (f.row) give_operands();
        // One of several stores may overwrite the memory that another one has yet to read.
        const bool read_late = stored[index_of(v)] && s.stores.size() > 1;
        if (f.uniform) {
            each.to = place::cell;
        } else if (collected[index_of(v)] >= 0) {
            each.to = place::collector;
            each.at = collected[index_of(v)];
        } else if (f.direct_load && !read_late) {
            each.to = place::memory;
        } else {
            each.at = slot_of[index_of(v)] = slots.take(f.size);
        }
        if (!f.row) give_operands();
        for (int k = 0; k < 3; ++k)
            if (f.convert[k]) slots.give(each.converted[k]);
        steps.elements.push_back(each);
    }
    slot_lane_ = std::max(slot_lane_, slots.width());
    choose_output(steps);
    const auto is_read = [](const step& e) { return e.to != place::memory; };
    steps.idle =
        s.stores.empty() && std::none_of(steps.elements.begin(), steps.elements.end(), is_read);
    for (const collector& c : steps.collectors) steps.idle = steps.idle && !c.convert;
}

/// Lets the last step of a stage write directly to the memory of its store.
void block_kernel::choose_output(stage_steps& steps) const {
    if (!steps.reductions.empty() || steps.elements.empty()) return;
    step& last = steps.elements.back();
    if (last.to != place::slot || form(last.v).round || kernel_ir::is_narrow(at(last.v).type))
        return;
    for (element_store& s : steps.stores) {
        const instr& store = at(s.store);
        if (store.b != last.v || kernel_.operands[index_of(store.a)].lane != stride_class::unit)
            continue;
        last.to = place::output;
        last.at = s.store;
        s.done = true;
        return;
    }
}

void block_kernel::lay_out() {
    const auto padded = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
    const bool reduces = kernel_.has_reduction();
    block_ = slots_budget / std::max<int64_t>(slot_lane_, 1) / 64 * 64;
    block_ = std::clamp<int64_t>(block_, 64, most_lanes);
    if (reduces && !by_element()) block_ = std::min(block_, reduced_columns);
    int64_t collected = 1;  // bytes per lane
    for (const stage_steps& s : stages_) {
        int64_t each = 0;
        for (const collector& c : s.collectors) each += c.memory ? 0 : c.size;
        collected = std::max(collected, each);
    }
    group_ = group_budget / (block_ * collected) / reduce_lanes * reduce_lanes;
    group_ = std::clamp(group_, reduce_lanes, 8 * reduce_lanes);

    row_arrays_ = padded(static_cast<int64_t>(kernel_.body.size()) * 8);
    spread_ = slot_lane_;
    slot_lane_ += 8;
    slots_ = row_arrays_ + row_array_lane_ * block_;
    collectors_ = slots_ + slot_lane_ * block_;
    bytes_ = collectors_;
    for (stage_steps& s : stages_) {
        int64_t at = collectors_;
        for (collector& c : s.collectors) {
            c.offset = at;
            if (!c.memory) at += padded((by_element() ? reduce_chunk : group_ * block_) * c.size);
        }
        for (stage_reduction& r : s.reductions) {
            r.lanes_offset = at;
            if (!by_element()) at += reduce_lanes * block_ * r.form.state_size;
        }
        bytes_ = std::max(bytes_, at);
    }
}

}  // namespace sinter::block
