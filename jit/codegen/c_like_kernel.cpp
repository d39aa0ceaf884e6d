#include "jit/codegen/c_like_kernel.hpp"

#include "jit/codegen/c_like_value.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::kernel;
using kernel_ir::mtype;
using kernel_ir::opcode;
using kernel_ir::reduction_fragments;
using kernel_ir::stage;
using kernel_ir::stride_class;
using kernel_ir::value_id;
using op::reduction_kind;

namespace {

/// Chunk states that may wait for their merge: one for each bit of the chunk count.
constexpr int stack_depth = 52;

std::string number(int64_t n) { return std::to_string(n); }
std::string value_name(value_id v) { return "v" + number(v); }

class kernel_printer {
public:
    kernel_printer(const dialect& to, const kernel& k, const loop_shape& shape)
        : to_(to), k_(k), shape_(shape), order_(make_schedule(k)) {}

    std::string print(const std::string& name) {
        text_ =
            std::string(to_.kernel) + " " + name + "(const " + c_arguments_type(k_, shape_) + " k)";
        open(" {");
        if (runs_by_rows(k_))
            print_rows();
        else
            print_elements();
        close();
        return std::move(text_);
    }

private:
    const instr& at(value_id v) const { return k_.body[static_cast<std::size_t>(v)]; }

    // ---- lines

    void line(const std::string& text) { text_ += std::string(depth_ * 4, ' ') + text + "\n"; }
    void open(const std::string& text) {
        if (text_.empty() || text_.back() == '\n') text_ += std::string(depth_ * 4, ' ');
        text_ += text + "\n";
        depth_++;
    }
    void close() {
        depth_--;
        line("}");
    }
    void barrier() { line(std::string(to_.barrier) + (*to_.barrier == ';' ? "" : ";")); }
    void declare(const char* type, const std::string& name, const std::string& value) {
        line(std::string("const ") + type + " " + name + " = " + value + ";");
    }

    // ---- kernels

    std::string index_type() const { return shape_.wide ? "i64" : "u32"; }
    std::string cast_index(const std::string& value) const {
        return shape_.wide ? value : "(u32)" + value;
    }

    void print_elements() {
        const std::string type = index_type(), all = cast_index("(k.n1 * k.n0)");
        open("for (" + type + " n = " + cast_index("(" + std::string(to_.thread) + ")") + "; n < " +
             all + "; n += " + cast_index("(" + std::string(to_.threads) + ")") + ") {");
        if (shape_.row_dims == 0) {
            line("const " + type + " element = n;");
        } else {
            line("const " + type + " row = n / " + cast_index("k.n0") + ";");
            line("const " + type + " element = n - row * " + cast_index("k.n0") + ";");
        }
        find_offsets("row", "rows", 'r', shape_.row_dims);
        find_offsets("element", "elements", 'e', shape_.element_dims);
        const stage& s = order_.stages[0];
        values(s.before);
        values(s.elements);
        values(s.stores);
        close();
    }

    void print_rows() {
        for (const stage& s : order_.stages) {
            for (value_id r : s.reduces) declare_shared(r);
        }
        open(std::string("for (i64 row = ") + to_.block + "; row < k.n1; row += " + to_.blocks +
             ") {");
        find_offsets("row", "rows", 'r', shape_.row_dims);
        for (const stage& s : order_.stages) print_stage(s);
        for (value_id v : order_.after) {
            if (at(v).op != opcode::store) value(v);
        }
        const auto is_store = [&](value_id v) { return at(v).op == opcode::store; };
        if (std::any_of(order_.after.begin(), order_.after.end(), is_store)) {
            // A row may be stored over one that other threads still load.
            barrier();
            open(to_.once);
            for (value_id v : order_.after) {
                if (is_store(v)) value(v);
            }
            close();
        }
        close();
    }

