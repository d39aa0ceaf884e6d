#include "engine/plan/kernel.hpp"

#include "engine/plan/flat_rows.hpp"
#include "engine/plan/kernel_body.hpp"
#include "engine/plan/layout.hpp"
#include "engine/plan/stage_values.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/gpu/rows.hpp"
#include "jit/launch/nested_range.hpp"
#include "runtime/device/gpu.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <span>

namespace sinter::plan {

namespace {

std::vector<layout_operand> layout_operands(const body_builder& b) {
    std::vector<layout_operand> operands;
    for (const site& s : b.sites)
        operands.push_back({s.at, s.use != kernel_ir::role::index, s.use == kernel_ir::role::output,
                            s.per_row, elementSize(s.type) == 8});
    return operands;
}

/// Returns true if the kernel itself walks a reduced range of several dimensions, in chunks with
/// long runs.
bool comes_in_runs(const loop_order& order) {
    constexpr int64_t shortest = 64;         // shortest run, if an operand is constant within it
    constexpr int64_t shortest_dense = 128;  // shortest run that is read faster than copied
    const std::size_t rank = order.extents.size();
    if (order.reduced < 2 || order.extents.back() < shortest) return false;
    int64_t length = 1;
    for (std::size_t d = rank - static_cast<std::size_t>(order.reduced); d < rank; ++d)
        length *= order.extents[d];
    const auto stands = [&](const std::vector<int64_t>& strides) {
        return strides.back() == 0 && std::any_of(strides.end() - order.reduced, strides.end(),
                                                  [](int64_t s) { return s != 0; });
    };
    return length > kernel_ir::reduce_chunk &&
           (order.extents.back() >= shortest_dense ||
            std::any_of(order.strides.begin(), order.strides.end(), stands));
}

/// Returns the form of reductions of `length` elements over `reduced` dimensions, not in runs.
kernel_ir::row_form form_of(int64_t length, bool by_row, int reduced) {
    using kernel_ir::row_form;
    if (by_row) return length <= kernel_ir::reduce_few ? row_form::few : row_form::any;
    if (reduced > 1 || length == 0 || length > kernel_ir::reduce_chunk) return row_form::any;
    return length <= 16   ? row_form::up_to_16
           : length <= 32 ? row_form::up_to_32
                          : row_form::one_chunk;
}

/// Completes a step whose operands are known. `keep`: the row length, if values may be kept in
/// outputs between stages, or 0.
void take_body(const cluster& c, body_builder&& b, loop_order&& order, kernel_step& step,
               int64_t keep) {
    for (const scalar_binding& s : b.scalars) step.ir.scalars.push_back(s.type);
    step.ir.body = std::move(b.body);
    step.reduced = order.reduced;
    step.extents = std::move(order.extents);
    step.scalars = std::move(b.scalars);
    step.nodes = std::move(b.nodes);
    step.guarded = b.guarded;
    step.streams = !c.has_reduction();
    if (keep > 0) keep_stage_values(step.ir, keep);
    kernel_ir::verify(step.ir);
    step.key = kernel_ir::serialize(step.ir);
}

kernel_step finish(const cluster& c, body_builder&& b, bool dense_rows = false) {
    loop_order order = order_loops(c.space, c.reduced, layout_operands(b), c.cost, dense_rows);
    kernel_step step;
    step.ir.along = order.along;
    const std::size_t rank = order.extents.size();
    const bool by_row = order.along == kernel_ir::lanes::row;
    const auto reduced = static_cast<std::size_t>(order.reduced);
    const std::size_t lane = by_row ? rank - reduced - 1 : rank - 1;
    const bool in_runs = !by_row && comes_in_runs(order);
    for (std::size_t i = 0; i < b.sites.size(); ++i) {
        const site& s = b.sites[i];
        const bool across = s.use == kernel_ir::role::input && !c.has_reduction() && !by_row &&
                            reads_across(order.extents, order.strides[i]);
        const bool copied = !runtime::walks_as_one(order.reduced, &order.extents[rank - reduced],
                                                   &order.strides[i][rank - reduced]);
        const bool spread = order.flat && flat_rows::is_spread(order.extents, order.strides[i]);
        kernel_ir::stride_class reads = class_of(order.strides[i][lane], order.extents[lane]);
        if (spread)
            reads = kernel_ir::stride_class::unit;
        else if (across)
            reads = kernel_ir::stride_class::across;
        else if (copied && !((by_row || in_runs) && reads == kernel_ir::stride_class::zero))
            reads = kernel_ir::stride_class::unit;
        step.ir.operands.push_back({s.use, s.type, reads});
        step.operands.push_back({s.value, s.at.offset, std::move(order.strides[i]), spread});
        if (s.use == kernel_ir::role::output) step.outputs.push_back(static_cast<int>(i));
    }
    step.flat = order.flat;
    int64_t keep = 0;
    if (c.has_reduction()) {
        int64_t length = 1;
        for (std::size_t d = rank - reduced; d < rank; ++d) length *= order.extents[d];
        step.ir.form = in_runs ? kernel_ir::row_form::runs : form_of(length, by_row, order.reduced);
        // Rows that stay in registers keep all values there.
        if (order.reduced == 1 && (by_row || length > kernel_ir::reduce_lanes)) keep = length;
    }
    take_body(c, std::move(b), std::move(order), step, keep);
    return step;
}

/// The elements of a value that a map selects.
struct element {
    int value;
    index_map at;
};

struct element_copy {
    ScalarType type;
    element from, to;
};

/// Returns a kernel that copies between maps of the same space. It copies both parts of a complex
/// value at once.
kernel_step copy_step(const cluster& c, std::span<const element_copy> copies) {
    static const subgraph empty;
    cluster plain;
    std::vector<std::size_t> used;
    for (std::size_t k = 0; k < c.space.size(); ++k) {
        const bool moves = std::any_of(copies.begin(), copies.end(), [k](const element_copy& e) {
            return e.from.at.stride(k) != 0 || e.to.at.stride(k) != 0;
        });
        if (moves) used.push_back(k);
    }
    for (std::size_t k : used) plain.space.push_back(c.space[k]);
    plain.reduced.assign(used.size(), false);
    const auto in_plain = [&used](const index_map& m) {
        index_map p{m.offset, {}};
        for (std::size_t k : used) p.strides.push_back(m.stride(k));
        return p;
    };
    body_builder b(empty, plain);
    for (const element_copy& e : copies) {
        const bool index = e.from.value < 0;
        const auto load_id = static_cast<value_id>(b.body.size());
        const auto site_id = static_cast<value_id>(b.sites.size());
        instr load, store;
        load.op = index ? opcode::index : opcode::load;
        load.type = e.type;
        load.mt = kernel_ir::compute_type(e.type);
        load.a = site_id;
        store = load;
        store.op = opcode::store;
        store.a = site_id + 1;
        store.b = load_id;
        b.body.push_back(load);
        b.body.push_back(store);
        b.sites.push_back({e.from.value, in_plain(e.from.at), e.type,
                           index ? kernel_ir::role::index : kernel_ir::role::input, false});
        b.sites.push_back({e.to.value, in_plain(e.to.at), e.type, kernel_ir::role::output, false});
    }
    return finish(plain, std::move(b));
}

/// Returns a dense map over the dimensions in which `like` varies, rows outermost, so that the
/// reduced dimensions merge. Dimension `inner`, if not -1, is innermost; the next stride is then an
/// odd number of cache lines, so that the lines of a strip fall into different cache sets.
index_map dense_map(const cluster& c, const index_map& like, int inner, ScalarType type,
                    int64_t* numel) {
    index_map m;
    m.strides.assign(c.space.size(), 0);
    int64_t stride = 1;
    if (inner >= 0) {
        m.strides[static_cast<std::size_t>(inner)] = 1;
        const auto line = 64 / static_cast<int64_t>(elementSize(type));
        stride = ((c.space[static_cast<std::size_t>(inner)] + line - 1) / line | 1) * line;
    }
    for (bool reduced : {true, false})
        for (std::size_t k = c.space.size(); k-- > 0;) {
            if (c.reduced[k] != reduced || static_cast<int>(k) == inner) continue;
            // A reduced range is copied whole even if the operand repeats along some dimension.
            if (!reduced && like.stride(k) == 0) continue;
            m.strides[k] = stride;
            stride *= c.space[k];
        }
    *numel = stride;
    return m;
}

/// Returns true if the launch walks the reduced dimensions of this kernel, because they do not
/// merge for some input.
bool nests(const cluster& c, const body_builder& b) {
    bool needed = false;
    for (const site& s : b.sites) {
        if (s.per_row) continue;
        const bool one = reduced_ranges_merge(c.space, c.reduced, s.at);
        if (s.use == kernel_ir::role::output || (!one && s.use == kernel_ir::role::index) ||
            !may_nest(c.space, c.reduced, s.at))
            return false;
        needed = needed || !one;
    }
    return needed;
}

}  // namespace

kernel_step finish_on_gpu(const cluster& c, body_builder&& b, const runtime::gpu& g) {
    loop_order order = order_gpu_loops(c.space, c.reduced, layout_operands(b));
    kernel_step step;
    const std::size_t lane = order.extents.size() - 1;
    for (std::size_t i = 0; i < b.sites.size(); ++i) {
        const site& s = b.sites[i];
        step.ir.operands.push_back(
            {s.use, s.type, class_of(order.strides[i][lane], order.extents[lane])});
        step.operands.push_back({s.value, s.at.offset, std::move(order.strides[i])});
        if (s.use == kernel_ir::role::output) step.outputs.push_back(static_cast<int>(i));
    }
    take_body(c, std::move(b), std::move(order), step, 0);
    if (c.has_reduction()) {
        std::vector<const int64_t*> strides;
        for (const operand_binding& o : step.operands) strides.push_back(o.strides.data());
        step.rows = runtime::choose_rows(runtime::row_space_of(step, strides), g.properties);
    }
    return step;
}

void build_kernel(const subgraph& w, const cluster& c, plan& p) {
    body_builder b(w, c);
    b.run();
    if (w.device != runtime::main_memory) {
        plan_step step;
        step.kernel = finish_on_gpu(c, std::move(b), w.gpu());
        p.steps.push_back(std::move(step));
        return;
    }
    std::vector<element_copy> after;
    const bool nested = nests(c, b);
    const int lane_rows = nested ? -1 : find_lane_rows(c.space, c.reduced, layout_operands(b));
    for (site& s : b.sites) {
        const int64_t step = lane_rows < 0 ? 0 : s.at.stride(static_cast<std::size_t>(lane_rows));
        const bool across = s.use == kernel_ir::role::input && step != 0 && step != 1;
        if (s.per_row || nested || (!across && reduced_ranges_merge(c.space, c.reduced, s.at)))
            continue;
        const int fresh = p.values + static_cast<int>(p.temporaries.size());
        temporary t{s.type, 0};
        const index_map dense = dense_map(c, s.at, across ? lane_rows : -1, s.type, &t.numel);
        p.temporaries.push_back(t);
        const element own{s.value, s.at}, copied{fresh, dense};
        if (s.use != kernel_ir::role::output) {
            const element_copy before[] = {{s.type, own, copied}};
            plan_step copy;
            copy.kernel = copy_step(c, before);
            p.steps.push_back(std::move(copy));
        } else {
            after.push_back({s.type, copied, own});
        }
        if (s.use == kernel_ir::role::index) {  // now a value in memory
            for (instr& i : b.body)
                if (i.op == opcode::index && &b.sites[static_cast<std::size_t>(i.a)] == &s)
                    i.op = opcode::load;
            s.use = kernel_ir::role::input;
        }
        s.value = fresh;
        s.at = dense;
    }
    plan_step step;
    step.kernel = finish(c, std::move(b), lane_rows >= 0);
    p.steps.push_back(std::move(step));
    for (std::size_t i = 0; i < after.size();) {
        std::size_t end = i + 1;
        while (end < after.size() && after[end].to.value == after[i].to.value) ++end;
        plan_step copy;
        copy.kernel = copy_step(c, std::span(after).subspan(i, end - i));
        p.steps.push_back(std::move(copy));
        i = end;
    }
}

}  // namespace sinter::plan
