// The space of an indexing operation (space.hpp), for hand-written GPU kernels.
#pragma once

#include "kernels/gpu/kernel_source.hpp"
#include "kernels/index/space.cuh"
#include "kernels/index/space.hpp"
#include "runtime/device/deferred_check.hpp"

#include <memory>

namespace sinter::index_kernels {

using space_arguments = on_gpu::space<on_gpu::any_length, on_gpu::any_length>;

/// The test of the indices of a call, made by its kernels.
class range_test {
public:
    range_test(runtime::gpu_stream& s, std::size_t indices);

    /// Returns the words of outside.cuh, those of each index after one another.
    uint64_t* words() const { return check_->words(); }
    /// Called when the kernels are put. Leaves the test to `c.deferred`; if that is null, waits and
    /// throws the error of check_range.
    void put(const op_call& c, const layout& l, const geometry& indexed) const;

private:
    std::shared_ptr<runtime::deferred_check> check_;
};

/// Makes the test of the indices by a kernel of its own.
void check_range_on_gpu(const op_call& c, const layout& l, const geometry& indexed,
                        std::span<const op_input> indices);

/// Returns the macro definitions for space.cuh.
gpu_kernels::macro_definitions macros_of(const loops& l, bool wraps);
/// Returns the space as a kernel argument. `outside`: the words of a range_test.
space_arguments arguments_of(const loops& l, uint64_t* outside);

}  // namespace sinter::index_kernels
