// The states of lanes and chunks of a kernel by rows, folded in the order of reduce_order.hpp. For
// any number of chunks, the stack of that order equals the tree that merges neighbours level by
// level and keeps a last state without neighbour.
#include "jit/codegen/c_like/rows.hpp"
#include "jit/codegen/c_like/value.hpp"
#include "jit/kernel_ir/opcodes.hpp"

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::opcode;
using kernel_ir::stage;
using kernel_ir::value_id;
using op::reduction_kind;

std::vector<rows_printer::reduction> rows_printer::make_reductions(const stage& s) const {
    const kernel_ir::partial_layout layout = make_partial_layout(k_, s);
    std::vector<reduction> reductions;
    for (std::size_t n = 0; n < s.reduces.size(); n++) {
        const value_id v = s.reduces[n];
        const instr& i = at(v);
        reduction r{v,
                    c_reduction_name(i.row, i.in),
                    kernel_ir::make_fragments(i.row, i.in),
                    {},
                    layout.offsets[n]};
        for (int w = 0; w < state_words(i); w++)
            r.words.push_back("s" + number(v) + "_" + number(w));
        reductions.push_back(std::move(r));
    }
    return reductions;
}

std::string rows_printer::word_type(const reduction& r, std::size_t word) const {
    const bool index = word == 1 && r.parts.kind == reduction_kind::arg;
    return index ? "i64" : c_type(r.parts.acc);
}

void rows_printer::declare_shared() {
    const std::string shared = *to_.shared ? std::string(to_.shared) + " " : "";
    for (const stage& s : order_.stages) {
        for (const reduction& r : make_reductions(s)) {
            for (std::size_t w = 0; w < r.words.size(); w++) {
                const std::string name = number(r.id) + "_" + number(static_cast<int64_t>(w));
                if (form_.slots > 1) function_.declared += 8 * form_.rows * form_.slots;
                if (form_.slots > 1)
                    line(shared + word_type(r, w) + " h" + name + "[" +
                         number(form_.rows * form_.slots) + "];");
            }
        }
    }
    // Shared by all reductions, one after another.
    if (form_.across) {
        const std::string words = number(form_.rows * members() * (paired() ? 2 : 1));
        line(shared + "u64 fold_words[" + words + "], fold_indices[" + words + "];");
    }
    if (!kept_.operands.empty()) line(std::string(to_.launched) + " row_pack<u64, 2> kept_rows[];");
}

void rows_printer::declare_states(const std::vector<reduction>& reductions) {
    for (const reduction& r : reductions) {
        for (std::size_t w = 0; w < r.words.size(); w++) {
            const bool index = w == 1 && r.parts.kind == reduction_kind::arg;
            line(word_type(r, w) + " " + r.words[w] + " = " +
                 c_literal(index ? mtype::i64 : r.parts.acc, r.parts.empty[w]) + ";");
        }
    }
}

/// Prints a = combine(a, b) for lanes, or for chunks unless they are moments.
void rows_printer::combine(const reduction& r, const state& a, const state& b) {
    if (r.parts.kind == reduction_kind::arg)
        line(r.name + "_combine(" + a.word + ", " + a.index + ", " + b.word + ", " + b.index +
             ", " + a.word + ", " + a.index + ");");
    else
        line(r.name + "_combine(" + a.word + ", " + b.word + ", " + a.word + ");");
}

/// Folds the lanes of a team by halves; lane 0 is then the first lane of member 0.
void rows_printer::fold_lanes(const reduction& r) {
    const std::string n = number(r.id);
    const auto within = [&](int apart) {
        for (int j = 0; j < apart; j++) {
            const std::string a = "[" + number(j) + "]", b = "[" + number(j + apart) + "]";
            combine(r, {"a" + n + a, "b" + n + a}, {"a" + n + b, "b" + n + b});
        }
    };
    if (!adjacent()) {
        // The last halves of paired rows have two threads.
        for (int apart = form_.lanes / 2; apart > (paired() ? 1 : 0); apart /= 2) within(apart);
        fold_between(r, 1);
    } else {
        fold_between(r, form_.lanes);
        for (int apart = form_.lanes / 2; apart > 0; apart /= 2) within(apart);
    }
}

