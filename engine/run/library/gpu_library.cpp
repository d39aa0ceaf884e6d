#include "engine/run/library/gpu_library.hpp"

#include "engine/graph/deferred.hpp"
#include "jit/cache/device_kernels.hpp"
#include "kernels/gpu/moves.hpp"
#include "kernels/linalg/product_on_gpu.hpp"
#include "runtime/device/deferred_check.hpp"
#include "runtime/device/uses.hpp"
#include "runtime/report/stats.hpp"

#include <utility>

namespace sinter::plan {
namespace {

char* address(const runtime::buffer& b, const geometry& g, ScalarType dtype) {
    return static_cast<char*>(b.data) + g.offset * static_cast<int64_t>(elementSize(dtype));
}

/// Returns true if the elements have the alignment that libraries and kernels expect. A foreign
/// ComplexDouble buffer may be aligned only to its parts.
bool aligned(const Edge& e) {
    const char* const first = address(*e.value->buffer, *e.shape, e.dtype);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a dtype
    return reinterpret_cast<uintptr_t>(first) % elementSize(e.dtype) == 0;
}

/// Copies the first source of an updating operation to its result.
void copy_first(const Node& n, runtime::gpu_stream& s, runtime::buffer& to) {
    const Edge& e = n.sources[0];
    gpu_kernels::put_moved(
        s, n.dtype, n.shape->sizes_ref().vec(),
        {address(to, *n.shape, n.dtype), n.shape->strides_ref().vec()},
        {address(*e.value->buffer, *e.shape, n.dtype), e.shape->strides_ref().vec()});
}

}  // namespace

gpu_uses::~gpu_uses() {
    const uint64_t position = stream_.position();
    for (runtime::stream_uses* b : read_) b->after_read(stream_, position);
    for (runtime::stream_uses* b : written_) b->after_write(stream_, position);
}

void gpu_uses::reads(runtime::buffer& b) {
    if (!b.uses) return;
    read_.reserve(read_.size() + 1);
    b.uses->before_read(stream_);
    read_.push_back(b.uses);
}

void gpu_uses::writes(runtime::buffer& b) {
    if (!b.uses) return;
    written_.reserve(written_.size() + 1);
    b.uses->before_write(stream_);
    written_.push_back(b.uses);
}

library_results run_on_gpu(const Node& n, tests_of_values tests, const added_vector* bias) {
    const kernel_op& op = *n.library;
    if (!op.on_gpu || n.partial()) return {};
    std::vector<op_input> inputs;
    for (const Edge& e : n.sources) {
        if (!e.value || e.value->device != n.device || !aligned(e)) return {};
        inputs.push_back({static_cast<const char*>(e.value->buffer->data), e.shape.get(), e.dtype});
    }
    runtime::gpu_stream& s = runtime::current_stream(runtime::gpu_at(n.device));
    library_results results(n, n.device);
    gpu_uses uses(s);
    for (const Edge& e : n.sources) uses.reads(*e.value->buffer);
    if (bias) uses.reads(bias->memory);
    for (const runtime::buffer_ptr& b : results.buffers()) uses.writes(*b);
    op_call call = results.call(n, inputs, &s);
    runtime::deferred_checks checks;
    if (tests == tests_of_values::deferred) call.deferred = &checks;
    try {
        if (op.updates) copy_first(n, s, *results.buffers()[0]);
        const bool put = bias ? blas::product_with_bias_on_gpu(
                                    call,
                                    static_cast<const char*>(bias->memory.data) +
                                        bias->offset * static_cast<int64_t>(elementSize(n.dtype)),
                                    bias->stride, s)
                              : op.on_gpu(call, s);
        if (!put) return {};
    } catch (const code_cache::no_device_code&) {
        return {};
    }
    for (auto& check : checks) add_check(*n.result, std::move(check));
    if (op.vendor) runtime::count().library_calls.add();  // kernels are counted one by one
    return results;
}

}  // namespace sinter::plan
