// Checks docs/functions.md against the headers and the behaviour of calls.
#include "tests/surface/headers.hpp"
#include "tests/surface/probes.hpp"

#include "engine/graph/results.hpp"
#include "tests/support/element_types.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>

namespace sinter::test {
namespace {

namespace fs = std::filesystem;

enum class runs : uint8_t { view, fused, library, opaque, line, library_line, value };

struct kind_text {
    const char* word;
    const char* promise;
};
constexpr kind_text kinds[] = {{"view", "A"},   {"fused", "B"},       {"library", "D"},
                               {"opaque", "C"}, {"at its line", "C"}, {"at its line", "D"},
                               {"reads", "B"}};

/// Returns the kind of the pending operations that compute a value.
runs pending_kind(const Version* v) {
    runs kind = runs::fused;
    std::vector<const Version*> stack{v};
    std::vector<const Version*> seen;
    while (!stack.empty()) {
        const Version* at = stack.back();
        stack.pop_back();
        if (!at || !at->producer || std::find(seen.begin(), seen.end(), at) != seen.end()) continue;
        seen.push_back(at);
        const Node& n = *at->producer;
        if (n.kind == node_kind::library)
            kind = computed_by(n).vendor ? runs::library : runs::opaque;
        for (const Edge& e : n.sources) stack.push_back(e.value.get());
        if (n.partial()) stack.push_back(n.base().value.get());
    }
    return kind;
}

runs observe(const probe& p, const Tensor& x) {
    const uint64_t before = stats().library_calls;
    std::vector<Tensor> results;
    p.call(x, results);
    const bool called = stats().library_calls != before;
    if (results.empty()) return runs::value;
    if (called) return runs::library_line;  // even if the result itself is pending
    const TensorImpl& r = *results[0].unsafeGetTensorImpl();
    if (r.storage->current->state == version_state::pending)
        return pending_kind(r.storage->current.get());
    if (results[0].is_alias_of(x)) return runs::view;
    return runs::line;
}

/// Returns true if the call computes a pending operand, because sizes or choices depend on values.
bool reads_first(const probe& p, const Tensor& x) {
    const Tensor pending = x.clone();
    REQUIRE(pending.unsafeGetTensorImpl()->storage->current->state == version_state::pending);
    const auto reads = [] {  // by eval() alone come what the probe itself makes ready
        const stats_report s = stats();
        return std::accumulate(s.flushes.begin(), s.flushes.end(), uint64_t{0}) -
               s.flushed(flush_reason::eval);
    };
    const uint64_t before = reads();
    std::vector<Tensor> results;
    p.call(pending, results);
    return reads() != before;
}

std::string dtypes_of(const std::vector<ScalarType>& accepted) {
    const auto all = [&](auto test) {
        for (ScalarType t : testing::all_types) {
            const bool in = std::find(accepted.begin(), accepted.end(), t) != accepted.end();
            if (in != test(t)) return false;
        }
        return true;
    };
    const bool complex = std::any_of(accepted.begin(), accepted.end(), isComplexType);
    if (complex) {
        std::vector<ScalarType> real;
        std::copy_if(accepted.begin(), accepted.end(), std::back_inserter(real),
                     [](ScalarType t) { return !isComplexType(t); });
        if (real.empty()) return "complex";
        const std::string others = dtypes_of(real);
        return others == "all real" ? "all" : others + ", complex";
    }
    if (all([](ScalarType) { return true; })) return "all real";
    if (all([](ScalarType t) { return t != kBool; })) return "numbers";
    if (all([](ScalarType t) { return isFloatingType(t); })) return "floating";
    if (all([](ScalarType t) { return isIntegralType(t, true); })) return "integers, Bool";
    if (all([](ScalarType t) { return isIntegralType(t, false); })) return "integers";
    std::string list;
    for (ScalarType t : accepted) list += (list.empty() ? "" : " ") + std::string(toString(t));
    return list;
}

// Functions whose floating results have no gradient, as in PyTorch: they draw numbers, make
// tensors, or drop what was there.
constexpr std::string_view constant[] = {
    "arange",
    "bartlett_window",
    "bernoulli",
    "blackman_window",
    "detach",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "fill",
    "fill_diagonal_",
    "eye",
    "fft::fftfreq",
    "fft::rfftfreq",
    "frexp_exponent",
    "from_blob",
    "full",
    "full_like",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    "linspace",
    "logspace",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "ones",
    "ones_like",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "scalar_tensor",
    "tensor",
    "tril_indices",
    "triu_indices",
    "windows::bartlett",
    "windows::blackman",
    "windows::cosine",
    "windows::hann",
    "windows::exponential",
    "windows::gaussian",
    "windows::general_cosine",
    "windows::general_hamming",
    "windows::hamming",
    "windows::kaiser",
    "windows::nuttall",
    "zeros",
    "zeros_like",
    "zero_",
};

/// Returns how floating results depend on x: "yes", "none", "missing" if a backward pass throws
/// that there is no derivative, or "-" if there are none.
std::string gradient_of(const probe& p) {
    const Tensor x = eye(4, kDouble).requires_grad_();
    std::vector<Tensor> results;
    try {
        p.call(x, results);
    } catch (const Error& e) {
        return std::string(e.what()).find("derivative") != std::string::npos ? "missing" : "-";
    }
    std::string found = "-";
    for (const Tensor& y : results) {
        if (!y.defined() || !(y.is_floating_point() || y.is_complex())) continue;
        if (found == "-") found = "none";
        if (!y.requires_grad()) continue;
        try {
            autograd::grad({y.is_complex() ? Tensor(real(y).sum()) : y.sum()}, {x}, {}, true, false,
                           true);
        } catch (const NotImplementedError&) {
            return "missing";
        }
        found = "yes";
    }
    return found;
}

struct row {
    std::string name, runs, promise, dtypes, gradient;
};

row look(const probe& p) {
    std::vector<ScalarType> accepted;
    row r{p.name, "", "", "", gradient_of(p)};
    for (ScalarType t : {kFloat, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kDouble,
                         kBool, kComplexFloat, kComplexDouble}) {
        Tensor x = eye(4, t);
        x.eval();
        try {
            const runs how = observe(p, x);
            if (r.runs.empty()) {
                r.runs = kinds[static_cast<std::size_t>(how)].word;
                r.promise = kinds[static_cast<std::size_t>(how)].promise;
                const bool is_lazy =
                    how == runs::fused || how == runs::library || how == runs::opaque;
                if (is_lazy && reads_first(p, x)) r.runs += ", reads first";
            }
            accepted.push_back(t);
        } catch (const InternalError& e) {
            const std::string what = std::string(p.name) + " of " + toString(t) + ": " + e.what();
            FAIL_CHECK(what);
        } catch (const Error&) {
        }
    }
    r.dtypes = dtypes_of(accepted);
    return r;
}

const char* const head =
    "# Functions\n"
    "\n"
    "Written by `test_surface` from the operation table, the public headers and calls of each "
    "function;\n"
    "`SINTER_WRITE_DOCS=1 build/release/bin/test_surface` writes it again.\n"
    "\n"
    "Forms: f(x) is a function, x.f() a method, f_ writes in place, f_out into a given tensor. "
    "What "
    "runs\n"
    "how:\n"
    "\n"
    "- view: shares memory, computes nothing;\n"
    "- fused: pending, becomes part of kernels with its neighbours;\n"
    "- opaque: pending, a kernel of its own that is not generated;\n"
    "- library: pending, a call of a vendor library;\n"
    "- at its line: made at the call; reads: a value that is no tensor, made at the call;\n"
    "- reads first: the result is pending, but the call computes and reads its operands, on which\n"
    "  sizes or the way to compute depend.\n"
    "\n"
    "Bits: A moves, unchanged bits. B equal in lazy and eager mode, for any number of threads and "
    "any\n"
    "vector width; reductions in an order that follows from the shape. C as B: one fixed order. D "
    "equal in\n"
    "both modes and for any number of threads on one type of CPU.\n"
    "\n"
    "Gradient: of a Double result. none: it requires none, as in PyTorch; missing: a backward pass "
    "throws\n"
    "that there is no derivative; -: there is no floating result.\n"
    "\n"
    "| function | forms | runs | dtypes | bits | gradient | tested in |\n"
    "|---|---|---|---|---|---|---|\n";

const char* const others_head =
    "\n"
    "## Around tensors\n"
    "\n"
    "Modes, threads, random streams, files, devices, questions: their headers say what each does.\n"
    "\n"
    "| function | header | tested in |\n"
    "|---|---|---|\n";

TEST_CASE("the table of functions is true, and every function is in it and tested") {
    const fs::path source = SINTER_SOURCE_DIR;
    std::map<std::string, declared> names = declared_functions(source / "include");
    const auto calls = called_in_tests(source / "tests");
    std::map<std::string, std::pair<row, bool>> rows;  // bool: true for rows of the operation table
    for (const probe& p : row_probes()) {
        rows[p.name] = {look(p), true};
        names[p.name] = {true, true, true, true};
    }
    for (const probe& p : probes()) rows[p.name] = {look(p), false};

    std::ostringstream table;
    table << head;
    for (const auto& [name, d] : names) {
        CAPTURE(name);
        const auto found = rows.find(name);
        const bool probed = found != rows.end();
        CHECK_MESSAGE(probed, "declared, but not in tests/surface/probes.def");
        if (!probed) continue;
        const row& r = found->second.first;
        CHECK_MESSAGE(!r.runs.empty(), "no dtype is accepted");
        std::string where;
        if (found->second.second) {
            where = "op";
        } else {
            int most = 0;
            const auto last = name.rfind("::");
            const std::string bare = last == std::string::npos ? name : name.substr(last + 2);
            for (const std::string& form : {bare, bare + "_", bare + "_out"}) {
                const auto c = calls.find(form);
                if (c == calls.end()) continue;
                for (const auto& [file, count] : c->second)
                    if (file.rfind("surface", 0) != 0 && count > most) {
                        most = count;
                        where = file;
                    }
            }
        }
        CHECK_MESSAGE(!where.empty(), "no test calls it");
        std::string forms;
        if (d.function) forms += "f(x)";
        if (d.method) forms += forms.empty() ? "x.f()" : ", x.f()";
        if (d.in_place) forms += forms.empty() ? "f_" : ", f_";
        if (d.out) forms += ", f_out";
        table << "| `" << name << "` | " << forms << " | " << r.runs << " | " << r.dtypes << " | "
              << r.promise << " | " << r.gradient << " | " << where << " |\n";
        const bool is_constant =
            std::find(std::begin(constant), std::end(constant), name) != std::end(constant);
        CHECK_MESSAGE((r.gradient == "none") == is_constant,
                      "a floating result without a gradient is not in the list above");
    }
    for (const auto& [name, r] : rows) {
        CAPTURE(name);
        CHECK_MESSAGE(names.count(name) == 1, "probed, but not declared");
    }
    table << others_head;
    for (const auto& [name, header] : other_functions(source / "include")) {
        CAPTURE(name);
        const auto at = calls.find(name.substr(name.rfind(':') + 1));  // npos + 1 is 0
        std::string where;
        int most = 0;
        for (const auto& [path, count] :
             at == calls.end() ? std::map<std::string, int>() : at->second)
            if (path.rfind("surface", 0) != 0 && count > most) {
                most = count;
                where = path;
            }
        CHECK_MESSAGE(!where.empty(), "no test calls it");
        table << "| `" << name << "` | `" << header << "` | " << where << " |\n";
    }
    const fs::path file = source / "docs" / "functions.md";
    if (std::getenv("SINTER_WRITE_DOCS")) std::ofstream(file) << table.str();
    std::ifstream in(file);
    std::ostringstream committed;
    committed << in.rdbuf();
    CHECK_MESSAGE(committed.str() == table.str(),
                  "docs/functions.md is old; SINTER_WRITE_DOCS=1 writes it");
}

}  // namespace
}  // namespace sinter::test
