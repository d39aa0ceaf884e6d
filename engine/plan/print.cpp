// A plan as text: what `explain` shows.
#include "engine/graph/infer.hpp"
#include "engine/plan/plan.hpp"
#include "runtime/base/plain_text.hpp"

#include <cstdio>

namespace sinter::plan {
std::string name_of(const Node& n) {
    if (n.kind == node_kind::reduce) return op::info(n.reduction).name;
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
        if (!s.empty()) s += "+";
        s += name;
    }
    return s.empty() ? "copy" : s;
}

namespace {

std::string count(std::size_t n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string shape_of(const std::vector<int64_t>& extents) {
    std::string s = "[";
    for (std::size_t i = 0; i < extents.size(); ++i)
        s += (i ? ", " : "") + std::to_string(extents[i]);
    return s + "]";
}

/// What its runs took; nothing before the first timed one.
std::string measured(const kernel_step& k) {
    const uint64_t ns = k.timing->best_ns.load();
    if (ns == 0) return "";
    char text[96];
    std::snprintf(text, sizeof text, "\n    measured: %s, best %.3f us, %.1f GB/s",
                  count(k.timing->runs.load(), "run").c_str(), static_cast<double>(ns) / 1e3,
                  static_cast<double>(k.bytes) / static_cast<double>(ns));
    return text;
}

/// `role`: what the kernel is to another step.
void print_kernel(std::ostream& out, const kernel_step& k, const subgraph& w,
                  const std::string& role) {
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
    out << role;
    out << (k.fn.load() ? ", loaded" : ", not loaded yet") << "\n    fused:";
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
    out << measured(k);
    if (const std::string own = k.own ? k.own->describe() : ""; !own.empty())
        out << "\n    " << own;
    out << "\n";
}

/// What is known of both plans, and which one runs.
void print_choice(std::ostream& out, const choice& c) {
    const auto time_of = [&c](side s) -> std::string {
        const race::times& t = c.of(s);
        const uint32_t runs = t.runs.load();
        if (runs == 0) return "not measured";
        char text[64];
        std::snprintf(text, sizeof text, "best of %u %.3f us", runs,
                      static_cast<double>(t.best_ns.load()) / 1e3);
        return text;
    };
    static constexpr const char* states[] = {"both are tried in turns", "fused", "written out"};
    out << "  choice: " << states[static_cast<int>(c.now())] << "; fused " << time_of(side::fused)
        << ", written out " << time_of(side::apart) << "\n";
    if (c.now() == choice::state::apart) return;  // its cuts are shown
    for (const cut_record& r : c.apart().cuts)
        if (r.why == cut::unsure)
            out << "  unsure: %" << r.producer << " before %" << r.consumer << "\n";
}

}  // namespace

std::string print(const plan& fused, const subgraph& w, const std::string& launches) {
    const bool apart = fused.other && fused.other->now() == choice::state::apart;
    const plan& p = apart ? fused.other->apart() : fused;
    runtime::plain_text out;
    const auto library = [&](const plan_step& s) {
        return w.nodes[static_cast<std::size_t>(s.library)]->library;
    };
    std::size_t kernels = 0, libraries = 0;
    for (const plan_step& s : p.steps) {
        libraries += s.library >= 0 && library(s)->vendor;
        kernels += (s.before != nullptr) + (s.kernel != nullptr && s.bias < 0) +
                   (s.library >= 0 && !library(s)->vendor);
    }
    out << "plan: " << count(w.nodes.size(), "operation") << ", " << count(kernels, "kernel")
        << ", " << count(libraries, "library call") << "\n";
    int number = 0;
    for (const plan_step& s : p.steps) {
        if (s.before) {
            out << "  " << ++number << ". ";
            print_kernel(out, *s.before, w, std::string(", prologue of ") + library(s)->name);
        }
        if (s.library >= 0)
            out << "  " << ++number << (library(s)->vendor ? ". library call " : ". opaque kernel ")
                << library(s)->name << (s.bias >= 0 ? " with bias" : "")
                << (w.place != runtime::main_memory && !library(s)->on_gpu ? ", by the CPU" : "")
                << "\n";
        if (!s.kernel || s.bias >= 0) continue;
        out << "  " << ++number << ". ";
        print_kernel(out, *s.kernel, w,
                     s.library >= 0 ? std::string(", epilogue of ") + library(s)->name : "");
    }
    if (!launches.empty()) out << "  launches: " << launches << "\n";
    if (fused.other) print_choice(out, *fused.other);
    int shown = 0;
    for (const cut_record& c : p.cuts) {
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
            out << "  held: %" << i
                << " is computed on the way and not kept; read it, and it will be\n";
    return out.str();
}

}  // namespace sinter::plan
