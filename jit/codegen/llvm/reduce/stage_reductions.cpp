#include "jit/codegen/llvm/reduce/stage_reductions.hpp"

#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>

namespace sinter::codegen {

using llvm::Value;
using op::reduction_kind;

namespace {

/// Lanes, each a vector of rows, if the order is free: they stay in registers.
constexpr int64_t free_lanes = 4;

/// Returns true if the order of elements cannot change a bit: for choices, and for integers, which
/// wrap.
bool in_any_order(const instr& reduce) {
    using enum op::reduction;
    const auto row = static_cast<op::reduction>(reduce.row);
    if (row == sum || row == prod)
        return !is_float(kernel_ir::accumulator_type(reduce.row, reduce.in));
    return row == amax || row == amin || row == any || row == all || row == argmax || row == argmin;
}

}  // namespace

stage_reductions::stage_reductions(function_emitter& emitter, int number, int64_t most)
    : f(emitter), stage(f.context.order.stages[static_cast<std::size_t>(number)]) {
    // If lanes run along elements, they are the lanes of the order. If they run along rows, each
    // lane of the order is a vector.
    const bool along = f.context.along_elements();
    any_order = std::all_of(stage.reduces.begin(), stage.reduces.end(),
                            [&](value_id id) { return in_any_order(f.context.at(id)); });
    const int64_t lanes = any_order && !along ? free_lanes : f.context.reduce_lanes();
    vectors = along ? lanes / f.lanes.width() : lanes;
    if (most > 0) vectors = most;  // the other lanes fold to the identity
    for (value_id id : stage.reduces) all.emplace_back(f, id, all.size());
    for (reduction& r : all) {
        const auto first = std::find_if(
            all.data(), &r, [&](const reduction& other) { return other.has_lanes_of(r); });
        same_.push_back(first->number);  // its own if there is none before it
    }
}

stage_reductions& stage_reductions::reserve(int64_t most_states, int64_t most_blocks) {
    blocks.most = most_blocks;
    for (reduction& r : all) {
        r.lanes = frame_array(f, blocks, r.lane_types, f.lanes.width(), vectors);
        if (most_states > 0)
            r.states = frame_array(f, blocks, r.state_types, state_width(f), most_states);
    }
    return *this;
}

void stage_reductions::each_block(const std::function<void()>& body) {
    if (blocks.most == 1) return body();
    f.lanes.each(f.number(0), blocks.count, 1, [&](Value* block) {
        blocks.current = block;
        body();
        blocks.current = nullptr;
    });
}

std::vector<sweep> stage_reductions::make_sweeps(bool stores) const {
    const bool moments = std::any_of(
        all.begin(), all.end(), [](const reduction& r) { return r.is(reduction_kind::moments); });
    // Stores come last, since an output may share memory with an input.
    std::vector<sweep> sweeps{make_sweep(false, stores && !moments)};
    if (moments) sweeps.push_back(make_sweep(true, stores));
    return sweeps;
}

sweep stage_reductions::make_sweep(bool deviations, bool stores) const {
    sweep s{{}, {}, deviations};
    std::vector<value_id> roots;
    for (const reduction& r : all) {
        if (deviations ? !r.is(reduction_kind::moments) : same_[r.number] != r.number) continue;
        s.reductions.push_back(&r);
        roots.push_back(f.context.at(r.id).a);
    }
    if (stores)
        for (value_id id : stage.stores) roots.push_back(f.context.at(id).b);
    s.elements = f.context.needed(stage.elements, roots);
    if (stores) s.elements.insert(s.elements.end(), stage.stores.begin(), stage.stores.end());
    return s;
}

std::vector<pass_part> stage_reductions::split(const sweep& s) const {
    std::vector<value_id> ids, stores, roots;
    for (const reduction* r : s.reductions) roots.push_back(f.context.at(r->id).a);
    for (value_id id : s.elements) {
        const instr& i = f.context.at(id);
        const bool is_store = i.op == kernel_ir::opcode::store;
        (is_store ? stores : ids).push_back(id);
        if (is_store) roots.push_back(i.b);
    }
    std::vector<pass_part> parts = f.split(std::move(ids), roots);
    parts.back().ids.insert(parts.back().ids.end(), stores.begin(), stores.end());
    return parts;
}

folds stage_reductions::make_states(const std::vector<sweep>& sweeps, Value* count,
                                    const std::function<folds(const sweep&)>& fold) {
    folds states = for_all(sweeps[0], fold(sweeps[0]));
    if (sweeps.size() == 1) return states;
    for (reduction& r : all) {
        if (!r.is(reduction_kind::moments)) continue;
        r.means.clear();
        for (values& state : states[r.number]) {
            state = {r.mean(state[0], count)};
            r.means.push_back(state[0]);
        }
    }
    const folds squares = fold(sweeps[1]);
    for (std::size_t n = 0; n < squares.size(); ++n) {
        std::vector<values>& rows = states[sweeps[1].reductions[n]->number];
        for (std::size_t row = 0; row < rows.size(); ++row) rows[row].push_back(squares[n][row][0]);
    }
    return states;
}

folds stage_reductions::for_all(const sweep& first, const folds& found) const {
    folds expanded;
    for (std::size_t same : same_)
        for (std::size_t n = 0; n < found.size(); ++n)
            if (first.reductions[n]->number == same) expanded.push_back(found[n]);
    return expanded;
}

values stage_reductions::fresh(const sweep& s, std::size_t count) const {
    values start;
    for (const reduction* r : s.reductions)
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (std::size_t v = 0; v < count; ++v)
                start.push_back(r->identity(p, f.number(static_cast<int64_t>(v) % vectors)));
    return start;
}

values stage_reductions::round(const sweep& s, std::vector<lane_point>& points,
                               const values& old) const {
    f.emit_elements(s.elements, points);
    values now = old;
    auto first = now.begin();  // of a reduction
    for (const reduction* r : s.reductions) {
        const std::size_t parts = r->lane_types.size(), count = points.size();
        for (std::size_t v = 0; v < count; ++v) {
            values lane;
            for (std::size_t p = 0; p < parts; ++p) lane.push_back(first[p * count + v]);
            const values next = r->step(lane, points[v], s.deviations);
            // Lanes of inactive rows may hold anything.
            const bool masked = points[v].active && f.context.along_elements();
            for (std::size_t p = 0; p < parts; ++p)
                first[p * count + v] =
                    masked ? f.b.CreateSelect(f.lanes.mask(points[v]), next[p], lane[p]) : next[p];
        }
        first += parts * count;
    }
    return now;
}

void stage_reductions::store(const sweep& s, const values& lanes) const {
    auto next = lanes.begin();
    for (const reduction* r : s.reductions)
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (int64_t v = 0; v < vectors; ++v) r->lanes.slot(p, f.number(v)).set(*next++);
}

folds stage_reductions::fold(const sweep& s, const values& lanes, std::size_t rows,
                             Value* begin) const {
    folds states;
    auto next = lanes.begin();
    for (const reduction* r : s.reductions) {
        std::vector<values> all_rows(rows * static_cast<std::size_t>(vectors));
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (values& vector : all_rows) vector.push_back(*next++);
        states.emplace_back();
        for (auto row = all_rows.begin(); row != all_rows.end(); row += vectors)
            states.back().push_back(r->state_of(r->fold({row, row + vectors}), begin));
    }
    return states;
}

chunk_range range_of(function_emitter& f, Value* chunk) {
    Value* begin = f.b.CreateMul(chunk, f.number(kernel_ir::reduce_chunk));
    Value* count = f.lanes.at_most(f.b.CreateSub(f.n0, begin), kernel_ir::reduce_chunk);
    return {begin, count, f.b.CreateAdd(begin, count)};
}

}  // namespace sinter::codegen
