// Prints a plan as text, for `explain`.
#include "engine/graph/infer.hpp"
#include "engine/graph/lines.hpp"
#include "engine/graph/results.hpp"
#include "engine/plan/in_place.hpp"
#include "engine/plan/plan.hpp"
#include "runtime/base/plain_text.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace sinter::plan {

std::string name_of(const Node& n) {
    if (n.kind == node_kind::reduce) return op::info(n.reduction).name;
    if (n.library == &result_op && n.kind == node_kind::library)
        return "result " + std::to_string(n.attributes->as<result_attributes>().index) + " of " +
               computed_by(n).name;
    if (n.kind == node_kind::library) return n.library->name;
    std::string s;
    const std::vector<uint16_t>& words = n.code->source->words;
    for (std::size_t w = 0; w < words.size(); ++w) {
        const char* name = nullptr;
        switch (words[w]) {
            case token_leaf:
            case token_scalar: continue;
            case token_real: name = "real"; break;
            case token_imag: name = "imag"; break;
            case token_cast: name = "cast", ++w; break;
            case token_join: name = "complex", ++w; break;
            default:
                name = op::rows[words[w]].name;
                if (op::rows[words[w]].rule == dtype_rule::random) ++w;
        }
        if (!s.empty()) s += '+';
        s += name;
    }
    return s.empty() ? "copy" : s;
}

