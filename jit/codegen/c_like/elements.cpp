// Map kernels in the form that form.hpp describes. The values of one element are a function, which
// every walk over the space calls.
#include "jit/codegen/c_like/form.hpp"
#include "jit/codegen/c_like/text.hpp"
#include "jit/codegen/c_like/value.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::opcode;
using kernel_ir::role;
using kernel_ir::stage;
using kernel_ir::stride_class;
using kernel_ir::value_id;

namespace {

constexpr int tile_rows = element_threads / tile_side;  // rows of threads
constexpr int tile_items = tile_side / tile_rows;       // elements per thread
constexpr const char* unroll = "_Pragma(\"unroll\") ";

class elements_printer : kernel_text {
public:
    elements_printer(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                     std::string name)
        : kernel_text(to, k, shape),
          name_(std::move(name)),
          dims_(shape.row_dims + shape.element_dims) {
        const stage& s = order_.stages[0];
        for (const auto* list : {&s.before, &s.elements, &s.stores})
            for (value_id v : *list) note(at(v));
        for (std::vector<int>* list : {&inputs_, &outputs_}) {
            std::sort(list->begin(), list->end());
            list->erase(std::unique(list->begin(), list->end()), list->end());
        }
    }

    std::string print() {
        text_ += c_element_arguments(k_, shape_, name_);
        print_element();
        // Without launch bounds compilers limit registers to those of the largest possible block.
        text_ += std::string(to_.kernel) + " ";
        if (*to_.bounded) text_ += std::string(to_.bounded) + "(" + number(element_threads) + ") ";
        text_ += name_ + "(const " + name_ + "_arguments k)";
        open(" {");
        if (shape_.turned != 0)
            print_tiles();
        else
            print_steps();
        close();
        return std::move(text_);
    }

private:
    void note(const instr& i) {
        if (i.op == opcode::load || i.op == opcode::index) inputs_.push_back(i.a);
        if (i.op == opcode::store) outputs_.push_back(i.a);
        guarded_ |= i.op == opcode::guard;
    }

    // ---- operands

    const kernel_ir::operand& operand(int o) const {
        return k_.operands[static_cast<std::size_t>(o)];
    }
    bool is_index(int o) const { return operand(o).use == role::index; }
    bool is_whole(int o) const { return o < 64 && (shape_.whole >> o & 1) != 0; }
    bool is_turned(int o) const { return o < 64 && (shape_.turned >> o & 1) != 0; }
    bool stands(int o) const {
        return k_.along == kernel_ir::lanes::element && operand(o).lane == stride_class::zero;
    }
    std::string type_of(int o) const {
        return is_index(o) ? "i64" : c_memory_type(operand(o).type);
    }
    int size_of(int o) const { return static_cast<int>(elementSize(operand(o).type)); }
    std::string name_of(char prefix, int o) const { return prefix + number(o); }
    std::string pointer(int o) const { return "k.operands[" + number(o) + "].ptr"; }
    std::string offset_type() const { return shape_.far ? "i64" : "i32"; }
    /// Returns the byte offset of `factor` steps along dimension `d` (innermost first) as text;
    /// empty if the operand is constant there.
    std::string stride(int o, int d, int factor = 1) const {
        if (d == 0 && stands(o)) return "";
        const bool dense = is_whole(o) || (k_.along == kernel_ir::lanes::element &&
                                           operand(o).lane == stride_class::unit && !is_index(o));
        if (d == 0 && dense) return number(factor * size_of(o));
        const std::string text = "k.operands[" + number(o) + "].strides[" + number(d) + "]";
        return factor == 1 ? text : number(factor) + " * " + text;
    }
    std::string product(const std::string& index, const std::string& by) const {
        return "(" + offset_type() + ")" + index + " * " + by;
    }

    // ---- one element

    std::string load(const instr& i) const override { return c_widened(i.type, name_of('x', i.a)); }
    std::string index(const instr& i) const override { return name_of('x', i.a); }
    /// Elements outside the space are computed too, but raise no status.
    std::string raises(const instr& i) const override { return "inside && " + value_name(i.a); }
    void store(const instr& i) override { line(name_of('y', i.a) + " = " + stored(i) + ";"); }

