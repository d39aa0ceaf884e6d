// A stage's passes over the elements of a block's chunks.
#include "jit/codegen/c_like/rows.hpp"
#include "jit/codegen/c_like/value.hpp"
#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::opcode;
using kernel_ir::stage;
using kernel_ir::stride_class;
using kernel_ir::value_id;
using op::reduction_kind;

void rows_printer::unroll(const std::string& loop) {
    line("#pragma unroll");
    open(loop);
}

// ---- what several passes read

bool rows_printer::is_kept(std::size_t operand) const {
    return std::find(kept_.operands.begin(), kept_.operands.end(), operand) != kept_.operands.end();
}

/// Returns true if a value takes the place of the operand.
bool rows_printer::is_replaced(std::size_t operand) const {
    return kept_.value != kernel_ir::none && kept_.replaced == operand;
}

/// Returns true if a stage reads the kept value.
bool rows_printer::after_kept(const stage& s) const {
    return kept_.value != kernel_ir::none && &s > &order_.stages[kept_.stage];
}

/// Returns what a stage computes, or reads, for each element.
std::vector<value_id> rows_printer::elements(const stage& s) const {
    return after_kept(s) ? elements_after(k_, s, kept_.value) : s.elements;
}

std::optional<rows_printer::read> rows_printer::read_of(const stage& s, value_id v) const {
    const instr& i = at(v);
    const bool value = v == kept_.value && after_kept(s);
    if (i.op != opcode::load && !value) return std::nullopt;
    const std::size_t o = value ? kept_.replaced : static_cast<std::size_t>(i.a);
    if (is_replaced(o)) return read{o, c_type(i.mt), kept_size(k_, kept_, o), true, true};
    return read{o, c_memory_type(i.type), static_cast<int64_t>(elementSize(i.type)), is_kept(o),
                false};
}

/// Returns where the row of an operand is.
std::string rows_printer::in_memory(std::size_t operand) const {
    const std::string n = number(static_cast<int64_t>(operand));
    return "k.operands[" + n + "].ptr + r" + n;
}

/// Returns where the row of a kept operand is for the chunk of `element`.
std::string rows_printer::kept_at(std::size_t operand, const std::string& element) const {
    const std::string kept = "kept" + number(static_cast<int64_t>(operand));
    if (!partly()) return kept;
    return "(" + element + " < fetched ? " + kept + " : " + in_memory(operand) + ")";
}

/// Says where a value is that a pass reads.
void rows_printer::set_read(const read& from, value_id v, const std::string& text) {
    (from.computed ? computed_ : loaded_)[v] = text;
}

/// Copies the kept operands to shared memory: all threads of a row, many loads at once.
void rows_printer::fetch_kept() {
    if (kept_.operands.empty()) return;
    line(std::string("const int fetched = ") +
         (partly() ? "k.span < chunks ? (int)k.span * reduce_chunk : " : "") + "(int)k.n0;");
    std::string before = "(char*)kept_rows";
    for (std::size_t o : kept_.operands) {
        const std::string n = number(static_cast<int64_t>(o));
        // The teams of a warp read different rows at once, so rows are padded to use different
        // banks.
        const std::string unit = number(members() < 32 ? 4 * members() : 16);
        line("const int line" + n + " = ((fetched * " + number(kept_size(k_, kept_, o)) + " + " +
             unit + " - 1) / " + unit + (members() < 32 ? " | 1) * " : ") * ") + unit + ";");
        line("char* const kept" + n + " = " + before + " + slot * line" + n + ";");
        before += " + " + number(form_.rows) + " * line" + n;
        if (!live_.empty()) open("if (live) {");
        fetch(o);
        if (!live_.empty()) close();
    }
    barrier();
}

