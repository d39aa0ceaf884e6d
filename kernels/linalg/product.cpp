#include "kernels/linalg/product.hpp"

#include "jit/simd/block.hpp"
#include "kernels/linalg/product_on_gpu.hpp"
#include "kernels/linalg/product_parts.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/dtypes.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>

#include <cstring>
#include <string>
#include <utility>

namespace sinter::blas {
namespace {

/// Multiplies Half and BFloat16 in float and rounds once.
void narrow_product(product& p) {
    p.a = packed(p.a);
    p.b = packed(p.b);
    const int64_t size = p.batches * p.m * p.n;
    auto memory = runtime::make_buffer(static_cast<std::size_t>(size) * sizeof(float));
    auto* wide = static_cast<float*>(memory->data);
    const epilogue* after = std::exchange(p.after, nullptr);
    float_product(p, wide);
    const block::store_fn store = block::find_store(p.dtype, p.dtype);
    const auto item = static_cast<int64_t>(elementSize(p.dtype));
    const int64_t cols = after ? p.n : 1;
    const int64_t grain = std::max<int64_t>(1, (1 << 15) / cols);
    runtime::parallel_for(0, size / cols, grain, [&](int64_t begin, int64_t end) {
        runtime::fp_environment environment;
        for (int64_t row = begin; row < end; row += grain) {
            const int64_t rows = std::min(grain, end - row), first = row * cols;
            store(p.out + first * item, item, wide + first, rows * cols);
            if (after) after->run(after->context, row, rows, 0, cols);
        }
    });
}

/// Materialises the first operand, for products that cannot take it row by row.
void make_rows(product& p) {
    const int64_t rows = p.batches * p.m, grain = std::max<int64_t>(1, (1 << 15) / p.k);
    const auto row_bytes = p.k * static_cast<int64_t>(elementSize(p.dtype));
    p.a.memory = runtime::make_buffer(static_cast<std::size_t>(rows * row_bytes));
    auto* memory = static_cast<char*>(p.a.memory->data);
    runtime::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
        p.before->run(p.before->context, begin, end - begin, memory + begin * row_bytes);
    });
    p.a.data = memory;
    p.before = nullptr;
}

void run_between(const op_call& call, const prologue* before, const epilogue* after) {
    const char* what = call.op.name;
    const geometry& shape = call.shape;
    const ScalarType dtype = call.dtype;
    product p = product_of(call, before, after);
    if (shape.numel == 0) return;
    if (p.k == 0) {
        std::memset(p.out, 0, static_cast<std::size_t>(shape.numel) * elementSize(dtype));
        return follow_all(p);
    }
    fold_batch(p);
    if (p.before && !takes_row_source(p)) make_rows(p);
    if (dtype == kBool) runtime::refuse_bool(what, toString(dtype));
    if (isIntegralType(dtype)) return integer_product(p);
    if (is_narrow_float(dtype)) return narrow_product(p);
    with_type(dtype, [&p]<lapack_element T>(std::type_identity<T>) {
        float_product(p, reinterpret_cast<T*>(p.out));
    });
}

void run(const op_call& call) {
    if (is_brief_product(*call.inputs[0].shape, *call.inputs[1].shape, call.shape, call.dtype))
        return run_brief_product(call);
    run_between(call, nullptr, nullptr);
}

}  // namespace

product product_of(const op_call& call, const prologue* before, const epilogue* after) {
    const char* what = call.op.name;
    const std::span<const op_input> inputs = call.inputs;
    const geometry& shape = call.shape;
    const ScalarType dtype = call.dtype;
    if (inputs.size() != 2 || !shape.contiguous || shape.ndim < 2 ||
        inputs[0].shape->ndim != shape.ndim || inputs[1].shape->ndim != shape.ndim ||
        inputs[0].dtype != dtype || inputs[1].dtype != dtype)
        runtime::bug(
            what, "a product node has operands or a result of the wrong ranks, dtypes or layout");
    product p{
        what,  operand_of(inputs[0]), operand_of(inputs[1]), call.output, 1, 0, 0, 0, dtype, after,
        before};
    p.out += shape.offset * static_cast<int64_t>(elementSize(dtype));
    p.batches = p.a.batches();
    p.m = p.a.rows;
    p.n = p.b.cols;
    p.k = p.a.cols;
    if (call.attributes) {
        const auto& taken = call.attributes->as<product_attributes>();
        p.a.conjugate = taken.conjugate_a;
        p.b.conjugate = taken.conjugate_b;
    }
    return p;
}

void fold_batch(product& p) {
    int64_t stride = p.a.row_stride, rows = p.m;
    for (int32_t d = p.a.batch_dims; d-- > 0;) {
        if (p.a.batch_sizes[d] == 1) continue;
        if (p.b.batch_strides[d] != 0) return;
        if (rows == 1) {
            stride = p.a.batch_strides[d];
        } else if (p.a.batch_strides[d] != rows * stride) {
            return;
        }
        rows *= p.a.batch_sizes[d];
    }
    p.a.row_stride = stride;
    p.a.rows = p.m = rows;
    p.a.batch_dims = p.b.batch_dims = 0;
    p.batches = 1;
}

bool is_brief_product(const geometry& a, const geometry& b, const geometry& result,
                      ScalarType dtype) {
    if (result.ndim != 2 || (dtype != kFloat && dtype != kDouble) || a.ndim != 2 || b.ndim != 2)
        return false;
    const int64_t m = result.sizes()[0], n = result.sizes()[1], k = a.sizes()[1];
    const auto small = [](int64_t size) { return size > 0 && size <= block::small_matrix; };
    return small(m) && small(n) && small(k);
}

void run_brief_product(const op_call& call) {
    const auto item = static_cast<int64_t>(elementSize(call.dtype));
    const auto factor = [item](const op_input& in) -> block::small_factor {
        const geometry& g = *in.shape;
        return {in.data + g.offset * item, g.strides()[0], g.strides()[1], 0};
    };
    const geometry& g = call.shape;
    const runtime::fp_environment environment;
    block::find_product(call.dtype)(call.output + g.offset * item, factor(call.inputs[0]),
                                    factor(call.inputs[1]), g.sizes()[0], g.sizes()[1],
                                    call.inputs[0].shape->sizes()[1], 1);
}

void run_product(const op_call& call, const prologue* before, const epilogue* after) {
    run_between(call, before, after);
}

namespace {

constexpr kernel_op product_op(const char* name) {
    return {.name = name,
            .run = run,
            .vendor = true,
            .complex = true,
            .product = true,
            .on_gpu = product_on_gpu};
}

}  // namespace

const kernel_op matmul_op = product_op("matmul"), mm_op = product_op("mm"),
                mv_op = product_op("mv"), dot_op = product_op("dot"), bmm_op = product_op("bmm"),
                vdot_op = product_op("vdot"), inner_op = product_op("inner");

}  // namespace sinter::blas
