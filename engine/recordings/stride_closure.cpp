#include "engine/recordings/stride_closure.hpp"

#include "jit/kernel_ir/kernel_ir.hpp"

#include <algorithm>
#include <span>

namespace sinter::plan {
namespace {

using kernel_ir::domain, kernel_ir::kernel, kernel_ir::lanes, kernel_ir::opcode, kernel_ir::role,
    kernel_ir::stride_class;

/// Kernels of one family.
constexpr std::size_t most = 128;
/// Classes that even kernels with many inputs have: unit, zero, other.
constexpr std::size_t fewest = 3, all_classes = 5;

uint8_t bit(stride_class c) { return static_cast<uint8_t>(1 << static_cast<int>(c)); }

/// Returns the operands whose strides along the lanes are arbitrary: inputs, and the outputs of a
/// reduction along rows, which may be along any dimension.
std::vector<operand_group> open_groups(const kernel_step& step, const subgraph& w) {
    const kernel& k = step.ir;
    std::vector<bool> open(k.operands.size(), false);
    for (const kernel_ir::instr& i : k.body)
        if (i.op == opcode::load || i.op == opcode::index) {
            const auto o = static_cast<std::size_t>(i.a);
            // With lanes along elements, a row value is read with no stride.
            open[o] = k.operands[o].use != role::output &&
                      (i.dom == domain::element || k.along == lanes::row);
        }
    std::vector<operand_group> groups;
    for (std::size_t o = 0; o < open.size(); ++o) {
        if (!open[o]) continue;
        const operand_binding& b = step.operands[o];
        const auto same = [&](const operand_group& g) {
            const operand_binding& first = step.operands[g.operands[0]];
            return b.value >= 0 && first.value == b.value && first.strides == b.strides &&
                   k.operands[o].lane == k.operands[g.operands[0]].lane;
        };
        const auto group = std::find_if(groups.begin(), groups.end(), same);
        if (group == groups.end()) {
            const bool ready = b.value >= static_cast<int>(w.nodes.size()) &&
                               b.value < static_cast<int>(w.values.size());
            groups.push_back({{o}, false, false, ready, 0});
            continue;
        }
        const operand_binding& first = step.operands[group->operands[0]];
        group->halves =
            b.offset == first.offset + 1 && !b.spread &&
            std::all_of(b.strides.begin(), b.strides.end(), [](int64_t s) { return s % 2 == 0; }) &&
            std::any_of(b.strides.begin(), b.strides.end(), [](int64_t s) { return s != 0; });
        group->operands.push_back(o);
    }
    operand_group outputs{{}, false, true, false, 0};
    for (std::size_t o = 0; o < k.operands.size(); ++o)
        if (k.operands[o].use == role::output) outputs.operands.push_back(o);
    const auto alike = [&](std::size_t o) {
        return k.operands[o].lane == k.operands[outputs.operands[0]].lane;
    };
    if (k.along == lanes::row && k.has_reduction() && !k.keeps_values() &&
        std::all_of(outputs.operands.begin(), outputs.operands.end(), alike))
        groups.push_back(std::move(outputs));
    return groups;
}

/// Returns the classes that the operands of a group may have, the most usual ones first.
std::vector<stride_class> classes_of(const kernel& k, const operand_group& g, std::size_t most) {
    constexpr stride_class usual[] = {stride_class::unit, stride_class::zero, stride_class::other,
                                      stride_class::pair, stride_class::across};
    const uint8_t strides =
        bit(stride_class::other) | bit(stride_class::pair) | bit(stride_class::across);
    const bool strided = g.seen & (g.ready ? strides | bit(stride_class::unit) : strides);
    const bool across = k.along == lanes::element && !k.has_reduction() &&
                        k.operands[g.operands[0]].use == role::input;
    std::vector<stride_class> all;
    for (const stride_class c : usual) {
        const bool possible = (c != stride_class::across || (across && !g.halves)) &&
                              (c != stride_class::zero || !g.written) &&
                              (c != stride_class::unit || !g.halves);
        if (g.seen & bit(c) || (strided && possible)) all.push_back(c);
    }
    all.resize(std::min(all.size(), most));
    return all;
}

/// Calls f(class of each input) for all of them.
template <class F>
void for_each(const std::vector<std::size_t>& counts, std::vector<std::size_t>& at, const F& f) {
    for (;;) {
        f();
        std::size_t d = 0;
        while (d < at.size() && ++at[d] == counts[d]) at[d++] = 0;
        if (d == at.size()) return;
    }
}

/// Does so for those in which at most two inputs have another class than the most usual one.
template <class F>
void for_each_near(const std::vector<std::size_t>& counts, std::vector<std::size_t>& at,
                   const F& f) {
    for (std::size_t a = 0; a < at.size(); at[a++] = 0)
        for (at[a] = 0; at[a] < counts[a]; ++at[a])
            for (std::size_t b = a + 1; b < at.size(); ++b) {
                for (at[b] = 0; at[b] < counts[b]; ++at[b]) f();
                at[b] = 0;
            }
}

}  // namespace

bool stride_closure::add(const kernel_step& step, const subgraph& w) {
    if (!added_.insert(step.key).second) return false;
    std::vector<operand_group> groups = open_groups(step, w);
    kernel k = step.ir;
    std::vector<uint8_t> tied;
    for (const operand_group& g : groups)
        for (const std::size_t o : g.operands) {
            k.operands[o].lane = stride_class::other;
            tied.push_back(static_cast<uint8_t>(2 * g.operands[0] + g.halves));
        }
    std::vector<uint8_t> name = kernel_ir::serialize(k);
    name.insert(name.end(), tied.begin(), tied.end());
    family& f = families_.try_emplace(std::move(name), family{k, std::move(groups)}).first->second;
    bool more = false;
    for (operand_group& g : f.groups) {
        const std::vector<stride_class> before = classes_of(k, g, all_classes);
        g.seen |= bit(step.ir.operands[g.operands[0]].lane);
        more = more || classes_of(k, g, all_classes) != before;
    }
    return more || f.groups.empty();
}

std::set<std::vector<uint8_t>> stride_closure::kernels() const {
    std::set<std::vector<uint8_t>> all = added_;
    for (const auto& [name, f] : families_) {
        kernel k = f.one;
        std::vector<std::vector<stride_class>> classes(f.groups.size());
        std::vector<std::size_t> counts(f.groups.size()), at(f.groups.size(), 0);
        const auto add_one = [&] {
            for (std::size_t n = 0; n < f.groups.size(); ++n)
                for (const std::size_t o : f.groups[n].operands)
                    k.operands[o].lane = classes[n][at[n]];
            all.insert(kernel_ir::serialize(k));
        };
        std::size_t some = all_classes + 1, product = most + 1;
        while (product > most && some > fewest) {
            --some;
            product = 1;
            for (std::size_t n = 0; n < f.groups.size(); ++n) {
                classes[n] = classes_of(k, f.groups[n], some);
                counts[n] = classes[n].size();
                product = std::min(product * counts[n], most + 1);
            }
        }
        if (product <= most)
            for_each(counts, at, add_one);
        else
            for_each_near(counts, at, add_one);
    }
    return all;
}

}  // namespace sinter::plan