    void print_stage(const stage& s) {
        values(s.before);
        if (s.reduces.empty() && s.stores.empty()) return;
        barrier();
        std::vector<reduction> reductions;
        for (value_id r : s.reduces) reductions.push_back(make_reduction(r));
        for (const reduction& r : reductions) {
            line(std::string(c_type(at(r.id).mt)) + " " + value_name(r.id) + ";");
        }
        open("{");
        for (const reduction& r : reductions) {
            for (std::size_t w = 0; w < r.words.size(); w++)
                line(word_type(r, w) + " " + r.words[w] + "[" + number(stack_depth) + "];");
        }
        if (!reductions.empty()) line("i64 held[" + number(stack_depth) + "];");
        if (!reductions.empty()) line("int top = 0;");
        open("for (i64 chunk = 0; chunk * reduce_chunk < k.n0; chunk++) {");
        line("const i64 begin = chunk * reduce_chunk;");
        line("const i64 end = k.n0 - begin < reduce_chunk ? k.n0 : begin + reduce_chunk;");
        print_chunk(s, reductions);
        close();
        finish(reductions);
        close();
    }

    // ---- reductions

    struct reduction {
        value_id id;
        std::string name;
        reduction_fragments parts;
        std::vector<std::string> words;  // the stacks of chunk states
    };

    reduction make_reduction(value_id v) const {
        const instr& i = at(v);
        reduction r{v, c_reduction_name(i.row, i.in), kernel_ir::make_fragments(i.row, i.in), {}};
        for (int w = 0; w < state_words(i); w++)
            r.words.push_back("s" + number(v) + "_" + number(w));
        return r;
    }
    static std::string word_type(const reduction& r, std::size_t word) {
        const bool index = word == 1 && r.parts.kind == reduction_kind::arg;
        return index ? "i64" : c_type(r.parts.acc);
    }
    void declare_shared(value_id v) {
        const reduction r = make_reduction(v);
        const std::string qualifier = *to_.shared ? std::string(to_.shared) + " " : "";
        line(qualifier + c_type(r.parts.acc) + " l" + number(v) + "[reduce_lanes];");
        if (r.parts.kind == reduction_kind::arg)
            line(qualifier + "i64 i" + number(v) + "[reduce_lanes];");
    }

    void print_chunk(const stage& s, const std::vector<reduction>& reductions) {
        std::vector<const reduction*> first, second;
        for (const reduction& r : reductions) {
            first.push_back(&r);
            if (r.parts.kind == reduction_kind::moments) second.push_back(&r);
        }
        // The last pass stores, so that no pass reads what this stage wrote.
        print_pass(s, first, false, second.empty());
        for (const reduction& r : reductions) take_state(r, false);
        if (!second.empty()) {
            barrier();
            print_pass(s, second, true, true);
            for (const reduction* r : second) take_state(*r, true);
        }
        if (reductions.empty()) return;
        barrier();
        line("held[top] = end - begin;");
        line("top++;");
        open("for (i64 c = chunk; c & 1; c >>= 1) {");
        merge(reductions);
        close();
    }

    /// Lanes over the elements of a chunk, and their fold into lane 0.
    void print_pass(const stage& s, const std::vector<const reduction*>& reductions,
                    bool deviations, bool with_stores) {
        open(to_.lanes);
        for (const reduction* r : reductions) {
            const std::string n = number(r->id);
            const mtype acc = r->parts.acc;
            line(std::string(c_type(acc)) + " a" + n + " = " +
                 c_literal(to_, acc, r->parts.identity[0]) + ";");
            if (r->parts.kind == reduction_kind::arg)
                line("i64 b" + n + " = " + c_literal(to_, mtype::i64, r->parts.identity[1]) + ";");
        }
        open("for (i64 element = begin + lane; element < end; element += reduce_lanes) {");
        find_offsets("element", "elements", 'e', shape_.element_dims);
        values(s.elements);
        for (const reduction* r : reductions) take_element(*r, deviations);
        if (with_stores) values(s.stores);
        close();
        for (const reduction* r : reductions) {
            const std::string n = number(r->id);
            line("l" + n + "[lane] = a" + n + ";");
            if (r->parts.kind == reduction_kind::arg) line("i" + n + "[lane] = b" + n + ";");
        }
        close();
        barrier();
        if (reductions.empty()) return;
        open("for (int half = reduce_lanes / 2; half > 0; half /= 2) {");
        open(to_.lanes);
        open("if (lane < half) {");
        for (const reduction* r : reductions) {
            const std::string n = number(r->id);
            combine(*r, {"l" + n + "[lane]", "i" + n + "[lane]"},
                    {"l" + n + "[lane + half]", "i" + n + "[lane + half]"});
        }
        close();
        close();
        barrier();
        close();
    }