/// Copies an operand to shared memory, as it is or in the type in which it is computed.
void rows_printer::fetch(std::size_t operand) {
    const std::string n = number(static_cast<int64_t>(operand));
    const ScalarType of = k_.operands[operand].type;
    const auto size = static_cast<int64_t>(elementSize(of));
    const std::string from = in_memory(operand);
    // Few threads need more loads each.
    line(std::string("#pragma unroll ") + (group() > 32 ? "4" : "8"));
    const std::string all = std::string("for (int n = rank; n < fetched") +
                            (form_.packed ? " * " + number(size) + " / 16" : "") +
                            "; n += " + number(group()) + ") ";
    const std::string type = c_memory_type(of);
    if (!is_replaced(operand) || !kernel_ir::is_narrow(of)) {
        const std::string word = form_.packed ? "row_pack<u64, 2>" : type;
        line(all + "((" + word + "*)kept" + n + ")[n] = ((const " + word + "*)(" + from + "))[n];");
        return;
    }
    const std::string to = c_type(kernel_ir::compute_type(of));
    if (!form_.packed) {
        line(all + "((" + to + "*)kept" + n +
             ")[n] = " + c_widened(of, "((const " + type + "*)(" + from + "))[n]") + ";");
        return;
    }
    const int64_t whole = 16 / size, part = 16 / kept_size(k_, kept_, operand);
    const std::string narrow = "row_pack<" + type + ", " + number(whole) + ">";
    const std::string wide = "row_pack<" + to + ", " + number(part) + ">";
    open(all + "{");
    line("const " + narrow + " word = ((const " + narrow + "*)(" + from + "))[n];");
    unroll("for (int i = 0; i < " + number(whole / part) + "; i++) {");
    line(wide + " some;");
    line("#pragma unroll");
    line("for (int j = 0; j < " + number(part) +
         "; j++) some.w[j] = " + c_widened(of, "word.w[i * " + number(part) + " + j]") + ";");
    line("((" + wide + "*)kept" + n + ")[n * " + number(whole / part) + " + i] = some;");
    close();
    close();
}

/// Puts the value of an element in its place, if this stage computes the kept value.
void rows_printer::keep_value(const stage& s) {
    if (kept_.value == kernel_ir::none || &s != &order_.stages[kept_.stage]) return;
    const std::string type = c_type(at(kept_.value).mt);
    line("((" + type + "*)kept" + number(static_cast<int64_t>(kept_.replaced)) +
         ")[(int)begin + inside] = " + value_name(kept_.value) + ";");
}

// ---- passes

void rows_printer::print_elements(const stage& s) {
    find_offsets("element", "elements", 'e', shape_.element_dims);
    for (value_id v : elements(s)) {
        if (const auto kept = computed_.find(v); kept != computed_.end())
            declare(c_type(at(v).mt), value_name(v), kept->second);
        else
            value(v);
    }
}

/// Prints a pass that only stores elements: threads take them in turn, in packs if possible.
void rows_printer::print_stores(const stage& s) {
    if (s.stores.empty()) return;
    const std::string n = number(form_.stored);
    const auto dense = [&](value_id v) {
        return form_.stored > 1 &&
               k_.operands[static_cast<std::size_t>(at(v).a)].lane == stride_class::unit;
    };
    const auto pack = [&](value_id v) {
        return std::string("row_pack<") + c_memory_type(at(v).type) + ", " + n + ">";
    };
    const auto place = [&](std::size_t operand, bool kept, int64_t size) {
        return (kept ? kept_at(operand, "pack") : in_memory(operand)) + " + pack * " + number(size);
    };
    open("{");
    line("const i64 stored = " + (live_.empty() ? "" : live_ + " == false ? 0 : ") +
         "last == chunks ? k.n0 : last * reduce_chunk;");
    open("for (i64 pack = first * reduce_chunk + rank * " + n +
         "; pack < stored; pack += " + number(group() * form_.stored) + ") {");
    for (value_id v : elements(s)) {
        const std::optional<read> from = read_of(s, v);
        if (!from) continue;
        const std::string at = place(from->operand, from->kept, from->size);
        if (form_.stored > 1 && k_.operands[from->operand].lane == stride_class::unit) {
            // Of wide numbers, a pack is several accesses.
            const int64_t part = std::min<int64_t>(form_.stored, 16 / from->size);
            const std::string p = number(part), parts = number(form_.stored / part);
            const std::string word = "row_pack<" + from->type + ", " + p + ">";
            line(word + " t" + number(v) + "[" + parts + "];");
            line("#pragma unroll");
            line("for (int i = 0; i < " + parts + "; i++) t" + number(v) + "[i] = ((const " + word +
                 "*)(" + at + "))[i];");
            set_read(*from, v, "t" + number(v) + "[j / " + p + "].w[j % " + p + "]");
        } else if (from->kept) {
            set_read(*from, v, "*(const " + from->type + "*)(" + at + ")");
        }
    }
    for (value_id v : s.stores) {
        if (dense(v)) line(pack(v) + " o" + number(v) + ";");
    }
    unroll("for (int j = 0; j < " + n + "; j++) {");
    line("const i64 element = pack + j;");
    print_elements(s);
    for (value_id v : s.stores) {
        if (dense(v))
            line("o" + number(v) + ".w[j] = " + stored(at(v)) + ";");
        else
            value(v);
    }
    close();
    for (value_id v : s.stores) {
        if (dense(v))
            line("*(" + pack(v) + "*)(" +
                 place(static_cast<std::size_t>(at(v).a), false,
                       static_cast<int64_t>(elementSize(at(v).type))) +
                 ") = o" + number(v) + ";");
    }
    close();
    close();
    loaded_.clear();
    computed_.clear();
    if (!is_last(s)) barrier();
}

