#include "engine/run/library/cpu_fallback.hpp"

#include "engine/graph/deferred.hpp"
#include "engine/run/library/run_library.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"

#include <vector>

namespace sinter::plan {

runtime::buffer_ptr on_host(const Version& v) {
    if (v.device == runtime::main_memory) {
        runtime::before_host_reads(*v.buffer);
        return v.buffer;
    }
    wait_for_checks(v);
    runtime::buffer_ptr host = runtime::make_buffer(v.buffer->bytes);
    runtime::copy_bytes(*host, *v.buffer, v.buffer->bytes);
    return host;
}

namespace {

std::vector<const char*> addresses_of(std::span<const runtime::buffer_ptr> sources) {
    std::vector<const char*> data;
    for (const runtime::buffer_ptr& s : sources)
        data.push_back(s ? static_cast<const char*>(s->data) : nullptr);
    return data;
}

}  // namespace

void note_cpu_fallback(const char* op) {
    runtime::count().host_fallbacks.add();
    runtime::warn_once(
        std::string("staged ") + op,
        runtime::text("[", op,
                      "] the GPU has no kernel for this operation; the CPU computes it, "
                      "which copies the operands there and the result back; try .cpu() "
                      "on the operands if several such operations follow each other"));
}

library_results run_cpu_fallback(const Node& n) {
    note_cpu_fallback(n.library->name);
    std::vector<runtime::buffer_ptr> sources;
    for (const Edge& e : n.sources)
        sources.push_back(e.value ? on_host(*e.value) : runtime::buffer_ptr());
    const std::vector<const char*> data = addresses_of(sources);
    check_node(n, data);
    const library_results host(n, runtime::main_memory);
    run_library(n, host, data);
    return host.on(n.device);
}

}  // namespace sinter::plan