    void print_element() {
        std::string parameters = "const " + name_ + "_arguments& k";
        if (guarded_) parameters += ", bool inside";
        for (int o : inputs_) parameters += ", " + type_of(o) + " " + name_of('x', o);
        for (int o : outputs_) parameters += ", " + type_of(o) + "& " + name_of('y', o);
        open(std::string(to_.inlined) + " void " + name_ + "_element(" + parameters + ") {");
        const stage& s = order_.stages[0];
        values(s.before);
        values(s.elements);
        values(s.stores);
        close();
    }

    /// Returns the call for one element. `item` indexes the variables, `lane` also the vectors
    /// among them.
    std::string element(const std::string& item, const std::string& lane = "") const {
        std::string text = name_ + (guarded_ ? "_element(k, inside" : "_element(k");
        for (int o : inputs_) {
            text += ", " + name_of('x', o) + item;
            if (lane.empty() || stands(o)) continue;
            text += is_index(o) ? " + (i64)l * " + stride(o, 0) : lane;
        }
        for (int o : outputs_) text += ", " + name_of('y', o) + item + lane;
        return text + ");";
    }

    // ---- walking

    /// Opens the loop over blocks, named `block`.
    void open_blocks() {
        if (shape_.wide || !to_.threaded)
            open(std::string("for (i64 block = ") + to_.block +
                 "; block < k.blocks; block += " + to_.blocks + ") {");
        else
            open(std::string("{ const u32 block = (u32)") + to_.block + ";");
    }

    /// Opens the code of each thread of a block, named `thread`.
    void open_threads() {
        open(to_.threaded
                 ? std::string("{ const int thread = ") + to_.local_thread + ";"
                 : "for (int thread = 0; thread < " + number(element_threads) + "; thread++) {");
    }

    /// Declares `i0`, `i1`, ...: the position of step or tile `n`.
    void find_places(const std::string& n) {
        const std::string type = index_type();
        std::string rest = n;
        for (int d = 0; d + 1 < dims_; d++) {
            const std::string q = "q" + number(d), by = "k.by[" + number(d) + "]";
            const std::string quotient =
                shape_.wide ? rest + " / " + by : "quotient(" + rest + ", " + by + ")";
            line("const " + type + " " + q + " = " + quotient + ", i" + number(d) + " = " + rest +
                 " - " + q + " * " + by + (shape_.wide ? "" : ".d") + ";");
            rest = q;
        }
        line("const " + type + " i" + number(dims_ - 1) + " = " + rest + ";");
    }

    /// Declares `o3`, the offset of operand 3 for the position from dimension `from` on.
    void find_offset(int o, int from = 0) {
        std::string sum;
        for (int d = from; d < dims_; d++) {
            const std::string by = stride(o, d, d == 0 ? shape_.vector : 1);
            if (by.empty()) continue;
            if (!sum.empty()) sum += " + ";
            sum += product("i" + number(d), by);
        }
        line("const " + offset_type() + " " + name_of('o', o) + " = " + (sum.empty() ? "0" : sum) +
             ";");
    }

    std::string index_value(int o, const std::string& more = "") const {
        return "(i64)((u64)" + pointer(o) + " + (u64)(i64)(" + name_of('o', o) + more + "))";
    }
    /// Returns the element of memory at the operand's offset plus `more`.
    std::string memory(int o, const std::string& more, bool written) const {
        const std::string type = (written ? "" : "const ") + type_of(o);
        return "*(" + type + "*)(" + pointer(o) + " + (" + name_of('o', o) + more + "))";
    }
    std::string pack_type(int o) const {
        const int bytes = size_of(o) * (is_whole(o) ? shape_.vector : 1);
        return "pack<" + type_of(o) + ", " + number(shape_.vector) + ", " +
               number(std::min(16, bytes)) + ">";
    }
    std::string lane_offset(int o) const {
        const std::string by = stride(o, 0);
        return by.empty() || shape_.vector == 1 ? "" : " + " + product("l", by);
    }

    // ---- steps

