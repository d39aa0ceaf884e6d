// Masks. Filling is pointwise and fuses. Selecting runs at the call, because the size of the result
// depends on values.
#include "engine/run/flush.hpp"
#include "engine/run/library/cpu_fallback.hpp"
#include "engine/run/record.hpp"
#include "jit/cache/device_kernels.hpp"
#include "kernels/index/mask.hpp"
#include "kernels/index/mask_on_gpu.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/gpu_line.hpp"
#include "ops/common/sharing.hpp"
#include "ops/index/gradients.hpp"
#include "ops/index/indexed.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>

namespace sinter::inline v1 {

using autograd::rule_call;
using autograd::variable_list;
using ops::body;
using runtime::fail;
using runtime::text;

namespace {

const TensorImpl& mask_body(const char* op, const tensor_base& mask) {
    const TensorImpl& m = body(op, mask);
    if (m.dtype != kBool)
        fail(op, "the mask has the wrong dtype", text(m.dtype), "Bool", "mask != 0");
    return m;
}

/// Appends the fill to the program. `value` is one number for all elements.
void fill(ops::sequence& code, const TensorImpl& t, const Tensor& mask, const Tensor& value) {
    code.read(ops::read(*mask.unsafeGetTensorImpl()));
    code.read(ops::read(*value.unsafeGetTensorImpl()));
    code.read(ops::read(t)).row(op::where);
}

Tensor number_for(const char* op, const TensorImpl& t, const Scalar& value) {
    runtime::require_fits(op, value, t.dtype);
    return full({}, value, ops::beside(t, t.dtype));
}

Tensor value_for(const char* op, const TensorImpl& t, const tensor_base& value) {
    const TensorImpl& v = body(op, value);
    ops::require_0d(op, v, "the value", "where(), which broadcasts");
    return ops::value_as(op, value, t.dtype);
}

Tensor filled(const tensor_base& self, const tensor_base& mask, const Tensor& value) {
    const std::vector<int64_t> sizes = broadcast_shapes("masked_fill", self.sizes(), mask.sizes());
    const Tensor t = self.expand(sizes);
    const TensorImpl& b = *t.unsafeGetTensorImpl();
    ops::sequence code;
    fill(code, b, mask.expand(sizes), value);
    return code.pending(b.dtype, ops::layout_like(*b.shape));
}

void fill_in_place(const tensor_base& self, const tensor_base& mask, const Tensor& value) {
    const char* op = "masked_fill_";
    const TensorImpl& t = body(op, self);
    const TensorImpl& m = body(op, mask);
    const bool shared = ops::overlaps_itself(*t.shape);
    if (!shared) ops::require_writable(op, t);
    const std::vector<int64_t> sizes = broadcast_shapes(op, self.sizes(), mask.sizes());
    ops::require_same_shape(op, t, sizes);
    ops::require_no_partial_overlap(op, t, m);
    if (shared) {
        ops::warn_of_overlap(op);
        const ops::shared_elements all(t);
        const Tensor hit = all.places.masked_select(mask.expand(sizes));
        all.vector.index_fill_(0, hit, value);
        return;
    }
    ops::sequence code;
    fill(code, t, mask.expand(sizes), value);
    code.write(t);
}

Version* current_of(const Tensor& t) { return t.unsafeGetTensorImpl()->storage->current.get(); }

/// Returns the address of a dense tensor's first element. Flushes pending work.
const char* first_byte(const Tensor& t) {
    const TensorImpl& b = *t.unsafeGetTensorImpl();
    return ops::values(b, flush_reason::value_read) +
           static_cast<std::size_t>(b.shape->offset) * elementSize(b.dtype);
}

}  // namespace

Tensor tensor_base::masked_fill(const tensor_base& mask, const Scalar& value) const {
    const TensorImpl& t = body("masked_fill", *this);
    mask_body("masked_fill", mask);
    return filled(*this, mask, number_for("masked_fill", t, value));
}
Tensor tensor_base::masked_fill(const tensor_base& mask, const tensor_base& value) const {
    const TensorImpl& t = body("masked_fill", *this);
    mask_body("masked_fill", mask);
    return filled(*this, mask, value_for("masked_fill", t, value));
}
Tensor& tensor_base::masked_fill_(const tensor_base& mask, const Scalar& value) const {
    const TensorImpl& t = body("masked_fill_", *this);
    mask_body("masked_fill_", mask);
    fill_in_place(*this, mask, number_for("masked_fill_", t, value));
    return self();
}
Tensor& tensor_base::masked_fill_(const tensor_base& mask, const tensor_base& value) const {
    const TensorImpl& t = body("masked_fill_", *this);
    mask_body("masked_fill_", mask);
    fill_in_place(*this, mask, value_for("masked_fill_", t, value));
    return self();
}

namespace {

/// Both are contiguous and of the same sizes.
Tensor selected(const char* op, const Tensor& values, const Tensor& ones) {
    const TensorImpl& t = *values.unsafeGetTensorImpl();
    if (t.device != runtime::main_memory && ones.unsafeGetTensorImpl()->device == t.device) {
        try {
            ops::gpu_line line(t.device);
            const char *from = line.reads(values), *where = line.reads(ones);
            const index_kernels::gpu_mask_count count(line.stream(), where, ones.numel());
            const ops::gpu_line::result r = line.writes({count.total()}, t.dtype);
            count.select_ones(from, elementSize(t.dtype), r.first);
            return r.tensor;
        } catch (const code_cache::no_device_code&) {
            plan::note_cpu_fallback(op);
        }
    }
    const Tensor from = ops::on_host(values), where = ops::on_host(ones);
    Version* const wanted[] = {current_of(from), current_of(where)};
    flush(wanted, static_cast<int>(flush_reason::value_read));
    const index_kernels::mask_count count(reinterpret_cast<const uint8_t*>(first_byte(where)),
                                          where.numel());
    Tensor result(make_empty(t.dtype, make_contiguous(count.total()), runtime::main_memory));
    index_kernels::select_ones(count, first_byte(from), elementSize(t.dtype),
                               ops::fresh(*result.unsafeGetTensorImpl()));
    return ops::moved(result, t.device);
}

}  // namespace

Tensor tensor_base::masked_select(const tensor_base& mask) const {
    const char* op = "masked_select";
    body(op, *this);
    mask_body(op, mask);
    const std::vector<int64_t> sizes = broadcast_shapes(op, this->sizes(), mask.sizes());
    const Tensor values = expand(sizes).contiguous(), ones = mask.expand(sizes).contiguous();
    return autograd::with_rule(
        op, {&values, &ones}, {.operands = 0b10}, [&] { return selected(op, values, ones); },
        [&] {
            return [sizes](const rule_call& c) -> variable_list {
                return {ops::zeros_for(c.grad(), sizes).masked_scatter_(c.operand(1), c.grad())};
            };
        });
}

namespace {

/// Returns the gradient of the `n` numbers that a masked scatter takes in order, some of which it
/// may not use.
Tensor of_source(const Tensor& g, const Tensor& mask, int64_t n) {
    const Tensor taken = mask.expand(g.sizes()).flatten();
    // What is not taken goes to an element behind the last.
    const Tensor place = where(taken, taken.cumsum(0) - 1, n);
    return ops::zeros_for(g, n + 1).scatter_(0, place, g.flatten()).narrow(0, 0, n);
}

autograd::rule masked_scatter_rule(int64_t n) {
    return [n](const rule_call& c) -> variable_list {
        const Tensor mask = c.operand(1);
        return {c.needs(0) ? c.grad().masked_fill(mask, 0) : Tensor(),
                {},
                c.needs(2) ? of_source(c.grad(), mask, n) : Tensor()};
    };
}

struct masked_source {
    Tensor mask, source;
};

masked_source scatter_operands(const char* op, const TensorImpl& t, const tensor_base& mask,
                               const tensor_base& source) {
    mask_body(op, mask);
    ops::require_source_dtype(op, t, body(op, source));
    const IntArrayRef sizes = t.shape->sizes_ref();
    ops::require_same_shape(op, t, broadcast_shapes(op, sizes, mask.sizes()));
    return {mask.expand(sizes).contiguous(), source.contiguous().flatten()};
}

std::unique_ptr<Node> scatter_node(const kernel_op& op, const TensorImpl& t, const masked_source& m,
                                   geometry_ptr shape) {
    const leaf inputs[] = {ops::read(t), ops::read(*m.mask.unsafeGetTensorImpl()),
                           ops::read(*m.source.unsafeGetTensorImpl())};
    return library_node(&op, inputs, t.dtype, std::move(shape));
}

}  // namespace

Tensor tensor_base::masked_scatter(const tensor_base& mask, const tensor_base& source) const {
    const char* op = "masked_scatter";
    const TensorImpl& b = body(op, *this);
    mask_body(op, mask);
    const Tensor t = expand(broadcast_shapes(op, b.shape->sizes_ref(), mask.sizes()));
    const TensorImpl& e = *t.unsafeGetTensorImpl();
    return ops::put_with_rule(
        op, false, t, mask, &source, ops::saves_index,
        [&] {
            geometry_ptr shape = ops::layout_like(*e.shape);
            auto node = scatter_node(index_kernels::masked_scatter_op, e,
                                     scatter_operands(op, e, mask, source), shape);
            return Tensor(make_pending(std::move(node), std::move(shape)));
        },
        [&] { return masked_scatter_rule(source.numel()); });
}

Tensor& tensor_base::masked_scatter_(const tensor_base& mask, const tensor_base& source) const {
    const char* op = "masked_scatter_";
    const TensorImpl& t = body(op, *this);
    ops::require_writable(op, t);
    const TensorImpl &m = mask_body(op, mask), &s = body(op, source);
    if (may_overlap(t, m)) return masked_scatter_(mask.clone(), source);
    if (may_overlap(t, s)) return masked_scatter_(mask, source.clone());
    ops::put_with_rule(
        op, true, *this, mask, &source, ops::saves_index,
        [&] {
            assign(t, scatter_node(index_kernels::masked_scatter__op, t,
                                   scatter_operands(op, t, mask, source),
                                   make_contiguous(t.shape->sizes_ref())));
            return self();
        },
        [&] { return masked_scatter_rule(source.numel()); });
    return self();
}

namespace {

/// `mask` is Bool, contiguous and on the GPU.
Tensor nonzero_on_gpu(const Tensor& mask, runtime::device_index device) {
    ops::gpu_line line(device);
    const index_kernels::gpu_mask_count count(line.stream(), line.reads(mask), mask.numel());
    const ops::gpu_line::result r = line.writes({count.total(), mask.dim()}, kLong);
    count.write_nonzero(mask.sizes(), r.first);
    return r.tensor;
}

}  // namespace

Tensor tensor_base::nonzero() const {
    const TensorImpl& t = body("nonzero", *this);
    Tensor mask = (t.dtype == kBool ? self() : Tensor(self() != 0)).contiguous();
    if (t.device != runtime::main_memory) {
        try {
            return nonzero_on_gpu(mask, t.device);
        } catch (const code_cache::no_device_code&) {
            plan::note_cpu_fallback("nonzero");
        }
        mask = ops::on_host(mask);
        Version* const wanted[] = {current_of(mask)};
        flush(wanted, static_cast<int>(flush_reason::value_read));
    }
    const index_kernels::mask_count count(reinterpret_cast<const uint8_t*>(first_byte(mask)),
                                          mask.numel());
    Tensor result(
        make_empty(kLong, make_contiguous({count.total(), t.shape->ndim}), runtime::main_memory));
    index_kernels::write_nonzero(
        count, t.shape->sizes_ref(),
        reinterpret_cast<int64_t*>(ops::fresh(*result.unsafeGetTensorImpl())));
    return ops::moved(result, t.device);
}

Tensor tensor_base::argwhere() const { return nonzero(); }

std::vector<Tensor> tensor_base::nonzero_numpy() const {
    const Tensor rows = ops::at_least_1d("nonzero_numpy", *this).nonzero();
    return rows.unbind(1);
}

Tensor masked_fill(const tensor_base& t, const tensor_base& mask, const Scalar& value) {
    return t.masked_fill(mask, value);
}
Tensor masked_fill(const tensor_base& t, const tensor_base& mask, const tensor_base& value) {
    return t.masked_fill(mask, value);
}
Tensor masked_select(const tensor_base& t, const tensor_base& mask) {
    return t.masked_select(mask);
}
Tensor masked_scatter(const tensor_base& t, const tensor_base& mask, const tensor_base& source) {
    return t.masked_scatter(mask, source);
}
Tensor nonzero(const tensor_base& t) { return t.nonzero(); }
Tensor argwhere(const tensor_base& t) { return t.argwhere(); }
std::vector<Tensor> nonzero_numpy(const tensor_base& t) { return t.nonzero_numpy(); }
std::vector<Tensor> where(const tensor_base& condition) { return condition.nonzero_numpy(); }

}  // namespace sinter::inline v1
