// Row-level kernels as bytes, little-endian. A kernel has exactly one encoding, since unused fields
// have one value (verify checks that). So comparing kernels means comparing bytes. Operations have
// their names in it, in the order of their first use, and not their places in the tables: bytes of
// a library with fewer or more operations are the same.
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

class writer {
public:
    template <class T>
    void put(T value) {
        auto bits = static_cast<std::make_unsigned_t<T>>(value);
        for (std::size_t i = 0; i < sizeof(T); i++) {
            bytes_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(bits) >> (8 * i)));
        }
    }
    template <class E>
    void put_enum(E value) {
        put(static_cast<uint8_t>(value));
    }
    void put_size(std::size_t n) { put(static_cast<uint32_t>(n)); }
    void put_name(std::string_view name) {
        put(static_cast<uint8_t>(name.size()));
        bytes_.insert(bytes_.end(), name.begin(), name.end());
    }
    std::vector<uint8_t> take() { return std::move(bytes_); }

private:
    std::vector<uint8_t> bytes_;
};

[[noreturn]] void malformed(const char* what) {
    runtime::bug("deserialize", runtime::text("the bytes are not a kernel: ", what));
}

class reader {
public:
    reader(const uint8_t* data, std::size_t size) : data_(data), left_(size) {}

    template <class T>
    T get() {
        if (left_ < sizeof(T)) malformed("they end too early");
        uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(T); i++)
            bits |= static_cast<uint64_t>(data_[i]) << (8 * i);
        data_ += sizeof(T);
        left_ -= sizeof(T);
        return static_cast<T>(bits);
    }
    template <class E>
    E get_enum(E last) {
        const auto value = get<uint8_t>();
        if (value > static_cast<uint8_t>(last)) malformed("a value is outside its enumeration");
        return static_cast<E>(value);
    }
    /// Reads a count of items; rejects more than the remaining bytes can hold.
    std::size_t get_size(std::size_t item) {
        const auto n = get<uint32_t>();
        if (n > left_ / item) malformed("they end too early");
        return n;
    }
    std::string_view get_name() {
        const auto size = get<uint8_t>();
        if (size > left_) malformed("they end too early");
        const std::string_view name(reinterpret_cast<const char*>(data_), size);
        data_ += size;
        left_ -= size;
        return name;
    }
    std::size_t left() const { return left_; }

private:
    const uint8_t* data_;
    std::size_t left_;
};

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

operation find(bool reduces, std::string_view name) {
    const std::size_t n = reduces ? std::size(op::reductions) : std::size(op::rows);
    for (operation o{reduces, 0}; o.row < n; ++o.row)
        if (o.name() == name) return o;
    malformed("this library has no operation of a name in them");
}

}  // namespace

std::vector<uint8_t> serialize(const kernel& k) {
    if (k.primitive)
        runtime::bug("serialize", "the kernel is at primitive level, which has no encoding");
    writer out;
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
    reader in(data, size);
    for (uint8_t byte : magic) {
        if (in.get<uint8_t>() != byte) malformed("they do not begin with SKIR");
    }
    if (in.get<uint8_t>() != format_version) malformed("they have another format version");
    std::vector<operation> operations(in.get_size(2));
    for (operation& o : operations) {
        const bool reduces = in.get_enum(uint8_t{1}) != 0;
        o = find(reduces, in.get_name());
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
        i.fast = in.get_enum(uint8_t{1}) != 0;
        const auto at = in.get<uint16_t>();
        if (has_operation(i)) {
            if (at >= operations.size() || operations[at].reduces != (i.op == opcode::reduce))
                malformed("an operation is not in their list");
            i.row = operations[at].row;
        } else if (at != 0) {
            malformed("an instruction that is no operation names one");
        }
        i.a = in.get<int32_t>();
        i.b = in.get<int32_t>();
        i.c = in.get<int32_t>();
        i.mt = compute_type(i.type);
    }
    if (in.left() != 0) malformed("more bytes follow the kernel");
    verify(k);
    if (operations != operations_of(k)) malformed("their list of operations is not canonical");
    return k;
}

}  // namespace sinter::kernel_ir
