#include "engine/graph/deferred.hpp"
#include "engine/plan/products/gpu_epilogue.hpp"
#include "engine/run/library/gpu_library.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "engine/run/steps/outputs.hpp"
#include "engine/run/steps/steps.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

namespace sinter::plan {
namespace {

/// Returns true if one library call computed the sum, or the product failed.
bool add_bias(plan_run& r, const plan_step& s) {
    const kernel_step& k = *s.kernel;
    const int out = k.operands[static_cast<std::size_t>(k.outputs[0])].value;
    const operand_binding& b = k.operands[static_cast<std::size_t>(s.bias)];
    Node& n = r.node(s.library);
    if (r.failed_source(k) || failed_operand(r, s) || r.held(*n.result, s.library) ||
        r.is_temporary(out) || !is_private(r.value(out)))
        return false;
    runtime::buffer* const memory = r.buffer_of(b.value);
    if (!memory || (!r.is_temporary(b.value) && r.value(b.value).device != r.work.device))
        return false;
    runtime::trace_span span("library", n.library->name);
    span.detail("elements", n.shape->numel);
    int operand = -1;
    const int64_t columns = n.shape->sizes()[n.shape->ndim - 1];
    inherit_checks(n);
    r.inherit_tests(k);
    const added_vector bias{*memory, r.offset_of(b), bias_stride(k, s.library, columns, operand)};
    try {
        if (const library_results sum = run_on_gpu(n, r.tests(), &bias))
            publish(r.value(out), sum.buffers()[0]);
        return r.value(out).state == version_state::ready;
    } catch (const OutOfMemoryError&) {
        throw;
    } catch (const Error&) {
        fail(*n.result, std::current_exception());
        run_nodes_apart(r, k);
        return true;
    }
}

}  // namespace

void run_bias_step(plan_run& r, const plan_step& s) {
    if (add_bias(r, s)) return;
    run_library_step(r, s);
    run_kernel(r, *s.kernel, s);
}

}  // namespace sinter::plan