/// Folds `lanes` lanes of each thread with those of the other threads of its team.
void rows_printer::fold_between(const reduction& r, int lanes) {
    if (members() == 1) return;
    const bool arg = r.parts.kind == reduction_kind::arg;
    const std::string n = number(r.id), half = number(paired() ? members() : members() / 2);
    if (form_.across) {
        const std::string at = "[thread]", other = "[thread + half * " + number(form_.rows) + "]";
        const std::string f = std::string("((") + c_type(r.parts.acc) + "*)fold_words)";
        const std::string g = "((i64*)fold_indices)";
        for (int j = 0; j < (paired() ? 2 : 1); j++) {
            const std::string to =
                paired() ? "[share * " + number(form_.rows) + " + pair * 2 + " + number(j) + "]"
                         : at;
            line(f + to + " = a" + n + "[" + number(j) + "];");
            if (arg) line(g + to + " = b" + n + "[" + number(j) + "];");
        }
        barrier();
        open("for (int half = " + half + "; half > 0; half /= 2) {");
        open("if (member < half) {");
        combine(r, {f + at, g + at}, {f + other, g + other});
        close();
        barrier();
        close();
        line("a" + n + "[0] = " + f + "[slot];");
        if (arg) line("b" + n + "[0] = " + g + "[slot];");
        barrier();
        return;
    }
    const std::string width = ", half, " + number(members()) + ")";
    unroll("for (int half = " + half + "; half > 0; half /= 2) {");
    for (int j = 0; j < lanes; j++) {
        const std::string a = "a" + n + "[" + number(j) + "]", b = "b" + n + "[" + number(j) + "]";
        combine(r, {a, b}, {"lane_down(" + a + width, "lane_down(" + b + width});
    }
    close();
}

/// Gives all threads of a team the state of its chunk after a pass.
void rows_printer::take_state(const reduction& r, bool deviations) {
    const std::string n = number(r.id);
    const auto of_first = [&](const std::string& lane) {
        if (form_.across || members() == 1) return lane;
        return "lane_first(" + lane + ", " + number(members()) + ")";
    };
    const std::string lane = of_first("a" + n + "[0]");
    switch (r.parts.kind) {
        case reduction_kind::fold: line(r.words[0] + " = " + lane + ";"); return;
        case reduction_kind::arg:
            line(r.words[0] + " = " + lane + ";");
            line(r.words[1] + " = " + of_first("b" + n + "[0]") + ";");
            return;
        case reduction_kind::moments:
            if (deviations)
                line(r.words[1] + " = " + lane + ";");
            else
                line(r.name + "_mean(" + lane + ", count, " + r.words[0] + ");");
            return;
    }
}

void rows_printer::keep_states(const std::vector<reduction>& reductions) {
    open("if (member == 0 && chunk < last) {");
    for (const reduction& r : reductions) {
        for (std::size_t w = 0; w < r.words.size(); w++)
            line("h" + number(r.id) + "_" + number(static_cast<int64_t>(w)) + "[slot * " +
                 number(form_.slots) + " + (int)(chunk - first)] = " + r.words[w] + ";");
    }
    close();
}

/// Merges the chunks of a row that a block has, as a tree.
void rows_printer::merge_kept(const std::vector<reduction>& reductions) {
    const auto kept = [&](const reduction& r, const std::string& at) {
        const std::string n = number(r.id), index = "[slot * " + number(form_.slots) + at + "]";
        return state{"h" + n + "_0" + index, "h" + n + "_1" + index};
    };
    barrier();
    open("{");
    line("const int filled = (int)(last - first);");
    open("for (int by = 1; by < filled; by *= 2) {");
    open("for (int at = rank * 2 * by; at + by < filled; at += " + number(2 * group()) +
         " * by) {");
    for (const reduction& r : reductions)
        merge(r, kept(r, " + at"), kept(r, " + at + by"), "(first + at) * reduce_chunk",
              "by * reduce_chunk");
    close();
    barrier();
    close();
    open("if (filled > 0) {");
    for (const reduction& r : reductions) {
        const state all = kept(r, "");
        line(r.words[0] + " = " + all.word + ";");
        if (r.words.size() > 1) line(r.words[1] + " = " + all.index + ";");
    }
    close();
    close();
}

/// Prints a = the merge of neighbours a and b. Both have up to `length` elements; a's begin at
/// `begin`.
void rows_printer::merge(const reduction& r, const state& a, const state& b,
                         const std::string& begin, const std::string& length) {
    if (r.parts.kind != reduction_kind::moments) {
        combine(r, a, b);
        return;
    }
    line(r.name + "_merge(" + a.word + ", " + a.index + ", " + length + ", " + b.word + ", " +
         b.index + ", held(" + begin + " + " + length + ", " + length + ", k.n0), " + a.word +
         ", " + a.index + ");");
}

