// Row-level kernels as bytes, little-endian. A kernel has exactly one encoding, since unused fields
// have one value (verify checks that). So comparing kernels means comparing bytes. Operations have
// their names in it, in the order of their first use, and not their places in the tables: bytes of
// a library with fewer or more operations are the same.
#include "jit/kernel_ir/byte_stream.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace sinter::kernel_ir {

namespace {

constexpr uint8_t magic[] = {'S', 'K', 'I', 'R'};
// Raise this when the layout below, or a number of an enumeration that it holds, changes.
constexpr uint8_t format_version = 4;
static_assert(static_cast<int>(opcode::row) == 6 && static_cast<int>(last_dtype) == 16 &&
              static_cast<int>(mtype::f64) == 5 && static_cast<int>(row_form::few) == 5 &&
              static_cast<int>(stride_class::across) == 4);
constexpr std::size_t operand_bytes = 3, scalar_bytes = 1, known_bytes = 12, instr_bytes = 19;

/// Names an operation: a reduction of reduce.def, or a row of elementwise.def.
struct operation {
    bool reduces;
    uint16_t row;
    bool operator==(const operation&) const = default;
    std::string_view name() const {
        return reduces ? op::reductions[row].name : op::rows[row].name;
    }
};

bool has_operation(const instr& i) { return i.op == opcode::row || i.op == opcode::reduce; }
operation operation_of(const instr& i) { return {i.op == opcode::reduce, i.row}; }

std::vector<operation> operations_of(const kernel& k) {
    std::vector<operation> all;
    for (const instr& i : k.body)
        if (has_operation(i) && std::find(all.begin(), all.end(), operation_of(i)) == all.end())
            all.push_back(operation_of(i));
    return all;
}

operation find(const byte_reader& in, bool reduces, std::string_view name) {
    const std::size_t n = reduces ? std::size(op::reductions) : std::size(op::rows);
    for (operation o{reduces, 0}; o.row < n; ++o.row)
        if (o.name() == name) return o;
    in.malformed("this library has no operation of a name in them");
}

}  // namespace

std::vector<uint8_t> serialize(const kernel& k) {
    if (k.primitive)
        runtime::bug("serialize", "the kernel is at primitive level, which has no encoding");
    byte_writer out;
    for (uint8_t byte : magic) out.put(byte);
    out.put(format_version);
    const std::vector<operation> operations = operations_of(k);
    out.put_size(operations.size());
    for (const operation& o : operations) {
        out.put(static_cast<uint8_t>(o.reduces));
        out.put_name(o.name());
    }
    out.put_enum(k.along);
    out.put_enum(k.form);
    out.put_size(k.operands.size());
    for (const operand& o : k.operands) {
        out.put_enum(o.use);
        out.put_enum(o.type);
        out.put_enum(o.lane);
    }
    out.put_size(k.scalars.size());
    for (mtype t : k.scalars) out.put_enum(t);
    out.put(k.extent);
    out.put_size(k.known.size());
    for (const known_scalar& s : k.known) {
        out.put(s.number);
        out.put(s.bits);
    }
    out.put_size(k.body.size());
    for (const instr& i : k.body) {
        out.put_enum(i.op);
        out.put_enum(i.type);
        out.put_enum(i.in);
        out.put_enum(i.dom);
        out.put(static_cast<uint8_t>(i.fast));
        const auto at = std::find(operations.begin(), operations.end(), operation_of(i));
        out.put(static_cast<uint16_t>(has_operation(i) ? at - operations.begin() : 0));
        out.put(i.a);
        out.put(i.b);
        out.put(i.c);
    }
    return out.take();
}

kernel deserialize(const uint8_t* data, std::size_t size) {
    byte_reader in(data, size, "deserialize", "a kernel");
    for (uint8_t byte : magic) {
        if (in.get<uint8_t>() != byte) in.malformed("they do not begin with SKIR");
    }
    if (in.get<uint8_t>() != format_version) in.malformed("they have another format version");
    std::vector<operation> operations(in.get_size(2));
    for (operation& o : operations) {
        const bool reduces = in.get_flag();
        o = find(in, reduces, in.get_name());
    }

    kernel k;
    k.along = in.get_enum(lanes::row);
    k.form = in.get_enum(row_form::few);
    k.operands.resize(in.get_size(operand_bytes));
    for (operand& o : k.operands) {
        o.use = in.get_enum(role::index);
        o.type = in.get_enum(last_dtype);
        o.lane = in.get_enum(stride_class::across);
    }
    k.scalars.resize(in.get_size(scalar_bytes));
    for (mtype& t : k.scalars) t = in.get_enum(mtype::f64);
    k.extent = in.get<int64_t>();
    k.known.resize(in.get_size(known_bytes));
    for (known_scalar& s : k.known) {
        s.number = in.get<int32_t>();
        s.bits = in.get<uint64_t>();
    }
    k.body.resize(in.get_size(instr_bytes));
    for (instr& i : k.body) {
        i.op = in.get_enum(opcode::guard);
        i.type = in.get_enum(last_dtype);
        i.in = in.get_enum(last_dtype);
        i.dom = in.get_enum(domain::element);
        i.fast = in.get_flag();
        const auto at = in.get<uint16_t>();
        if (has_operation(i)) {
            if (at >= operations.size() || operations[at].reduces != (i.op == opcode::reduce))
                in.malformed("an operation is not in their list");
            i.row = operations[at].row;
        } else if (at != 0) {
            in.malformed("an instruction that is no operation names one");
        }
        i.a = in.get<int32_t>();
        i.b = in.get<int32_t>();
        i.c = in.get<int32_t>();
        i.mt = compute_type(i.type);
    }
    if (in.left() != 0) in.malformed("more bytes follow the kernel");
    verify(k);
    if (operations != operations_of(k)) in.malformed("their list of operations is not canonical");
    return k;
}

}  // namespace sinter::kernel_ir
