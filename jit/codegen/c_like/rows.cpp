// Kernels by rows: row values, and the functions of a kernel.
#include "jit/codegen/c_like/rows.hpp"

#include "jit/codegen/c_like/value.hpp"
#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::opcode;
using kernel_ir::stage;
using kernel_ir::value_id;

rows_printer::rows_printer(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                           c_like_function& function)
    : kernel_text(to, k, shape), form_(shape.rows), function_(function) {}

std::string rows_printer::print() {
    if (!form_.parts) {
        if (form_.kept && shape_.element_dims == 1) {
            kept_ = find_kept(k_, order_);
            if (form_.kept != 2) kept_.value = kernel_ir::none;
            for (std::size_t o : kept_.operands) function_.kept += kept_size(k_, kept_, o);
            function_.kept_operands = static_cast<int64_t>(kept_.operands.size());
        }
        print_whole();
        return std::move(text_);
    }
    function_.finished = std::count_if(k_.body.begin(), k_.body.end(),
                                       [](const auto& i) { return i.op == opcode::reduce; });
    for (const stage& s : order_.stages)
        function_.words = std::max(function_.words, make_partial_layout(k_, s).words);
    const auto name = [this] {
        const std::size_t n = function_.parts.size();
        return n == 0 ? function_.name : function_.name + "_" + number(static_cast<int64_t>(n));
    };
    for (const stage& s : order_.stages) {
        if (!s.reduces.empty() || !s.stores.empty()) {
            const std::string chunks = name();
            function_.parts.push_back({chunks, false});
            print_chunks(s, chunks);
        }
        if (!s.reduces.empty() || (is_last(s) && !order_.after.empty())) {
            const std::string merge = name();
            function_.parts.push_back({merge, true});
            print_merge(s, merge);
        }
    }
    return std::move(text_);
}

/// Opens a kernel with launch bounds. Without them compilers limit registers to those of the
/// largest possible block.
void rows_printer::open_bounded(const std::string& name, unsigned threads) {
    if (*to_.bounded)
        open_kernel(std::string(to_.bounded) + "(" + number(threads) +
                    (to_.resident ? ", " + number(std::max(1U, to_.resident / threads)) : "") +
                    ") " + name);
    else
        open_kernel(name);
}

/// Declares the thread's place in its block: `slot` among the rows, `rank` among the threads of its
/// row.
void rows_printer::print_place() {
    const std::string rows = number(form_.rows), threads = number(group());
    line("const int thread = " + std::string(to_.local_thread) + ";");
    if (form_.across)
        line("const int slot = thread % " + rows + ", rank = thread / " + rows + ";");
    else
        line("const int slot = thread / " + threads + ", rank = thread % " + threads + ";");
    line("const int member = rank % " + number(members()) + ", team = rank / " + number(members()) +
         ";");
    line("const i64 chunks = (k.n0 + reduce_chunk - 1) / reduce_chunk;");
}

/// Opens the rows of a block. Threads past the last row run along, since barriers and shuffles need
/// them, but access no memory.
void rows_printer::open_rows(const std::string& rows) {
    live_ = rows == "1" ? "" : "live";
    if (live_.empty()) {
        line("const i64 row = base;");
    } else {
        line("const bool live = base + slot < k.n1;");
        line("const i64 row = live ? base + slot : k.n1 - 1;");
    }
    find_offsets("row", "rows", 'r', shape_.row_dims);
    if (!paired() || rows == "together") return;
    const std::string pairs = number(form_.rows / 2);
    line("const int pair = thread % " + pairs + ", share = thread / " + pairs + ";");
    line("const bool pair_live = base + pair * 2 < k.n1;");
    line("const i64 pair_row = pair_live ? base + pair * 2 : 0;");
    find_offsets("pair_row", "rows", 'd', shape_.row_dims);
}

