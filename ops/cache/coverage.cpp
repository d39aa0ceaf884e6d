// The command coverage: which of the kernels that recordings ask for are stored.
#include "jit/cache/device_key.hpp"
#include "jit/cache/miss.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/build/planning.hpp"
#include "ops/cache/stored.hpp"
#include "runtime/base/fail.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace sinter::cache_command {
namespace {

using code_cache::bytes;

/// Missing kernels that are named.
constexpr std::size_t most_named = 5;

/// Returns true for a recording, and for a folder of them (SINTER_CACHE_RECORD).
bool is_recorded(const std::string& path) {
    std::error_code error;
    return path.ends_with(".srec") ||
           (std::filesystem::is_directory(path, error) && !recordings_in({path}).empty());
}

uint64_t in_percent(std::size_t part, std::size_t all) {
    return all == 0 ? 100 : uint64_t{100} * part / all;
}

std::string missing_line(const std::string& target, const bytes& kernel,
                         const std::vector<code_cache::stored_code>& stored) {
    code_cache::artefact wanted{};
    wanted.target = target;
    wanted.key = kernel;
    const auto is = code_cache::identity_of(target, kernel);
    const std::string nearest =
        code_cache::nearest_kernel(stored, {target, kernel, is.value_or(code_cache::identity())});
    return "missing: " + name_of(wanted) + " for " + target + " (" + operations_of(wanted) + ")" +
           (nearest.empty() ? "" : "; nearest is " + nearest) + "\n";
}

using known_keys = std::set<std::pair<std::string, bytes>>;

/// Adds the record of a target, and names kernels that are missing. Returns the percentage of works
/// that have all their kernels.
uint64_t add_target(const build_target& target, const planned& work, const known_keys& known,
                    const std::vector<code_cache::stored_code>& all, answer& found) {
    const auto has = [&](const bytes& k) { return known.contains({target.stored, k}); };
    const auto runs = [&](const bytes& k) {
        const auto base = work.base_of.find(k);
        return has(k) || (base != work.base_of.end() && has(base->second));
    };
    std::size_t covered = 0, by_base = 0;
    uint64_t runs_covered = 0;
    for (std::size_t n = 0; n < work.works.size(); ++n) {
        const std::set<bytes>& kernels = work.works[n];
        if (std::all_of(kernels.begin(), kernels.end(), has)) {
            ++covered;
            runs_covered += work.runs[n];
        } else if (std::all_of(kernels.begin(), kernels.end(), runs)) {
            ++by_base;
        }
    }
    const auto there =
        static_cast<std::size_t>(std::count_if(work.kernels.begin(), work.kernels.end(), has));
    const uint64_t percent = in_percent(covered, work.all_works());
    found.records.push_back({{"target", target.name},
                             {"works", uint64_t{work.all_works()}},
                             {"covered", uint64_t{covered}},
                             {"percent", percent},
                             {"weighted", in_percent(runs_covered, work.all_runs)},
                             {"base_form", uint64_t{by_base}},
                             {"kernels", uint64_t{work.kernels.size()}},
                             {"stored", uint64_t{there}}});
    std::size_t named = 0;
    for (const bytes& k : work.kernels)
        if (!has(k) && named++ < most_named) found.closing += missing_line(target.stored, k, all);
    if (named > most_named)
        found.closing +=
            "and " + std::to_string(named - most_named) + " more for " + target.name + "\n";
    return percent;
}

/// Returns the targets that are asked for, or those of the stored code. Of these, leaves out GPUs
/// for which only a profile says what programs ask for, and says so.
std::vector<build_target> targets_of(const arguments& a, const stored_kernels& stored,
                                     answer& found) {
    std::vector<build_target> targets;
    std::set<std::string> names(a.targets.begin(), a.targets.end());
    if (a.targets.empty())
        for (const auto& [file, code] : stored.all()) names.emplace(code.target);
    for (const std::string& name : names) try {
            targets.push_back(target_of(name));
        } catch (const Error& e) {
            if (!a.targets.empty()) throw;
            found.closing += "left out: " + name + ": " + e.what() + "\n";
        }
    return targets;
}

}  // namespace

answer coverage(const arguments& a) {
    std::vector<std::string> recordings;
    stored_kernels stored(false);
    for (const std::string& path : a.paths)
        is_recorded(path) ? recordings.push_back(path) : stored.read(path);
    if (recordings.empty())
        runtime::fail("cache", "there is nothing to be covered", "no recording",
                      "packs or folders of kernels, and recordings (.srec)",
                      "sinter cache record -o FILE -- PROGRAM");
    std::vector<code_cache::stored_code> all;
    known_keys known;  // that a program of this version would load
    for (const auto& [file, code] : stored.all()) {
        all.push_back({file, code});
        if (fits_library(code)) known.emplace(code.target, bytes(code.key.begin(), code.key.end()));
    }
    answer found;
    const std::vector<build_target> targets = targets_of(a, stored, found);
    recording_plans plans(recordings);
    std::set<const planned*> seen;
    for (const build_target& target : targets) {
        const planned& work = plans.on(target);
        if (seen.insert(&work).second) found.closing += work.problems();
        if (add_target(target, work, known, all, found) < static_cast<uint64_t>(a.require))
            found.status = 1;
    }
    if (targets.empty() && a.require > 0) found.status = 1;
    return found;
}

}  // namespace sinter::cache_command