    void print_steps() {
        const std::string type = index_type();
        const int items = shape_.items, span = element_threads * items;
        open_blocks();
        open_threads();
        line("const " + type + " first = (" + type + ")block * " + number(span) + " + (" + type +
             ")thread;");
        if (shape_.vector == 1 && items == 1) {
            print_single();
            close();
            close();
            return;
        }
        line("const bool full = first + " + number(span - element_threads) + " < (" + type +
             ")k.whole;");
        open("if (first < (" + type + ")k.steps) {");
        const std::string of_items = "[" + number(items) + "];";
        for (int o : inputs_)
            line((is_index(o) || stands(o) ? type_of(o) : pack_type(o)) + " " + name_of('x', o) +
                 of_items);
        for (int o : outputs_) line(pack_type(o) + " " + name_of('y', o) + of_items);
        print_loads();
        open_items();
        open(each_lane() + "{");
        if (guarded_) line("const bool inside = full || " + lane_inside() + ";");
        line(element("[j]", ".at[l]"));
        close();
        close();
        print_stores();
        close();
        close();
        close();
    }

    void print_single() {
        open("if (first < (" + index_type() + ")k.steps) {");
        find_places("first");
        for (int o : inputs_) {
            find_offset(o);
            line("const " + type_of(o) + " " + name_of('x', o) + " = " +
                 (is_index(o) ? index_value(o) : memory(o, "", false)) + ";");
        }
        for (int o : outputs_) line(type_of(o) + " " + name_of('y', o) + ";");
        if (guarded_) line("const bool inside = true;");
        line(element(""));
        for (int o : outputs_) {
            find_offset(o);
            line(memory(o, "", true) + " = " + name_of('y', o) + ";");
        }
        close();
    }

    /// Opens the loop over a thread's steps, named `n`.
    void open_items() {
        open(std::string(unroll) + "for (int j = 0; j < " + number(shape_.items) + "; j++) {");
        line("const " + index_type() + " n = first + (" + index_type() + ")j * " +
             number(element_threads) + ";");
    }
    std::string each_lane() const {
        return std::string(unroll) + "for (int l = 0; l < " + number(shape_.vector) + "; l++) ";
    }
    std::string step_inside() const { return "n < (" + index_type() + ")k.steps"; }
    /// Rows end within a step only if the space is one row.
    std::string lane_inside() const {
        if (dims_ > 1 || shape_.vector == 1) return step_inside();
        return "n * " + number(shape_.vector) + " + l < (" + index_type() + ")k.n[0]";
    }

    void print_loads() {
        const bool apart =
            std::any_of(inputs_.begin(), inputs_.end(), [&](int o) { return !is_index(o); });
        open_full(apart);
        for (int o : inputs_) {
            find_offset(o);
            if (is_index(o))
                line(item('x', o) + " = " + index_value(o) + ";");
            else if (stands(o))
                line(item('x', o) + " = " + memory(o, "", false) + ";");
            else if (is_whole(o))
                line(item('x', o) + " = load_pack<" + pack_type(o) + ">(" + pointer(o) + " + " +
                     name_of('o', o) + ");");
            else
                line(each_lane() + item('x', o) + ".at[l] = " + memory(o, lane_offset(o), false) +
                     ";");
        }
        if (!open_rest(apart)) return;
        for (int o : inputs_) {
            find_offset(o);
            if (is_index(o))
                line(item('x', o) + " = " + index_value(o) + ";");
            else if (stands(o))
                line(item('x', o) + " = " + step_inside() + " ? " + memory(o, "", false) + " : 0;");
            else
                line(each_lane() + item('x', o) + ".at[l] = " + lane_inside() + " ? " +
                     memory(o, lane_offset(o), false) + " : 0;");
        }
        close();
        close();
    }

    void print_stores() {
        open_full(true);
        for (int o : outputs_) {
            find_offset(o);
            if (is_whole(o))
                line("store_pack(" + pointer(o) + " + " + name_of('o', o) + ", " + item('y', o) +
                     ");");
            else
                line(each_lane() + memory(o, lane_offset(o), true) + " = " + item('y', o) +
                     ".at[l];");
        }
        open_rest(true);
        for (int o : outputs_) {
            find_offset(o);
            line(each_lane() + "if (" + lane_inside() + ") " + memory(o, lane_offset(o), true) +
                 " = " + item('y', o) + ".at[l];");
        }
        close();
        close();
    }
    std::string item(char prefix, int o) const { return name_of(prefix, o) + "[j]"; }

    /// Opens the code for threads whose elements all exist; open_rest opens, if `apart`, the code
    /// for the others.
    void open_full(bool apart) {
        open(apart ? "if (full) {" : "{");
        open_items();
        find_places("n");
    }
    bool open_rest(bool apart) {
        close();
        close();
        if (!apart) return false;
        open("else {");
        open_items();
        find_places("n");
        return true;
    }