void rows_printer::print_whole() {
    open_bounded(function_.name, form_.threads());
    declare_shared();
    print_place();
    const std::string rows = number(form_.rows);
    open("for (i64 base = " + std::string(to_.block) + " * " + rows +
         "; base < k.n1; base += " + to_.blocks + " * " + rows + ") {");
    open_rows(rows);
    line("const i64 first = 0, last = chunks;");
    // Shared memory of the previous rows may still be read.
    barrier();
    fetch_kept();
    for (const stage& s : order_.stages) {
        values(s.before);
        if (s.reduces.empty()) {
            print_stores(s);
            continue;
        }
        const std::vector<reduction> reductions = make_reductions(s);
        print_reductions(s, reductions);
    }
    print_after();
    close();
    close();
}

void rows_printer::print_chunks(const stage& s, const std::string& name) {
    open_bounded(name, form_.threads());
    declare_shared();
    print_place();
    const std::string rows = number(form_.rows);
    line("const i64 parts = (chunks + k.span - 1) / k.span;");
    line("const i64 units = (k.n1 + " + number(form_.rows - 1) + ") / " + rows + " * parts;");
    open("for (i64 unit = " + std::string(to_.block) + "; unit < units; unit += " + to_.blocks +
         ") {");
    line("const i64 part = unit % parts, base = unit / parts * " + rows + ";");
    line("const i64 first = part * k.span;");
    line("const i64 last = chunks - first < k.span ? chunks : first + k.span;");
    open_rows(rows);
    barrier();
    print_earlier(s);
    values(s.before);
    if (s.reduces.empty())
        print_stores(s);
    else
        print_reductions(s, make_reductions(s));
    close();
    close();
}

/// Prints the merge of the parts of a row and its end. A block runs `together` rows and divides its
/// threads equally among them.
void rows_printer::print_merge(const stage& s, const std::string& name) {
    open_bounded(name, merge_threads);
    line("const int thread = " + std::string(to_.local_thread) + ", together = (int)k.together;");
    line("const int slot = thread % together, rank = thread / together;");
    line("const int threads = " + std::string(to_.block_threads) + " / together;");
    line("const i64 chunks = (k.n0 + reduce_chunk - 1) / reduce_chunk;");
    line("const i64 parts = (chunks + k.span - 1) / k.span;");
    const std::vector<reduction> reductions = make_reductions(s);
    const int here = form_.across ? 0 : declare_merged(reductions);
    open("for (i64 base = " + std::string(to_.block) +
         " * together; base < k.n1; base += " + to_.blocks + " * together) {");
    open_rows("together");
    print_earlier(s);
    values(s.before);
    if (!reductions.empty()) {
        declare_states(reductions);
        merge_parts(reductions, here);
        finish(reductions);
    }
    if (is_last(s)) {
        print_after();
    } else {
        open("if (live && rank == 0) {");
        for (const reduction& r : reductions) line(finished(r.id) + " = " + value_name(r.id) + ";");
        close();
    }
    close();
    close();
}

/// Prints the row values that earlier launches made available.
void rows_printer::print_earlier(const stage& until) {
    for (const stage& s : order_.stages) {
        if (&s == &until) return;
        values(s.before);
        for (value_id r : s.reduces) declare(c_type(at(r).mt), value_name(r), finished(r));
    }
}

void rows_printer::print_after() {
    const auto is_store = [&](value_id v) { return at(v).op == opcode::store; };
    for (value_id v : order_.after) {
        if (!is_store(v)) value(v);
    }
    if (std::none_of(order_.after.begin(), order_.after.end(), is_store)) return;
    // A row store may overwrite a row that other threads still load.
    barrier();
    open(live_.empty() ? "if (rank == 0) {" : "if (live && rank == 0) {");
    for (value_id v : order_.after) {
        if (is_store(v)) value(v);
    }
    close();
}

std::string c_rows_kernel(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                          c_like_function& function) {
    return rows_printer(to, k, shape, function).print();
}

}  // namespace sinter::codegen