/// Declares shared arrays for the parts of a row; returns their number of parts.
int rows_printer::declare_merged(const std::vector<reduction>& reductions) {
    std::size_t words = 0;
    for (const reduction& r : reductions) words += r.words.size();
    int parts = 256;
    while (parts > 2 && 8 * words * static_cast<std::size_t>(parts) > 16 << 10) parts /= 2;
    const std::string shared = *to_.shared ? std::string(to_.shared) + " " : "";
    for (const reduction& r : reductions) {
        for (std::size_t w = 0; w < r.words.size(); w++)
            line(shared + word_type(r, w) + " h" + number(r.id) + "_" +
                 number(static_cast<int64_t>(w)) + "[" + number(parts) + "];");
    }
    return parts;
}

/// Merges the parts of a row as a tree: in the workspace, and the last `here` of them in shared
/// memory.
void rows_printer::merge_parts(const std::vector<reduction>& reductions, int here) {
    const auto left = [&](const reduction& r, const std::string& at) {
        const std::string n = number(r.id), index = "[" + at + "]";
        return state{"h" + n + "_0" + index, "h" + n + "_1" + index};
    };
    const auto outside = [&](const reduction& r, const std::string& part) {
        return state{in_workspace(r, 0, part), r.words.size() > 1 ? in_workspace(r, 1, part) : ""};
    };
    const auto assign = [&](const reduction& r, const state& to, const state& from) {
        line(to.word + " = " + from.word + ";");
        if (r.words.size() > 1) line(to.index + " = " + from.index + ";");
    };
    line("const i64 part = k.span * reduce_chunk;");
    line("i64 by = 1;");
    open("for (; by" + (here > 0 ? " * " + number(here) : "") + " < parts; by *= 2) {");
    open("for (i64 at = live ? rank * 2 * by : parts; at + by < parts; at += threads * 2 * by) {");
    for (const reduction& r : reductions)
        merge(r, outside(r, "at"), outside(r, "(at + by)"), "at * part", "by * part");
    close();
    barrier();
    close();
    // Rows without elements have no parts, and the states that they began with.
    const auto take_all = [&](const auto& from) {
        open("if (parts > 0) {");
        for (const reduction& r : reductions) assign(r, {r.words[0], r.words.back()}, from(r, "0"));
        close();
    };
    if (here == 0) return take_all(outside);
    line("const int left = (int)((parts + by - 1) / by);");
    open("for (int n = rank; n < left; n += threads) {");
    for (const reduction& r : reductions) assign(r, left(r, "n"), outside(r, "n * by"));
    close();
    barrier();
    open("for (int step = 1; step < left; step *= 2) {");
    open("for (int at = rank * 2 * step; at + step < left; at += threads * 2 * step) {");
    for (const reduction& r : reductions)
        merge(r, left(r, "at"), left(r, "at + step"), "at * by * part", "step * by * part");
    close();
    barrier();
    close();
    take_all(left);
    // The next row uses the same memory.
    barrier();
}

std::string rows_printer::in_workspace(const reduction& r, std::size_t word,
                                       const std::string& part) const {
    return "*(" + word_type(r, word) + "*)(k.work + 8 * ((" +
           number(r.first_word + static_cast<int64_t>(word)) + " * parts + " + part +
           ") * k.n1 + row))";
}

std::string rows_printer::finished(value_id reduction) const {
    int64_t place = 0;
    for (value_id v = 0; v < reduction; v++) place += at(v).op == opcode::reduce;
    return std::string("*(") + c_type(at(reduction).mt) + "*)(k.work + 8 * ((" +
           number(function_.words) + " * parts + " + number(place) + ") * k.n1 + row))";
}

void rows_printer::finish(const std::vector<reduction>& reductions) {
    for (const reduction& r : reductions) {
        std::string call = r.name + "_finish(" + r.words[0] + ", ";
        if (r.words.size() > 1) call += r.words[1];
        if (r.parts.kind == reduction_kind::fold) call += "k.n0";
        if (r.parts.kind == reduction_kind::moments) call += ", k.n0, " + value_name(at(r.id).b);
        line(std::string(c_type(at(r.id).mt)) + " " + value_name(r.id) + ";");
        line(call + ", " + value_name(r.id) + ");");
    }
}

}  // namespace sinter::codegen
