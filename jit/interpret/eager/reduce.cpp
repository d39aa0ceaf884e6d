// Reductions. For all strides, the elements of a chunk reach the block rows in logical order:
// either one output at a time as a contiguous block, or, if outputs are adjacent, as rows of
// several columns (`by_row`). Both give the same bits, so the choice only affects speed.
#include "jit/interpret/eager/reduce_plan.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <string>

namespace sinter::eager {

namespace {

using kernel_ir::reduce_chunk;

void finish(const reduce_plan& p, const reduce_plan::group& g, const void* a, const void* b) {
    alignas(64) char results[reduce_plan::max_width * 8];
    p.fns->finish(results, a, b, g.width, p.count, p.correction);
    p.store(g.out, p.out_step, results, g.width);
}

/// Runs groups on several threads, one thread per group.
void over_groups(const reduce_plan& p) {
    const int64_t work = std::max<int64_t>(1, p.count * p.width);
    const int64_t grain = std::max<int64_t>(1, parallel_grain / work);
    runtime::parallel_for(0, p.groups, grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        chunk_reader reader(p);
        state_tree tree(p, p.chunks, p.width);
        for (int64_t i = begin; i < end; ++i) {
            const reduce_plan::group g = p.group_at(i);
            tree.clear();
            if (p.count == 0) p.fns->identity(tree.a(), tree.b(), g.width);
            for (int64_t c = 0; c < p.chunks; ++c) {
                reader.reduce(g, c, tree.a(), tree.b());
                tree.push(c, p.chunk_size(c));
            }
            tree.close();
            finish(p, g, tree.result_a(), tree.result_b());
        }
    });
}

/// Runs few groups of many chunks: several threads share the chunks of a group.
void over_chunks(const reduce_plan& p) {
    const int64_t bytes = p.state_bytes(p.width);
    // To bound memory, the states of a batch are merged before the next batch begins.
    const int64_t batch = std::max<int64_t>(64, (int64_t{1} << 24) / bytes);
    const scratch states(bytes * std::min(batch, p.chunks));
    state_tree tree(p, p.chunks, p.width);
    for (int64_t i = 0; i < p.groups; ++i) {
        const reduce_plan::group g = p.group_at(i);
        tree.clear();
        for (int64_t first = 0; first < p.chunks; first += batch) {
            const int64_t last = std::min(p.chunks, first + batch);
            const int64_t grain = std::max<int64_t>(1, parallel_grain / (reduce_chunk * p.width));
            runtime::parallel_for(first, last, grain, [&](int64_t begin, int64_t end) {
                const runtime::fp_environment environment;
                chunk_reader reader(p);
                for (int64_t c = begin; c < end; ++c) {
                    char* to = states.get() + (c - first) * bytes;
                    reader.reduce(g, c, to, to + p.b_offset(p.width));
                }
            });
            const runtime::fp_environment environment;
            for (int64_t c = first; c < last; ++c) {
                const char* from = states.get() + (c - first) * bytes;
                std::copy_n(from, bytes, static_cast<char*>(tree.a()));
                tree.push(c, p.chunk_size(c));
            }
        }
        const runtime::fp_environment environment;
        tree.close();
        finish(p, g, tree.result_a(), tree.result_b());
    }
}

}  // namespace

void reduce(op::reduction row, ScalarType in, std::span<const int64_t> shape,
            std::span<const bool> reduced, const operand& out, const operand& in_operand,
            double correction) {
    const reduce_plan p(row, in, shape, reduced, out, in_operand, correction);
    if (p.groups == 0) return;
    const bool few = p.groups < 2 * runtime::available_threads();
    if (few && p.chunks > 1 && p.count * p.width * p.groups >= 2 * parallel_grain)
        over_chunks(p);
    else
        over_groups(p);
}

}  // namespace sinter::eager
