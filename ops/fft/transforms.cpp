#include "ops/common/op_checks.hpp"
#include "ops/fft/unscaled.hpp"
#include "runtime/types/default_dtype.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/fft.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/shape.hpp>

#include <cmath>

namespace sinter::inline v1::fft {
namespace {

using runtime::fail;
using runtime::text;
using dims = std::vector<int64_t>;
using norm_name = optional<std::string_view>;

enum class way : uint8_t { forward, inverse };

/// A call: its name for errors, and what is asked for.
struct request {
    const char* op;
    way direction;
    norm_name norm;
};

/// Returns the operand of a transform, of a floating or complex dtype that it takes.
Tensor operand(const request& r, const tensor_base& self) {
    const TensorImpl& t = ops::body(r.op, self);
    if (t.shape->ndim == 0)
        fail(r.op, "the tensor has no dimension to transform", "a tensor of no dimensions",
             "one dimension or more", "reshape({1})");
    if (isIntegralType(t.dtype, true)) return self.to(default_floating());
    if (t.dtype == kHalf || t.dtype == kBFloat16)
        runtime::refuse_dtype(r.op, toString(t.dtype), "Float, Double, or complex numbers of them");
    return self.self();
}
Tensor complex_operand(const request& r, const tensor_base& self) {
    const Tensor x = operand(r, self);
    return x.is_complex() ? x : x.to(toComplexType(x.scalar_type()));
}
Tensor real_operand(const request& r, const tensor_base& self) {
    const Tensor x = operand(r, self);
    if (x.is_complex())
        fail<TypeError>(r.op, "expects a real input tensor", toString(x.scalar_type()),
                        "a real dtype", "fft() or fftn(), or real() first");
    return x;
}

/// Returns the tensor with `n` elements along a dimension: cut, or with zeros at the end.
Tensor of_length(const request& r, const Tensor& x, int64_t dim, int64_t n) {
    if (n < 1)
        fail(r.op, text("Invalid number of data points (", n, ") specified"), text(n),
             "one or more", "a tensor with elements, or another n");
    const int64_t size = x.size(dim);
    if (n == size) return x;
    if (n < size) return x.narrow(dim, 0, n);
    dims pad(static_cast<std::size_t>(2 * (x.dim() - dim)), 0);
    pad.back() = n - size;
    return constant_pad_nd(x, pad);
}

/// Returns the unscaled result, scaled for a transform of `n` elements.
Tensor scaled(const request& r, Tensor y, double n) {
    const std::string_view norm = r.norm.value_or("backward");
    double scale = 1;
    if (norm == "ortho")
        scale = 1 / std::sqrt(n);
    else if (norm != "backward" && norm != "forward")
        fail(r.op, text("Invalid normalization mode: \"", std::string(norm), "\""),
             std::string(norm), "\"backward\", \"ortho\" or \"forward\"", "no norm");
    else if ((norm == "forward") == (r.direction == way::forward))
        scale = 1 / n;
    return scale == 1 ? y : Tensor(y * scale);
}

double product_of(const Tensor& x, const dims& along) {
    double n = 1;
    for (const int64_t d : along) n *= static_cast<double>(x.size(d));
    return n;
}

Tensor transformed(const request& r, const tensor_base& self, optional<int64_t> n, int64_t dim) {
    const Tensor x = complex_operand(r, self);
    const int64_t d = ops::wrap_dim(r.op, dim, x.dim());
    const Tensor z = of_length(r, x, d, n.value_or(x.size(d)));
    return scaled(r, ops::fft_c2c(z, {d}, r.direction == way::inverse),
                  static_cast<double>(z.size(d)));
}

/// Returns the unscaled transform to half of the elements.
Tensor halved(const request& r, const tensor_base& self, optional<int64_t> n, int64_t dim) {
    const Tensor x = real_operand(r, self);
    const int64_t d = ops::wrap_dim(r.op, dim, x.dim());
    const Tensor z = of_length(r, x, d, n.value_or(x.size(d)));
    return scaled(r, ops::fft_r2c(z, {d}), static_cast<double>(z.size(d)));
}

/// Returns the real elements for which half of a spectrum stands.
Tensor completed(const request& r, const Tensor& x, optional<int64_t> n, int64_t dim) {
    const int64_t d = ops::wrap_dim(r.op, dim, x.dim());
    const int64_t length = n.value_or(2 * (x.size(d) - 1));
    if (length < 1) of_length(r, x, d, length);
    const Tensor z = of_length(r, x, d, length / 2 + 1);
    return scaled(r, ops::fft_c2r(z, d, length), static_cast<double>(length));
}

/// The dimensions of a transform and their lengths, in the order that they were named in.
struct lengths {
    dims along, sizes;
};

lengths resolve(const request& r, const Tensor& x, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                bool halves) {
    const int64_t ndim = x.dim();
    lengths l;
    if (dim) {
        ops::wrap_dims(r.op, *dim, ndim);  // throws for one that is named twice
        for (const int64_t d : *dim) l.along.push_back(ops::wrap_dim(r.op, d, ndim));
    } else {
        const auto count = s ? static_cast<int64_t>(s->size()) : ndim;
        if (count > ndim)
            fail(r.op, "Got shape with more values than the tensor has dimensions",
                 text(count, " sizes for ", runtime::count_of(ndim, "dimension")),
                 "one size for each dimension at most", "fewer sizes");
        for (int64_t d = ndim - count; d < ndim; ++d) l.along.push_back(d);
    }
    if (s && s->size() != l.along.size())
        fail(r.op, "When given, dim and shape arguments must have the same length",
             text(l.along.size(), " dimensions and ", s->size(), " sizes"), "one size a dimension",
             "both, or one of them");
    for (std::size_t i = 0; i < l.along.size(); ++i) {
        const int64_t own = x.size(l.along[i]);
        const bool last = halves && i + 1 == l.along.size();
        const int64_t asked = s ? (*s)[i] : -1;
        l.sizes.push_back(asked != -1 ? asked : last ? 2 * (own - 1) : own);
    }
    return l;
}

void require_a_dimension(const request& r, const lengths& l) {
    if (l.along.empty())
        fail(r.op, "must transform at least one axis", "no dimensions", "one or more",
             "fftn(), which returns the input then");
}

Tensor all_transformed(const request& r, const tensor_base& self, OptionalIntArrayRef s,
                       OptionalIntArrayRef dim) {
    Tensor z = complex_operand(r, self);
    const lengths l = resolve(r, z, s, dim, false);
    for (std::size_t i = 0; i < l.along.size(); ++i) z = of_length(r, z, l.along[i], l.sizes[i]);
    if (l.along.empty()) return z.clone();
    return scaled(r, ops::fft_c2c(z, l.along, r.direction == way::inverse), product_of(z, l.along));
}

Tensor all_halved(const request& r, const tensor_base& self, OptionalIntArrayRef s,
                  OptionalIntArrayRef dim) {
    Tensor z = real_operand(r, self);
    const lengths l = resolve(r, z, s, dim, false);
    require_a_dimension(r, l);
    for (std::size_t i = 0; i < l.along.size(); ++i) z = of_length(r, z, l.along[i], l.sizes[i]);
    return scaled(r, ops::fft_r2c(z, l.along), product_of(z, l.along));
}

Tensor all_completed(const request& r, const tensor_base& self, OptionalIntArrayRef s,
                     OptionalIntArrayRef dim) {
    Tensor z = complex_operand(r, self);
    lengths l = resolve(r, z, s, dim, true);
    require_a_dimension(r, l);
    const int64_t last = l.along.back(), length = l.sizes.back();
    l.along.pop_back();
    if (length < 1) of_length(r, z, last, length);
    for (std::size_t i = 0; i < l.along.size(); ++i) z = of_length(r, z, l.along[i], l.sizes[i]);
    z = of_length(r, z, last, length / 2 + 1);
    const double n = product_of(z, l.along) * static_cast<double>(length);
    if (!l.along.empty()) z = ops::fft_c2c(z, l.along, true);
    return scaled(r, ops::fft_c2r(z, last, length), n);
}

}  // namespace

Tensor fft(const tensor_base& self, optional<int64_t> n, int64_t dim, norm_name norm) {
    return transformed({"fft", way::forward, norm}, self, n, dim);
}
Tensor ifft(const tensor_base& self, optional<int64_t> n, int64_t dim, norm_name norm) {
    return transformed({"ifft", way::inverse, norm}, self, n, dim);
}
Tensor rfft(const tensor_base& self, optional<int64_t> n, int64_t dim, norm_name norm) {
    return halved({"rfft", way::forward, norm}, self, n, dim);
}
Tensor irfft(const tensor_base& self, optional<int64_t> n, int64_t dim, norm_name norm) {
    const request r{"irfft", way::inverse, norm};
    return completed(r, complex_operand(r, self), n, dim);
}
// The same sums as of the inverse transform of the conjugate, or the conjugate of the transform.
Tensor hfft(const tensor_base& self, optional<int64_t> n, int64_t dim, norm_name norm) {
    const request r{"hfft", way::forward, norm};
    return completed(r, complex_operand(r, self).conj(), n, dim);
}
Tensor ihfft(const tensor_base& self, optional<int64_t> n, int64_t dim, norm_name norm) {
    return halved({"ihfft", way::inverse, norm}, self, n, dim).conj();
}

Tensor fftn(const tensor_base& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
            norm_name norm) {
    return all_transformed({"fftn", way::forward, norm}, self, s, dim);
}
Tensor ifftn(const tensor_base& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
             norm_name norm) {
    return all_transformed({"ifftn", way::inverse, norm}, self, s, dim);
}
Tensor rfftn(const tensor_base& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
             norm_name norm) {
    return all_halved({"rfftn", way::forward, norm}, self, s, dim);
}
Tensor irfftn(const tensor_base& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
              norm_name norm) {
    return all_completed({"irfftn", way::inverse, norm}, self, s, dim);
}
Tensor fft2(const tensor_base& self, OptionalIntArrayRef s, IntArrayRef dim, norm_name norm) {
    return all_transformed({"fft2", way::forward, norm}, self, s, dim);
}
Tensor ifft2(const tensor_base& self, OptionalIntArrayRef s, IntArrayRef dim, norm_name norm) {
    return all_transformed({"ifft2", way::inverse, norm}, self, s, dim);
}
Tensor rfft2(const tensor_base& self, OptionalIntArrayRef s, IntArrayRef dim, norm_name norm) {
    return all_halved({"rfft2", way::forward, norm}, self, s, dim);
}
Tensor irfft2(const tensor_base& self, OptionalIntArrayRef s, IntArrayRef dim, norm_name norm) {
    return all_completed({"irfft2", way::inverse, norm}, self, s, dim);
}

}  // namespace sinter::inline v1::fft
