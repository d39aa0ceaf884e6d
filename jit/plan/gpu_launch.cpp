#include "jit/plan/gpu_launch.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/codegen/c_like_form.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/plan/bytes_in_flight.hpp"
#include "runtime/arena.hpp"
#include "runtime/device/memory.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/stats.hpp"

#include <algorithm>
#include <limits>

namespace sinter::plan {
namespace {

/// What the text of a kernel knows of a step's space.
codegen::loop_shape shape_of(const kernel_step& k, const runtime::gpu& g,
                             const codegen::element_space& space) {
    if (k.streams)
        return codegen::element_form(k.ir, space, {bytes_of_thread(g.properties), k.cost});
    int64_t points = 1;
    for (int64_t n : k.extents) points *= n;
    codegen::loop_shape s;
    s.element_dims = static_cast<uint8_t>(k.reduced);
    s.row_dims = static_cast<uint8_t>(k.extents.size() - static_cast<std::size_t>(k.reduced));
    s.wide = points > std::numeric_limits<int32_t>::max();
    return s;
}

const cache::device_kernel& code_of(const kernel_step& k, const runtime::gpu& g,
                                    const codegen::loop_shape& shape) {
    // The last variant: most launches of a step are alike.
    if (const auto* code = k.on_gpu.load(std::memory_order_acquire); code && code->shape == shape) {
        runtime::count().cache_hits.add();
        return *code;
    }
    const cache::device_lookup found = cache::get_on(g, k.ir, k.key, shape);
    switch (found.from) {
        case cache::source::memory: runtime::count().cache_hits.add(); break;
        case cache::source::disk: runtime::count().kernels_loaded.add(); break;
        case cache::source::compiled: runtime::count().kernels_compiled.add(); break;
    }
    k.on_gpu.store(found.k, std::memory_order_release);
    return *found.k;
}

runtime::launch_shape grid_of(const cache::device_kernel& code, const kernel_step& k) {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    runtime::launch_shape shape;
    int64_t blocks = 1;
    if (code.by_rows) {
        shape.threads = kernel_ir::reduce_lanes;
        for (std::size_t d = 0; d + static_cast<std::size_t>(k.reduced) < k.extents.size(); ++d)
            blocks *= k.extents[d];
    } else {
        shape.threads = codegen::element_threads;
        blocks = codegen::element_blocks(code.shape, k.extents);
        // A HIP grid has less than 2^32 threads; wide kernels go round.
        if (code.shape.wide) blocks = std::min(blocks, most / codegen::element_threads);
    }
    shape.blocks = static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, most));
    return shape;
}

}  // namespace

uint64_t launch_on_gpu(const kernel_step& k, runtime::place_number place,
                       std::span<const gpu_operand> operands, std::span<const uint64_t> scalars) {
    const runtime::gpu& g = runtime::gpu_at(place);
    runtime::gpu_stream& s = runtime::current_stream(g);
    runtime::arena_vector<codegen::argument_operand> arguments;
    for (const gpu_operand& o : operands) arguments.push_back({o.base, o.strides});
    const codegen::element_space space{k.extents, arguments};
    const codegen::loop_shape shape = shape_of(k, g, space);
    const cache::device_kernel& code = code_of(k, g, shape);
    runtime::buffer_ptr status;
    if (k.guarded) {
        status = runtime::make_buffer(sizeof(uint64_t), place);
        const uint64_t filled = runtime::put_fill(s, status->data, 0, sizeof(uint64_t));
        status->block->after_write(s, filled);
    }
    for (const gpu_operand& o : operands) {
        if (!o.memory) continue;
        if (o.written)
            o.memory->block->before_write(s);
        else
            o.memory->block->before_read(s);
    }
    auto* const raised_at = status ? static_cast<uint64_t*>(status->data) : nullptr;
    runtime::arena_vector<uint64_t> packed;
    if (code.by_rows) {
        const auto words =
            codegen::pack_arguments(k.ir, shape, k.extents, arguments, scalars, raised_at);
        packed.assign(words.begin(), words.end());
    } else {
        packed.resize(codegen::element_argument_words(k.ir, shape));
        codegen::pack_elements(k.ir, shape, space, scalars, raised_at, packed);
    }
    const uint64_t at = runtime::put_launch(s, code.code, grid_of(code, k), packed.data());
    runtime::count().kernels_launched.add();
    for (const gpu_operand& o : operands) {
        if (!o.memory) continue;
        if (o.written)
            o.memory->block->after_write(s, at);
        else
            o.memory->block->after_read(s, at);
    }
    if (!status) return 0;
    auto raised = runtime::make_buffer(sizeof(uint64_t));
    runtime::copy_bytes(*raised, *status, sizeof(uint64_t));
    return *static_cast<const uint64_t*>(raised->data);
}

}  // namespace sinter::plan
