// The walk of one reduction over its operand: kept and reduced dimensions, columns, chunks.
#pragma once

#include "jit/interpret/eager/eager.hpp"
#include "jit/interpret/eager/nest.hpp"
#include "jit/interpret/state_tree.hpp"
#include "jit/simd/block.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace sinter::eager {

struct reduce_plan : state_form {
    static constexpr int64_t max_width = 512;
    /// Rows that `by_row` passes to reduce_fns::rows in one call; a multiple of the lanes.
    static constexpr int64_t rows_at_once = 8 * kernel_ir::reduce_lanes;

    reduce_plan(op::reduction row, ScalarType in, std::span<const int64_t> shape,
                std::span<const bool> reduced, const operand& out, const operand& in_operand,
                double correction);

    /// Adjacent outputs along the innermost kept dimension.
    struct group {
        const char* in;
        char* out;
        int64_t width;
    };
    group group_at(int64_t i) const;
    /// Returns the address of element j of the reduced range, relative to the first element of the
    /// same output. Sets `run` to the number of elements left in its run, including j.
    int64_t offset(int64_t j, int64_t* run) const;
    int64_t chunk_size(int64_t c) const {
        const int64_t begin = c * kernel_ir::reduce_chunk;
        return count - begin < kernel_ir::reduce_chunk ? count - begin : kernel_ir::reduce_chunk;
    }

    double correction;

    // ---- conversions: storage -> `in` -> accumulator
    int64_t in_size;
    block::load_fn load;   // from memory
    block::load_fn widen;  // from a block in `in` to a block of accumulators, or null
    int64_t widen_stride;  // bytes per element of that first block
    bool dense;            // memory already holds accumulator blocks
    block::store_fn store;

    // ---- loops
    int reduced_rank = 0;
    int64_t reduced_size[max_dims], reduced_stride[max_dims];  // innermost last
    int64_t count = 1, chunks;
    int kept_rank = 0;
    int64_t kept_size[max_dims], kept_in[max_dims], kept_out[max_dims];  // innermost first
    int64_t in_step, out_step;                                           // between columns
    const char* in_data;
    char* out_data;
    bool by_row;
    int64_t width;  // columns of a group; the last group of a run may be narrower
    int64_t groups, groups_a_run;
};

/// Reduces chunks to states. Has its own buffers.
class chunk_reader {
public:
    explicit chunk_reader(const reduce_plan& p);
    ~chunk_reader();
    chunk_reader(const chunk_reader&) = delete;
    chunk_reader& operator=(const chunk_reader&) = delete;

    /// Writes the states of chunk c of each column of g.
    void reduce(const reduce_plan::group& g, int64_t c, void* a, void* b);

private:
    void one_column(const char* in, int64_t c, void* a, void* b);
    void rows(const reduce_plan::group& g, int64_t c, void* a, void* b);
    void convert(char* to, const char* from, int64_t stride, int64_t n);

    const reduce_plan& p_;
    std::size_t bytes_;
    char* memory_;
    char* block_;   // accumulator elements
    char* narrow_;  // elements of `in`
    char* lanes_;
};

}  // namespace sinter::eager
