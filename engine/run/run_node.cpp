// Runs a single node by block rows: for eager mode, and if there is no compiler.
#include "engine/graph/infer.hpp"
#include "engine/run/execute.hpp"
#include "jit/interpret/eager/eager.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/rows/rows.hpp"
#include "jit/launch/scalar_bits.hpp"
#include "jit/simd/block.hpp"
#include "kernels/linalg/product.hpp"
#include "runtime/report/stats.hpp"

#include <sinter/error.hpp>

#include <cstring>

namespace sinter::plan {
namespace {

/// An intermediate result of a program. Dimensions along which all operands repeat are not stored.
struct temporary_value {
    runtime::buffer_ptr memory;
    const char* data = nullptr;
    ScalarType type = ScalarType::Undefined;
    std::vector<int64_t> strides;  // in bytes; 0 for dimensions along which the value repeats
    bool scalar = false;
    uint64_t bits = 0;
};

class program_runner {
public:
    program_runner(const Node& n, char* output, std::span<const char* const> data)
        : n_(n), sizes_(n.shape->sizes_ref()), output_(output), data_(data) {
        const auto item = static_cast<int64_t>(elementSize(n.dtype));
        output_ += n.shape->offset * item;
        for (int64_t s : n.shape->strides_ref()) output_strides_.push_back(s * item);
    }

    uint64_t run() {
        const auto& ops = n_.code->ops;
        values_.resize(ops.size());
        const std::vector<int32_t>& last_use = n_.code->last_use;
        uint64_t status = 0;
        for (std::size_t k = 0; k < ops.size(); ++k) {
            const typed_op& o = ops[k];
            const int result = last_use[k] < 0 ? result_of(k) : -1;
            temporary_value& v = values_[k];
            v.type = o.out;
            switch (o.what) {
                case typed_op::kind::leaf: load(o, v); break;
                case typed_op::kind::scalar: v.scalar = true; break;
                case typed_op::kind::cast: {
                    eager::operand in = operand(o.args[0], o.in);
                    eager::cast(shape(), make(v, {&in, 1}, result), in);
                    runtime::count().kernels_launched.add();
                    break;
                }
                case typed_op::kind::row: status |= run_row(o, v, result); break;
                default: throw InternalError("[run] a complex operation was left");
            }
            for (int a : o.args)
                if (a >= 0 && last_use[static_cast<std::size_t>(a)] == static_cast<int>(k))
                    values_[static_cast<std::size_t>(a)].memory.reset();
        }
        for (int part = 0; part < parts(); ++part) {
            if (written_[part]) continue;
            eager::cast(shape(), output(part), operand(n_.code->results[part], part_type()));
            runtime::count().kernels_launched.add();
        }
        return status;
    }

private:
    std::span<const int64_t> shape() const { return {sizes_.data(), sizes_.size()}; }

    int parts() const { return isComplexType(n_.dtype) ? 2 : 1; }
    ScalarType part_type() const { return toRealValueType(n_.dtype); }
    eager::operand output(int part) const {
        const auto item = static_cast<int64_t>(elementSize(part_type()));
        return {output_ + part * item, part_type(), output_strides_.data()};
    }

    /// Returns the part of the output that an operation computes, or -1.
    int result_of(std::size_t k) const {
        for (int part = 0; part < parts(); ++part)
            if (n_.code->results[part] == static_cast<int>(k)) return part;
        return -1;
    }

    void load(const typed_op& o, temporary_value& v) {
        const Edge& e = n_.sources[o.id];
        if (!e.value) {
            v.memory = runtime::make_buffer(static_cast<std::size_t>(n_.shape->numel) * 8);
            v.data = static_cast<const char*>(v.memory->data);
            v.strides = dense_strides(8);
            eager::index(shape(), {const_cast<char*>(v.data), kLong, v.strides.data()},
                         e.shape->offset, {e.shape->strides(), sizes_.size()});
            return;
        }
        const auto item = static_cast<int64_t>(elementSize(e.dtype));
        v.data = data_[o.id] + e.shape->offset * item +
                 o.part * static_cast<int64_t>(elementSize(o.out));
        for (std::size_t d = 0; d < sizes_.size(); ++d)
            v.strides.push_back(sizes_[d] == 1 ? 0 : e.shape->strides()[d] * item);
    }

