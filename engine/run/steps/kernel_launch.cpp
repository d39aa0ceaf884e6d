#include "engine/run/steps/kernel_launch.hpp"

#include "engine/graph/deferred.hpp"
#include "engine/measure/timing.hpp"
#include "engine/plan/in_place.hpp"
#include "engine/plan/layout.hpp"
#include "engine/run/executable/look_up.hpp"
#include "engine/run/library/run_library.hpp"
#include "engine/run/steps/staged_launch.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/launch/gpu/launch.hpp"
#include "jit/launch/scalar_bits.hpp"
#include "runtime/base/fault.hpp"
#include "runtime/device/deferred_check.hpp"
#include "runtime/report/stats.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace sinter::plan {
namespace {

using clock = std::chrono::steady_clock;

bool is_index(const kernel_step& k, std::size_t operand) {
    return k.ir.operands[operand].use == kernel_ir::role::index;
}

/// Returns null for a value without a buffer.
char* address(const runtime::buffer* b) {
    if (!b) return nullptr;
    runtime::before_host_reads(*b);
    return static_cast<char*>(b->data);
}

/// Returns null while the kernel is being compiled, and if it cannot be.
kernel_ir::kernel_fn code_of(plan_run& r, const loaded_kernel& k) {
    if (k.never_compiled.load(std::memory_order_relaxed)) return nullptr;
    if (const auto fn = k.fn.load(std::memory_order_acquire)) {
        runtime::count().cache_hits.add();
        return fn;
    }
    // A long run takes over kernels as soon as they are compiled.
    const uint64_t compiled = r.how == executor::background ? code_cache::count().compiled : 0;
    if (!r.looked_up || compiled != r.compiled_then) look_up_all(r.code, r.how, r.work);
    r.looked_up = true;
    r.compiled_then = compiled;
    return k.fn.load(std::memory_order_acquire);
}

/// Blocks along short rows spend their time on calls: they run along the dimension before.
std::shared_ptr<const block::block_kernel> make_blocks(const kernel_step& k) {
    const std::size_t rank = k.extents.size();
    constexpr int64_t short_row = 64;
    if (k.streams || k.ir.along == kernel_ir::lanes::row || k.reduced > 1 || rank < 2 ||
        k.extents[rank - 1] >= short_row || k.extents[rank - 2] < short_row)
        return std::make_shared<const block::block_kernel>(k.ir);
    kernel_ir::kernel by_row = k.ir;
    by_row.along = kernel_ir::lanes::row;
    by_row.form = kernel_ir::row_form::any;
    for (std::size_t i = 0; i < k.operands.size(); ++i)
        by_row.operands[i].lane = class_of(k.operands[i].strides[rank - 2], k.extents[rank - 2]);
    return std::make_shared<const block::block_kernel>(by_row);
}

uint64_t launch_on_cpu(plan_run& r, const kernel_step& k, prepared_launch& l) {
    find_code(r, k, l.request);
    const loaded_kernel& loaded = r.code.of(k);
    const specialization::turn turn =
        loaded.own && l.request.fn
            ? loaded.own->next(l.scalars, l.request.fn, r.how == executor::compiled)
            : specialization::turn{l.request.fn};
    l.request.fn = turn.fn;
    const timed_run timed(*loaded.timing, k.bytes);
    if (turn.side < 0) return runtime::launch(l.request);
    const auto start = std::chrono::steady_clock::now();
    const uint64_t status = runtime::launch(l.request);
    loaded.own->record(turn.side, ns_since(start));
    return status;
}

/// Returns the node of a kernel whose test the host learns of later, or null if it waits: also for
/// what several nodes raise, since that does not say whose it is.
const Node* node_tested_later(const plan_run& r, const kernel_step& k) {
    if (r.tests() == tests_of_values::awaited) return nullptr;
    const Node* found = nullptr;
    for (const int i : k.nodes) {
        if (!row_that_may_fail(r.node(i))) continue;
        if (found) return nullptr;
        found = &r.node(i);
    }
    return found;
}

uint64_t launch_on_gpu(plan_run& r, const kernel_step& k,
                       std::span<const runtime::buffer_ptr> placed, const prepared_launch& l) {
    runtime::arena_vector<runtime::gpu_operand> operands;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        runtime::buffer* const b =
            is_index(k, i) ? nullptr : buffer_of(r, k.operands[i].value, k, placed);
        operands.push_back({b, l.operands[i].base, l.operands[i].strides,
                            k.ir.operands[i].use == kernel_ir::role::output});
    }
    std::shared_ptr<runtime::deferred_check> check;
    if (k.guarded)
        check = std::make_shared<runtime::deferred_check>(runtime::current_stream(r.work.gpu()), 1);
    if (!runtime::launch_on_gpu(k, r.code.of(k).on_gpu, r.work.device, operands, l.scalars,
                                {r.batch(), check ? check->words() : nullptr,
                                 [&r, &k] { return lines_of(k, r.work); }}))
        return launch_staged(r, k, placed, l);
    if (!check) return 0;
    if (const Node* const tested = node_tested_later(r, k)) {
        check->put([row = row_that_may_fail(*tested)](std::span<const uint64_t> words,
                                                      const std::string& from) {
            return status_error(words[0], row, from);
        });
        add_check(*tested->result, std::move(check));
        r.inherit_tests(k);
        return 0;
    }
    uint64_t raised = 0;
    check->put([&raised](std::span<const uint64_t> words, const std::string&) {
        raised = words[0];
        return std::exception_ptr();
    });
    (void)runtime::first_error({&check, 1});
    return raised;
}

}  // namespace

