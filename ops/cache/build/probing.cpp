// The command probe: what the GPUs of this machine are, for builds on machines without them.
#include "ops/cache/commands.hpp"
#include "ops/cache/files.hpp"
#include "ops/cache/build/profiles.hpp"
#include "runtime/base/fail.hpp"

namespace sinter::cache_command {

answer probe(const arguments& a) {
    answer found;
    const int count = runtime::gpu_count();
    if (count == 0)
        runtime::fail("cache", "there is no GPU to be described", runtime::why_no_gpu(), "a GPU",
                      "one that is known: --targets sm_90@h200; " + known_profiles());
    int wanted = 0;
    for (int i = 0; i < count; ++i) {
        const runtime::gpu& g = runtime::gpu_at(i);
        if (!a.paths.empty() && a.paths.front() == g.str()) wanted = i;
        found.records.push_back(
            {{"gpu", g.str()},
             {"name", g.properties.name},
             {"architecture", g.properties.architecture},
             {"multiprocessors", static_cast<uint64_t>(g.properties.multiprocessors)}});
    }
    const runtime::gpu& g = runtime::gpu_at(wanted);
    if (!a.paths.empty() && a.paths.front() != g.str())
        runtime::fail("cache", "there is no such GPU", a.paths.front(), "cuda:0 and so on",
                      "`sinter cache probe`, which lists them");
    if (a.output.empty()) return found;
    write_file(a.output, bytes_of(profile_text(g.properties)));
    found.closing = a.output + ": " + g.str() + "; sinter cache build --targets " +
                    g.properties.architecture + "@" + a.output + "\n";
    return found;
}

}  // namespace sinter::cache_command
