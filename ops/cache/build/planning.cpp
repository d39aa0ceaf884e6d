#include "ops/cache/build/planning.hpp"

#include "engine/plan/plan.hpp"
#include "engine/recordings/portable_work.hpp"
#include "engine/recordings/widening.hpp"
#include "jit/cache/device_key.hpp"
#include "jit/kernel_ir/base_form.hpp"
#include "jit/launch/gpu/forms.hpp"
#include "kernels/gpu/moves.hpp"
#include "ops/cache/build/sources.hpp"
#include "ops/cache/files.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace sinter::cache_command {

namespace fs = std::filesystem;
using code_cache::bytes;

namespace {

/// Adds a GPU's kernel in the form of its launch, and returns its key.
bytes add_launch(const runtime::launched_kernel& k,
                 std::span<const codegen::argument_operand> operands, const build_target& on,
                 planned& to) {
    const codegen::element_space space{k.extents, operands};
    bytes key = code_cache::device_key(k.key, runtime::form_of(k, on.gpu->properties, space));
    if (const auto base = runtime::base_of(k))
        to.base_of.try_emplace(key, code_cache::device_key(base->key, base->shape));
    return key;
}

/// Adds a kernel and returns its key. A GPU's memory begins at multiples of 16 bytes.
bytes add_kernel(const plan::kernel_step& k, const build_target& on, planned& to) {
    if (!on.is_gpu()) return k.key;
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
    return add_launch(k, operands, on, to);
}

void add_kernels(const plan::plan& p, const build_target& on, std::set<bytes>& kernels,
                 planned& to) {
    for (const plan::plan_step& s : p.steps)
        for (const plan::kernel_step* k : s.kernels())
            if (k) kernels.insert(add_kernel(*k, on, to));
}

/// Adds what `kernels_of` returns as one work.
template <class F>
void add_work(uint64_t runs, planned& to, const F& kernels_of) {
    to.all_runs += runs;
    try {
        std::set<bytes> kernels = kernels_of();
        to.kernels.insert(kernels.begin(), kernels.end());
        to.works.push_back(std::move(kernels));
        to.runs.push_back(runs);
    } catch (const Error& e) {
        ++to.errors[e.what()];
    }
}

std::set<bytes> plan_work(const bytes& work, const build_target& on, planned& to) {
    const runtime::arena memory;
    const plan::restored_work restored(work.data(), work.size(), on.gpu.get());
    const plan::built plans = plan::build(restored.w);
    std::set<bytes> kernels;
    add_kernels(plans.fused, on, kernels, to);
    if (plans.apart) add_kernels(*plans.apart, on, kernels, to);
    return kernels;
}

/// Adds the base forms of the kernels that a work needs for other sizes and layouts.
void widen_one(const bytes& work, const build_target& on, std::set<bytes>& known,
               std::set<bytes>& bases) {
    const auto add = [&](const plan::kernel_step& k) {
        if (!on.is_gpu()) return bases.insert(kernel_ir::base_key(k.ir).value_or(k.key)).second;
        const auto base = runtime::base_of(k);
        return base && bases.insert(code_cache::device_key(base->key, base->shape)).second;
    };
    try {
        plan::widen_work(
            work, known,
            [&](const plan::subgraph& w) {
                const plan::built plans = plan::build(w);
                bool more = false;
                for (const plan::plan* p : {&plans.fused, plans.apart ? &*plans.apart : nullptr})
                    for (std::size_t s = 0; p && s < p->steps.size(); ++s)
                        for (const plan::kernel_step* k : p->steps[s].kernels())
                            if (k) more = add(*k) || more;
                return more;
            },
            on.gpu.get());
    } catch (const Error&) {
        // It cannot be planned as it is either, which has been said.
    }
}

/// Adds the base forms of all kernels for a CPU.
void add_bases(planned& to) {
    for (const bytes& k : to.kernels)
        if (auto base = kernel_ir::base_key(kernel_ir::deserialize(k.data(), k.size())))
            to.widened.insert(std::move(*base));
}

std::set<bytes> plan_move(const bytes& request, const build_target& on, planned& to) {
    const gpu_kernels::requested_launch l = gpu_kernels::read_move(request, on.gpu->properties);
    std::vector<codegen::argument_operand> operands;
    for (std::size_t i = 0; i < l.first.size(); ++i)
        operands.push_back({l.first[i], l.strides[i].data()});
    return {add_launch(l.k, operands, on, to)};
}

planned plan_all(const code_cache::recording& r, const build_target& on, bool widen) {
    planned all;
    all.lost = r.lost;
    for (const bytes& work : r.works) {
        const auto runs = r.runs.find(code_cache::hash_of(work));
        add_work(runs == r.runs.end() ? 1 : runs->second, all,
                 [&] { return plan_work(work, on, all); });
    }
    std::set<bytes> known;
    for (const bytes& work : r.works)
        if (widen) widen_one(work, on, known, all.widened);
    if (!on.is_gpu()) {
        if (widen) add_bases(all);
        return all;
    }
    for (const bytes& request : r.sources)
        add_work(1, all, [&] { return std::set{bytes_of(text_of_source(request, *on.compiler))}; });
    for (const bytes& request : r.moves)
        add_work(1, all, [&] { return plan_move(request, on, all); });
    return all;
}

}  // namespace

std::set<bytes> planned::to_build() const {
    std::set<bytes> all = kernels;
    for (const auto& [kernel, base] : base_of) all.insert(base);
    all.insert(widened.begin(), widened.end());
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
    for (const std::string& file : files) code_cache::join(all, code_cache::read_recording(file));
    code_cache::make_unique(all);
    return all;
}

recording_plans::recording_plans(const std::vector<std::string>& paths, bool widen)
    : recorded_(read_recordings(recordings_in(paths))), widen_(widen) {}

const planned& recording_plans::on(const build_target& target) {
    if (!target.is_gpu() && of_cpus_) return *of_cpus_;
    planned& all = made_.emplace_back(plan_all(recorded_, target, widen_));
    if (!target.is_gpu()) of_cpus_ = &all;
    return all;
}

}  // namespace sinter::cache_command
