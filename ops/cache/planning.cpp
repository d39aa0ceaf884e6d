#include "ops/cache/planning.hpp"

#include "engine/plan/plan.hpp"
#include "engine/recordings/portable_work.hpp"
#include "jit/cache/device_kernels.hpp"
#include "jit/launch/gpu/forms.hpp"
#include "ops/cache/files.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace sinter::cache_command {

namespace fs = std::filesystem;
using code_cache::bytes;

namespace {

/// Returns the key under which a kernel is stored for a GPU: its source in the form of its launch.
/// Memory begins at multiples of 16 bytes.
bytes text_for(const plan::kernel_step& k, const build_target& on) {
    constexpr uintptr_t apart = uintptr_t{1} << 40;
    std::vector<std::vector<int64_t>> strides;
    std::vector<codegen::argument_operand> operands;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const bool index = k.ir.operands[i].use == kernel_ir::role::index;
        const auto item =
            index ? int64_t{1} : static_cast<int64_t>(elementSize(k.ir.operands[i].type));
        std::vector<int64_t>& own = strides.emplace_back(k.operands[i].strides);
        for (int64_t& s : own) s *= item;
        const uintptr_t first = index ? 0 : apart * (i + 1);
        operands.push_back(
            {reinterpret_cast<char*>(first + static_cast<uintptr_t>(k.operands[i].offset * item)),
             nullptr});
    }
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i].strides = strides[i].data();
    const codegen::loop_shape shape =
        runtime::form_of(k, on.gpu->properties, {k.extents, operands});
    return bytes_of(code_cache::text_of(*on.compiler, k.ir, shape));
}

/// Adds a kernel and returns its key.
bytes add_kernel(const plan::kernel_step& k, const build_target& on, planned& to) {
    if (!on.is_gpu()) return k.key;
    bytes key = text_for(k, on);
    if (const auto base = runtime::base_of(k))
        to.base_of.try_emplace(key,
                               bytes_of(code_cache::text_of(*on.compiler, base->ir, base->shape)));
    return key;
}

void add_kernels(const plan::plan& p, const build_target& on, std::set<bytes>& kernels,
                 planned& to) {
    for (const plan::plan_step& s : p.steps)
        for (const plan::kernel_step* k : s.kernels())
            if (k) kernels.insert(add_kernel(*k, on, to));
}

void plan_work(const bytes& work, uint64_t runs, const build_target& on, planned& to) {
    to.all_runs += runs;
    try {
        const runtime::arena memory;
        const plan::restored_work restored(work.data(), work.size(), on.gpu.get());
        const plan::built plans = plan::build(restored.w);
        std::set<bytes> kernels;
        add_kernels(plans.fused, on, kernels, to);
        if (plans.apart) add_kernels(*plans.apart, on, kernels, to);
        to.kernels.insert(kernels.begin(), kernels.end());
        to.works.push_back(std::move(kernels));
        to.runs.push_back(runs);
    } catch (const Error& e) {
        ++to.errors[e.what()];
    }
}

}  // namespace

std::set<bytes> planned::to_build() const {
    std::set<bytes> all = kernels;
    for (const auto& [kernel, base] : base_of) all.insert(base);
    return all;
}

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

code_cache::recording read_recordings(const std::vector<std::string>& files) {
    code_cache::recording all;
    for (const std::string& file : files) {
        code_cache::recording r = code_cache::read_recording(file);
        all.lost += r.lost;
        std::move(r.works.begin(), r.works.end(), std::back_inserter(all.works));
        for (const auto& [work, runs] : r.runs) all.runs[work] += runs;
    }
    std::sort(all.works.begin(), all.works.end());
    all.works.erase(std::unique(all.works.begin(), all.works.end()), all.works.end());
    return all;
}

planned plan_recordings(const std::vector<std::string>& paths, const build_target& on) {
    planned all;
    const code_cache::recording r = read_recordings(recordings_in(paths));
    all.lost = r.lost;
    for (const bytes& work : r.works) {
        const auto runs = r.runs.find(code_cache::hash_of(work));
        plan_work(work, runs == r.runs.end() ? 1 : runs->second, on, all);
    }
    return all;
}

}  // namespace sinter::cache_command
