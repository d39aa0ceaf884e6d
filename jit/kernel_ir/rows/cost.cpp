#include "jit/kernel_ir/rows/cost.hpp"

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/builder.hpp"
#include "jit/kernel_ir/rows/rare.hpp"
#include "jit/kernel_ir/rows/rows.hpp"

#include <array>
#include <atomic>

namespace sinter::kernel_ir {

namespace {

/// Returns the primitives of a row's formula over elements, without constants and rare parts.
int32_t count_primitives(const op::row_info& info, uint16_t row, mtype t) {
    const expand_fn expansion = row_expansion(row, t);
    if (!expansion) return 1;
    builder b;
    const building scope(b);
    value_id args[3];
    for (int n = 0; n < 3; ++n) {
        mtype in = t;
        if (info.rule == dtype_rule::random) in = mtype::i64;
        if (info.rule == dtype_rule::choice && n == 0) in = mtype::b1;
        args[n] = b.emit({.op = opcode::load,
                          .type = logical_type(in),
                          .mt = in,
                          .dom = domain::element,
                          .a = n});
    }
    expansion(args);
    int32_t count = 0;
    const std::vector<value_id> owners = rare_owners(b.body());
    for (std::size_t v = 0; v < owners.size(); ++v) {
        const instr& i = b.body()[v];
        count += i.op != opcode::load && i.dom == domain::element && owners[v] == none;
    }
    return count;
}

/// Counts on first use. Concurrent threads compute the same number.
int32_t primitives(uint16_t row, mtype t) {
    constexpr std::size_t types = static_cast<std::size_t>(mtype::f64) + 1;
    static std::array<std::array<std::atomic<int32_t>, types>, op::count> known{};
    std::atomic<int32_t>& n = known[row][static_cast<std::size_t>(t)];
    if (n.load(std::memory_order_relaxed) == 0)
        n.store(count_primitives(op::rows[row], row, t) + 1, std::memory_order_relaxed);
    return n.load(std::memory_order_relaxed) - 1;
}

/// Returns the number of vectors that hold as many numbers as one vector of 32-bit numbers.
int64_t vectors_of(mtype t) { return t == mtype::f64 || t == mtype::i64 ? 2 : 1; }

}  // namespace

int64_t row_cost(uint16_t row, ScalarType in) {
    const mtype t = compute_type(in);
    return int64_t{primitives(row, t)} * vectors_of(t);
}

int64_t element_cost(const kernel& k) {
    int64_t cost = 0;
    for (const instr& i : k.body) {
        if (i.dom != domain::element) continue;
        if (i.op == opcode::row)
            cost += row_cost(i.row, op::rows[i.row].rule == dtype_rule::random ? i.type : i.in);
        else
            cost += vectors_of(i.mt);
    }
    return cost;
}

}  // namespace sinter::kernel_ir
