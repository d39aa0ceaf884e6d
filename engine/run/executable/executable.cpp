#include "engine/run/executable/executable.hpp"

#include "engine/measure/autotune.hpp"
#include "engine/run/executable/gpu_replay.hpp"

#include <cstdio>

namespace sinter::plan {

executable::executable(plan&& p, const subgraph& w)
    : data(std::move(p)),
      to_record(code_cache::records()),
      kernels_(new loaded_kernel[static_cast<std::size_t>(data.kernels)]) {
    const bool on_cpu = w.device == runtime::main_memory;
    for (const plan_step& s : data.steps)
        for (const kernel_step* k : s.kernels()) {
            if (!k) continue;
            loaded_kernel& l = of(*k);
            l.step = k;
            if (!on_cpu) continue;
            if (!k->streams) l.reductions = runtime::make_reduction_plan(k->ir);
            l.own = make_specialization(*k, *l.timing);
        }
    // Eager mode launches each operation by itself.
    if (!on_cpu && !w.eager) replay = make_replay(data);
}

executable::~executable() = default;

std::shared_ptr<executable> make_executable(const subgraph& w) {
    built b = build(w);
    auto e = std::make_shared<executable>(std::move(b.fused), w);
    if (b.apart)
        e->other =
            std::make_unique<autotuner>(std::make_shared<executable>(std::move(*b.apart), w));
    return e;
}

runtime::launch_request launch_of(const loaded_kernel& loaded) {
    const kernel_step& k = *loaded.step;
    runtime::launch_request q;
    q.reductions = loaded.reductions ? &*loaded.reductions : nullptr;
    q.along = k.ir.along;
    q.reduction = !k.streams;
    q.runs = k.ir.form == kernel_ir::row_form::runs;
    q.few = k.ir.form == kernel_ir::row_form::few;
    q.flat = k.flat;
    if (k.outputs.size() == 1) q.output = k.outputs[0];
    q.cost = k.cost;
    q.rank = static_cast<int>(k.extents.size());
    q.reduced = k.reduced;
    q.extents = k.extents.data();
    return q;
}

namespace {

/// Returns the measured run time; empty before the first timed run.
std::string measured(const loaded_kernel& k) {
    const uint64_t ns = k.timing->best_ns.load();
    if (ns == 0) return "";
    const uint64_t runs = k.timing->runs.load();
    char text[96];
    std::snprintf(text, sizeof text, "\n    measured: %llu run%s, best %.3f us, %.1f GB/s",
                  static_cast<unsigned long long>(runs), runs == 1 ? "" : "s",
                  static_cast<double>(ns) / 1e3,
                  static_cast<double>(k.step->bytes) / static_cast<double>(ns));
    return text;
}

/// Returns the times of both plans and which one runs.
std::string describe(const autotuner& c) {
    const auto time_of = [&c](side s) -> std::string {
        const ab_timing::times& t = c.of(s);
        const uint32_t runs = t.runs.load();
        if (runs == 0) return "not measured";
        char text[64];
        std::snprintf(text, sizeof text, "best of %u %.3f us", runs,
                      static_cast<double>(t.best_ns.load()) / 1e3);
        return text;
    };
    static constexpr const char* states[] = {"both are tried in turns", "fused", "written out"};
    std::string text = std::string("  choice: ") + states[static_cast<int>(c.now())] + "; fused " +
                       time_of(side::fused) + ", written out " + time_of(side::apart) + "\n";
    if (c.now() == autotuner::state::apart) return text;  // the cuts of that plan are printed
    for (const cut_record& r : c.apart().data.cuts)
        if (r.why == cut::unsure)
            text += "  unsure: %" + std::to_string(r.producer) + " before %" +
                    std::to_string(r.consumer) + "\n";
    return text;
}

}  // namespace

std::string describe(const executable& fused, const subgraph& w) {
    const bool apart = fused.other && fused.other->now() == autotuner::state::apart;
    const executable& e = apart ? fused.other->apart() : fused;
    plan_notes notes;
    notes.of_kernel = [&e](const kernel_step& k) -> kernel_note {
        const loaded_kernel& l = e.of(k);
        std::string below = measured(l);
        if (const std::string own = l.own ? l.own->describe() : ""; !own.empty())
            below += "\n    " + own;
        const bool loaded = l.fn.load() || l.on_gpu.load();
        return {loaded ? ", loaded" : ", not loaded yet", std::move(below)};
    };
    if (fused.replay)
        if (const std::string launches = fused.replay->describe(); !launches.empty())
            notes.before_cuts = "  launches: " + launches + "\n";
    if (fused.other) notes.before_cuts += describe(*fused.other);
    return print(e.data, w, notes);
}

}  // namespace sinter::plan
