// What the compilation of a kernel spends its time on: study_compile_phases [REPEATS]
//
// Computes some expressions, takes their kernels from the cache, compiles each again and again with
// the generator's own back end, and prints microseconds by phase, of the fastest repetition. LLVM's
// timers, two for each of some sixty passes, are in them; `whole` is without.
#include "jit/cache/disk.hpp"
#include "jit/cache/target.hpp"
#include "jit/codegen/llvm/back_end.hpp"
#include "jit/codegen/llvm/emit_kernel.hpp"
#include "jit/codegen/llvm/image.hpp"
#include "jit/codegen/llvm/machine.hpp"

#include <sinter/sinter.hpp>

#include <llvm/Pass.h>
#include <llvm/Support/Timer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace sinter;

enum phase { emitting, optimising, selecting, scheduling, allocating, printing, other, linking };
constexpr std::array titles{"emit",  "IR passes", "select", "schedule",
                            "alloc", "write",     "others", "link"};
using phase_times = std::array<double, titles.size()>;

double microseconds(const std::function<void()>& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
}

phase phase_of(const std::string& pass) {
    const auto has = [&](const char* part) { return pass.find(part) != std::string::npos; };
    if (has("isel")) return selecting;
    if (has("machine-scheduler")) return scheduling;
    if (has("greedy") || has("virtregrewriter") || has("live") || has("coalesc") ||
        has("slotindexes"))
        return allocating;
    if (has("Assembly Printer") || has("asm-printer")) return printing;
    return other;
}

/// Adds the microseconds of LLVM's timers of passes: lines like
/// `"time.pass.machine-scheduler.wall": 1e-05,`. Other timers are of parts of passes.
void add_passes(const std::string& timers, phase_times& to) {
    std::istringstream lines(timers);
    const std::string mark = ".wall\": ";
    for (std::string line; std::getline(lines, line);) {
        const std::size_t end = line.find(mark);
        if (end == std::string::npos || line.find("\"time.pass.") == std::string::npos) continue;
        to[phase_of(line.substr(0, end))] +=
            std::strtod(line.c_str() + end + mark.size(), nullptr) * 1e6;
    }
}

struct subject {
    std::string name;
    kernel_ir::kernel kernel;  // at primitive level
};

/// Computes the expressions, and returns the kernels that each was the first to need.
std::vector<subject> kernels_of_expressions() {
    const Tensor a = rand({1000}) + 1, b = rand({1000}) + 1, m = rand({100, 1000}) + 1;
    const Tensor c = complex(a, b), d = complex(b, a);
    eval({a, b, c, d, m});
    code_cache::disk_cache disk(code_cache::config_from_environment(),
                                [](const std::string&, const std::string&) {});
    std::set<std::vector<uint8_t>> seen;
    const auto news = [&] {
        std::vector<std::vector<uint8_t>> found;
        disk.for_each([&](const std::string&, const code_cache::artefact& one) {
            std::vector<uint8_t> key(one.key.begin(), one.key.end());
            if (seen.insert(key).second) found.push_back(std::move(key));
        });
        return found;
    };
    news();
    const std::vector<std::pair<const char*, std::function<void()>>> expressions{
        {"a + b", [&] { Tensor(a + b).eval(); }},
        {"8 operations", [&] { Tensor((((a * b + a) * b - a) * b + a) * b - b).eval(); }},
        {"a * b, complex", [&] { Tensor(c * d).eval(); }},
        {"a + 1, every other", [&] { Tensor(a.slice(0, 0, 100, 2) + 1).eval(); }},
        {"a + 1 of a matrix", [&] { Tensor(m.t() + 1).eval(); }},
        {"clamp of a sum", [&] { Tensor((a + b).clamp(0.5, 2)).eval(); }},
        {"gelu", [&] { gelu(a).eval(); }},
        {"sum", [&] { a.sum().eval(); }},
        {"softmax of rows", [&] { softmax(m, 1).eval(); }},
        {"gradient of tanh", [&] {
             Tensor x = a.clone().set_requires_grad(true);
             tanh(x * b).sum().backward();
             x.grad().eval();
         }}};
    std::vector<subject> subjects;
    for (const auto& [name, run] : expressions) {
        run();
        for (const std::vector<uint8_t>& key : news())
            subjects.push_back(
                {name, kernel_ir::decompose(kernel_ir::deserialize(key.data(), key.size()))});
    }
    return subjects;
}

/// Compiles a kernel as codegen::compile does, and returns the time of each phase.
phase_times compile(codegen::back_end& end, const subject& s, codegen::target level) {
    phase_times times{};
    llvm::LLVMContext context;
    llvm::Module module("kernels", context);
    times[emitting] = microseconds([&] {
        end.prepare(module);
        codegen::emit_kernel(
            module, s.kernel,
            {codegen::info(level).shape, codegen::info(level).cpu, codegen::mode_exact}, "kernel");
    });
    llvm::ArrayRef<char> object;
    const double all = microseconds([&] { object = end.run(module); });
    std::string timers;
    llvm::raw_string_ostream stream(timers);
    llvm::TimerGroup::printAllJSONValues(stream, "");
    llvm::TimerGroup::clearAll();
    add_passes(stream.str(), times);
    times[optimising] = all;
    for (phase p : {selecting, scheduling, allocating, printing, other})
        times[optimising] -= times[p];
    times[linking] = microseconds([&] {
        codegen::link_image(reinterpret_cast<const uint8_t*>(object.data()), object.size(),
                            "kernel");
    });
    return times;
}

double sum(const phase_times& times) {
    double all = 0;
    for (double t : times) all += t;
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 30;
    std::string folder = (std::filesystem::temp_directory_path() / "sinter-phases-XXXXXX").string();
    if (!mkdtemp(folder.data())) return 1;
    setenv("SINTER_CACHE_DIR", folder.c_str(), 1);
    setenv("SINTER_JIT", "wait", 1);
    set_num_threads(1);

    const std::vector<subject> subjects = kernels_of_expressions();
    std::filesystem::remove_all(folder);
    const codegen::target level = code_cache::process_target().value_or(codegen::target::x86_64_v3);
    codegen::back_end end(codegen::info(level));
    std::printf("%-20s", "microseconds");
    for (const char* title : titles) std::printf("%10s", title);
    std::printf("%10s\n", "whole");
    for (const subject& s : subjects) {
        double whole = 1e300;
        for (int n = 0; n < repeats; ++n)
            whole = std::min(whole, microseconds([&] {
                                 codegen::compile({s.kernel}, level, codegen::mode_exact);
                             }));
        llvm::TimePassesIsEnabled = true;
        compile(end, s, level);  // makes the timers
        phase_times best{};
        for (int n = 0; n < repeats; ++n) {
            const phase_times times = compile(end, s, level);
            if (n == 0 || sum(times) < sum(best)) best = times;
        }
        llvm::TimePassesIsEnabled = false;
        std::printf("%-20s", s.name.c_str());
        for (double t : best) std::printf("%10.0f", t);
        std::printf("%10.0f\n", whole);
    }
}
