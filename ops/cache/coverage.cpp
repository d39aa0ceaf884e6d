// The command coverage: which of the kernels that recordings ask for are stored.
#include "jit/cache/identity.hpp"
#include "jit/cache/miss.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/planning.hpp"
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

uint64_t in_percent(std::size_t part, std::size_t all) {
    return all == 0 ? 100 : uint64_t{100} * part / all;
}

std::string missing_line(const std::string& target, const bytes& kernel,
                         const std::vector<code_cache::stored_code>& stored) {
    code_cache::artefact wanted{};
    wanted.target = target;
    wanted.key = kernel;
    const auto is = code_cache::identity_of_kernel(kernel);
    const std::string nearest =
        code_cache::nearest_kernel(stored, {target, kernel, is.value_or(code_cache::identity())});
    return "missing: " + name_of(wanted) + " for " + target + " (" + operations_of(wanted) + ")" +
           (nearest.empty() ? "" : "; nearest is " + nearest) + "\n";
}

}  // namespace

answer coverage(const arguments& a) {
    std::vector<std::string> recordings;
    stored_kernels stored(false);
    for (const std::string& path : a.paths)
        path.ends_with(".srec") ? recordings.push_back(path) : stored.read(path);
    if (recordings.empty())
        runtime::fail("cache", "there is nothing to be covered", "no recording",
                      "packs or folders of kernels, and recordings (.srec)",
                      "sinter cache record -o FILE -- PROGRAM");
    const planned work = plan_recordings(recordings);

    std::set<std::string> targets(a.targets.begin(), a.targets.end());
    std::vector<code_cache::stored_code> all;
    std::set<std::pair<std::string, bytes>> known;  // that a program of this version would load
    for (const auto& [file, code] : stored.all()) {
        all.push_back({file, code});
        if (a.targets.empty()) targets.emplace(code.target);
        if (fits_library(code)) known.emplace(code.target, bytes(code.key.begin(), code.key.end()));
    }
    answer found;
    for (const std::string& target : targets) {
        const auto has = [&](const bytes& k) { return known.contains({target, k}); };
        const auto covered = static_cast<std::size_t>(std::count_if(
            work.works.begin(), work.works.end(), [&](const std::set<bytes>& kernels) {
                return std::all_of(kernels.begin(), kernels.end(), has);
            }));
        const auto there =
            static_cast<std::size_t>(std::count_if(work.kernels.begin(), work.kernels.end(), has));
        const uint64_t percent = in_percent(covered, work.all_works());
        found.records.push_back({{"target", target},
                                 {"works", uint64_t{work.all_works()}},
                                 {"covered", uint64_t{covered}},
                                 {"percent", percent},
                                 {"kernels", uint64_t{work.kernels.size()}},
                                 {"stored", uint64_t{there}}});
        std::size_t named = 0;
        for (const bytes& k : work.kernels)
            if (!has(k) && named++ < most_named) found.closing += missing_line(target, k, all);
        if (named > most_named)
            found.closing +=
                "and " + std::to_string(named - most_named) + " more for " + target + "\n";
        if (percent < static_cast<uint64_t>(a.require)) found.status = 1;
    }
    if (targets.empty() && a.require > 0) found.status = 1;
    found.closing += work.problems();
    return found;
}

}  // namespace sinter::cache_command