    std::vector<int64_t> dense_strides(int64_t item) const {
        std::vector<int64_t> s(sizes_.size());
        for (std::size_t d = sizes_.size(); d-- > 0; item *= sizes_[d]) s[d] = item;
        return s;
    }

    /// Returns operand `k` for an operation that computes in `as`. A number counts as a tensor of
    /// that dtype, unless it stays wide.
    eager::operand operand(int k, ScalarType as, bool wide = false) {
        temporary_value& v = values_[static_cast<std::size_t>(k)];
        if (!v.scalar) return {const_cast<char*>(v.data), v.type, v.strides.data(), true};
        const typed_op& o = n_.code->ops[static_cast<std::size_t>(k)];
        const ScalarType type = block::form_type(as);
        v.bits = runtime::scalar_bits(runtime::part_of(n_.scalars[o.id], o.part),
                                      kernel_ir::compute_type(type));
        v.strides.assign(sizes_.size(), 0);
        return {reinterpret_cast<char*>(&v.bits), type, v.strides.data(), !wide};
    }

    /// Returns the result operand of an operation over `ins`: the output, or a temporary that
    /// repeats along dimensions in which all `ins` repeat.
    eager::operand make(temporary_value& v, std::span<const eager::operand> ins, int result) {
        if (result >= 0 && v.type == part_type()) {
            written_[result] = true;
            return output(result);
        }
        const auto item = static_cast<int64_t>(elementSize(v.type));
        v.strides.assign(sizes_.size(), 0);
        op_shape_.assign(sizes_.begin(), sizes_.end());
        int64_t bytes = item;
        for (std::size_t d = sizes_.size(); d-- > 0;) {
            bool repeats = true;
            for (const eager::operand& in : ins) repeats = repeats && in.strides[d] == 0;
            if (repeats) {
                op_shape_[d] = 1;
            } else {
                v.strides[d] = bytes;
                bytes *= sizes_[d];
            }
        }
        v.memory = runtime::make_buffer(static_cast<std::size_t>(bytes));
        v.data = static_cast<const char*>(v.memory->data);
        small_ = true;
        return {const_cast<char*>(v.data), v.type, v.strides.data()};
    }

    uint64_t run_row(const typed_op& o, temporary_value& v, int result) {
        const auto& info = op::rows[o.id];
        eager::operand ins[3];
        for (int a = 0; a < info.arity; ++a) {
            const bool condition = info.rule == dtype_rule::choice && a == 0;
            ins[a] = operand(o.args[a], condition ? kBool : o.in,
                             kernel_ir::keeps_numbers_wide(o.id, o.in));
        }
        const std::span<const eager::operand> used(ins, info.arity);
        small_ = false;
        const eager::operand out = make(v, used, result);
        const uint64_t status =
            eager::elementwise(static_cast<op::id>(o.id), o.in,
                               small_ ? std::span<const int64_t>(op_shape_) : shape(), out, used);
        runtime::count().kernels_launched.add();
        return status;
    }

