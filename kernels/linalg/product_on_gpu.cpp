#include "kernels/linalg/product_on_gpu.hpp"

#include "kernels/gpu/moves.hpp"
#include "kernels/gpu_linalg/batch_runs.hpp"
#include "kernels/gpu_linalg/gpu_libraries.hpp"
#include "kernels/linalg/integer_product_on_gpu.hpp"
#include "kernels/linalg/product_parts.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace sinter::blas {
namespace {

using gpu_linalg::refused;

/// Returns the flags of an operand. A single row or column fits both orders; a transpose is
/// preferred if it must be conjugated, since only that has a flag.
flagged flags_for(const operand& o) {
    const flagged flags = flags_of(o);
    if (!flags.valid || flags.trans || !o.conjugate) return flags;
    if (o.cols == 1 && (o.row_stride == 1 || o.rows == 1)) return {true, true, o.rows};
    if (o.rows == 1 && o.col_stride == 1) return {true, true, 1};
    return flags;
}

/// Returns an operand that the library can read, and its flags. A row-major factor is a transposed
/// column-major one. Anything the flags cannot express is copied first.
operand readable(runtime::gpu_stream& s, const operand& o, flagged& flags) {
    flags = flags_for(o);
    if (flags.valid && (!o.conjugate || flags.trans)) return o;
    operand to = o;
    to.own_strides.assign(static_cast<std::size_t>(o.batch_dims), 0);
    // Only a transpose can be conjugated by a flag, so a copy of a conjugated operand is
    // column-major.
    const bool by_columns = o.conjugate || (o.row_stride != 0 && o.row_stride < o.col_stride);
    to.row_stride = by_columns ? 1 : o.cols;
    to.col_stride = by_columns ? o.rows : 1;
    int64_t count = o.rows * o.cols;
    std::vector<int64_t> sizes, from_strides, to_strides;
    for (int32_t d = o.batch_dims; d-- > 0;) {
        if (o.batch_strides[d] == 0 || o.batch_sizes[d] == 1) continue;
        to.own_strides[static_cast<std::size_t>(d)] = count;
        count *= o.batch_sizes[d];
        sizes.push_back(o.batch_sizes[d]);
        from_strides.push_back(o.batch_strides[d]);
        to_strides.push_back(to.own_strides[static_cast<std::size_t>(d)]);
    }
    const std::size_t item = elementSize(o.dtype);
    to.memory = runtime::make_buffer(static_cast<std::size_t>(count) * item,
                                     static_cast<runtime::device_index>(s.device().index));
    to.data = static_cast<const char*>(to.memory->data);
    to.batch_strides = to.own_strides.data();
    sizes.insert(sizes.end(), {o.rows, o.cols});
    from_strides.insert(from_strides.end(), {o.row_stride, o.col_stride});
    to_strides.insert(to_strides.end(), {to.row_stride, to.col_stride});
    gpu_kernels::put_moved(s, o.dtype, sizes, {static_cast<char*>(to.memory->data), to_strides},
                           {const_cast<char*>(o.data), from_strides});
    flags = flags_for(to);
    return to;
}

void put_product(gpu_linalg::gemm_session& on, const product& p, const void* bias) {
    if (std::max({p.m, p.n, p.k}) > std::numeric_limits<int>::max()) throw refused();
    flagged of_a{}, of_b{};
    const operand a = readable(on.stream(), p.a, of_a), b = readable(on.stream(), p.b, of_b);
    const auto item = static_cast<int64_t>(elementSize(p.dtype));
    const auto flag = [](const operand& o, const flagged& f) {
        return !f.trans ? 'N' : o.conjugate ? 'C' : 'T';
    };
    std::vector<int64_t> of_c(static_cast<std::size_t>(a.batch_dims));
    int64_t step = p.m * p.n;
    for (std::size_t d = of_c.size(); d-- > 0; step *= a.batch_sizes[d]) of_c[d] = step;
    const gpu_linalg::batch_runs batch({a.batch_sizes, of_c.size()},
                                       {a.batch_strides, b.batch_strides, of_c.data()});
    // With several calls, a later one might be refused after an earlier one was put.
    if (bias && batch.runs() > 1) throw refused();
    // Column-major, the row-major product is b^T a^T.
    for (int64_t r = 0; r < batch.runs(); ++r)
        on.put({p.dtype,
                {flag(b, of_b), b.data + batch.offset(r, 1) * item, static_cast<int>(of_b.ld),
                 batch.step(1)},
                {flag(a, of_a), a.data + batch.offset(r, 0) * item, static_cast<int>(of_a.ld),
                 batch.step(0)},
                p.out + batch.offset(r, 2) * item,
                static_cast<int>(p.n),
                static_cast<int>(p.m),
                static_cast<int>(p.k),
                batch.step(2),
                static_cast<int>(batch.count()),
                bias});
    on.end();
}

std::unique_ptr<gpu_linalg::gemm_session> products_on(const op_call& call, runtime::gpu_stream& s) {
    return gpu_linalg::libraries_of(*s.device().api->vendor).products(call.op.name, s);
}

bool multiplies(ScalarType dtype) { return isFloatingType(dtype) || isComplexType(dtype); }

}  // namespace

bool product_on_gpu(const op_call& call, runtime::gpu_stream& s) {
    const bool integers = isIntegralType(call.dtype, false);
    if (!multiplies(call.dtype) && !integers) return false;
    product p = product_of(call, nullptr, nullptr);
    if (call.shape.numel == 0) return true;
    if (p.k == 0) {
        runtime::put_fill(s, p.out, 0,
                          static_cast<std::size_t>(call.shape.numel) * elementSize(p.dtype));
        return true;
    }
    fold_batch(p);
    if (integers) return put_integer_product(p, s);
    try {
        put_product(*products_on(call, s), p, nullptr);
    } catch (const refused&) {
        return false;
    }
    return true;
}

bool adds_bias(ScalarType dtype, const runtime::gpu& g) {
    return isFloatingType(dtype) && g.api && gpu_linalg::libraries_of(*g.api->vendor).adds_bias();
}

bool product_with_bias_on_gpu(const op_call& call, const char* bias, int64_t stride,
                              runtime::gpu_stream& s) {
    product p = product_of(call, nullptr, nullptr);
    if (call.shape.numel == 0 || p.k == 0 || !adds_bias(call.dtype, s.device())) return false;
    fold_batch(p);
    try {
        const auto on = products_on(call, s);
        std::optional<gpu_kernels::scratch> packed;
        if (stride != 1 || reinterpret_cast<uintptr_t>(bias) % gpu_linalg::bias_alignment != 0) {
            packed.emplace(s, static_cast<std::size_t>(p.n) * elementSize(p.dtype));
            gpu_kernels::put_moved(s, p.dtype, {p.n}, {packed->data(), {1}},
                                   {const_cast<char*>(bias), {stride}});
            bias = packed->data();
        }
        put_product(*on, p, bias);
    } catch (const refused&) {
        return false;
    }
    return true;
}

}  // namespace sinter::blas