namespace {

bool takes_result(const Node& n) { return n.kind == node_kind::library && n.library == &result_op; }

std::string count(std::size_t n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string shape_of(const std::vector<int64_t>& extents) {
    std::string s = "[";
    for (std::size_t i = 0; i < extents.size(); ++i)
        s += (i ? ", " : "") + std::to_string(extents[i]);
    return s + "]";
}

/// Returns the most bytes that the results and temporaries of a plan take at once, if none gets the
/// memory of an operand. Partial writes go into the memory of their base.
std::size_t peak_bytes(const plan& p, const subgraph& w) {
    std::vector<std::size_t> held(static_cast<std::size_t>(p.values) + p.temporaries.size());
    std::size_t now = 0, most = 0;
    const auto hold = [&](std::size_t v, std::size_t bytes) {
        now += bytes - held[v];
        held[v] = bytes;
    };
    const auto make = [&](std::size_t v) {
        if (v >= static_cast<std::size_t>(p.values)) {
            const temporary& t = p.temporaries[v - static_cast<std::size_t>(p.values)];
            return hold(v, static_cast<std::size_t>(t.numel) * elementSize(t.dtype));
        }
        const Node& n = *w.nodes[v];
        if (n.partial()) return;
        if (takes_result(n)) {  // out of the results that its source holds
            const auto all = static_cast<std::size_t>(subgraph::value_of(n.sources[0]));
            hold(all, held[all] - std::min(held[all], n.result->nbytes()));
        }
        if (n.kind != node_kind::library || !n.several()) return hold(v, n.result->nbytes());
        std::size_t bytes = 0;
        for (const result_info& r : n.attributes->results)
            bytes += static_cast<std::size_t>(r.shape->numel) * elementSize(r.dtype);
        hold(v, bytes);
    };
    for (const plan_step& s : p.steps) {
        // A prologue and a product with an epilogue are there in pieces.
        if (s.kernel)
            for (int o : s.kernel->outputs)
                make(static_cast<std::size_t>(
                    s.kernel->operands[static_cast<std::size_t>(o)].value));
        else
            make(static_cast<std::size_t>(s.library));
        most = std::max(most, now);
        for (int v : s.last_reads)
            if (const auto at = static_cast<std::size_t>(v); !w.is_node(v) || !w.wanted[at])
                hold(at, 0);
    }
    return most;
}

/// Returns the line from which an operation comes, as a line of text, if it is known.
std::string line_under(const subgraph& w, int node) {
    const std::string line = line_of(*w.nodes[static_cast<std::size_t>(node)]);
    return line.empty() ? "" : "    from " + line + "\n";
}

/// Returns the lines of the program from which a kernel's operations come, if they are known.
std::string lines_of(const kernel_step& k, const subgraph& w) {
    std::vector<std::pair<std::string, std::string>> lines;  // and its operations
    for (const int n : k.nodes) {
        if (n >= static_cast<int>(w.nodes.size())) continue;
        const std::string line = line_of(*w.nodes[static_cast<std::size_t>(n)]);
        if (line.empty()) continue;
        auto at = std::find_if(lines.begin(), lines.end(),
                               [&line](const auto& l) { return l.first == line; });
        if (at == lines.end()) at = lines.insert(at, {line, ""});
        at->second += " %" + std::to_string(n);
    }
    std::string text;
    for (const auto& [line, operations] : lines)
        text += "    from " + line + ":" + operations + "\n";
    return text;
}

/// Returns what a GPU's program should know of an operation, as text behind its name.
std::string how_on_gpu(const kernel_op& op, const subgraph& w) {
    if (w.device == runtime::main_memory) return "";
    if (!op.on_gpu) return ", by the CPU";
    return op.waits_for ? std::string(", waits for ") + op.waits_for : "";
}

/// Returns true if the host waits for the tests of a kernel (node_tested_later in
/// kernel_launch.cpp).
bool waits_for_tests(const kernel_step& k, const subgraph& w) {
    std::size_t tests = 0;
    if (k.guarded && w.device != runtime::main_memory)
        for (const int n : k.nodes)
            tests += row_that_may_fail(*w.nodes[static_cast<std::size_t>(n)]) != nullptr;
    return tests > 1;
}

/// `role`: text on the role of the kernel in a step with a product.
void print_kernel(std::ostream& out, const kernel_step& k, const subgraph& w,
                  const plan_notes& notes, const std::string& role) {
    const kernel_note note = notes.of_kernel ? notes.of_kernel(k) : kernel_note{};
    std::size_t reads = 0, writes = 0, operations = 0, reductions = 0;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        if (k.ir.operands[i].use == kernel_ir::role::index) continue;
        (k.ir.operands[i].use == kernel_ir::role::output ? writes : reads) += 1;
    }
    for (const kernel_ir::instr& i : k.ir.body) {
        operations += i.op == kernel_ir::opcode::row || i.op == kernel_ir::opcode::cast;
        reductions += i.op == kernel_ir::opcode::reduce;
    }
    out << "kernel over " << shape_of(k.extents) << ": " << count(operations, "operation") << ", "
        << count(reductions, "reduction") << ", " << count(reads, "read") << ", "
        << count(writes, "write") << ", " << count(static_cast<std::size_t>(k.bytes), "byte");
    if (k.ir.along == kernel_ir::lanes::row) out << ", lanes along rows";
    if (k.flat) out << ", rows behind each other";
    if (k.reduced > 1) out << ", " << k.reduced << " dimensions reduced piece by piece";
    if (waits_for_tests(k, w)) out << ", waits for the tests of several operations";
    out << role << note.after << "\n    fused:";
    int shown = 0;
    for (int n : k.nodes) {
        if (shown++ == 24) {
            out << " and " << k.nodes.size() - 24 << " more";
            break;
        }
        if (n < static_cast<int>(w.nodes.size()))
            out << " %" << n << "=" << name_of(*w.nodes[static_cast<std::size_t>(n)]);
    }
    if (k.nodes.empty()) out << " a copy to make reduced dimensions dense";
    out << note.below << "\n" << lines_of(k, w);
}

/// Returns what a backward pass in the plan has of the values of its forward part: what kernels
/// store for it, and what they compute again. What is neither is computed and used by one kernel.
std::string gradient_lines(const plan& p, const subgraph& w) {
    std::vector<int> kernels(w.nodes.size(), 0);  // that compute the node
    std::vector<bool> read(w.nodes.size(), false), again(w.nodes.size(), false);
    const auto is_backward = [&w](int n) { return w.nodes[static_cast<std::size_t>(n)]->backward; };
    for (const plan_step& s : p.steps) {
        if (s.library >= 0 && is_backward(s.library))
            for (const Edge& e : w.nodes[static_cast<std::size_t>(s.library)]->sources)
                if (w.is_node(subgraph::value_of(e)))
                    read[static_cast<std::size_t>(subgraph::value_of(e))] = true;
        for (const kernel_step* k : s.kernels()) {
            if (!k) continue;
            for (const int n : k->nodes) ++kernels[static_cast<std::size_t>(n)];
            for (std::size_t i = 0; i < k->operands.size(); ++i) {
                const auto v = static_cast<std::size_t>(k->operands[i].value);
                if (k->ir.operands[i].use == kernel_ir::role::output &&
                    w.is_node(k->operands[i].value) && w.saved[v] && !w.wanted[v])
                    read[v] = true;
            }
            if (std::none_of(k->nodes.begin(), k->nodes.end(), is_backward)) continue;
            for (const int n : k->nodes) again[static_cast<std::size_t>(n)] = true;
            for (std::size_t i = 0; i < k->operands.size(); ++i)
                if (k->ir.operands[i].use == kernel_ir::role::input &&
                    w.is_node(k->operands[i].value))
                    read[static_cast<std::size_t>(k->operands[i].value)] = true;
        }
    }
    std::string stored, repeated;
    std::size_t bytes = 0, of_stored = 0, of_repeated = 0;
    for (std::size_t v = 0; v < w.nodes.size(); ++v) {
        if (w.nodes[v]->backward) continue;
        if (read[v]) {
            stored += " %" + std::to_string(v);
            bytes += w.values[v]->nbytes();
            ++of_stored;
        } else if (again[v] && kernels[v] > 1) {
            repeated += " %" + std::to_string(v);
            ++of_repeated;
        }
    }
    std::string lines;
    if (of_stored > 0)
        lines += "  gradient: " + count(of_stored, "value") + " stored for it, " +
                 count(bytes, "byte") + ":" + stored + "\n";
    if (of_repeated > 0)
        lines +=
            "  gradient: " + count(of_repeated, "value") + " computed again:" + repeated + "\n";
    return lines;
}

}  // namespace

