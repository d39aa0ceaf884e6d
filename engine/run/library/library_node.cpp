#include "engine/run/library/library_node.hpp"

#include "engine/graph/deferred.hpp"
#include "engine/graph/infer.hpp"
#include "engine/graph/results.hpp"
#include "engine/run/library/cpu_fallback.hpp"
#include "engine/run/library/run_library.hpp"
#include "engine/run/results/library_results.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

namespace sinter::plan {
namespace {

/// Returns the buffer for an updating node: the memory of its first source, if nothing else needs
/// that.
runtime::buffer_ptr update_buffer(const Node& n, const needed_fn& needed) {
    runtime::arena_vector<concurrent_read> reads;
    for (std::size_t i = 0; i < n.sources.size(); ++i) {
        Version& r = *n.sources[i].value;
        const geometry &from = *n.sources[i].shape, &to = *n.shape;
        const bool same = i == 0 && r.numel == n.result->numel && from.offset == to.offset &&
                          from.strides_ref() == to.strides_ref();
        reads.push_back({&r, same, same && !needed(r, 0), same});
    }
    return result_buffer(*n.result, reads, needed);
}

}  // namespace

runtime::arena_vector<const char*> source_bytes(const Node& n) {
    runtime::arena_vector<const char*> data;
    for (const Edge& e : n.sources) {
        const Buffer* b = e.value ? e.value->buffer.get() : nullptr;
        if (b) runtime::before_host_reads(*b);
        data.push_back(b ? static_cast<const char*>(b->data) : nullptr);
    }
    return data;
}

void run_library_node(Node& n, const needed_fn& needed, tests_of_values tests) {
    if (n.library == &result_op) return run_result_node(n);
    Version& v = *n.result;
    runtime::trace_span span("library", n.library->name);
    span.detail("elements", n.shape->numel);
    try {
        if (v.device != runtime::main_memory) {
            library_results results = run_on_gpu(n, tests);
            if (!results) results = run_cpu_fallback(n);
            std::move(results).publish_to(v);
            return;
        }
        check_node(n, source_bytes(n));
        if (n.library->updates) {
            runtime::buffer_ptr result = update_buffer(n, needed);
            run_library(n, static_cast<char*>(result->data),
                        source_bytes(n));  // sources may have moved
            publish(v, std::move(result));
            // The old version no longer needs its memory, so the next update in a chain can take
            // it.
            Version& before = *n.sources[0].value;
            if (before.buffer == v.buffer) before.buffer.reset();
        } else {
            library_results results(n, runtime::main_memory);
            run_library(n, results, source_bytes(n));
            std::move(results).publish_to(v);
        }
    } catch (const OutOfMemoryError&) {
        throw;
    } catch (const Error&) {
        fail(v, first_cause(v, std::current_exception()));
    }
}

}  // namespace sinter::plan
