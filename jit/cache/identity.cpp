#include "jit/cache/identity.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <sinter/error.hpp>
#include <sinter/math/tables/tables.hpp>

#include <sinter_build_identity.hpp>

#include <cstring>

namespace sinter::code_cache {
namespace {

using kernel_ir::opcode;

template <class T>
void put(bytes& out, const T& value) {
    const auto* p = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), p, p + sizeof value);
}

void put_name(bytes& out, const char* name) {
    out.insert(out.end(), name, name + std::strlen(name) + 1);
}

void put_table(bytes& out, uint16_t number) {
    const math::table_info& t = math::tables[number];
    const auto* data = static_cast<const uint8_t*>(t.data);
    const std::size_t size = static_cast<std::size_t>(t.size) * (t.is_double ? 8 : 4);
    out.insert(out.end(), data, data + size);
}

/// Returns all that the code generator reads of the primitives. Opcodes, reductions and tables are
/// there by name or content, because their numbers change when one is added.
bytes primitives_of(const kernel_ir::kernel& k) {
    bytes out;
    put(out, numerics_version);
    for (const kernel_ir::instr& i : k.body) {
        put_name(out, kernel_ir::info(i.op).name);
        if (i.op == opcode::reduce) put_name(out, op::reductions[i.row].name);
        if (i.op == opcode::lookup) put_table(out, i.row);
        put(out, i.type);
        put(out, i.in);
        put(out, i.mt);
        put(out, i.in_mt);
        put(out, i.dom);
        put(out, i.a);
        put(out, i.b);
        put(out, i.c);
        put(out, i.imm);
    }
    return out;
}

}  // namespace

std::optional<identity> identity_of_kernel(byte_view serialized) {
    try {
        const kernel_ir::kernel k =
            kernel_ir::decompose(kernel_ir::deserialize(serialized.data(), serialized.size()));
        return identity{kernel_abi, semantics_of(k)};
    } catch (const InternalError&) {
        return std::nullopt;
    }
}

uint64_t semantics_of(const kernel_ir::kernel& primitives) {
    return hash_of(primitives_of(primitives)).low;
}

identity identity_of_text() { return {kernel_abi, numerics_version}; }

std::string_view cpu_producer() {
    return "LLVM " SINTER_LLVM_VERSION ", generator " SINTER_BUILD_IDENTITY;
}

}  // namespace sinter::code_cache
