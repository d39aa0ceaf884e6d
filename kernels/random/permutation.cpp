#include "kernels/random/permutation.hpp"

namespace sinter::random_kernels {
namespace {

void run(const op_call& call) {
    const op_input& input = call.inputs[0];
    const auto* next = reinterpret_cast<const uint64_t*>(input.data) + input.shape->offset;
    permute(call.output, call.shape.numel, call.dtype, [&] { return *next++; });
}

}  // namespace

const kernel_op permutation_op{.name = "randperm", .run = run, .on_gpu = permutation_on_gpu};

}  // namespace sinter::random_kernels
