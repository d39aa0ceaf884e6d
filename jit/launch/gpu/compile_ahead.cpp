#include "jit/launch/gpu/compile_ahead.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/launch/gpu/forms.hpp"
#include "jit/launch/gpu/launch.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

namespace sinter::runtime {

void compile_ahead(device_index device, std::span<const expected_launch> launches) {
    if (!all_gpu_forms() || code_cache::misses_are_errors()) return;
    const gpu& g = gpu_at(device);
    const auto get = [&](const expected_launch& l) {
        const arena memory;
        const launched_kernel& k = *l.kernel;
        const code_cache::device_lookup found =
            code_cache::get_on(g, k.ir, k.key, form_of(k, g.properties, {k.extents, l.operands}));
        if (found.from == code_cache::source::compiled) count().kernels_compiled.add();
        if (found.from == code_cache::source::disk) count().kernels_loaded.add();
    };
    parallel_for(0, static_cast<int64_t>(launches.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) try {
                get(launches[static_cast<std::size_t>(i)]);
            } catch (const Error&) {
            }
    });
}

}  // namespace sinter::runtime