void rows_printer::print_reductions(const stage& s, const std::vector<reduction>& reductions) {
    std::vector<reduction> second;
    for (const reduction& r : reductions) {
        if (r.parts.kind == reduction_kind::moments) second.push_back(r);
    }
    declare_states(reductions);
    const bool slots = form_.slots > 1;
    if (slots) {
        open("for (i64 turn = first; turn < last; turn += " + number(form_.teams) + ") {");
        line("const i64 chunk = turn + team;");
    } else {
        open("for (i64 chunk = first; chunk < last; chunk++) {");
    }
    line("const i64 begin = chunk * reduce_chunk;");
    std::string some = slots ? "chunk < last" : "";
    const std::string live = paired() ? "pair_live" : live_;
    if (!live.empty()) some += (slots ? " && " : "") + live;
    const std::string count = "(int)held(begin, reduce_chunk, k.n0)";
    line("const int count = " + (some.empty() ? count : some + " ? " + count + " : 0") + ";");
    // The last pass stores, so that no pass reads what this stage wrote.
    print_pass(s, reductions, false, second.empty());
    if (!second.empty()) print_pass(s, second, true, true);
    if (slots) keep_states(reductions);
    close();
    if (slots)
        merge_kept(reductions);
    else if (kept_.value != kernel_ir::none && &s == &order_.stages[kept_.stage])
        barrier();
    if (!form_.parts) {
        finish(reductions);
        return;
    }
    open(live_.empty() ? "if (rank == 0) {" : "if (live && rank == 0) {");
    for (const reduction& r : reductions) {
        for (std::size_t w = 0; w < r.words.size(); w++)
            line(in_workspace(r, w, "part") + " = " + r.words[w] + ";");
    }
    close();
}

/// Prints the lanes over the elements of a chunk, and their fold.
void rows_printer::print_pass(const stage& s, const std::vector<reduction>& reductions,
                              bool deviations, bool with_stores) {
    open("{");
    const std::string lanes = number(form_.lanes);
    for (const reduction& r : reductions) {
        const std::string n = number(r.id);
        const mtype acc = r.parts.acc;
        const bool arg = r.parts.kind == reduction_kind::arg;
        line(std::string(c_type(acc)) + " a" + n + "[" + lanes + "];");
        if (arg) line("i64 b" + n + "[" + lanes + "];");
        unroll("for (int j = 0; j < " + lanes + "; j++) {");
        line("a" + n + "[j] = " + c_literal(acc, r.parts.identity[0]) + ";");
        if (arg) line("b" + n + "[j] = " + c_literal(mtype::i64, r.parts.identity[1]) + ";");
        close();
    }
    line("int at = 0;");
    if (form_.steps > 1) {
        const std::string steps = number(form_.steps * 32);
        line("#pragma unroll 1");
        open("for (; at + " + steps + " <= count; at += " + steps + ") {");
        print_steps(s, reductions, deviations, with_stores, form_.steps);
        close();
    }
    if (form_.steps > 1) line("#pragma unroll 1");
    open("for (; at < count; at += 32) {");
    print_steps(s, reductions, deviations, with_stores, 0);
    close();
    for (const reduction& r : reductions) fold_lanes(r);
    for (const reduction& r : reductions) take_state(r, deviations);
    close();
}

/// Returns the position in its chunk of element `j` of a step of this thread.
std::string rows_printer::element_at(const std::string& step) const {
    const std::string own = adjacent() ? "member * " + number(form_.lanes) + " + j"
                            : paired() ? "share + j / 2 * " + number(2 * members())
                                       : "member + j * " + number(members());
    return "at + " + (step.empty() ? own : step + " * 32 + " + own);
}

