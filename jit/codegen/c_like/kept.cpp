#include "jit/codegen/c_like/kept.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::opcode;
using kernel_ir::stage;
using kernel_ir::stride_class;
using kernel_ir::value_id;

namespace {

/// Fewer primitives are computed again rather than stored and read.
constexpr std::size_t worthwhile = 8;

const instr& at(const kernel_ir::kernel& k, value_id v) {
    return k.body[static_cast<std::size_t>(v)];
}

bool has_moments(const kernel_ir::kernel& k, const stage& s) {
    return std::any_of(s.reduces.begin(), s.reduces.end(), [&](value_id r) {
        return op::reductions[at(k, r).row].kind == op::reduction_kind::moments;
    });
}

bool loads(const kernel_ir::kernel& k, value_id v, std::size_t operand) {
    return at(k, v).op == opcode::load && static_cast<std::size_t>(at(k, v).a) == operand;
}

/// Returns the primitives that later stages do not compute if the value of `s` is kept in place of
/// an operand; 0 if one of them needs the operand.
std::size_t saved(const kernel_ir::kernel& k, const kernel_ir::schedule& order, std::size_t s,
                  value_id value, std::size_t operand) {
    std::size_t count = 0;
    for (std::size_t later = s + 1; later < order.stages.size(); later++) {
        const stage& of = order.stages[later];
        const std::vector<value_id> rest = elements_after(k, of, value);
        for (value_id v : rest)
            if (v != value && loads(k, v, operand)) return 0;
        count += of.elements.size() - rest.size();
    }
    return count;
}

}  // namespace

kept_rows find_kept(const kernel_ir::kernel& k, const kernel_ir::schedule& order) {
    kept_rows kept;
    std::vector<int> passes(k.operands.size(), 0);
    for (const stage& s : order.stages) {
        const bool twice = has_moments(k, s);
        for (value_id v : s.elements)
            if (at(k, v).op == opcode::load)
                passes[static_cast<std::size_t>(at(k, v).a)] += 1 + twice;
    }
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        const kernel_ir::operand& operand = k.operands[o];
        if (operand.use == kernel_ir::role::input && operand.lane == stride_class::unit &&
            passes[o] >= 2)
            kept.operands.push_back(o);
    }
    std::size_t most = worthwhile - 1;
    for (std::size_t s = 0; s + 1 < order.stages.size(); s++) {
        const stage& of = order.stages[s];
        // A second pass over the same elements would find the value.
        if (of.reduces.empty() || has_moments(k, of)) continue;
        for (value_id v : of.elements) {
            const mtype type = at(k, v).mt;
            if (at(k, v).op == opcode::load || (type != mtype::f32 && type != mtype::f64)) continue;
            for (std::size_t o : kept.operands) {
                if (kernel_ir::compute_type(k.operands[o].type) != type ||
                    std::none_of(of.elements.begin(), of.elements.end(),
                                 [&](value_id u) { return loads(k, u, o); }))
                    continue;
                const std::size_t count = saved(k, order, s, v, o);
                if (count <= most) continue;
                most = count;
                kept.value = v;
                kept.stage = s;
                kept.replaced = o;
            }
        }
    }
    return kept;
}

int64_t kept_size(const kernel_ir::kernel& k, const kept_rows& kept, std::size_t operand) {
    if (kept.value != kernel_ir::none && kept.replaced == operand)
        return at(k, kept.value).mt == mtype::f64 ? 8 : 4;
    return static_cast<int64_t>(elementSize(k.operands[operand].type));
}

std::vector<value_id> elements_after(const kernel_ir::kernel& k, const stage& s, value_id value) {
    std::vector<bool> needed(k.body.size(), false);
    const auto need = [&](value_id v) { needed[static_cast<std::size_t>(v)] = true; };
    for (value_id r : s.reduces) need(at(k, r).a);
    for (value_id w : s.stores) need(at(k, w).b);
    std::vector<value_id> left;
    for (auto v = s.elements.rbegin(); v != s.elements.rend(); ++v) {
        if (!needed[static_cast<std::size_t>(*v)]) continue;
        left.push_back(*v);
        if (*v != value) kernel_ir::for_each_value(at(k, *v), need);
    }
    std::reverse(left.begin(), left.end());
    return left;
}

}  // namespace sinter::codegen
