// Differences of neighbours, and gradients.
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/reductions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

// ---- diff
void check_attached(const TensorImpl& t, const optional<Tensor>& other, int64_t dim) {
    if (!other) return;
    const geometry &g = *t.shape, &o = *body("diff", *other).shape;
    bool fits = g.ndim == o.ndim;
    for (int d = 0; fits && d < g.ndim; ++d) fits = d == dim || g.sizes()[d] == o.sizes()[d];
    if (!fits)
        fail("diff", "the shape to prepend or append does not match",
             text("shape ", o.sizes_ref(), " for shape ", g.sizes_ref()),
             text("equal sizes apart from dimension ", dim), "expand() on it");
}

Tensor step(const Tensor& t, int64_t dim) {
    const Tensor next = t.slice(dim, 1), before = t.slice(dim, 0, -1);
    if (t.scalar_type() == kBool) return next != before;
    return next - before;
}

Tensor joined(const Tensor& t, const optional<Tensor>& before, const optional<Tensor>& after,
              int64_t dim) {
    std::vector<Tensor> parts;
    if (before) parts.push_back(*before);
    parts.push_back(t);
    if (after) parts.push_back(*after);
    return parts.size() == 1 ? t : cat(parts, dim);
}

// ---- gradient
/// Throws unless each of `dims` appears once and has enough elements.
void check_gradient(const TensorImpl& t, IntArrayRef dims, int64_t edge_order) {
    const geometry& g = *t.shape;
    if (t.dtype == kByte)
        fail<NotImplementedError>("gradient", "unsigned integers are not supported", "Byte",
                                  "a signed dtype", ".to(kInt) first");
    if (edge_order != 1 && edge_order != 2)
        fail("gradient", "edge_order is neither 1 nor 2", text(edge_order), "1 or 2",
             "1, the default");
    ops::wrap_dims("gradient", dims, g.ndim);
    for (int64_t d : dims) {
        const int64_t n = g.ndim == 0 ? 1 : g.sizes()[ops::wrap_dim("gradient", d, g.ndim)];
        if (n < edge_order + 1)
            fail("gradient", "a dimension has too few elements",
                 text(runtime::count_of(n, "element"), " in dimension ", d, " for edge_order ",
                      edge_order),
                 text(edge_order + 1, " or more"), "passing the other dimensions as dim");
    }
}

std::vector<int64_t> gradient_dims(const tensor_base& t, OptionalIntArrayRef dim) {
    if (dim) return (*dim).vec();
    std::vector<int64_t> all;
    for (int64_t d = 0; d < body("gradient", t).shape->ndim; ++d) all.push_back(d);
    return all;
}

void require_spacing(std::size_t spacings, std::size_t dims) {
    if (spacings != dims)
        fail("gradient", "the numbers of spacings and dimensions differ",
             text(runtime::count_of(static_cast<int64_t>(spacings), "spacing"), " for ",
                  runtime::count_of(static_cast<int64_t>(dims), "dimension")),
             "one spacing for each dimension", "one number for all of them");
}

/// Returns the weighted sum of three neighbours from `at` on in a dimension.
Tensor weighted(const Tensor& t, int64_t dim, int64_t at, const Tensor& a, const Tensor& b,
                const Tensor& c) {
    return a * t.narrow(dim, at, 1) + b * t.narrow(dim, at + 1, 1) + c * t.narrow(dim, at + 2, 1);
}

Tensor even_gradient(const Tensor& t, int64_t dim, const Scalar& h, int64_t edge_order) {
    const int64_t n = t.size(dim);
    const auto at = [&](int64_t i) { return t.narrow(dim, i, 1); };
    const Tensor inside = (t.slice(dim, 2) - t.slice(dim, 0, -2)) / h / 2;
    if (edge_order == 1)
        return cat({(at(1) - at(0)) / h, inside, (at(n - 1) - at(n - 2)) / h}, dim);
    return cat({(-1.5 * at(0) + 2 * at(1) - 0.5 * at(2)) / h, inside,
                (0.5 * at(n - 3) - 2 * at(n - 2) + 1.5 * at(n - 1)) / h},
               dim);
}

