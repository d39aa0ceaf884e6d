#include "engine/plan/stage_values.hpp"

#include "engine/plan/cluster.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <optional>
#include <utility>

namespace sinter::plan {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::kernel;
using kernel_ir::none;
using kernel_ir::opcode;
using kernel_ir::schedule;
using kernel_ir::stage;
using kernel_ir::value_id;

namespace {

/// Longer rows leave the second-level cache, and threads may share them; the reductions and stores
/// of a stage are then separate passes.
constexpr int64_t longest_row = 32768;
/// With lanes along rows each element of a row takes a cache line.
constexpr int64_t longest_column = 2048;

std::size_t at(value_id v) { return static_cast<std::size_t>(v); }

bool is_heavy(const instr& i) {
    return i.op == opcode::row && i.dom == domain::element && heavy(static_cast<op::id>(i.row));
}

/// Returns the number of heavy rows and of all values that the stages compute per element; heavy
/// rows compare first.
std::pair<int64_t, int64_t> cost(const kernel& k, const schedule& order) {
    std::pair<int64_t, int64_t> c;
    for (const stage& s : order.stages)
        for (value_id v : s.elements) {
            c.first += is_heavy(k.body[at(v)]);
            ++c.second;
        }
    return c;
}

/// Returns, per value, true if a heavy row contributes to it.
std::vector<bool> find_dear(const kernel& k) {
    std::vector<bool> dear(k.body.size());
    for (std::size_t v = 0; v < k.body.size(); ++v) {
        dear[v] = is_heavy(k.body[v]);
        if (k.body[v].dom == domain::element)
            kernel_ir::for_each_value(k.body[v],
                                      [&](value_id u) { dear[v] = dear[v] || dear[at(u)]; });
    }
    return dear;
}

/// Returns, per value, true if stage `s` computes it.
std::vector<bool> find_done(const kernel& k, const stage& s) {
    std::vector<bool> done(k.body.size());
    for (const auto* list : {&s.elements, &s.reduces, &s.stores})
        for (value_id v : *list) done[at(v)] = true;
    return done;
}

/// Returns the output that may keep `v`: one that stores it anyway, or else one that only the last
/// stage writes.
std::optional<value_id> find_place(const kernel& k, const schedule& order, value_id v) {
    std::vector<bool> loaded(k.operands.size());
    for (const instr& i : k.body)
        if (i.op == opcode::load) loaded[at(i.a)] = true;
    const auto last = static_cast<int32_t>(order.stages.size()) - 1;
    std::optional<value_id> free;
    for (std::size_t w = 0; w < k.body.size(); ++w) {
        const instr& i = k.body[w];
        if (i.op != opcode::store || i.dom != domain::element || i.type != k.body[at(v)].type ||
            loaded[at(i.a)] || k.operands[at(i.a)].lane != kernel_ir::stride_class::unit)
            continue;
        if (i.b == v) return i.a;
        if (order.stage_of[w] == last) free = i.a;
    }
    return free;
}

/// Returns the kernel with `v` kept in output `place`. Instructions outside the stage of `v` load
/// it.
kernel keep(const kernel& k, const schedule& order, value_id v, value_id place) {
    const std::vector<bool> done = find_done(k, order.stages[at(order.stage_of[at(v)])]);
    kernel made = k;
    made.body.clear();
    std::vector<value_id> moved(k.body.size(), none);
    value_id kept = none;
    auto push = [&](const instr& i) {
        made.body.push_back(i);
        return static_cast<value_id>(made.body.size() - 1);
    };
    for (std::size_t n = 0; n < k.body.size(); ++n) {
        instr i = k.body[n];
        if (i.op == opcode::store && i.a == place && i.b == v) continue;  // stored right after `v`
        kernel_ir::for_each_value(
            i, [&](value_id& u) { u = u == v && !done[n] ? kept : moved[at(u)]; });
        moved[n] = push(i);
        if (static_cast<value_id>(n) != v) continue;
        instr access;
        access.type = i.type;
        access.mt = i.mt;
        access.a = place;
        access.op = opcode::store;
        access.b = moved[n];
        push(access);
        access.op = opcode::load;
        access.b = none;
        kept = push(access);
    }
    return made;
}

/// Keeps the value that saves most. Returns false if none saves anything.
bool keep_one(kernel& k) {
    const schedule order = kernel_ir::make_schedule(k);
    const std::vector<bool> dear = find_dear(k);
    const auto before = cost(k, order);
    auto least = before;
    std::optional<kernel> best;
    for (std::size_t s = 0; s + 1 < order.stages.size(); ++s)
        for (value_id v : order.stages[s].elements) {
            const instr& i = k.body[at(v)];
            if (!dear[at(v)] || order.stage_of[at(v)] != static_cast<int32_t>(s) ||
                (i.type != kFloat && i.type != kDouble))
                continue;
            const std::optional<value_id> place = find_place(k, order, v);
            if (!place) continue;
            kernel trial = keep(k, order, v, *place);
            const auto after = cost(trial, kernel_ir::make_schedule(trial));
            if (after.first == before.first || after >= least) continue;
            least = after;
            best = std::move(trial);
        }
    if (best) k = std::move(*best);
    return best.has_value();
}

}  // namespace

void keep_stage_values(kernel& k, int64_t n0) {
    if (n0 > (k.along == kernel_ir::lanes::element ? longest_row : longest_column)) return;
    while (keep_one(k)) {
    }
}

}  // namespace sinter::plan
