#include "engine/run/executable/look_up.hpp"

#include "jit/cache/kernel_cache.hpp"
#include "runtime/report/stats.hpp"

#include <span>
#include <vector>

namespace sinter::plan {

void look_up_all(const executable& e, executor how) {
    std::vector<loaded_kernel*> missing;
    std::vector<std::span<const uint8_t>> keys;
    for (loaded_kernel& k : e.kernels()) {
        if (k.fn.load(std::memory_order_relaxed)) continue;
        missing.push_back(&k);
        keys.push_back(k.step->key);
    }
    const std::vector<cache::lookup> found =
        how == executor::background ? cache::get_or_compile_later(keys) : cache::get(keys);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i].k) continue;
        switch (found[i].from) {
            case cache::source::memory: runtime::count().cache_hits.add(); break;
            case cache::source::disk: runtime::count().kernels_loaded.add(); break;
            case cache::source::compiled: runtime::count().kernels_compiled.add(); break;
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