    // ---- tiles

    void print_tiles() {
        const std::string qualifier = *to_.shared ? std::string(to_.shared) + " " : "";
        bool reads = false, writes = false;
        for (const auto* list : {&inputs_, &outputs_})
            for (int o : *list) {
                if (!is_turned(o)) continue;
                (list == &inputs_ ? reads : writes) = true;
                line(qualifier + type_of(o) + " " + name_of('t', o) + "[" + number(tile_side) +
                     "][" + number(tile_side + 1) + "];");
            }
        open_blocks();
        find_places("(" + index_type() + ")block");
        for (const auto* list : {&inputs_, &outputs_})
            for (int o : *list) find_offset(o, 2);
        if (reads) {
            print_turned(inputs_, false);
            barrier();
        }
        print_tile_elements();
        if (writes) {
            barrier();
            print_turned(outputs_, true);
        }
        if (shape_.wide) barrier();
        close();
    }

    /// Declares `a` and `b`: the position of a thread's element `j` in the innermost and the next
    /// dimension.
    void open_tile_items(bool turned) {
        const std::string type = index_type();
        open(std::string(unroll) + "for (int j = 0; j < " + number(tile_items) + "; j++) {");
        line("const int row = thread / " + number(tile_side) + " + j * " + number(tile_rows) +
             ", column = thread % " + number(tile_side) + ";");
        const std::string from = number(tile_side) + " + (" + type + ")";
        line("const " + type + " a = i0 * " + from + (turned ? "row" : "column") + ", b = i1 * " +
             from + (turned ? "column" : "row") + ";");
        line("const bool inside = a < (" + type + ")k.n[0] && b < (" + type + ")k.n[1];");
    }
    std::string in_tile(int o) const {
        std::string more;
        for (const auto& [index, d] : {std::pair{"a", 0}, std::pair{"b", 1}})
            if (const std::string by = stride(o, d); !by.empty())
                more += " + " + product(index, by);
        return more;
    }

    /// Prints the copy between memory and tiles, with threads along the next dimension.
    void print_turned(const std::vector<int>& operands, bool written) {
        open_threads();
        for (int o : operands)
            if (is_turned(o) && !written)
                line(type_of(o) + " x" + number(o) + "[" + number(tile_items) + "];");
        open_tile_items(true);
        for (int o : operands) {
            if (!is_turned(o)) continue;
            const std::string tile = name_of('t', o) + "[row][column]";
            line("if (inside) " +
                 (written ? memory(o, in_tile(o), true) + " = " + tile
                          : name_of('x', o) + "[j] = " + memory(o, in_tile(o), false)) +
                 ";");
        }
        close();
        if (!written) {
            open_tile_items(true);
            for (int o : operands)
                if (is_turned(o))
                    line("if (inside) " + name_of('t', o) + "[row][column] = " + name_of('x', o) +
                         "[j];");
            close();
        }
        close();
    }

    void print_tile_elements() {
        const std::string items = "[" + number(tile_items) + "];";
        open_threads();
        for (int o : inputs_) line(type_of(o) + " " + name_of('x', o) + items);
        for (int o : outputs_) line(type_of(o) + " " + name_of('y', o) + items);
        open_tile_items(false);
        for (int o : inputs_) {
            const std::string from = is_index(o)    ? index_value(o, in_tile(o))
                                     : is_turned(o) ? name_of('t', o) + "[column][row]"
                                                    : memory(o, in_tile(o), false);
            line("if (inside) " + name_of('x', o) + "[j] = " + from + ";");
        }
        close();
        open_tile_items(false);
        line("if (inside) " + element("[j]"));
        close();
        open_tile_items(false);
        for (int o : outputs_)
            line("if (inside) " +
                 (is_turned(o) ? name_of('t', o) + "[column][row]" : memory(o, in_tile(o), true)) +
                 " = " + name_of('y', o) + "[j];");
        close();
        close();
    }

    const std::string name_;
    const int dims_;
    std::vector<int> inputs_, outputs_;  // operands that live values need
    bool guarded_ = false;
};

}  // namespace

std::string c_elements_kernel(const dialect& to, const kernel_ir::kernel& k,
                              const loop_shape& shape, const std::string& name) {
    return elements_printer(to, k, shape, name).print();
}

}  // namespace sinter::codegen
