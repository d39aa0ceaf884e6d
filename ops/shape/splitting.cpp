// split and its kin, which return lists of views of one storage.
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the dimension to split. Throws Error if the tensor has none.
int64_t split_dim(const char* op, const TensorImpl& t, int64_t dim) {
    ops::require_dims_from(op, t, 1, "unsqueeze(0) first");
    return ops::wrap_dim(op, dim, t.shape->ndim);
}

Tensor part(const TensorImpl& t, int64_t dim, int64_t from, int64_t length) {
    ops::dims d(*t.shape);
    const auto i = static_cast<std::size_t>(dim);
    d.sizes[i] = length;
    return ops::view_of(t, d.sizes, d.strides, t.shape->offset + from * d.strides[i]);
}

/// Returns `count` consecutive parts; size(i) is the size of part i.
template <class F>
std::vector<Tensor> parts(const char* op, const TensorImpl& t, int64_t dim, int64_t count,
                          const F& size) {
    constexpr int64_t most = int64_t{1} << 31;
    if (count >= most)
        fail(op, "there are too many parts", text(count), "fewer than 2^31",
             "unfold(), which returns them as one view");
    std::vector<Tensor> result;
    result.reserve(static_cast<std::size_t>(count));
    int64_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t length = size(i);
        result.push_back(part(t, dim, at, length));
        at += length;
    }
    return result;
}

std::vector<Tensor> split_evenly(const char* op, const TensorImpl& t, int64_t dim,
                                 int64_t split_size) {
    const int64_t size = t.shape->sizes()[dim];
    split_size = std::max<int64_t>(split_size, 1);  // 0 is allowed for an empty dimension
    const int64_t count = size == 0 ? 1 : (size - 1) / split_size + 1;
    return parts(op, t, dim, count, [&](int64_t i) {
        return i < count - 1 ? split_size : size - (count - 1) * split_size;
    });
}

std::vector<Tensor> split_by(const char* op, const tensor_base& self, IntArrayRef sizes,
                             int64_t dim) {
    const TensorImpl& t = body(op, self);
    dim = split_dim(op, t, dim);
    const int64_t size = t.shape->sizes()[dim];
    int64_t left = size;
    for (int64_t s : sizes) {
        if (s < 0)
            fail(op, "a split size is negative", text("split sizes ", sizes), "sizes of 0 or more",
                 "tensor_split(), which takes indices");
        left = s > left ? -1 : left - s;
        if (left < 0) break;
    }
    if (left != 0)
        fail(op, "the split sizes do not sum to the dimension's size",
             text("split sizes ", sizes, " for a dimension of size ", size),
             text("a sum of ", size), "one number, which gives parts of equal size");
    return parts(op, t, dim, static_cast<int64_t>(sizes.size()),
                 [&](int64_t i) { return sizes[static_cast<std::size_t>(i)]; });
}

std::vector<Tensor> sections_of(const char* op, const TensorImpl& t, int64_t sections,
                                int64_t dim) {
    if (sections <= 0)
        fail(op, "the number of sections is not positive", text(sections), "1 or more",
             "1 for the whole tensor");
    const int64_t size = t.shape->sizes()[dim];
    const int64_t least = size / sections, longer = size % sections;
    return parts(op, t, dim, sections, [&](int64_t i) { return least + (i < longer); });
}

std::vector<Tensor> between(const TensorImpl& t, IntArrayRef indices, int64_t dim) {
    const int64_t size = t.shape->sizes()[dim];
    const auto place = [&](int64_t at) {
        return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
    };
    std::vector<Tensor> result;
    result.reserve(indices.size() + 1);
    int64_t from = 0;
    for (std::size_t i = 0; i <= indices.size(); ++i) {
        const int64_t to = i < indices.size() ? place(indices[i]) : size;
        result.push_back(part(t, dim, from, std::max<int64_t>(to - from, 0)));
        from = to;
    }
    return result;
}

/// Returns the body of a tensor for hsplit, vsplit and dsplit. Throws Error if it has fewer than
/// `least` dimensions.
const TensorImpl& splittable(const char* op, const tensor_base& self, int32_t least) {
    const TensorImpl& t = body(op, self);
    constexpr const char* remedies[] = {"atleast_1d() first", "atleast_2d() first",
                                        "atleast_3d() first"};
    ops::require_dims_from(op, t, least, remedies[least - 1]);
    return t;
}

