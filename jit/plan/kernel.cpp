#include "jit/plan/kernel.hpp"

#include "jit/fault.hpp"
#include "jit/graph/infer.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/rows.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "jit/plan/flat_rows.hpp"
#include "jit/plan/gpu_rows.hpp"
#include "jit/plan/layout.hpp"
#include "jit/plan/stage_values.hpp"
#include "runtime/device/gpu.hpp"
#include "runtime/nested_range.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace sinter::plan {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::none;
using kernel_ir::opcode;
using kernel_ir::value_id;

namespace {

/// A memory or index operand before loops are ordered.
struct site {
    int value;
    index_map at;
    ScalarType type;
    kernel_ir::role use;
    bool per_row;
};

template <class K, class T>
using arena_map = std::map<K, T, std::less<>, runtime::arena_allocator<std::pair<const K, T>>>;

class body_builder {
public:
    body_builder(const work& w, const cluster& c) : w_(w), c_(c) {}

    void run() {
        std::vector<const instance*> order;
        for (const instance& i : c_.instances) order.push_back(&i);
        std::stable_sort(order.begin(), order.end(),
                         [](const instance* a, const instance* b) { return a->node < b->node; });
        for (const instance* i : order) {
            emit(*i);
            if (nodes.empty() || nodes.back() != i->node) nodes.push_back(i->node);
        }
        for (const output& o : c_.outputs) {
            const ScalarType type = w_.nodes[static_cast<std::size_t>(o.value)]->dtype;
            if (isComplexType(type)) {
                for (int part : {0, 1}) store(o.value, part_of(o.at, part), toRealValueType(type));
            } else {
                store(o.value, o.at, type);
            }
        }
    }

    std::vector<instr> body;
    std::vector<site> sites;
    std::vector<scalar_binding> scalars;
    std::vector<int> nodes;
    bool guarded = false;

private:
    void store(int value, const index_map& at, ScalarType type) {
        const bool per_row = row_only(at);
        instr s;
        s.op = opcode::store;
        s.a = static_cast<value_id>(sites.size());
        s.b = made_.at(element_key(value, at, type));
        s.type = type;
        s.dom = per_row ? domain::row : domain::element;
        sites.push_back({value, at, type, kernel_ir::role::output, per_row});
        push(s);
    }

    /// Elements of one memory may be read as several dtypes.
    static key_text element_key(int value, const index_map& at, ScalarType type) {
        return read_key(value, at) + static_cast<char>(type);
    }

    /// Whether a map takes one value for each row.
    bool row_only(const index_map& m) const {
        if (!c_.has_reduction()) return false;
        for (std::size_t k = 0; k < c_.space.size(); ++k)
            if (c_.reduced[k] && c_.space[k] != 1 && m.stride(k) != 0) return false;
        return true;
    }

    value_id push(instr i) {
        i.mt = kernel_ir::compute_type(i.type);
        if (i.op != opcode::store && i.op != opcode::scalar) {
            const auto key = std::make_tuple(i.op, i.type, i.in, i.fast, i.row, i.a, i.b, i.c);
            auto [it, fresh] = known_.try_emplace(key, static_cast<value_id>(body.size()));
            if (!fresh) return it->second;
        }
        body.push_back(i);
        return static_cast<value_id>(body.size()) - 1;
    }

    domain join(std::initializer_list<value_id> values) const {
        for (value_id v : values)
            if (v != none && body[static_cast<std::size_t>(v)].dom == domain::element)
                return domain::element;
        return domain::row;
    }

    value_id cast(value_id v, ScalarType to) {
        const ScalarType from = body[static_cast<std::size_t>(v)].type;
        if (from == to) return v;
        instr i;
        i.op = opcode::cast;
        i.type = to;
        i.in = from;
        i.a = v;
        i.dom = join({v});
        return push(i);
    }

    /// Scalars are arguments and are never merged by value: a constant is not part of a kernel.
    value_id scalar(int node, int index, ScalarType type, int part = 0) {
        if (fault("merge-zeros") && index >= 0)
            for (std::size_t i = 0; i < body.size(); ++i) {
                if (body[i].op != opcode::scalar || body[i].type != type) continue;
                const scalar_binding& b = scalars[static_cast<std::size_t>(body[i].a)];
                if (b.index >= 0 && number(b.node, b.index) == number(node, index))
                    return static_cast<value_id>(i);
            }
        const auto key = std::make_tuple(node, index, type, part);
        if (auto it = scalar_values_.find(key); it != scalar_values_.end()) return it->second;
        instr i;
        i.op = opcode::scalar;
        i.type = type;
        i.a = static_cast<value_id>(scalars.size());
        i.dom = domain::row;
        scalars.push_back({node, index, kernel_ir::compute_type(type), part});
        return scalar_values_[key] = push(i);
    }