    void take_element(const reduction& r, bool deviations) {
        const std::string n = number(r.id), x = "x" + n;
        line(std::string(c_type(r.parts.acc)) + " " + x + ";");
        line(r.name + "_prepare(" + value_name(at(r.id).a) + ", " + x + ");");
        if (deviations) line(r.name + "_deviation(" + x + ", " + r.words[0] + "[top], " + x + ");");
        combine(r, {"a" + n, "b" + n}, {x, "element"});
    }

    struct state {
        std::string word, index;
    };
    /// a = combine(a, b) of lanes.
    void combine(const reduction& r, const state& a, const state& b) {
        if (r.parts.kind == reduction_kind::arg)
            line(r.name + "_combine(" + a.word + ", " + a.index + ", " + b.word + ", " + b.index +
                 ", " + a.word + ", " + a.index + ");");
        else
            line(r.name + "_combine(" + a.word + ", " + b.word + ", " + a.word + ");");
    }

    /// Puts what lane 0 has after a pass on the stack.
    void take_state(const reduction& r, bool deviations) {
        const std::string n = number(r.id), lane = "l" + n + "[0]";
        switch (r.parts.kind) {
            case reduction_kind::fold: line(r.words[0] + "[top] = " + lane + ";"); return;
            case reduction_kind::arg:
                line(r.words[0] + "[top] = " + lane + ";");
                line(r.words[1] + "[top] = i" + n + "[0];");
                return;
            case reduction_kind::moments:
                if (deviations)
                    line(r.words[1] + "[top] = " + lane + ";");
                else
                    line(r.name + "_mean(" + lane + ", end - begin, " + r.words[0] + "[top]);");
                return;
        }
    }

    /// Merges the two topmost states of every reduction.
    void merge(const std::vector<reduction>& reductions) {
        line("top--;");
        for (const reduction& r : reductions) {
            state lower{r.words[0] + "[top - 1]", ""}, upper{r.words[0] + "[top]", ""};
            if (r.words.size() > 1) {
                lower.index = r.words[1] + "[top - 1]";
                upper.index = r.words[1] + "[top]";
            }
            if (r.parts.kind == reduction_kind::moments)
                line(r.name + "_merge(" + lower.word + ", " + lower.index + ", held[top - 1], " +
                     upper.word + ", " + upper.index + ", held[top], " + lower.word + ", " +
                     lower.index + ");");
            else
                combine(r, lower, upper);
        }
        line("held[top - 1] += held[top];");
    }

    void finish(const std::vector<reduction>& reductions) {
        if (reductions.empty()) return;
        open("while (top > 1) {");
        merge(reductions);
        close();
        open("if (top == 0) {");
        for (const reduction& r : reductions) {
            for (std::size_t w = 0; w < r.words.size(); w++) {
                const bool index = w == 1 && r.parts.kind == reduction_kind::arg;
                line(r.words[w] + "[0] = " +
                     c_literal(to_, index ? mtype::i64 : r.parts.acc, r.parts.empty[w]) + ";");
            }
        }
        close();
        for (const reduction& r : reductions) {
            std::string call = r.name + "_finish(" + r.words[0] + "[0], ";
            if (r.words.size() > 1) call += r.words[1] + "[0]";
            if (r.parts.kind == reduction_kind::fold) call += "k.n0";
            if (r.parts.kind == reduction_kind::moments)
                call += ", k.n0, " + value_name(at(r.id).b);
            line(call + ", " + value_name(r.id) + ");");
        }
    }

    // ---- values

    void values(const std::vector<value_id>& list) {
        for (value_id v : list) value(v);
    }

    void value(value_id v) {
        const instr& i = at(v);
        const std::string name = value_name(v);
        switch (i.op) {
            case opcode::load: declare(c_type(i.mt), name, load(i)); return;
            case opcode::index: declare(c_type(i.mt), name, index(i)); return;
            case opcode::scalar: declare(c_type(i.mt), name, scalar(i)); return;
            case opcode::store: store(i); return;
            case opcode::guard:
                line("if (" + value_name(i.a) + ") " + to_.or_word + "(k.status, " +
                     number(static_cast<int64_t>(i.imm)) + "ull);");
                declare(c_type(i.mt), name, value_name(i.b));
                return;
            default:
                declare(c_type(i.mt), name,
                        c_expression(to_, i, value_name(i.a), value_name(i.b), value_name(i.c)));
        }
    }

