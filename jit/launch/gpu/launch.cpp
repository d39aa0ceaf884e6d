#include "jit/launch/gpu/launch.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/cache/device_key.hpp"
#include "jit/launch/gpu/forms.hpp"
#include "jit/launch/gpu/rows.hpp"
#include "runtime/device/memory.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/report/stats.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace sinter::runtime {
namespace {

/// Returns null if there is no code.
const code_cache::device_kernel* find(const gpu& g, const kernel_ir::kernel& k,
                                      const std::vector<uint8_t>& key,
                                      const codegen::loop_shape& shape) {
    const code_cache::device_lookup found = code_cache::get_on(g, k, key, shape);
    if (!found.k) return nullptr;
    switch (found.from) {
        case code_cache::source::memory: count().cache_hits.add(); break;
        case code_cache::source::disk: count().kernels_loaded.add(); break;
        case code_cache::source::compiled: count().kernels_compiled.add(); break;
    }
    return found.k;
}

const code_cache::device_kernel* code_of(const launched_kernel& k, device_code& last, const gpu& g,
                                         const codegen::loop_shape& shape) {
    // Tries the last variant first: consecutive launches of a kernel are mostly alike.
    if (const auto* code = last.load(std::memory_order_acquire); code && code->shape == shape) {
        count().cache_hits.add();
        return code;
    }
    const code_cache::device_kernel* const found = find(g, k.ir, k.key, shape);
    if (found) last.store(found, std::memory_order_release);
    return found;
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
    } else if (p.code.shape.rows.kept == 3) {
        parts.span = p.k.rows->span;
    }
    codegen::pack_arguments(p.k.ir, p.code.shape, p.k.extents, p.space.operands, p.scalars,
                            p.status, parts,
                            p.batch.add_argument(codegen::argument_words(p.k.ir, p.code.shape)));
    if (p.code.parts.empty()) {
        const row_grid grid = grid_of_rows(rows, elements, p.code.shape.rows, 0);
        add(p, p.code.code,
            {grid.blocks, grid.threads,
             kept_bytes(elements, p.code.shape.rows, parts.span, text.kept, text.kept_operands)});
        return;
    }
    for (std::size_t n = 0; n < p.code.parts.size(); ++n) {
        const row_grid grid = text.parts[n].merges
                                  ? grid_of_merge(rows, elements, *p.k.rows)
                                  : grid_of_rows(rows, elements, p.code.shape.rows, p.k.rows->span);
        add(p, p.code.parts[n], {grid.blocks, grid.threads});
    }
}

/// A launch whose code is found.
struct found_launch {
    const launched_kernel& k;
    const code_cache::device_kernel& code;
    std::span<const codegen::argument_operand> operands;
};

/// Returns true.
bool put(const found_launch& l, const gpu& g, std::span<const gpu_operand> memory,
         std::span<const uint64_t> scalars, const gpu_launch_options& how) {
    launch_batch alone(how.batch ? how.batch->stream() : current_stream(g));
    launch_batch& to = how.batch && !l.k.guarded ? *how.batch : alone;
    for (const gpu_operand& o : memory) {
        if (!o.memory) continue;
        if (o.written)
            to.writes(*o.memory->uses);
        else
            to.reads(*o.memory->uses);
    }
    const codegen::element_space space{l.k.extents, l.operands};
    const prepared launch{to, l.code, l.k, space, scalars, how.status};
    if (l.code.text.by_rows)
        add_rows(launch);
    else
        add_elements(launch);
    if (&to != how.batch) alone.put();
    return true;
}

std::atomic<gpu_forms> usable_forms{gpu_forms::all};

}  // namespace

void limit_gpu_forms(gpu_forms to) { usable_forms = to; }
bool all_gpu_forms() { return usable_forms.load(std::memory_order_relaxed) == gpu_forms::all; }

bool launch_on_gpu(const launched_kernel& k, device_code& last, device_index device,
                   std::span<const gpu_operand> operands, std::span<const uint64_t> scalars,
                   const gpu_launch_options& how) {
    const gpu& g = gpu_at(device);
    arena_vector<codegen::argument_operand> arguments;
    for (const gpu_operand& o : operands) arguments.push_back({o.base, o.strides});
    const codegen::element_space space{k.extents, arguments};
    const codegen::loop_shape shape = form_of(k, g.properties, space);
    const gpu_forms forms = usable_forms.load(std::memory_order_relaxed);
    if (forms == gpu_forms::all) {
        if (const auto* code = code_of(k, last, g, shape))
            return put({k, *code, arguments}, g, operands, scalars, how);
        for (const codegen::loop_shape& other : other_forms(k, g.properties, space))
            if (const auto* code = find(g, k.ir, k.key, other)) {
                count().other_form_launches.add();
                return put({k, *code, arguments}, g, operands, scalars, how);
            }
    }
    if (std::optional<base_kernel> base = forms == gpu_forms::none ? std::nullopt : base_of(k)) {
        const auto* code = find(g, base->ir, base->key, base->shape);
        const std::optional<base_launch> l =
            code ? in_base_form(k, std::move(*base), arguments) : std::nullopt;
        if (l) {
            count().base_form_launches.add();
            return put({l->k, *code, l->operands}, g, operands, scalars, how);
        }
    }
    if (code_cache::misses_are_errors())
        code_cache::refuse_missing(g, code_cache::device_key(k.key, shape),
                                   how.where ? how.where() : "");
    return false;
}

}  // namespace sinter::runtime
