// The commands that write: merge, prune, clear.
#include "jit/stored/write_pack.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/files.hpp"
#include "ops/cache/stored.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace sinter::cache_command {
namespace {

namespace fs = std::filesystem;
using code_cache::artefact, code_cache::bytes;

bool is_wanted(const artefact& a, const std::vector<std::string>& targets) {
    return targets.empty() || std::find(targets.begin(), targets.end(), a.target) != targets.end();
}

/// Throws if there is a target of which no kernel is stored: it is misspelt, or was not built.
void require_targets(const std::vector<stored_kernel>& all,
                     const std::vector<std::string>& targets) {
    std::set<std::string> known;
    for (const stored_kernel& k : all) known.emplace(k.code.target);
    std::string names;
    for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
    for (const std::string& each : targets)
        if (!known.contains(each))
            runtime::fail("cache", "no kernel of this target is stored", each,
                          names.empty() ? "a stored kernel" : names, "another of --targets");
}

answer write_pack_of(const std::vector<artefact>& kernels, const std::string& path) {
    const bytes content = code_cache::write_pack(kernels);
    write_file(path, content);
    std::string why;
    const auto written = code_cache::pack::open(path, why);
    if (!written) throw Error("[cache] the pack that was written cannot be read: " + why);
    answer done;
    done.records.push_back(
        {{"pack", path}, {"kernels", written->size()}, {"bytes", uint64_t{content.size()}}});
    return done;
}

answer remove_files(const std::vector<std::string>& files, bool dry_run) {
    answer done;
    uint64_t removed = 0;
    for (const std::string& file : files) {
        std::error_code error;
        const bool gone = dry_run || fs::remove(file, error);
        removed += gone;
        if (!gone) {
            done.status = 1;
            done.closing += file + ": " + error.message() + "\n";
        }
    }
    done.records.push_back({{"folder", code_cache::process_places().disk().config().folder},
                            {dry_run ? "to_remove" : "removed", removed}});
    return done;
}

/// Returns the files of the user's cache whose kernels `chosen` picks; damaged ones always.
template <class F>
std::vector<std::string> own_files(const F& chosen) {
    const std::string folder = code_cache::process_places().disk().config().folder;
    if (folder.empty())
        runtime::fail("cache", "there is no cache folder",
                      "SINTER_CACHE=off or an empty SINTER_CACHE_DIR", "a folder",
                      "another SINTER_CACHE_DIR");
    std::error_code error;
    if (!fs::exists(folder, error)) return {};
    std::vector<std::string> files;
    for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
        if (i->path().extension() != ".kernel") continue;
        stored_kernels one(false);
        one.read(i->path());
        if (one.all().empty() || chosen(one.all().front().code)) files.push_back(i->path());
    }
    return files;
}

}  // namespace

answer merge(const arguments& a) {
    // Trusted: a pack of yours is trusted, so nothing comes into it that is not.
    stored_kernels from(true);
    for (const std::string& path : a.paths) from.read(path);
    if (!from.damaged().empty())
        runtime::fail("cache", "a damaged file is not merged", from.damaged().front(),
                      "whole files", "building or copying it again, or leaving it out");
    require_targets(from.all(), a.targets);
    std::vector<artefact> kernels;
    for (const stored_kernel& k : from.all())
        if (is_wanted(k.code, a.targets)) kernels.push_back(k.code);
    return write_pack_of(kernels, a.output);
}

answer prune(const arguments& a) {
    const auto useless = [](const artefact& code) { return !fits_library(code); };
    if (a.paths.empty()) return remove_files(own_files(useless), a.dry_run);
    if (a.paths.size() > 1 || a.output.empty())
        runtime::fail("cache", "a pack is pruned into another one",
                      runtime::count_of(static_cast<int64_t>(a.paths.size()), "path") +
                          (a.output.empty() ? " and no -o" : ""),
                      "one pack, and -o with the path of the new one",
                      "`sinter cache merge`, for several");
    stored_kernels from(true);
    from.read(a.paths.front());
    std::vector<artefact> kept;
    for (const stored_kernel& k : from.all())
        if (!useless(k.code)) kept.push_back(k.code);
    return write_pack_of(kept, a.output);
}

answer clear(const arguments& a) {
    return remove_files(own_files([](const artefact&) { return true; }), a.dry_run);
}

}  // namespace sinter::cache_command
