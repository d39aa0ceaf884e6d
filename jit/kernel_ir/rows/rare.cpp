#include "jit/kernel_ir/rows/rare.hpp"

#include "jit/kernel_ir/opcodes.hpp"

namespace sinter::kernel_ir {

namespace {

/// Returns true if skipping the instruction has no effect but on its result.
bool is_pure(const instr& i) {
    return info(i.op).at == level::primitive && i.op != opcode::guard && i.dom == domain::element;
}

}  // namespace

std::vector<value_id> rare_owners(const std::vector<instr>& body) {
    constexpr value_id unused = -2;
    std::vector<value_id> owners(body.size(), unused);
    for (std::size_t v = body.size(); v-- > 0;) {
        const instr& i = body[v];
        if (owners[v] == unused || !is_pure(i)) owners[v] = none;
        for_each_value(i, [&](value_id u) {
            value_id owner = owners[v];
            const bool chosen = i.op == opcode::rare && u == i.b && u != i.a && u != i.c;
            if (owner == none && chosen) owner = static_cast<value_id>(v);
            value_id& known = owners[static_cast<std::size_t>(u)];
            known = known == unused || known == owner ? owner : none;
        });
    }
    return owners;
}

}  // namespace sinter::kernel_ir
