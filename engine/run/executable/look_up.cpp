#include "engine/run/executable/look_up.hpp"

#include "engine/graph/lines.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "runtime/report/stats.hpp"

#include <span>
#include <string>
#include <vector>

namespace sinter::plan {

std::string lines_of(const kernel_step& k, const subgraph& w) {
    std::string text, last;
    for (const int n : k.nodes) {
        if (n >= static_cast<int>(w.nodes.size()) || !w.nodes[static_cast<std::size_t>(n)])
            continue;
        const std::string line = line_of(*w.nodes[static_cast<std::size_t>(n)]);
        if (line.empty() || line == last) continue;
        text += (text.empty() ? "" : ", ") + line;
        last = line;
    }
    return text;
}

void look_up_all(const executable& e, executor how, const subgraph& w) {
    std::vector<loaded_kernel*> missing;
    std::vector<std::span<const uint8_t>> keys;
    for (loaded_kernel& k : e.kernels()) {
        if (k.fn.load(std::memory_order_relaxed) || k.never_compiled) continue;
        missing.push_back(&k);
        keys.push_back(k.step->key);
    }
    const code_cache::where_fn where = [&](std::size_t n) {
        return lines_of(*missing[n]->step, w);
    };
    const std::vector<code_cache::lookup> found =
        how == executor::background ? code_cache::get_or_compile_later(keys, where)
                                    : code_cache::get(keys, where);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i].k) {
            if (found[i].failed) missing[i]->never_compiled = true;
            continue;
        }
        switch (found[i].from) {
            case code_cache::source::memory: runtime::count().cache_hits.add(); break;
            case code_cache::source::disk: runtime::count().kernels_loaded.add(); break;
            case code_cache::source::compiled: runtime::count().kernels_compiled.add(); break;
        }
        missing[i]->fn.store(found[i].k->fn, std::memory_order_release);
    }
}

bool has_code(const executable& e) {
    for (const loaded_kernel& k : e.kernels())
        if (!k.fn.load(std::memory_order_acquire)) return false;
    return true;
}

}  // namespace sinter::plan
