// The positions where a mask is true, on a GPU: mask.hpp over device addresses.
#pragma once

#include "kernels/gpu/kernel_source.hpp"
#include "kernels/gpu/scratch.hpp"
#include "kernels/kernel_op.hpp"

namespace sinter::index_kernels {

/// Counts the nonzero bytes among `n` dense ones. Waits for the stream.
class gpu_mask_count {
public:
    gpu_mask_count(runtime::gpu_stream& s, const char* mask, int64_t n);
    int64_t total() const { return total_; }

    // Each puts one launch on the stream and does what its namesake in mask.hpp does.
    void write_nonzero(IntArrayRef sizes, char* indices) const;
    void select_ones(const char* from, std::size_t bytes, char* to) const;
    /// Copies packed elements of `from`, in order, to where the mask is true in `to`.
    void put_ones(const char* from, std::size_t bytes, char* to, const geometry& shape) const;

private:
    /// `how` is a function of mask.cuh.
    void use(const char* how, const char* type, const void* from, void* to,
             std::vector<int64_t> sizes, std::vector<int64_t> strides) const;

    runtime::gpu_stream& stream_;
    const char* mask_;
    int64_t n_, total_ = 0;
    gpu_kernels::scratch before_;
};

/// The `on_gpu` of the operations of mask.hpp.
bool masked_scatter_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::index_kernels
