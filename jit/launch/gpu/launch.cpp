#include "jit/launch/gpu/launch.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/codegen/c_like/form.hpp"
#include "jit/launch/gpu/bytes_in_flight.hpp"
#include "jit/launch/gpu/rows.hpp"
#include "runtime/device/memory.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/report/stats.hpp"

#include <algorithm>
#include <limits>

namespace sinter::runtime {
namespace {

/// Returns true if all dense operands are aligned to 16 bytes.
bool aligned(const launched_kernel& k, std::span<const gpu_operand> operands) {
    for (std::size_t o = 0; o < operands.size(); ++o) {
        if (k.ir.operands[o].use != kernel_ir::role::index &&
            k.ir.operands[o].lane == kernel_ir::stride_class::unit &&
            reinterpret_cast<uintptr_t>(operands[o].base) % 16 != 0)
            return false;
    }
    return true;
}

/// Returns the properties of the space that the kernel source depends on.
codegen::loop_shape shape_of(const launched_kernel& k, const gpu& g,
                             const codegen::element_space& space,
                             std::span<const gpu_operand> operands) {
    if (k.streams)
        return codegen::element_form(k.ir, space, {bytes_of_thread(g.properties), k.cost});
    int64_t points = 1;
    for (int64_t n : k.extents) points *= n;
    codegen::loop_shape s;
    s.element_dims = static_cast<uint8_t>(k.reduced);
    s.row_dims = static_cast<uint8_t>(k.extents.size() - static_cast<std::size_t>(k.reduced));
    s.wide = points > std::numeric_limits<int32_t>::max();
    if (k.rows) s.rows = aligned(k, operands) ? k.rows->form : k.rows->unaligned;
    return s;
}

const code_cache::device_kernel& code_of(const launched_kernel& k, device_code& last, const gpu& g,
                                         const codegen::loop_shape& shape) {
    // Tries the last variant first: consecutive launches of a kernel are mostly alike.
    if (const auto* code = last.load(std::memory_order_acquire); code && code->shape == shape) {
        count().cache_hits.add();
        return *code;
    }
    const code_cache::device_lookup found = code_cache::get_on(g, k.ir, k.key, shape);
    switch (found.from) {
        case code_cache::source::memory: count().cache_hits.add(); break;
        case code_cache::source::disk: count().kernels_loaded.add(); break;
        case code_cache::source::compiled: count().kernels_compiled.add(); break;
    }
    last.store(found.k, std::memory_order_release);
    return *found.k;
}

struct extent_counts {
    int64_t rows = 1, elements = 1;
};

extent_counts counts_of(const launched_kernel& k) {
    extent_counts n;
    const std::size_t outer = k.extents.size() - static_cast<std::size_t>(k.reduced);
    for (std::size_t d = 0; d < k.extents.size(); ++d)
        (d < outer ? n.rows : n.elements) *= k.extents[d];
    return n;
}

/// A kernel whose launches go into a batch.
struct prepared {
    launch_batch& batch;
    const code_cache::device_kernel& code;
    const launched_kernel& k;
    const codegen::element_space& space;
    std::span<const uint64_t> scalars;
    uint64_t* status;
};

void add(const prepared& p, const gpu_kernel& code, const launch_shape& shape) {
    p.batch.add(code, shape);
    count().kernels_launched.add();
}

void add_elements(const prepared& p) {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    const codegen::loop_shape& shape = p.code.shape;
    int64_t blocks = codegen::element_blocks(shape, p.k.extents);
    // A HIP grid has fewer than 2^32 threads; wide kernels loop over blocks.
    if (shape.wide) blocks = std::min(blocks, most / codegen::element_threads);
    codegen::pack_elements(p.k.ir, shape, p.space, p.scalars, p.status,
                           p.batch.add_argument(codegen::element_argument_words(p.k.ir, shape)));
    add(p, p.code.code,
        {static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, most)), codegen::element_threads});
}

/// A kernel of parts is several launches. Their workspace belongs to this stream and is free after
/// them.
void add_rows(const prepared& p) {
    const auto [rows, elements] = counts_of(p.k);
    const codegen::c_like_function& text = p.code.text;
    codegen::row_parts parts;
    if (!p.code.parts.empty()) {
        const auto device = static_cast<device_index>(p.batch.stream().device().index);
        buffer_ptr work =
            make_buffer(static_cast<std::size_t>(8 * rows) *
                            static_cast<std::size_t>(
                                text.words * part_count(elements, p.k.rows->span) + text.finished),
                        device);
        p.batch.writes(*work->uses);
        parts = {work->data, p.k.rows->span, p.k.rows->together};
        p.batch.keep(std::move(work));
    }
    codegen::pack_arguments(p.k.ir, p.code.shape, p.k.extents, p.space.operands, p.scalars,
                            p.status, parts,
                            p.batch.add_argument(codegen::argument_words(p.k.ir, p.code.shape)));
    if (p.code.parts.empty()) {
        const row_grid grid = grid_of_rows(rows, elements, p.code.shape.rows, 0);
        add(p, p.code.code,
            {grid.blocks, grid.threads,
             kept_bytes(elements, p.code.shape.rows, text.kept, text.kept_operands)});
        return;
    }
    for (std::size_t n = 0; n < p.code.parts.size(); ++n) {
        const row_grid grid = text.parts[n].merges
                                  ? grid_of_merge(rows, elements, *p.k.rows)
                                  : grid_of_rows(rows, elements, p.code.shape.rows, p.k.rows->span);
        add(p, p.code.parts[n], {grid.blocks, grid.threads});
    }
}

}  // namespace

uint64_t launch_on_gpu(const launched_kernel& k, device_code& last, device_index device,
                       std::span<const gpu_operand> operands, std::span<const uint64_t> scalars,
                       launch_batch* batch) {
    const gpu& g = gpu_at(device);
    gpu_stream& s = batch ? batch->stream() : current_stream(g);
    arena_vector<codegen::argument_operand> arguments;
    for (const gpu_operand& o : operands) arguments.push_back({o.base, o.strides});
    const codegen::element_space space{k.extents, arguments};
    const codegen::loop_shape shape = shape_of(k, g, space, operands);
    const code_cache::device_kernel& code = code_of(k, last, g, shape);
    buffer_ptr status;
    if (k.guarded) {
        status = make_buffer(sizeof(uint64_t), device);
        const uint64_t filled = put_fill(s, status->data, 0, sizeof(uint64_t));
        status->uses->after_write(s, filled);
    }
    launch_batch alone(s);
    launch_batch& to = batch && !status ? *batch : alone;
    for (const gpu_operand& o : operands) {
        if (!o.memory) continue;
        if (o.written)
            to.writes(*o.memory->uses);
        else
            to.reads(*o.memory->uses);
    }
    const prepared launch{to,    code,    k,
                          space, scalars, status ? static_cast<uint64_t*>(status->data) : nullptr};
    if (code.text.by_rows)
        add_rows(launch);
    else
        add_elements(launch);
    if (&to == batch) return 0;
    alone.put();
    if (!status) return 0;
    auto raised = make_buffer(sizeof(uint64_t));
    copy_bytes(*raised, *status, sizeof(uint64_t));
    return *static_cast<const uint64_t*>(raised->data);
}

}  // namespace sinter::runtime
