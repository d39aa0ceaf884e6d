// Builds the body of a kernel: the operations and operands of a cluster, before loops are ordered.
#pragma once

#include "engine/graph/infer.hpp"
#include "engine/plan/in_place.hpp"
#include "engine/plan/plan.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/rows/rows.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fault.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace sinter::plan {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::none;
using kernel_ir::opcode;
using kernel_ir::value_id;

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
    body_builder(const subgraph& w, const cluster& c) : w_(w), c_(c) {}

    void run() {
        std::vector<const instance*> order;
        for (const instance& i : c_.instances) order.push_back(&i);
        std::stable_sort(order.begin(), order.end(),
                         [](const instance* a, const instance* b) { return a->node < b->node; });
        for (const instance* i : order) {
            emit(*i);
            if (nodes.empty() || nodes.back() != i->node) nodes.push_back(i->node);
        }
        for (const output& o : c_.outputs) store(o);
    }

    /// Emits operations [first, last) of a node's program. `value`: the result of each operation;
    /// holds the operands computed before `first`, and receives the new results.
    void emit_operations(const instance& i, const Node& n, std::size_t first, std::size_t last,
                         std::vector<value_id>& value) {
        for (std::size_t k = first; k < last; ++k) {
            const typed_op& o = n.code->ops[k];
            switch (o.what) {
                case typed_op::kind::leaf: value[k] = read_leaf(i, n, o); break;
                case typed_op::kind::scalar: break;  // typed by its user
                case typed_op::kind::cast:
                    value[k] = cast(operand(i, n, value, o.args[0], o.in), o.out);
                    break;
                case typed_op::kind::row: value[k] = emit_row(i, n, value, o); break;
                default: runtime::bug("kernel", "a complex operation is left");
            }
        }
    }

    value_id read_leaf(const instance& i, const Node& n, const typed_op& o) {
        return source(n.sources[o.id], i.sources[o.id], o.part);
    }

    /// Records the results of a node's program as the value of the node.
    void finish_program(const instance& i, const Node& n, const std::vector<value_id>& value) {
        const ScalarType type = toRealValueType(n.dtype);
        if (!isComplexType(n.dtype)) {
            made_[element_key(i.node, i.at, type)] = operand(i, n, value, n.code->results[0], type);
            return;
        }
        for (int part : {0, 1})
            made_[element_key(i.node, part_of(i.at, part), type)] =
                operand(i, n, value, n.code->results[part], type);
    }

    void store(const output& o) {
        const ScalarType type = w_.nodes[static_cast<std::size_t>(o.value)]->dtype;
        if (!isComplexType(type)) return store(o.value, o.at, type);
        for (int part : {0, 1}) store(o.value, part_of(o.at, part), toRealValueType(type));
    }

    /// Returns the elements of a value, as real dtype `type`. If `value` is -1, returns the index.
    value_id load(int value, const index_map& at, ScalarType type) {
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

    /// Stores `made` as these elements of a value.
    void store_made(value_id made, int value, const index_map& at, ScalarType type) {
        made_[element_key(value, at, type)] = made;
        store(value, at, type);
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

    // The key has the dtype because the same memory may be read as several dtypes.
    static key_text element_key(int value, const index_map& at, ScalarType type) {
        return read_key(value, at) + static_cast<char>(type);
    }

    /// Returns true if a map has one value per row.
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

    /// Returns a scalar. Scalars are kernel arguments and are never merged by value, because a
    /// constant is not part of a kernel.
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
        const int value = subgraph::value_of(e);
        const ScalarType type = toRealValueType(e.dtype);
        const index_map at = isComplexType(e.dtype) ? part_of(whole, part) : whole;
        return load(value, at, type);
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
        emit_operations(i, n, 0, value.size(), value);
        finish_program(i, n, value);
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
        guarded = guarded || may_fail(static_cast<op::id>(o.id), o.in);
        return push(r);
    }

    using instr_key =
        std::tuple<opcode, ScalarType, ScalarType, bool, uint16_t, value_id, value_id, value_id>;

    const subgraph& w_;
    const cluster& c_;
    arena_map<key_text, value_id> made_;
    arena_map<instr_key, value_id> known_;
    arena_map<std::tuple<int, int, ScalarType, int>, value_id> scalar_values_;
};

/// Returns the step of a body for a GPU, whose kernels walk all row and reduced dimensions.
kernel_step finish_on_gpu(const cluster& c, body_builder&& b, const runtime::gpu& g);

}  // namespace sinter::plan