    /// How far every operand is moved by an index over these dimensions: `r3` by the row, `e3` by
    /// the element, of operand 3.
    void find_offsets(const std::string& index, const std::string& dims, char prefix, int count) {
        if (count > 1) {
            std::string rest = index;
            for (int d = 0; d + 1 < count; d++) {
                const std::string q = prefix + ("q" + number(d)), at = prefix + ("i" + number(d));
                const std::string extent =
                    "(" + index_type() + ")k." + dims + "[" + number(d) + "]";
                line("const " + index_type() + " " + q + " = (" + index_type() + ")" + rest +
                     " / " + extent + ", " + at + " = (" + index_type() + ")" + rest + " - " + q +
                     " * " + extent + ";");
                rest = q;
            }
            line("const " + index_type() + " " + prefix + "i" + number(count - 1) + " = " + rest +
                 ";");
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

    /// The stride of an operand along a dimension, as text; empty: it stands still.
    std::string stride_of(std::size_t o, const std::string& dims, int d) const {
        const kernel_ir::operand& operand = k_.operands[o];
        const bool lane = dims == "elements" && d == 0 && k_.along == kernel_ir::lanes::element;
        if (lane && operand.lane == stride_class::zero) return "";
        if (lane && operand.lane == stride_class::unit && operand.use != kernel_ir::role::index)
            return number(static_cast<int64_t>(elementSize(operand.type)));
        return "k.operands[" + number(static_cast<int64_t>(o)) + "]." + dims + "[" + number(d) +
               "]";
    }

    std::string address(const instr& i) const {
        const std::string o = number(i.a);
        std::string text = "k.operands[" + o + "].ptr + r" + o;
        if (i.dom == domain::element) text += " + e" + o;
        return text;
    }

    std::string load(const instr& i) const {
        const std::string type = c_memory_type(i.type);
        return c_widened(i.type, "*(const " + type + "*)(" + address(i) + ")");
    }

    void store(const instr& i) {
        const std::string type = c_memory_type(i.type);
        line("*(" + type + "*)(" + address(i) + ") = " + c_narrowed(i.type, value_name(i.b)) + ";");
    }

    std::string index(const instr& i) const {
        const std::string o = number(i.a);
        std::string text = "(i64)((u64)k.operands[" + o + "].ptr + (u64)r" + o;
        if (i.dom == domain::element) text += " + (u64)e" + o;
        return text + ")";
    }

    std::string scalar(const instr& i) const {
        const std::string word = "k.scalars[" + number(i.a) + "]";
        switch (i.mt) {
            case mtype::b1: return "(u8)" + word + " != 0";
            case mtype::f32: return std::string(to_.from_bits[0]) + "((i32)" + word + ")";
            case mtype::f64: return std::string(to_.from_bits[1]) + "((i64)" + word + ")";
            default: return std::string("(") + c_type(i.mt) + ")" + word;
        }
    }

    const dialect& to_;
    const kernel& k_;
    loop_shape shape_;
    kernel_ir::schedule order_;
    std::string text_;
    std::size_t depth_ = 0;
};

}  // namespace

bool runs_by_rows(const kernel& k) {
    // Reductions may have been dead and what was once a row have stayed. A guard once a row is
    // raised by rows without elements, too. What an output keeps needs stages.
    return k.keeps_values() || std::any_of(k.body.begin(), k.body.end(), [](const instr& i) {
               const bool once_a_row =
                   i.op == opcode::load || i.op == opcode::store || i.op == opcode::guard;
               return i.op == opcode::reduce || (i.dom == domain::row && once_a_row);
           });
}

std::string c_kernel(const dialect& to, const kernel& k, const loop_shape& shape,
                     const std::string& name) {
    return kernel_printer(to, k, shape).print(name);
}

}  // namespace sinter::codegen