    const Node& n_;
    IntArrayRef sizes_;
    char* output_;
    std::span<const char* const> data_;
    bool written_[2] = {false, false};
    std::vector<int64_t> output_strides_, op_shape_;
    bool small_ = false;
    std::vector<temporary_value> values_;
};

void run_reduction(const Node& n, char* output, const char* data) {
    const geometry& g = *n.sources[0].shape;
    const auto in_item = static_cast<int64_t>(elementSize(n.sources[0].dtype));
    const auto out_item = static_cast<int64_t>(elementSize(n.dtype));
    std::vector<int64_t> in_strides, out_strides;
    auto reduced = std::make_unique<bool[]>(static_cast<std::size_t>(g.ndim) + 1);
    for (int d = 0; d < g.ndim; ++d) {
        in_strides.push_back(g.strides()[d] * in_item);
        reduced[static_cast<std::size_t>(d)] = n.reduced >> d & 1;
        out_strides.push_back(n.reduced >> d & 1 ? 0 : n.shape->strides()[d] * out_item);
    }
    eager::reduce(
        n.reduction, n.in, {g.sizes(), static_cast<std::size_t>(g.ndim)},
        {reduced.get(), static_cast<std::size_t>(g.ndim)},
        {output + n.shape->offset * out_item, n.dtype, out_strides.data()},
        {const_cast<char*>(data) + g.offset * in_item, n.sources[0].dtype, in_strides.data(), true},
        n.correction);
    runtime::count().kernels_launched.add();
}

std::vector<op_input> library_inputs(const Node& n, std::span<const char* const> data) {
    std::vector<op_input> inputs;
    for (std::size_t i = 0; i < n.sources.size(); ++i)
        inputs.push_back({data[i], n.sources[i].shape.get(), n.sources[i].dtype});
    return inputs;
}

/// `output`: where an operation with one result writes, or null.
void begin_update(const Node& n, std::span<const op_input> inputs, char* output) {
    if (n.library->updates && inputs[0].data != output) {
        const auto item = static_cast<int64_t>(elementSize(n.dtype));
        const geometry &from = *inputs[0].shape, &to = *n.shape;
        eager::copy_elements(n.dtype, to.sizes_ref(), output + to.offset * item, to.strides_ref(),
                             inputs[0].data + from.offset * item, from.strides_ref());
    }
}

void run_call(const op_call& call) {
    call.op.run(call);
    (call.op.vendor ? runtime::count().library_calls : runtime::count().kernels_launched).add();
}

}  // namespace

uint64_t run_node(const Node& n, char* output, std::span<const char* const> data) {
    if (n.kind == node_kind::pointwise) return program_runner(n, output, data).run();
    if (n.kind == node_kind::reduce) {
        run_reduction(n, output, data[0]);
        return 0;
    }
    const std::vector<op_input> inputs = library_inputs(n, data);
    begin_update(n, inputs, output);
    run_call({*n.library, inputs, n.attributes, output, *n.shape, n.dtype});
    return 0;
}

void run_library(const Node& n, const library_results& to, std::span<const char* const> data) {
    const std::vector<op_input> inputs = library_inputs(n, data);
    const op_call call = to.call(n, inputs);
    begin_update(n, inputs, call.output);
    run_call(call);
}

void run_product_node(const Node& n, char* output, std::span<const char* const> data,
                      const blas::prologue* before, const blas::epilogue* after) {
    const std::vector<op_input> inputs = library_inputs(n, data);
    blas::run_product({*n.library, inputs, n.attributes, output, *n.shape, n.dtype}, before, after);
    runtime::count().library_calls.add();
}

void check_node(const Node& n, std::span<const char* const> data) {
    if (n.kind != node_kind::library || !n.library->check || n.checked) return;
    const std::vector<op_input> inputs = library_inputs(n, data);
    n.library->check({*n.library, inputs, n.attributes, nullptr, *n.shape, n.dtype});
}

std::exception_ptr status_error(uint64_t status, const Node& n) {
    const char* row = "kernel";
    if (n.kind == node_kind::pointwise)
        for (const typed_op& o : n.code->ops)
            if (o.what == typed_op::kind::row &&
                (o.id == op::remainder || o.id == op::floor_divide))
                row = op::rows[o.id].name;
    if (status & kernel_ir::status_zero_division)
        return std::make_exception_ptr(
            Error(std::string("[") + row +
                  "] ZeroDivisionError: an integer was divided by zero; got a zero in the divisor, "
                  "expected none; try where(b == 0, 1, b) as divisor"));
    return std::make_exception_ptr(InternalError("[launch] unknown kernel status"));
}

}  // namespace sinter::plan