/// Prints `steps` steps whose elements all exist; 0: one step, some of whose elements may not
/// exist.
void rows_printer::print_steps(const stage& s, const std::vector<reduction>& reductions,
                               bool deviations, bool with_stores, int steps) {
    const std::string lanes = number(form_.lanes);
    const bool guarded = steps == 0;
    // Rows consist of whole packs.
    if (guarded && adjacent()) open("if (at + member * " + lanes + " < count) {");
    load_steps(s, guarded ? adjacent() : steps);
    if (!guarded) unroll("for (int u = 0; u < " + number(steps) + "; u++) {");
    unroll("for (int j = 0; j < " + lanes + "; j++) {");
    line("const int inside = " + element_at(guarded ? "" : "u") + ";");
    if (guarded && !adjacent()) open("if (inside < count) {");
    line("const i64 element = begin + inside;");
    print_elements(s);
    keep_value(s);
    for (const reduction& r : reductions) take_element(r, deviations);
    if (with_stores) values(s.stores);
    if (guarded && !adjacent()) close();
    close();
    if (!guarded) close();
    if (guarded && adjacent()) close();
    loaded_.clear();
    computed_.clear();
}

/// Prints the loads of `steps` steps, before any computation; 0: values are loaded where they are
/// used.
void rows_printer::load_steps(const stage& s, int steps) {
    if (shape_.element_dims != 1) return;
    const std::string lanes = number(form_.lanes);
    for (value_id v : elements(s)) {
        const std::optional<read> from = read_of(s, v);
        if (!from) continue;
        const std::size_t o = from->operand;
        const std::string n = number(static_cast<int64_t>(o)), type = from->type;
        const std::string base = from->kept ? kept_at(o, "begin") : in_memory(o);
        const std::string stride = from->kept ? number(from->size) : stride_of(o, "elements", 0);
        // Places in shared memory have 32 bits, so that they can be part of accesses.
        const std::string start = from->kept ? " + ((int)begin + (" : " + (begin + (";
        const auto word = [&](const std::string& element) {
            return "(const @*)(" + base +
                   (stride.empty() ? "" : start + element + ")) * " + stride) + ")";
        };
        const auto of = [](std::string text, const std::string& t) {
            return text.replace(text.find('@'), 1, t);
        };
        const std::string first_of_pair = "k.operands[" + n + "].ptr + d" + n;
        if (steps == 0) {
            if (from->kept) set_read(*from, v, "*" + of(word("inside"), type));
            if (paired())
                loaded_[v] = "*(const " + type + "*)(" + first_of_pair + " + j % 2 * " +
                             number(from->size) + " + (begin + inside) * " + stride + ")";
            continue;
        }
        const std::string pack = "row_pack<" + type + ", " + lanes + ">", t = "t" + number(v);
        const std::string u = steps == 1 ? "0" : "u";
        line(pack + " " + t + "[" + number(steps) + "];");
        // Advances a pointer: computing the address of each load would take more registers than the
        // loads.
        const bool walks =
            !adjacent() && !from->kept && (paired() || k_.operands[o].lane == stride_class::other);
        if (walks)
            line("const char* p" + number(v) + " = " +
                 (paired() ? first_of_pair + " + (begin + (at + share)) * "
                           : base + " + (begin + (at + member)) * ") +
                 stride + ";");
        unroll("for (int u = 0; u < " + number(steps) + "; u++) {");
        if (adjacent() && k_.operands[o].lane == stride_class::unit) {
            line(t + "[u] = *" + of(word("at + u * 32 + member * " + lanes), pack) + ";");
        } else if (paired()) {
            const std::string two = "row_pack<" + type + ", 2>";
            unroll("for (int j = 0; j < " + lanes + "; j += 2) {");
            line("const " + two + " both = *(const " + two + "*)p" + number(v) + ";");
            line(t + "[u].w[j] = both.w[0];");
            line(t + "[u].w[j + 1] = both.w[1];");
            line("p" + number(v) + " += " + number(2 * members()) + " * " + stride + ";");
            close();
        } else {
            unroll("for (int j = 0; j < " + lanes + "; j++) {");
            if (walks) {
                line(t + "[u].w[j] = *(const " + type + "*)p" + number(v) + ";");
                line("p" + number(v) + " += " + number(members()) + " * " + stride + ";");
            } else {
                line(t + "[u].w[j] = *" + of(word(element_at("u")), type) + ";");
            }
            close();
        }
        close();
        set_read(*from, v, t + "[" + u + "].w[j]");
    }
}

void rows_printer::take_element(const reduction& r, bool deviations) {
    const std::string n = number(r.id), x = "x" + n;
    line(std::string(c_type(r.parts.acc)) + " " + x + ";");
    line(r.name + "_prepare(" + value_name(at(r.id).a) + ", " + x + ");");
    if (deviations) line(r.name + "_deviation(" + x + ", " + r.words[0] + ", " + x + ");");
    combine(r, {"a" + n + "[j]", "b" + n + "[j]"}, {x, "element"});
}

}  // namespace sinter::codegen
