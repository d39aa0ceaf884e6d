#include "ops/index/indexed.hpp"

#include "engine/run/library/gpu_library.hpp"
#include "engine/run/record.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/limits.hpp>

namespace sinter::ops {

index_space::index_space(IntArrayRef of, int64_t dim, const Tensor& index, bool wraps)
    : sizes(of.vec()) {
    const TensorImpl& i = *index.unsafeGetTensorImpl();
    const auto d = static_cast<std::size_t>(dim);
    how.wraps = wraps;
    how.placed = {dim};
    for (std::size_t k = 0; k < sizes.size(); ++k)
        how.walked.push_back(k == d ? -1 : static_cast<int64_t>(k));
    if (i.shape->sizes_ref() == of) {
        indices.push_back(read(i));
        return;
    }
    std::vector<int64_t> strides(sizes.size(), 0);
    strides[d] = i.shape->strides()[0];
    indices.push_back(read(i, make_geometry(sizes, strides, i.shape->offset)));
}

Tensor at_least_1d(const char* op, const tensor_base& t) {
    const TensorImpl& b = body(op, t);
    return b.shape->ndim == 0 ? view_of(b, {1}, {1}, b.shape->offset) : t.self();
}

Tensor index_tensor(const char* op, const tensor_base& index, bool or_int) {
    const ScalarType type = body(op, index).dtype;
    if (type != kLong && !(or_int && type == kInt))
        refuse_index_dtype(op, type, or_int ? "Long or Int" : "Long");
    return index.to(kLong);
}

Tensor space_index(const char* op, const tensor_base& index) {
    if (body(op, index).shape->numel == 0)
        return at_least_1d(op, empty(index.sizes(), ops::beside(index, kLong)));
    return at_least_1d(op, index_tensor(op, index, true));
}

Tensor index_vector(const char* op, const tensor_base& index, bool or_int) {
    const Tensor i = at_least_1d(op, index_tensor(op, index, or_int));
    require_index_vector<IndexError>(op, *i.unsafeGetTensorImpl());
    return i;
}

void refuse_index_shape(const char* op, IntArrayRef index, IntArrayRef tensor, int64_t dim) {
    runtime::fail(
        op, "the index's shape does not match the tensor's",
        runtime::text("an index of shape ", index, " for a tensor of shape ", tensor,
                      " and dimension ", dim),
        runtime::text("the same number of dimensions, and no larger sizes apart from dimension ",
                      dim),
        "narrow() or unsqueeze() on the index");
}

void require_source_dtype(const char* op, const TensorImpl& t, const TensorImpl& source) {
    if (t.dtype == source.dtype) return;
    runtime::fail(op, "the operands' dtypes differ", runtime::text(t.dtype, " and ", source.dtype),
                  "the same dtype", runtime::text(".to(k", t.dtype, ") on the source"));
}

void require_apart(const char* op, const TensorImpl& target, const TensorImpl& source) {
    const sharing how = sharing_of(target, source);
    if (how == sharing::none || how == sharing::unclear) return;
    refuse_overlap(op, "views of one storage", "separate memory");
}

namespace {

/// Returns true if dtype `to` holds every value of `from`; fractions may be lost.
bool holds_all_of(ScalarType from, ScalarType to) {
    if (from == to || from == kBool || to == kBool) return true;
    if (isComplexType(from) && !isComplexType(to)) return false;
    const ScalarType a = toRealValueType(from), b = toRealValueType(to);
    if (isIntegralType(a, false))
        return runtime::fits(iinfo(a).min, b) && runtime::fits(iinfo(a).max, b);
    return isFloatingType(b) && runtime::fits(finfo(a).max, b);
}

}  // namespace

Tensor value_as(const char* op, const tensor_base& value, ScalarType dtype) {
    if (holds_all_of(body(op, value).dtype, dtype)) return value.to(dtype);
    const Scalar number = value.item();
    runtime::require_fits(op, number, dtype);
    if (value.requires_grad()) return value.to(dtype);  // the number would lose it
    return full({}, number, beside(value, dtype));
}

namespace {

/// Throws at the call for an index that is out of range, if all indices are ready. The host would
/// have to wait for a GPU, which tests the indices where it uses them, unless launches block.
void check_known(Node& n, std::size_t first_index) {
    move_numbers(n);
    const bool on_gpu = n.device != runtime::main_memory;
    if (on_gpu && !runtime::launch_blocking()) return;
    runtime::gpu_stream* stream = nullptr;
    std::optional<plan::gpu_uses> uses;
    if (on_gpu) {
        stream = &runtime::current_stream(runtime::gpu_at(n.device));
        uses.emplace(*stream);
    }
    std::vector<op_input> inputs;
    for (std::size_t i = 0; i < n.sources.size(); ++i) {
        const Version& v = *n.sources[i].value;
        const char* data = nullptr;
        if (i >= first_index) {
            if (v.state.load(std::memory_order_acquire) != version_state::ready) return;
            runtime::before_host_reads(*v.buffer);
            if (uses) uses->reads(*v.buffer);
            data = static_cast<const char*>(v.buffer->data);
        }
        inputs.push_back({data, n.sources[i].shape.get(), v.dtype});
    }
    n.library->check({*n.library, inputs, n.attributes, nullptr, *n.shape, n.dtype, {}, stream});
    n.checked = true;
}

}  // namespace

Tensor gathered(const kernel_op& op, const Tensor& from, const index_space& space) {
    const TensorImpl& t = body(op.name, from);
    std::vector<leaf> inputs{read(t)};
    inputs.insert(inputs.end(), space.indices.begin(), space.indices.end());
    geometry_ptr shape = make_contiguous(space.sizes);
    auto node = library_node(&op, inputs, t.dtype, shape, make_attributes(space.how));
    check_known(*node, 1);
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

namespace {

std::unique_ptr<Node> scatter_node(const char* name, const TensorImpl& t, const scattering& s,
                                   geometry_ptr shape) {
    std::vector<leaf> inputs{read(t), read(body(name, s.values), s.shape)};
    inputs.insert(inputs.end(), s.space.indices.begin(), s.space.indices.end());
    auto node =
        library_node(index_kernels::scatter_op(name), inputs, t.dtype, std::move(shape),
                     make_attributes(index_kernels::scatter_attributes{s.kind, s.space.how}));
    check_known(*node, 2);
    return node;
}

}  // namespace

Tensor scattered(const char* name, const Tensor& tensor, const scattering& s) {
    const TensorImpl& t = body(name, tensor);
    geometry_ptr shape = layout_like(*t.shape);
    auto node = scatter_node(name, t, s, shape);
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

void scatter_into(const char* name, const Tensor& tensor, const scattering& s) {
    const TensorImpl& t = body(name, tensor);
    require_writable(name, t);
    const TensorImpl& v = body(name, s.values);
    require_apart(name, t, v);
    if (may_overlap(t, v)) {  // PyTorch does not examine this overlap: copy before writing
        scattering copied = s;
        copied.values = view_of(v, s.shape->sizes_ref(), s.shape->strides_ref(), s.shape->offset)
                            .clone(MemoryFormat::Contiguous);
        copied.shape = copied.values.unsafeGetTensorImpl()->shape;
        return scatter_into(name, tensor, copied);
    }
    assign(t, scatter_node(name, t, s, make_contiguous(t.shape->sizes_ref())));
}

}  // namespace sinter::ops
