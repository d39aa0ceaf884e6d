#include "jit/codegen/c_like/text.hpp"

#include "jit/codegen/c_like/value.hpp"
#include "jit/kernel_ir/opcodes.hpp"

namespace sinter::codegen {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::opcode;
using kernel_ir::stride_class;
using kernel_ir::value_id;

void kernel_text::open(const std::string& text) {
    if (text_.empty() || text_.back() == '\n') text_ += std::string(depth_ * 4, ' ');
    text_ += text + "\n";
    depth_++;
}

void kernel_text::close() {
    depth_--;
    line("}");
}

void kernel_text::barrier() { line(std::string(to_.barrier) + (*to_.barrier == ';' ? "" : ";")); }

void kernel_text::declare(const char* type, const std::string& name, const std::string& value) {
    line(std::string("const ") + type + " " + name + " = " + value + ";");
}

void kernel_text::open_kernel(const std::string& name) {
    text_ +=
        std::string(to_.kernel) + " " + name + "(const " + c_arguments_type(k_, shape_) + " k)";
    open(" {");
}

void kernel_text::values(const std::vector<value_id>& list) {
    std::map<value_id, std::vector<value_id>> owned;
    for (value_id v : list)
        if (const value_id owner = rare_owners_[static_cast<std::size_t>(v)];
            owner != kernel_ir::none)
            owned[owner].push_back(v);
    for (value_id v : list) {
        if (rare_owners_[static_cast<std::size_t>(v)] != kernel_ir::none) continue;
        if (const auto part = owned.find(v); part != owned.end())
            rare_choice(v, part->second);
        else
            value(v);
    }
}

void kernel_text::rare_choice(value_id v, const std::vector<value_id>& owned) {
    const instr& i = at(v);
    line(std::string(c_type(i.mt)) + " " + value_name(v) + " = " + value_name(i.c) + ";");
    // The compiler moves what is unlikely behind the rest.
    open("if (__builtin_expect(" + value_name(i.a) + ", 0)) {");
    for (value_id part : owned) value(part);
    line(value_name(v) + " = " + value_name(i.b) + ";");
    close();
}

void kernel_text::value(value_id v) {
    const instr& i = at(v);
    const std::string name = value_name(v);
    switch (i.op) {
        case opcode::load:
            if (const auto at = loaded_.find(v); at != loaded_.end())
                declare(c_type(i.mt), name, c_widened(i.type, at->second));
            else
                declare(c_type(i.mt), name, load(i));
            return;
        case opcode::index: declare(c_type(i.mt), name, index(i)); return;
        case opcode::scalar: declare(c_type(i.mt), name, scalar(i)); return;
        case opcode::store: store(i); return;
        case opcode::guard:
            line("if (" + raises(i) + ") " + to_.or_word + "(k.status, " +
                 number(static_cast<int64_t>(i.imm)) + "ull);");
            declare(c_type(i.mt), name, value_name(i.b));
            return;
        default:
            declare(c_type(i.mt), name,
                    c_expression(to_, i, value_name(i.a), value_name(i.b), value_name(i.c)));
    }
}

void kernel_text::find_offsets(const std::string& index, const std::string& dims, char prefix,
                               int count) {
    if (count > 1) {
        std::string rest = index;
        for (int d = 0; d + 1 < count; d++) {
            const std::string q = prefix + ("q" + number(d)), at = prefix + ("i" + number(d));
            const std::string extent = "(" + index_type() + ")k." + dims + "[" + number(d) + "]";
            line("const " + index_type() + " " + q + " = (" + index_type() + ")" + rest + " / " +
                 extent + ", " + at + " = (" + index_type() + ")" + rest + " - " + q + " * " +
                 extent + ";");
            rest = q;
        }
        line("const " + index_type() + " " + prefix + "i" + number(count - 1) + " = " + rest + ";");
    }
    for (std::size_t o = 0; o < k_.operands.size(); o++) {
        std::string sum;
        for (int d = 0; d < count; d++) {
            const std::string at = count == 1 ? index : prefix + ("i" + number(d));
            const std::string stride = stride_of(o, dims, d);
            if (stride.empty()) continue;
            if (!sum.empty()) sum += " + ";
            sum += "(i64)" + at + " * " + stride;
        }
        declare("i64", prefix + number(static_cast<int64_t>(o)), sum.empty() ? "0" : sum);
    }
}

std::string kernel_text::stride_of(std::size_t o, const std::string& dims, int d) const {
    const kernel_ir::operand& operand = k_.operands[o];
    const bool lane = dims == "elements" && d == 0 && k_.along == kernel_ir::lanes::element;
    if (lane && operand.lane == stride_class::zero) return "";
    if (lane && operand.lane == stride_class::unit && operand.use != kernel_ir::role::index)
        return number(static_cast<int64_t>(elementSize(operand.type)));
    return "k.operands[" + number(static_cast<int64_t>(o)) + "]." + dims + "[" + number(d) + "]";
}

std::string kernel_text::address(const instr& i) const {
    const std::string o = number(i.a);
    std::string text = "k.operands[" + o + "].ptr + r" + o;
    if (i.dom == domain::element) text += " + e" + o;
    return text;
}

std::string kernel_text::raises(const instr& i) const {
    return (i.dom == domain::row && !live_.empty() ? live_ + " && " : "") + value_name(i.a);
}

std::string kernel_text::load(const instr& i) const {
    const std::string type = c_memory_type(i.type);
    const std::string word = "*(const " + type + "*)(" + address(i) + ")";
    if (i.dom == domain::element || live_.empty()) return c_widened(i.type, word);
    return c_widened(i.type, "(" + live_ + " ? " + word + " : (" + type + ")0)");
}

void kernel_text::store(const instr& i) {
    const std::string type = c_memory_type(i.type);
    line("*(" + type + "*)(" + address(i) + ") = " + stored(i) + ";");
}

std::string kernel_text::stored(const instr& store) const {
    const instr& value = at(store.b);
    // Narrowed twice in the same way is narrowed once.
    const bool twice = value.op == opcode::narrow && value.type == store.type;
    return c_narrowed(store.type, value_name(twice ? value.a : store.b));
}

std::string kernel_text::index(const instr& i) const {
    const std::string o = number(i.a);
    std::string text = "(i64)((u64)k.operands[" + o + "].ptr + (u64)r" + o;
    if (i.dom == domain::element) text += " + (u64)e" + o;
    return text + ")";
}

std::string kernel_text::scalar(const instr& i) const {
    const std::string word = "k.scalars[" + number(i.a) + "]";
    switch (i.mt) {
        case mtype::b1: return "(u8)" + word + " != 0";
        case mtype::f32: return std::string(c_from_bits(i.mt)) + "((i32)" + word + ")";
        case mtype::f64: return std::string(c_from_bits(i.mt)) + "((i64)" + word + ")";
        default: return std::string("(") + c_type(i.mt) + ")" + word;
    }
}

}  // namespace sinter::codegen