Tensor uneven_gradient(const Tensor& t, int64_t dim, const Tensor& where, int64_t edge_order) {
    const int64_t n = t.size(dim);
    const TensorImpl& x = body("gradient", where);
    ops::require_vector("gradient", x, "the tensor of coordinates");
    if (x.shape->numel != n)
        fail("gradient", "the numbers of samples and coordinates differ",
             text(runtime::count_of(x.shape->numel, "coordinate"), " for ",
                  runtime::count_of(n, "sample"), " in dimension ", dim),
             runtime::count_of(n, "coordinate"), "one number for equal spacing");
    std::vector<int64_t> along(static_cast<std::size_t>(t.dim()), 1);
    along[static_cast<std::size_t>(dim)] = -1;
    const Tensor h = where.diff();
    const auto d = [&](int64_t i) { return h.narrow(0, i < 0 ? n - 1 + i : i, 1).reshape(along); };
    const Tensor h1 = h.slice(0, 0, -1).reshape(along), h2 = h.slice(0, 1).reshape(along);
    const Tensor inside = -h2 / (h1 * (h1 + h2)) * t.slice(dim, 0, -2) +
                          (h2 - h1) / (h1 * h2) * t.slice(dim, 1, -1) +
                          h1 / (h2 * (h1 + h2)) * t.slice(dim, 2);
    if (edge_order == 1)
        return cat({(t.narrow(dim, 1, 1) - t.narrow(dim, 0, 1)) / d(0), inside,
                    (t.narrow(dim, n - 1, 1) - t.narrow(dim, n - 2, 1)) / d(-1)},
                   dim);
    const Tensor f1 = d(0), f2 = d(1), l1 = d(-1), l2 = d(-2);
    return cat({weighted(t, dim, 0, -(2 * f1 + f2) / (f1 * (f1 + f2)), (f1 + f2) / (f1 * f2),
                         -f1 / (f2 * (f1 + f2))),
                inside,
                weighted(t, dim, n - 3, l1 / (l2 * (l1 + l2)), -(l1 + l2) / (l1 * l2),
                         (2 * l1 + l2) / (l1 * (l1 + l2)))},
               dim);
}

std::vector<Tensor> gradient_by_numbers(const tensor_base& t, ArrayRef<Scalar> spacing,
                                        IntArrayRef dims, int64_t edge_order) {
    const TensorImpl& impl = body("gradient", t);
    require_spacing(spacing.size(), dims.size());
    check_gradient(impl, dims, edge_order);
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < dims.size(); ++i)
        result.push_back(even_gradient(t.self(),
                                       ops::wrap_dim("gradient", dims[i], impl.shape->ndim),
                                       spacing[i], edge_order));
    return result;
}

}  // namespace

// ---- diff
Tensor tensor_base::diff(int64_t n, int64_t dim) const { return diff(n, dim, nullopt, nullopt); }
Tensor tensor_base::diff(int64_t n, int64_t dim, const optional<Tensor>& prepend) const {
    return diff(n, dim, prepend, nullopt);
}
Tensor tensor_base::diff(int64_t n, int64_t dim, const optional<Tensor>& prepend,
                         const optional<Tensor>& append) const {
    const TensorImpl& t = body("diff", *this);
    ops::require_dims_from("diff", t, 1, "unsqueeze(0) first");
    if (n < 0) fail("diff", "n is negative", text(n), "0 or more", "1, the default");
    const int64_t at = ops::wrap_dim("diff", dim, t.shape->ndim);
    check_attached(t, prepend, at);
    check_attached(t, append, at);
    if (n == 0) return clone();
    Tensor result = joined(self(), prepend, append, at);
    for (n = std::min(n, result.size(at)); n > 0; --n) result = step(result, at);
    return result;
}
Tensor diff(const tensor_base& t, int64_t n, int64_t dim, const optional<Tensor>& prepend,
            const optional<Tensor>& append) {
    return t.diff(n, dim, prepend, append);
}

// ---- derivatives
std::vector<Tensor> gradient(const tensor_base& t, const optional<Scalar>& spacing,
                             OptionalIntArrayRef dim, int64_t edge_order) {
    return gradient(t, spacing.value_or(Scalar(1)), dim, edge_order);
}
std::vector<Tensor> gradient(const tensor_base& t, const Scalar& spacing, OptionalIntArrayRef dim,
                             int64_t edge_order) {
    const std::vector<int64_t> dims = gradient_dims(t, dim);
    return gradient_by_numbers(t, std::vector<Scalar>(dims.size(), spacing), dims, edge_order);
}
std::vector<Tensor> gradient(const tensor_base& t, ArrayRef<Scalar> spacing,
                             OptionalIntArrayRef dim, int64_t edge_order) {
    return gradient_by_numbers(t, spacing, gradient_dims(t, dim), edge_order);
}
std::vector<Tensor> gradient(const tensor_base& t, TensorList spacing, OptionalIntArrayRef dim,
                             int64_t edge_order) {
    const TensorImpl& impl = body("gradient", t);
    const std::vector<int64_t> dims = gradient_dims(t, dim);
    require_spacing(spacing.size(), dims.size());
    check_gradient(impl, dims, edge_order);
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < dims.size(); ++i)
        result.push_back(uneven_gradient(t.self(),
                                         ops::wrap_dim("gradient", dims[i], impl.shape->ndim),
                                         spacing[i], edge_order));
    return result;
}

}  // namespace sinter::inline v1
