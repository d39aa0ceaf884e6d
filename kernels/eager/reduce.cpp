// Reductions. Whatever the strides, the elements of a chunk reach the block rows in logical order:
// either one output at a time as a contiguous block (`by_element`), or, where outputs lie side by
// side, as rows of several columns (`by_row`). Both give the same bits, so the choice is about
// speed.
#include "kernels/eager/reduce_plan.hpp"
#include "runtime/fp_environment.hpp"
#include "runtime/pool.hpp"
#include "runtime/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace sinter::eager {

namespace {

using kernel_ir::reduce_chunk;

class scratch {
public:
    explicit scratch(int64_t bytes)
        : bytes_(static_cast<std::size_t>(bytes)),
          data_(static_cast<char*>(runtime::allocate_uncounted(bytes_))) {}
    ~scratch() { runtime::release_uncounted(data_, bytes_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    char* get() const { return data_; }

private:
    std::size_t bytes_;
    char* data_;
};

/// States of chunks, merged pairwise by index as they come, rising.
class state_tree {
public:
    state_tree(const reduce_plan& p, int64_t width)
        : p_(p),
          width_(width),
          level_bytes_(p.state_bytes(width)),
          levels_(std::bit_width(static_cast<uint64_t>(p.chunks)) + 1),
          memory_(level_bytes_ * levels_) {}

    /// Where the state of the next chunk goes.
    void* a() const { return a_of(depth_); }
    void* b() const { return b_of(depth_); }

    void push(int64_t chunk, int64_t n) {
        count_[depth_++] = n;
        for (; chunk & 1; chunk >>= 1) merge_top();
    }
    /// The state of everything is then at level 0.
    void close() {
        while (depth_ > 1) merge_top();
    }
    const void* result_a() const { return a_of(0); }
    const void* result_b() const { return b_of(0); }
    void clear() { depth_ = 0; }

private:
    void* a_of(int level) const { return memory_.get() + level * level_bytes_; }
    void* b_of(int level) const {
        return memory_.get() + level * level_bytes_ + p_.b_offset(width_);
    }
    void merge_top() {
        const int lower = depth_ - 2, upper = depth_ - 1;
        p_.fns->merge(a_of(lower), b_of(lower), a_of(upper), b_of(upper), width_, count_[lower],
                      count_[upper]);
        count_[lower] += count_[upper];
        --depth_;
    }

    const reduce_plan& p_;
    int64_t width_;
    int64_t level_bytes_;
    int levels_;
    scratch memory_;
    int64_t count_[64];
    int depth_ = 0;
};

void finish(const reduce_plan& p, const reduce_plan::group& g, const void* a, const void* b) {
    alignas(64) char results[reduce_plan::max_width * 8];
    p.fns->finish(results, a, b, g.width, p.count, p.correction);
    p.store(g.out, p.out_step, results, g.width);
}

/// Groups on several threads, each reduced by one.
void over_groups(const reduce_plan& p) {
    const int64_t work = std::max<int64_t>(1, p.count * p.width);
    const int64_t grain = std::max<int64_t>(1, parallel_grain / work);
    runtime::parallel_for(0, p.groups, grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        chunk_reader reader(p);
        state_tree tree(p, p.width);
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

/// Few groups of many chunks: the chunks of a group on several threads.
void over_chunks(const reduce_plan& p) {
    const int64_t bytes = p.state_bytes(p.width);
    // Bounded memory: the states of a batch are merged before the next batch begins.
    const int64_t batch = std::max<int64_t>(64, (int64_t{1} << 24) / bytes);
    const scratch states(bytes * std::min(batch, p.chunks));
    state_tree tree(p, p.width);
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