    double number(int node, int index) const {
        return w_.nodes[static_cast<std::size_t>(node)]
            ->scalars[static_cast<std::size_t>(index)]
            .toDouble();
    }

    value_id source(const Edge& e, const index_map& whole, int part = 0) {
        const int value = work::value_of(e);
        const ScalarType type = toRealValueType(e.dtype);
        const index_map at = isComplexType(e.dtype) ? part_of(whole, part) : whole;
        const key_text key = element_key(value, at, type);
        if (auto it = made_.find(key); it != made_.end()) return it->second;
        const bool per_row = row_only(at);
        instr i;
        i.op = value < 0 ? opcode::index : opcode::load;
        i.type = type;
        i.a = static_cast<value_id>(sites.size());
        i.dom = per_row ? domain::row : domain::element;
        sites.push_back({value, at, type,
                         value < 0 ? kernel_ir::role::index : kernel_ir::role::input, per_row});
        return made_[key] = push(i);
    }

    void emit(const instance& i) {
        const Node& n = *w_.nodes[static_cast<std::size_t>(i.node)];
        if (n.kind == node_kind::reduce)
            made_[element_key(i.node, i.at, n.dtype)] = emit_reduction(i, n);
        else
            emit_program(i, n);
    }

    value_id emit_reduction(const instance& i, const Node& n) {
        const value_id x = cast(source(n.sources[0], i.sources[0]), n.in);
        instr r;
        r.op = opcode::reduce;
        r.row = static_cast<uint16_t>(n.reduction);
        r.in = n.in;
        r.type = n.dtype;
        r.a = x;
        r.dom = domain::row;
        if (op::info(n.reduction).kind == op::reduction_kind::moments) {
            const mtype acc = kernel_ir::accumulator_type(r.row, n.in);
            r.b = scalar(i.node, -1, acc == mtype::f64 ? kDouble : kFloat);
        }
        return push(r);
    }

    void emit_program(const instance& i, const Node& n) {
        std::vector<value_id> value(n.code->ops.size(), none);
        for (std::size_t k = 0; k < n.code->ops.size(); ++k) {
            const typed_op& o = n.code->ops[k];
            switch (o.what) {
                case typed_op::kind::leaf:
                    value[k] = source(n.sources[o.id], i.sources[o.id], o.part);
                    break;
                case typed_op::kind::scalar: break;  // typed by its user
                case typed_op::kind::cast:
                    value[k] = cast(operand(i, n, value, o.args[0], o.in), o.out);
                    break;
                case typed_op::kind::row: value[k] = emit_row(i, n, value, o); break;
                default: throw InternalError("[kernel] a complex operation was left");
            }
        }
        const ScalarType type = toRealValueType(n.dtype);
        if (!isComplexType(n.dtype)) {
            made_[element_key(i.node, i.at, type)] = operand(i, n, value, n.code->results[0], type);
            return;
        }
        for (int part : {0, 1})
            made_[element_key(i.node, part_of(i.at, part), type)] =
                operand(i, n, value, n.code->results[part], type);
    }

    value_id operand(const instance& i, const Node& n, const std::vector<value_id>& value, int k,
                     ScalarType as) {
        const typed_op& o = n.code->ops[static_cast<std::size_t>(k)];
        if (o.what == typed_op::kind::scalar) return scalar(i.node, o.id, as, o.part);
        return cast(value[static_cast<std::size_t>(k)], as);
    }

    value_id emit_row(const instance& i, const Node& n, const std::vector<value_id>& value,
                      const typed_op& o) {
        const auto& info = op::rows[o.id];
        value_id args[3] = {none, none, none};
        for (int a = 0; a < info.arity; ++a) {
            const bool condition = info.rule == dtype_rule::choice && a == 0;
            const typed_op& from = n.code->ops[static_cast<std::size_t>(o.args[a])];
            const bool wide =
                from.what == typed_op::kind::scalar && kernel_ir::keeps_numbers_wide(o.id, o.in);
            const ScalarType as = condition ? kBool : wide ? kFloat : o.in;
            args[a] = operand(i, n, value, o.args[a], as);
        }
        instr r;
        r.op = opcode::row;
        r.row = o.id;
        r.in = o.in;
        r.type = o.out;
        r.fast = n.code->fast && isFloatingType(o.in);
        r.a = args[0];
        r.b = args[1];
        r.c = args[2];
        r.dom = join({r.a, r.b, r.c});
        if ((o.id == op::floor_divide || o.id == op::remainder || o.id == op::fmod) &&
            isIntegralType(o.in, true))
            guarded = true;
        return push(r);
    }

    using instr_key =
        std::tuple<opcode, ScalarType, ScalarType, bool, uint16_t, value_id, value_id, value_id>;

