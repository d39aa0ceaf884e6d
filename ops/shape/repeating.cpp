// Repeating and broadcasting: copies whose leaf has stride 0 in the repeated dimensions, and views.
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

int64_t times(const char* op, int64_t a, int64_t b) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        fail(op, "a size of the result is too large", text(a, " times ", b), "a size below 2^63",
             "fewer repeats");
    return product;
}

/// `repeats` has at least as many numbers as the tensor has dimensions.
Tensor repeated(const char* op, const TensorImpl& t, IntArrayRef repeats) {
    const geometry& g = *t.shape;
    const std::size_t lead = repeats.size() - static_cast<std::size_t>(g.ndim);
    // A repeated dimension becomes two: the repetition, with stride 0, and the position in the
    // source.
    std::vector<int64_t> sizes, strides, joined;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        const int64_t n = repeats[i];
        if (n < 0)
            fail(op, "a number of repeats is negative", text("repeats ", repeats), "0 or more",
                 "flip() to reverse a dimension");
        const int64_t size = i < lead ? 1 : g.sizes()[i - lead];
        if (n != 1) {
            sizes.push_back(n);
            strides.push_back(0);
        }
        if (n == 1 || size != 1) {
            sizes.push_back(size);
            strides.push_back(i < lead ? 0 : g.strides()[i - lead]);
        }
        joined.push_back(times(op, n, size));
    }
    return ops::sequence()
        .read(ops::read(t, make_geometry(sizes, strides, g.offset, op)))
        .pending(t.dtype, make_contiguous(sizes))
        .view(joined);
}

[[noreturn]] void refuse_dim(int64_t dim) {
    fail<IndexError>("repeat_interleave", "the tensor has too few dimensions",
                     text("dimension ", dim, " of a 0-d tensor"), "at least 1 dimension",
                     "leaving dim out");
}

[[noreturn]] void refuse_output_size(int64_t given, int64_t sum) {
    fail("repeat_interleave", "output_size is not the sum of the repeats",
         text(given, " for a sum of ", sum), text(sum), "leaving output_size out");
}

std::vector<Tensor> each(TensorList tensors, Tensor (*f)(const Tensor&)) {
    std::vector<Tensor> result;
    result.reserve(tensors.size());
    for (const Tensor& t : tensors) result.push_back(f(t));
    return result;
}

}  // namespace

Tensor tensor_base::repeat(IntArrayRef repeats) const {
    const TensorImpl& t = body("repeat", *this);
    if (repeats.size() < static_cast<std::size_t>(t.shape->ndim))
        fail("repeat", "there are fewer repeats than dimensions",
             text("repeats ", repeats, " for ", ops::shape_of(t)),
             text("at least ", runtime::count_of(t.shape->ndim, "number")),
             "tile(), which takes missing repeats as 1");
    return repeated("repeat", t, repeats);
}

Tensor tensor_base::tile(IntArrayRef repeats) const {
    const TensorImpl& t = body("tile", *this);
    std::vector<int64_t> all = repeats.vec();
    while (all.size() < static_cast<std::size_t>(t.shape->ndim)) all.insert(all.begin(), 1);
    return repeated("tile", t, all);
}

Tensor tensor_base::repeat_interleave(int64_t repeats, optional<int64_t> dim,
                                      optional<int64_t> output_size) const {
    const TensorImpl& t = body("repeat_interleave", *this);
    const geometry& g = *t.shape;
    if (repeats < 0)
        fail("repeat_interleave", "the number of repeats is negative", text(repeats), "0 or more",
             "flip() to reverse a dimension");
    if (dim && g.ndim == 0) refuse_dim(*dim);
    ops::dims d(g);
    std::vector<int64_t> joined;
    if (dim) {
        const int64_t at = ops::wrap_dim("repeat_interleave", *dim, g.ndim);
        joined = d.sizes;
        int64_t& size = joined[static_cast<std::size_t>(at)];
        size = times("repeat_interleave", size, repeats);
        d.insert(at + 1, repeats, 0);
    } else {
        d.insert(g.ndim, repeats, 0);
        joined = {times("repeat_interleave", g.numel, repeats)};
    }
    const int64_t length =
        dim ? joined[static_cast<std::size_t>(ops::wrap_dim("repeat_interleave", *dim, g.ndim))]
            : joined[0];
    if (output_size && *output_size != length) refuse_output_size(*output_size, length);
    return ops::sequence()
        .read(ops::read(t, make_geometry(d.sizes, d.strides, g.offset, "repeat_interleave")))
        .pending(t.dtype, make_contiguous(d.sizes))
        .view(joined);
}

