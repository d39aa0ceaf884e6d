// The command verify: reads every byte, and runs kernels beside the interpreter.
#include "jit/cache/loader.hpp"
#include "jit/cache/target.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/stored.hpp"
#include "ops/cache/build/workers.hpp"

#include <sinter/threads.hpp>

#include <algorithm>

namespace sinter::cache_command {
namespace {

using code_cache::artefact;
using kernel_ir::kernel_call_data;

struct call_shape {
    int64_t rows, columns;
};
/// Shorter and longer than a vector, a chunk and a block, and none at all.
constexpr call_shape shapes[] = {{1, 1}, {3, 5}, {2, 16}, {40, 31}, {7, 300}, {2, 5000}, {0, 9}};
constexpr uint64_t seeds[] = {1, 2, 3};

/// Returns what differs from the interpreter; empty if nothing does.
std::string difference_of(const artefact& a) {
    const kernel_ir::kernel k = kernel_ir::deserialize(a.key.data(), a.key.size());
    const kernel_ir::interpreter reference(k);
    const kernel_ir::kernel_fn code = code_cache::load_image(a);
    for (const auto& [rows, columns] : shapes) {
        const int64_t n0 =
            std::clamp(columns, kernel_ir::shortest_row(k), kernel_ir::longest_row(k));
        for (const uint64_t seed : seeds) {
            kernel_call_data expected(k, rows, n0, seed), got(k, rows, n0, seed);
            reference.run(expected.call());
            const kernel_ir::kernel_call call = got.call();
            code(&call);
            std::string text = got.difference(expected);
            if (text.empty() && !got.canaries_alive()) text = "it writes beside its results";
            if (!text.empty())
                return std::to_string(rows) + " by " + std::to_string(n0) + " elements, seed " +
                       std::to_string(seed) + ": " + text;
        }
    }
    return {};
}

/// Returns true if this machine can run the code by itself. Kernels over several reduced dimensions
/// run only in parts, which a launch makes.
bool runs_alone(const artefact& a) {
    const std::vector<std::string>& targets = code_cache::process_targets();
    return use_of(a) == "yes" &&
           std::find(targets.begin(), targets.end(), a.target) != targets.end() &&
           kernel_ir::deserialize(a.key.data(), a.key.size()).form != kernel_ir::row_form::runs;
}

struct runs {
    uint64_t same = 0, not_run = 0;
    std::string errors;  // a line each
};

runs run_all(const stored_kernels& all) {
    runs done;
    std::vector<code_cache::bytes> numbers;  // of kernels, as inputs of tasks
    for (std::size_t n = 0; n < all.all().size(); ++n) {
        if (!runs_alone(all.all()[n].code)) {
            ++done.not_run;
            continue;
        }
        numbers.emplace_back();
        codegen::append(numbers.back(), uint64_t{n});
    }
    const std::vector<task> tasks(numbers.begin(), numbers.end());
    const auto code_of = [&all](code_cache::byte_view number) -> const artefact& {
        uint64_t n = 0;
        std::size_t at = 0;
        codegen::take(number.data(), number.size(), at, n);
        return all.all()[n].code;
    };
    worker_settings settings;
    settings.workers = get_num_threads();
    settings.together = 64;
    settings.name = "the kernel";
    settings.run = [&](int, const std::vector<code_cache::byte_view>& inputs) {
        task_replies replies(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i)
            replies[i].error = difference_of(code_of(inputs[i]));
        return replies;
    };
    const task_replies replies = run_in_workers(tasks, settings);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const artefact& a = code_of(tasks[i].input);
        if (replies[i].error.empty())
            ++done.same;
        else
            done.errors += "wrong: " + name_of(a) + " for " + std::string(a.target) + ": " +
                           replies[i].error + "\n";
    }
    return done;
}

}  // namespace

answer verify(const arguments& a) {
    answer found;
    for (const std::string& path : a.paths) {
        // What runs is trusted, as in a program.
        stored_kernels all(a.run);
        all.read(path);
        uint64_t fit = 0, others = 0;
        for (const stored_kernel& k : all.all()) (fits_library(k.code) ? fit : others) += 1;
        record r{{"place", path},
                 {"state", all.damaged().empty() ? "whole" : "DAMAGED"},
                 {"kernels", uint64_t{all.all().size()}},
                 {"fit", fit},
                 {"others", others}};
        if (a.run) {
            const runs done = run_all(all);
            r.emplace_back("same_bits", done.same);
            r.emplace_back("not_run", done.not_run);
            found.closing += done.errors;
            if (!done.errors.empty()) found.status = 1;
        }
        found.records.push_back(std::move(r));
        for (const std::string& file : all.damaged()) found.closing += "damaged: " + file + "\n";
        if (!all.damaged().empty()) found.status = 1;
    }
    found.closing +=
        "fit: this library runs them, on machines that have the target; others: of "
        "another ABI, format or formulas\n";
    if (a.run)
        found.closing +=
            "same_bits: run here, with the bits of the interpreter; not_run: for other "
            "machines and GPUs, or over several reduced dimensions\n";
    return found;
}

}  // namespace sinter::cache_command