    const work& w_;
    const cluster& c_;
    arena_map<key_text, value_id> made_;
    arena_map<instr_key, value_id> known_;
    arena_map<std::tuple<int, int, ScalarType, int>, value_id> scalar_values_;
};

std::vector<layout_operand> layout_operands(const body_builder& b) {
    std::vector<layout_operand> operands;
    for (const site& s : b.sites)
        operands.push_back({s.at, s.use != kernel_ir::role::index, s.use == kernel_ir::role::output,
                            s.per_row, elementSize(s.type) == 8});
    return operands;
}

/// Whether the kernel walks a range of several dimensions itself: of long runs, in chunks that are
/// not rows side by side.
bool comes_in_runs(const loop_order& order) {
    constexpr int64_t shortest = 64;         // to be read where one operand stands still in it,
    constexpr int64_t shortest_dense = 128;  // and to be read in less time than copied
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

/// Of reductions of `length` elements over `reduced` dimensions, which do not come in runs.
kernel_ir::row_form form_of(int64_t length, bool by_row, int reduced) {
    using kernel_ir::row_form;
    if (by_row) return length <= kernel_ir::reduce_few ? row_form::few : row_form::any;
    if (reduced > 1 || length == 0 || length > kernel_ir::reduce_chunk) return row_form::any;
    return length <= 16   ? row_form::up_to_16
           : length <= 32 ? row_form::up_to_32
                          : row_form::one_chunk;
}

/// The rest of a step, once its operands are known. `keep`: values between stages of rows so long
/// are kept in outputs where one fits; 0: none.
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

std::unique_ptr<kernel_step> finish(const cluster& c, body_builder&& b, bool dense_rows = false) {
    loop_order order = order_loops(c.space, c.reduced, layout_operands(b), c.cost, dense_rows);
    auto step = std::make_unique<kernel_step>();
    step->ir.along = order.along;
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
        step->ir.operands.push_back({s.use, s.type, reads});
        step->operands.push_back({s.value, s.at.offset, std::move(order.strides[i]), spread});
        if (s.use == kernel_ir::role::output) step->outputs.push_back(static_cast<int>(i));
    }
    step->flat = order.flat;
    int64_t keep = 0;
    if (c.has_reduction()) {
        int64_t length = 1;
        for (std::size_t d = rank - reduced; d < rank; ++d) length *= order.extents[d];
        step->ir.form =
            in_runs ? kernel_ir::row_form::runs : form_of(length, by_row, order.reduced);
        // Rows that stay in registers have all of them there.
        if (order.reduced == 1 && (by_row || length > kernel_ir::reduce_lanes)) keep = length;
    }
    take_body(c, std::move(b), std::move(order), *step, keep);
    if (!step->streams)
        step->reductions =
            std::make_unique<runtime::reduction_plan>(runtime::make_reduction_plan(step->ir));
    return step;
}

/// For a GPU, whose kernels walk all dimensions of rows and of the reduced range.
std::unique_ptr<kernel_step> finish_on_gpu(const cluster& c, body_builder&& b,
                                           runtime::place_number place) {
    loop_order order = order_gpu_loops(c.space, c.reduced, layout_operands(b));
    auto step = std::make_unique<kernel_step>();
    const std::size_t lane = order.extents.size() - 1;
    for (std::size_t i = 0; i < b.sites.size(); ++i) {
        const site& s = b.sites[i];
        step->ir.operands.push_back(
            {s.use, s.type, class_of(order.strides[i][lane], order.extents[lane])});
        step->operands.push_back({s.value, s.at.offset, std::move(order.strides[i])});
        if (s.use == kernel_ir::role::output) step->outputs.push_back(static_cast<int>(i));
    }
    take_body(c, std::move(b), std::move(order), *step, 0);
    if (c.has_reduction())
        step->rows = std::make_shared<const gpu_rows>(
            choose_rows(row_space_of(*step), runtime::gpu_at(place).properties));
    return step;
}

/// An element of a value.
struct element {
    int value;
    index_map at;
};

struct element_copy {
    ScalarType type;
    element from, to;
};

/// A kernel that copies between maps of the same space: both parts of a complex value at once.
std::unique_ptr<kernel_step> copy_step(const cluster& c, std::span<const element_copy> copies) {
    static const work empty;
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

/// A dense map over the dimensions that `like` moves along, rows outside, so that the reduced ones
/// merge; dimension `inner` innermost, if not -1. What is read across it then begins an odd number
/// of cache lines apart, so that the lines of a strip share no sets of a cache.
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
            // A reduced range is copied whole even where the operand repeats itself along a part.
            if (!reduced && like.stride(k) == 0) continue;
            m.strides[k] = stride;
            stride *= c.space[k];
        }
    *numel = stride;
    return m;
}

/// Whether the launch walks the range of this kernel though some input does not see it as one.
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

void build_kernel(const work& w, const cluster& c, plan& p) {
    body_builder b(w, c);
    b.run();
    if (w.place != runtime::main_memory) {
        plan_step step;
        step.kernel = finish_on_gpu(c, std::move(b), w.place);
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