Tensor repeat_interleave(const tensor_base& repeats, optional<int64_t> output_size) {
    const char* op = "repeat_interleave";
    const TensorImpl& r = body(op, repeats);
    ops::require_vector(op, r, "the tensor of repeats");
    if (r.dtype != kLong && r.dtype != kInt)
        fail<NotImplementedError>(op, "the repeats have the wrong dtype", text(r.dtype),
                                  "Long or Int", ".to(kLong) on the repeats");
    const Tensor counts = ops::on_host(repeats).to(kLong).contiguous();
    const TensorImpl& c = *counts.unsafeGetTensorImpl();
    const auto* count = reinterpret_cast<const int64_t*>(ops::values(c, flush_reason::value_read)) +
                        c.shape->offset;
    std::vector<int64_t> index;
    for (int64_t i = 0; i < r.shape->numel; ++i) {
        if (count[i] < 0)
            fail(op, "a number of repeats is negative", text(count[i]), "0 or more",
                 "clamp_min(0) on the repeats");
        index.insert(index.end(), static_cast<std::size_t>(count[i]), i);
    }
    const auto sum = static_cast<int64_t>(index.size());
    if (output_size && *output_size != sum && r.shape->numel > 0)
        refuse_output_size(*output_size, sum);
    return tensor(index, ops::beside(r, r.dtype));
}

Tensor tensor_base::repeat_interleave(const tensor_base& repeats, optional<int64_t> dim,
                                      optional<int64_t> output_size) const {
    const char* op = "repeat_interleave";
    const TensorImpl &t = body(op, *this), &r = body(op, repeats);
    if (!dim) return flatten().repeat_interleave(repeats, 0, output_size);
    if (t.shape->ndim == 0) refuse_dim(*dim);
    const int64_t at = ops::wrap_dim(op, *dim, t.shape->ndim);
    const int64_t size = t.shape->sizes()[at];
    if (r.shape->ndim > 1 || (r.shape->numel != 1 && r.shape->numel != size))
        fail(op, "the repeats do not match the dimension",
             text(ops::shape_of(r), " for a dimension of size ", size),
             "one number, or one for each element", "flatten() or expand() on the repeats");
    const Tensor each = repeats.flatten().expand({size});
    return index_select(at, sinter::repeat_interleave(each, output_size));
}

Tensor repeat_interleave(const tensor_base& t, const tensor_base& repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
    return t.repeat_interleave(repeats, dim, output_size);
}

Tensor tile(const tensor_base& t, IntArrayRef repeats) { return t.tile(repeats); }
Tensor repeat_interleave(const tensor_base& t, int64_t repeats, optional<int64_t> dim,
                         optional<int64_t> output_size) {
    return t.repeat_interleave(repeats, dim, output_size);
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
    std::vector<int64_t> sizes;
    for (const Tensor& t : tensors)
        sizes = broadcast_shapes("broadcast_tensors", sizes,
                                 body("broadcast_tensors", t).shape->sizes_ref());
    std::vector<Tensor> result;
    result.reserve(tensors.size());
    for (const Tensor& t : tensors)
        result.push_back(t.sizes() == IntArrayRef(sizes) ? t : t.expand(sizes));
    return result;
}

// ---- minimum number of dimensions
Tensor atleast_1d(const Tensor& t) {
    return body("atleast_1d", t).shape->ndim == 0 ? t.unsqueeze(0) : t;
}

Tensor atleast_2d(const Tensor& t) {
    switch (body("atleast_2d", t).shape->ndim) {
        case 0: return t.reshape({1, 1});
        case 1: return t.unsqueeze(0);
        default: return t;
    }
}

Tensor atleast_3d(const Tensor& t) {
    switch (body("atleast_3d", t).shape->ndim) {
        case 0: return t.reshape({1, 1, 1});
        case 1: return t.unsqueeze(0).unsqueeze(-1);
        case 2: return t.unsqueeze(-1);
        default: return t;
    }
}

std::vector<Tensor> atleast_1d(TensorList tensors) { return each(tensors, atleast_1d); }
std::vector<Tensor> atleast_2d(TensorList tensors) { return each(tensors, atleast_2d); }
std::vector<Tensor> atleast_3d(TensorList tensors) { return each(tensors, atleast_3d); }

}  // namespace sinter::inline v1
