// Kernels by rows: stages of reductions and of what is computed once a row, a block each row.
#include "jit/codegen/c_like_text.hpp"
#include "jit/codegen/c_like_value.hpp"
#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::opcode;
using kernel_ir::reduction_fragments;
using kernel_ir::stage;
using kernel_ir::value_id;
using op::reduction_kind;

namespace {

/// Chunk states that may wait for their merge: one for each bit of the chunk count.
constexpr int stack_depth = 52;

class rows_printer : kernel_text {
public:
    using kernel_text::kernel_text;

    std::string print(const std::string& name) {
        open_kernel(name);
        print_rows();
        close();
        return std::move(text_);
    }

private:
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
            line(qualifier + "i64 at" + number(v) + "[reduce_lanes];");
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
            if (r->parts.kind == reduction_kind::arg) line("at" + n + "[lane] = b" + n + ";");
        }
        close();
        barrier();
        if (reductions.empty()) return;
        open("for (int half = reduce_lanes / 2; half > 0; half /= 2) {");
        open(to_.lanes);
        open("if (lane < half) {");
        for (const reduction* r : reductions) {
            const std::string n = number(r->id);
            combine(*r, {"l" + n + "[lane]", "at" + n + "[lane]"},
                    {"l" + n + "[lane + half]", "at" + n + "[lane + half]"});
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
                line(r.words[1] + "[top] = at" + n + "[0];");
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
};

}  // namespace

std::string c_rows_kernel(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                          const std::string& name) {
    return rows_printer(to, k, shape).print(name);
}

}  // namespace sinter::codegen
