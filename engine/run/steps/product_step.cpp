#include "engine/graph/pending.hpp"
#include "engine/plan/products/gemm_fusion.hpp"
#include "engine/run/library/library_node.hpp"
#include "engine/run/library/run_library.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "engine/run/steps/kernel_launch.hpp"
#include "engine/run/steps/outputs.hpp"
#include "engine/run/steps/piecewise_launch.hpp"
#include "engine/run/steps/steps.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <optional>

namespace sinter::plan {
namespace {

/// Resets the buffer of a version that did not become ready.
struct unpublished {
    Version& v;
    ~unpublished() {
        if (v.state != version_state::ready) v.buffer.reset();
    }
};

/// Returns true if the kernel can run as prologue: only the product sees its result.
bool can_be_prologue(const plan_run& r, const kernel_step& k, const plan_step& s) {
    const int v = k.pieces->value;
    return !r.failed_source(k) && !failed_operand(r, s) && !r.held(r.value(v), v);
}

/// Returns true if the kernel can run as epilogue: no value that it reads has failed, and neither
/// its results nor the product are visible before they are published.
bool can_be_epilogue(const plan_run& r, const kernel_step& k, const plan_step& s) {
    if (r.failed_source(k) || failed_operand(r, s) || !is_private(r.value(s.library))) return false;
    for (int o : k.outputs) {
        const int v = k.operands[static_cast<std::size_t>(o)].value;
        if (!r.is_temporary(v) && !is_private(r.value(v))) return false;
    }
    return true;
}

/// Runs a prologue kernel by itself, because its result must be in memory. Other kernels of the
/// step still read its operands, so it donates none.
void run_prologue_apart(plan_run& r, const kernel_step& k) {
    if (r.failed_source(k)) return run_nodes_apart(r, k);
    Version& v = r.value(k.pieces->value);
    runtime::buffer_ptr result[] = {separate_buffer(v)};
    launch(r, k, result);
    settle_result(v, std::move(result[0]));
}

/// A kernel that runs piece by piece inside the product.
struct joined_kernel {
    prepared_launch launch;
    std::optional<piecewise_launch> pieces;

    void bind(plan_run& r, const kernel_step& k, std::span<const runtime::buffer_ptr> placed) {
        prepare(r, k, placed, launch);
        find_code(r, k, launch.request);
        pieces.emplace(*k.pieces, launch.request);
    }
};

blas::prologue make_prologue(joined_kernel& k) {
    return {&*k.pieces, [](void* by, int64_t row, int64_t rows, char* to) {
                static_cast<piecewise_launch*>(by)->make_rows(row, rows, to);
            }};
}

blas::epilogue make_epilogue(joined_kernel& k, bool whole_rows) {
    return {&*k.pieces,
            [](void* by, int64_t row, int64_t rows, int64_t col, int64_t cols) {
                static_cast<piecewise_launch*>(by)->run(row, rows, col, cols);
            },
            whole_rows};
}

/// `before` or `after` may be null.
void run_joined(plan_run& r, const plan_step& s, const kernel_step* before,
                const kernel_step* after) {
    Node& n = r.node(s.library);
    Version& v = r.value(s.library);
    runtime::trace_span span("library", n.library->name);
    span.detail("elements", n.shape->numel);
    runtime::buffer_ptr result = runtime::make_buffer(v.nbytes());
    joined_kernel first, second;
    blas::prologue prologue{};
    blas::epilogue epilogue{};
    if (before) {
        const runtime::buffer_ptr nowhere;  // each piece gets its address later
        first.bind(r, *before, {&nowhere, 1});
        prologue = make_prologue(first);
    }
    output_buffers placed;
    const unpublished undo{v};
    if (after) {
        placed = place_epilogue(r, *after, s, result);
        v.buffer = result;  // operand of the epilogue; not visible before it is published
        second.bind(r, *after, placed);
        epilogue = make_epilogue(second, after->pieces->whole_rows);
    }
    try {
        run_product_node(n, static_cast<char*>(result->data), source_bytes(n),
                         before ? &prologue : nullptr, after ? &epilogue : nullptr);
    } catch (const OutOfMemoryError&) {
        throw;
    } catch (const Error&) {
        fail(v, std::current_exception());
        if (after) run_nodes_apart(r, *after);
        return;
    }
    if (before) runtime::count_launch(first.launch.request);
    if (!after) return settle_result(v, std::move(result));
    runtime::count_launch(second.launch.request);
    runtime::count().epilogues.add();
    publish(v, std::move(result));
    publish_outputs(r, *after, placed);
}

}  // namespace

void run_product_step(plan_run& r, const plan_step& s) {
    const bool before = s.before && can_be_prologue(r, *s.before, s);
    if (s.before && !before) run_prologue_apart(r, *s.before);
    const bool after = s.kernel && can_be_epilogue(r, *s.kernel, s);
    if (before || after)
        run_joined(r, s, before ? &*s.before : nullptr, after ? &*s.kernel : nullptr);
    else
        run_library_step(r, s);
    if (s.kernel && !after) run_kernel(r, *s.kernel, s);
}

}  // namespace sinter::plan