runtime::buffer* buffer_of(const plan_run& r, int v, const kernel_step& k,
                           std::span<const runtime::buffer_ptr> placed) {
    for (std::size_t o = 0; o < k.outputs.size(); ++o)
        if (k.operands[static_cast<std::size_t>(k.outputs[o])].value == v) return placed[o].get();
    return r.buffer_of(v);
}

void prepare(const plan_run& r, const kernel_step& k, std::span<const runtime::buffer_ptr> placed,
             prepared_launch& l) {
    const std::size_t rank = k.extents.size();
    auto& [strides, operands, scalars, request] = l;
    strides.resize(k.operands.size() * rank);
    operands.reserve(k.operands.size());
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const operand_binding& b = k.operands[i];
        const auto item =
            is_index(k, i) ? 1 : static_cast<int64_t>(elementSize(k.ir.operands[i].type));
        for (std::size_t d = 0; d < rank; ++d) strides[i * rank + d] = b.strides[d] * item;
        if (fault("swap-strides") && i == 0 && rank > 1) std::swap(strides[0], strides[1]);
        char* const base = is_index(k, i)
                               ? reinterpret_cast<char*>(r.offset_of(b))
                               : address(buffer_of(r, b.value, k, placed)) + r.offset_of(b) * item;
        operands.push_back({base, &strides[i * rank], item, b.spread});
    }
    scalars.reserve(k.scalars.size());
    for (const scalar_binding& b : k.scalars) scalars.push_back(scalar_of(r.node(b.node), b));
    request = launch_of(r.code.of(k));
    request.operands = operands;
    request.scalars = scalars;
}

void find_code(plan_run& r, const kernel_step& step, runtime::launch_request& request) {
    loaded_kernel& k = r.code.of(step);
    if (r.how == executor::interpret) {
        std::call_once(k.interpreter_made,
                       [&] { k.interpreter = std::make_unique<kernel_ir::interpreter>(step.ir); });
        request.runner = k.interpreter.get();
        return;
    }
    request.fn = r.how == executor::blocks ? nullptr : code_of(r, k);
    if (request.fn) return;
    std::call_once(k.blocks_made, [&] { k.blocks = make_blocks(step); });
    request.runner = k.blocks.get();
    request.reductions = k.blocks->reductions();
    request.along = k.blocks->along();
}

uint64_t launch(plan_run& r, const kernel_step& k, std::span<const runtime::buffer_ptr> placed) {
    prepared_launch l;
    prepare(r, k, placed, l);
    return r.on_cpu() ? launch_on_cpu(r, k, l) : launch_on_gpu(r, k, placed, l);
}

}  // namespace sinter::plan