std::vector<Tensor> equal_sections(const char* op, const TensorImpl& t, int64_t sections,
                                   int64_t dim) {
    const int64_t size = t.shape->sizes()[dim];
    if (sections > 0 && size % sections != 0)
        fail(
            op, "the dimension is not divisible by the number of sections",
            text(runtime::count_of(sections, "section"), " for dimension ", dim, " of size ", size),
            text("a divisor of ", size), "tensor_split(), which takes any number");
    return sections_of(op, t, sections, dim);
}

}  // namespace

std::vector<Tensor> tensor_base::split(int64_t split_size, int64_t dim) const {
    const TensorImpl& t = body("split", *this);
    dim = split_dim("split", t, dim);
    const int64_t size = t.shape->sizes()[dim];
    if (split_size < 0 || (split_size == 0 && size != 0))
        fail("split", "the split size is not positive",
             text(split_size, " for a dimension of size ", size), "1 or more",
             "chunk(), which takes the number of parts");
    return split_evenly("split", t, dim, split_size);
}

std::vector<Tensor> tensor_base::split(IntArrayRef sizes, int64_t dim) const {
    return split_by("split", *this, sizes, dim);
}

std::vector<Tensor> tensor_base::split_with_sizes(IntArrayRef sizes, int64_t dim) const {
    return split_by("split_with_sizes", *this, sizes, dim);
}

std::vector<Tensor> tensor_base::chunk(int64_t chunks, int64_t dim) const {
    const TensorImpl& t = body("chunk", *this);
    dim = split_dim("chunk", t, dim);
    if (chunks <= 0)
        fail("chunk", "the number of chunks is not positive", text(chunks), "1 or more",
             "1 for the whole tensor");
    const int64_t size = t.shape->sizes()[dim];
    // As in PyTorch, an empty dimension gives as many chunks as requested.
    if (size == 0) return parts("chunk", t, dim, chunks, [](int64_t) { return int64_t{0}; });
    return split_evenly("chunk", t, dim, (size - 1) / chunks + 1);
}

std::vector<Tensor> tensor_base::tensor_split(int64_t sections, int64_t dim) const {
    const TensorImpl& t = body("tensor_split", *this);
    return sections_of("tensor_split", t, sections, split_dim("tensor_split", t, dim));
}

std::vector<Tensor> tensor_base::tensor_split(IntArrayRef indices, int64_t dim) const {
    const TensorImpl& t = body("tensor_split", *this);
    return between(t, indices, split_dim("tensor_split", t, dim));
}

std::vector<Tensor> tensor_base::tensor_split(const tensor_base& indices_or_sections,
                                              int64_t dim) const {
    const TensorImpl& t = body("tensor_split", *this);
    const TensorImpl& by = body("tensor_split", indices_or_sections);
    dim = split_dim("tensor_split", t, dim);
    if (by.dtype != kLong || by.shape->ndim > 1)
        fail("tensor_split", "the tensor of indices has the wrong dtype or shape",
             text("a ", by.dtype, " tensor of shape ", by.shape->sizes_ref()),
             "a Long tensor of at most 1 dimension", ".to(kLong) or flatten() on it");
    if (by.shape->ndim == 0)
        return sections_of("tensor_split", t, indices_or_sections.item<int64_t>(), dim);
    const Tensor list = ops::on_host(indices_or_sections).contiguous();
    const TensorImpl& whole = *list.unsafeGetTensorImpl();
    const auto* from =
        reinterpret_cast<const int64_t*>(ops::values(whole, flush_reason::value_read));
    return between(t, {from + whole.shape->offset, static_cast<std::size_t>(whole.shape->numel)},
                   dim);
}

std::vector<Tensor> tensor_base::hsplit(int64_t sections) const {
    const TensorImpl& t = splittable("hsplit", *this, 1);
    return equal_sections("hsplit", t, sections, t.shape->ndim == 1 ? 0 : 1);
}
std::vector<Tensor> tensor_base::hsplit(IntArrayRef indices) const {
    const TensorImpl& t = splittable("hsplit", *this, 1);
    return between(t, indices, t.shape->ndim == 1 ? 0 : 1);
}
std::vector<Tensor> tensor_base::vsplit(int64_t sections) const {
    return equal_sections("vsplit", splittable("vsplit", *this, 2), sections, 0);
}
std::vector<Tensor> tensor_base::vsplit(IntArrayRef indices) const {
    return between(splittable("vsplit", *this, 2), indices, 0);
}
std::vector<Tensor> tensor_base::dsplit(int64_t sections) const {
    return equal_sections("dsplit", splittable("dsplit", *this, 3), sections, 2);
}
std::vector<Tensor> tensor_base::dsplit(IntArrayRef indices) const {
    return between(splittable("dsplit", *this, 3), indices, 2);
}

