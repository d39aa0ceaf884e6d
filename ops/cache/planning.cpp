#include "ops/cache/planning.hpp"

#include "engine/plan/plan.hpp"
#include "engine/recordings/portable_work.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <filesystem>

namespace sinter::cache_command {

namespace fs = std::filesystem;
using code_cache::bytes;

namespace {

void add_kernels(const plan::plan& p, std::set<bytes>& to) {
    for (const plan::plan_step& s : p.steps)
        for (const plan::kernel_step* k : s.kernels())
            if (k) to.insert(k->key);
}

void plan_work(const bytes& work, planned& to) {
    try {
        const runtime::arena memory;
        const plan::restored_work restored(work.data(), work.size());
        const plan::built plans = plan::build(restored.w);
        std::set<bytes> kernels;
        add_kernels(plans.fused, kernels);
        if (plans.apart) add_kernels(*plans.apart, kernels);
        to.kernels.insert(kernels.begin(), kernels.end());
        to.works.push_back(std::move(kernels));
    } catch (const Error& e) {
        ++to.errors[e.what()];
    }
}

}  // namespace

std::string planned::problems() const {
    std::string text;
    for (const auto& [why, times] : errors)
        text += "not planned: " + std::to_string(times) + " of " + std::to_string(all_works()) +
                " works: " + why + "\n";
    if (lost > 0)
        text += "not whole: " + std::to_string(lost) + " bytes at the end of recordings\n";
    return text;
}

/// Returns the recordings among these paths and in these folders.
std::vector<std::string> recordings_in(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            files.push_back(path);
            continue;
        }
        for (fs::directory_iterator i(path, error), end; !error && i != end; i.increment(error))
            if (i->path().extension() == ".srec") files.push_back(i->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

planned plan_recordings(const std::vector<std::string>& paths) {
    planned all;
    for (const std::string& file : recordings_in(paths)) {
        const code_cache::recording r = code_cache::read_recording(file);
        all.lost += r.lost;
        for (const bytes& work : r.payloads) plan_work(work, all);
    }
    return all;
}

}  // namespace sinter::cache_command