std::string print(const plan& p, const subgraph& w, const plan_notes& notes) {
    runtime::plain_text out;
    const auto library = [&](const plan_step& s) {
        return w.nodes[static_cast<std::size_t>(s.library)]->library;
    };
    std::size_t kernels = 0, libraries = 0, operations = 0;
    for (const Node* n : w.nodes) operations += !takes_result(*n);
    for (const plan_step& s : p.steps) {
        libraries += s.library >= 0 && library(s)->vendor;
        kernels += (s.before.has_value()) + (s.kernel.has_value() && s.bias < 0) +
                   (s.library >= 0 && !library(s)->vendor && library(s) != &result_op);
    }
    out << "plan: " << count(operations, "operation") << ", " << count(kernels, "kernel") << ", "
        << count(libraries, "library call") << ", at most " << count(peak_bytes(p, w), "byte")
        << " of values\n";
    int number = 0;
    for (const plan_step& s : p.steps) {
        if (s.before) {
            out << "  " << ++number << ". ";
            print_kernel(out, *s.before, w, notes,
                         std::string(", prologue of ") + library(s)->name);
        }
        if (s.library >= 0 && library(s) != &result_op)
            out << "  " << ++number << (library(s)->vendor ? ". library call " : ". opaque kernel ")
                << library(s)->name << (s.bias >= 0 ? " with bias" : "")
                << how_on_gpu(*library(s), w) << "\n"
                << line_under(w, s.library);
        if (!s.kernel || s.bias >= 0) continue;
        out << "  " << ++number << ". ";
        print_kernel(out, *s.kernel, w, notes,
                     s.library >= 0 ? std::string(", epilogue of ") + library(s)->name : "");
    }
    out << notes.before_cuts << gradient_lines(p, w);
    int shown = 0;
    const auto is_result = [&w](int v) {
        return v >= 0 && takes_result(*w.nodes[static_cast<std::size_t>(v)]);
    };
    for (const cut_record& c : p.cuts) {
        if (is_result(c.consumer)) continue;
        if (shown++ == 32) {
            out << "  and " << p.cuts.size() - 32 << " more cuts\n";
            break;
        }
        out << "  cut: %" << c.producer;
        if (c.consumer >= 0) out << " before %" << c.consumer;
        out << ": " << to_string(c.why) << "\n";
    }
    for (int i : p.inlined)
        if (w.values[static_cast<std::size_t>(i)] &&
            w.values[static_cast<std::size_t>(i)]->owner != nullptr)
            out << "  held: %" << i << " is fused away; reading it later materialises it\n";
    return out.str();
}

}  // namespace sinter::plan
