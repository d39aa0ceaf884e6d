// A backward walk finds live values, a forward walk finds stages, and a backward walk per stage
// finds its element values.
#include "jit/kernel_ir/schedule.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>

namespace sinter::kernel_ir {

namespace {

std::vector<bool> find_live(const kernel& k) {
    std::vector<bool> live(k.body.size(), false);
    for (std::size_t v = k.body.size(); v-- > 0;) {
        const instr& i = k.body[v];
        if (i.op == opcode::store) live[v] = true;
        if (live[v]) {
            for_each_value(i, [&](value_id u) { live[static_cast<std::size_t>(u)] = true; });
        }
    }
    return live;
}

/// Returns the stage that computes each live value, -1 for dead ones.
std::vector<int32_t> find_stages(const kernel& k, const std::vector<bool>& live) {
    std::vector<int32_t> stage_of(k.body.size(), -1);
    std::vector<int32_t> stored(k.operands.size(), -1);  // per operand: the stage that stores to it
    for (std::size_t v = 0; v < k.body.size(); v++) {
        if (!live[v]) continue;
        int32_t stage = 0;
        const instr& i = k.body[v];
        // A kept output is loaded, and overwritten, by later stages.
        if (i.op == opcode::load || i.op == opcode::store)
            stage = stored[static_cast<std::size_t>(i.a)] + 1;
        for_each_value(k.body[v], [&](value_id u) {
            const auto used = static_cast<std::size_t>(u);
            const int32_t after = k.body[used].op == opcode::reduce ? 1 : 0;
            stage = std::max(stage, stage_of[used] + after);
        });
        stage_of[v] = stage;
        if (i.op == opcode::store) stored[static_cast<std::size_t>(i.a)] = stage;
    }
    return stage_of;
}

/// Returns the element values that stage `s` needs for its reductions and stores.
std::vector<value_id> find_elements(const kernel& k, const stage& s) {
    std::vector<bool> needed(k.body.size(), false);
    const auto need = [&](value_id v) {
        const auto u = static_cast<std::size_t>(v);
        if (k.body[u].dom == domain::element) needed[u] = true;
    };
    for (value_id r : s.reduces) need(k.body[static_cast<std::size_t>(r)].a);
    for (value_id w : s.stores) need(k.body[static_cast<std::size_t>(w)].b);
    for (std::size_t v = k.body.size(); v-- > 0;) {
        if (needed[v]) for_each_value(k.body[v], need);
    }
    std::vector<value_id> elements;
    for (std::size_t v = 0; v < k.body.size(); v++) {
        if (needed[v]) elements.push_back(static_cast<value_id>(v));
    }
    return elements;
}

}  // namespace

schedule make_schedule(const kernel& k) {
    schedule result;
    result.stage_of = find_stages(k, find_live(k));

    // A pass is needed for every stage that reduces or stores elements; there is always one.
    int32_t last = 0;
    for (std::size_t v = 0; v < k.body.size(); v++) {
        const instr& i = k.body[v];
        const bool passes =
            i.op == opcode::reduce || (i.op == opcode::store && i.dom == domain::element);
        if (passes) last = std::max(last, result.stage_of[v]);
    }
    result.stages.resize(static_cast<std::size_t>(last) + 1);

    for (std::size_t v = 0; v < k.body.size(); v++) {
        const instr& i = k.body[v];
        const int32_t at = result.stage_of[v];
        if (at < 0) continue;
        const auto id = static_cast<value_id>(v);
        if (i.op == opcode::reduce) {
            result.stages[static_cast<std::size_t>(at)].reduces.push_back(id);
        } else if (i.dom == domain::element) {
            if (i.op == opcode::store) {
                result.stages[static_cast<std::size_t>(at)].stores.push_back(id);
            }
        } else if (i.op == opcode::store || at > last) {
            result.after.push_back(id);
        } else {
            result.stages[static_cast<std::size_t>(at)].before.push_back(id);
        }
    }
    for (stage& s : result.stages) s.elements = find_elements(k, s);
    return result;
}

int state_words(const instr& reduce) {
    return op::reductions[reduce.row].kind == op::reduction_kind::fold ? 1 : 2;
}

mtype accumulator_type(uint16_t reduction, ScalarType in) {
    switch (op::reductions[reduction].result) {
        case op::reduction_result::sum:
            return isIntegralType(in, true) ? mtype::i64 : compute_type(in);
        case op::reduction_result::boolean: return mtype::b1;
        default: return compute_type(in);
    }
}

partial_layout make_partial_layout(const kernel& k, const stage& s) {
    partial_layout layout;
    for (value_id r : s.reduces) {
        layout.offsets.push_back(layout.words);
        layout.words += state_words(k.body[static_cast<std::size_t>(r)]);
    }
    return layout;
}

}  // namespace sinter::kernel_ir
