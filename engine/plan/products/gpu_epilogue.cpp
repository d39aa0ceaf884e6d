#include "engine/plan/products/gpu_epilogue.hpp"

#include "engine/plan/products/gemm_fusion.hpp"
#include "kernels/linalg/product.hpp"
#include "kernels/linalg/product_on_gpu.hpp"
#include "runtime/device/gpu.hpp"
#include "runtime/types/dtypes.hpp"

#include <cstddef>

namespace sinter::plan {
namespace {

/// Returns true if the body stores the sum of operands 0 and 1 in operand 2, without conversions.
/// Sets `fast` to true if the sum is under fast math.
bool is_sum(const kernel_ir::kernel& k, ScalarType dtype, bool& fast) {
    using kernel_ir::opcode;
    if (k.body.size() != 4 || !k.scalars.empty()) return false;
    const kernel_ir::instr *load[2], &sum = k.body[2], &store = k.body[3];
    for (int i : {0, 1}) {
        load[i] = &k.body[static_cast<std::size_t>(i)];
        if (load[i]->op != opcode::load || load[i]->type != dtype) return false;
    }
    if (sum.op != opcode::row || sum.row != static_cast<uint16_t>(op::id::add) || sum.in != dtype ||
        sum.type != dtype || sum.a == sum.b || store.op != opcode::store || store.type != dtype ||
        store.b != 2)
        return false;
    fast = sum.fast;
    return true;
}

/// Tries to move the product of step `s` into the step that adds its bias. If it succeeds, removes
/// step `s` and returns true.
bool join_bias(const subgraph& w, plan& p, std::size_t s) {
    const int product = p.steps[s].library;
    if (product < 0 || p.steps[s].kernel || w.wanted[static_cast<std::size_t>(product)])
        return false;
    const Node& n = *w.nodes[static_cast<std::size_t>(product)];
    const geometry& g = *n.shape;
    if (!n.library->product || !g.contiguous || g.offset != 0 || g.ndim < 2) return false;
    plan_step* reader = nullptr;
    for (plan_step& other : p.steps) {
        if (!reads(other, w, product)) continue;
        if (reader || other.library >= 0) return false;
        reader = &other;
    }
    if (!reader) return false;
    int64_t elements = 1;
    for (int64_t extent : reader->kernel->extents) elements *= extent;
    int bias = -1;
    bool fast = false;
    if (elements != g.numel ||
        bias_stride(*reader->kernel, product, g.sizes()[g.ndim - 1], bias) < 0 ||
        !is_sum(reader->kernel->ir, n.dtype, fast))
        return false;
    const bool narrow = is_narrow_float(n.dtype);
    if (narrow && !fast) return false;
    if (!blas::adds_bias(n.dtype, w.gpu())) return false;
    reader->library = product;
    reader->bias = bias;
    p.steps.erase(p.steps.begin() + static_cast<std::ptrdiff_t>(s));
    return true;
}

}  // namespace

int64_t bias_stride(const kernel_step& k, int product, int64_t columns, int& bias) {
    if (k.guarded || !k.streams || k.operands.size() != 3 || k.outputs.size() != 1) return -1;
    const int out = k.outputs[0], from = k.operands[0].value == product ? 0 : 1;
    if (out != 2 || k.operands[static_cast<std::size_t>(from)].value != product) return -1;
    bias = 1 - from;
    const operand_binding &in = k.operands[static_cast<std::size_t>(from)],
                          &add = k.operands[static_cast<std::size_t>(bias)], &to = k.operands[2];
    if (add.value < 0 || add.value == product || in.offset != 0 || to.offset != 0 ||
        to.strides != in.strides)
        return -1;
    // Stays 0, one element added everywhere, unless a dimension along columns has a stride.
    int64_t stride = 0;
    bool known = false;
    const auto says = [&](int64_t this_stride) {
        const bool fits = !known || stride == this_stride;
        known = true;
        stride = this_stride;
        return fits;
    };
    for (std::size_t d = 0; d < k.extents.size(); ++d) {
        const int64_t extent = k.extents[d], step = in.strides[d], by = add.strides[d];
        if (extent == 1) continue;
        if (step <= 0) return -1;
        if (step % columns == 0) {  // along rows
            if (by != 0) return -1;
        } else if (step * extent <= columns) {
            if (by < 0 || by % step != 0 || !says(by / step)) return -1;
        } else if (by != 0 || !says(0)) {  // rows and columns as one
            return -1;
        }
    }
    return stride;
}

void join_biases(const subgraph& w, plan& p) {
    for (std::size_t s = 0; s < p.steps.size();) s += !join_bias(w, p, s);
}

}  // namespace sinter::plan