std::vector<Tensor> tensor_base::unbind(int64_t dim) const {
    const TensorImpl& t = body("unbind", *this);
    ops::require_dims_from<IndexError>("unbind", t, 1, "unsqueeze(0) first");
    dim = ops::wrap_dim("unbind", dim, t.shape->ndim);
    const int64_t size = t.shape->sizes()[dim], stride = t.shape->strides()[dim];
    ops::dims d(*t.shape);
    d.erase(dim);
    std::vector<Tensor> result;
    result.reserve(static_cast<std::size_t>(size));
    for (int64_t i = 0; i < size; ++i)
        result.push_back(ops::view_of(t, d.sizes, d.strides, t.shape->offset + i * stride));
    return result;
}

// The same views. In PyTorch, the unsafe forms differ only for automatic differentiation.
std::vector<Tensor> tensor_base::unsafe_split(int64_t split_size, int64_t dim) const {
    return split(split_size, dim);
}
std::vector<Tensor> tensor_base::unsafe_split_with_sizes(IntArrayRef sizes, int64_t dim) const {
    return split_with_sizes(sizes, dim);
}
std::vector<Tensor> tensor_base::unsafe_chunk(int64_t chunks, int64_t dim) const {
    return chunk(chunks, dim);
}

// ---- function forms
std::vector<Tensor> unsafe_split(const tensor_base& t, int64_t split_size, int64_t dim) {
    return t.split(split_size, dim);
}
std::vector<Tensor> unsafe_split_with_sizes(const tensor_base& t, IntArrayRef sizes, int64_t dim) {
    return t.split_with_sizes(sizes, dim);
}
std::vector<Tensor> unsafe_chunk(const tensor_base& t, int64_t chunks, int64_t dim) {
    return t.chunk(chunks, dim);
}
std::vector<Tensor> split(const tensor_base& t, int64_t split_size, int64_t dim) {
    return t.split(split_size, dim);
}
std::vector<Tensor> split(const tensor_base& t, IntArrayRef sizes, int64_t dim) {
    return t.split(sizes, dim);
}
std::vector<Tensor> split_with_sizes(const tensor_base& t, IntArrayRef sizes, int64_t dim) {
    return t.split_with_sizes(sizes, dim);
}
std::vector<Tensor> chunk(const tensor_base& t, int64_t chunks, int64_t dim) {
    return t.chunk(chunks, dim);
}
std::vector<Tensor> tensor_split(const tensor_base& t, int64_t sections, int64_t dim) {
    return t.tensor_split(sections, dim);
}
std::vector<Tensor> tensor_split(const tensor_base& t, IntArrayRef indices, int64_t dim) {
    return t.tensor_split(indices, dim);
}
std::vector<Tensor> tensor_split(const tensor_base& t, const tensor_base& indices_or_sections,
                                 int64_t dim) {
    return t.tensor_split(indices_or_sections, dim);
}
std::vector<Tensor> hsplit(const tensor_base& t, int64_t sections) { return t.hsplit(sections); }
std::vector<Tensor> hsplit(const tensor_base& t, IntArrayRef indices) { return t.hsplit(indices); }
std::vector<Tensor> vsplit(const tensor_base& t, int64_t sections) { return t.vsplit(sections); }
std::vector<Tensor> vsplit(const tensor_base& t, IntArrayRef indices) { return t.vsplit(indices); }
std::vector<Tensor> dsplit(const tensor_base& t, int64_t sections) { return t.dsplit(sections); }
std::vector<Tensor> dsplit(const tensor_base& t, IntArrayRef indices) { return t.dsplit(indices); }
std::vector<Tensor> unbind(const tensor_base& t, int64_t dim) { return t.unbind(dim); }

}  // namespace sinter::inline v1
