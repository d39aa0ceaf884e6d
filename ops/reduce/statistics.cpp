// Compositions of element functions and reductions: counts, extremes, and moments that ignore NaN.
#include "ops/common/opmath.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/reductions.hpp>

namespace sinter::inline v1 {

using ops::body;

namespace {

/// Returns the operand of a nan... function in the dtype that it computes in.
Tensor converted(const tensor_base& t, optional<ScalarType> dtype) {
    return dtype ? t.to(*dtype) : t.self();
}

Tensor without_nan(const Tensor& x) { return where(isnan(x), 0, x); }

}  // namespace

Tensor tensor_base::count_nonzero(IntArrayRef dim) const {
    body("count_nonzero", *this);
    ops::wrap_dims("count_nonzero", dim, this->dim());
    return (self() != 0).sum(dim);
}
Tensor tensor_base::count_nonzero(int64_t dim) const { return count_nonzero(IntArrayRef(dim)); }
Tensor tensor_base::count_nonzero(optional<int64_t> dim) const {
    return count_nonzero(dim ? IntArrayRef(*dim) : IntArrayRef());
}

std::tuple<Tensor, Tensor> tensor_base::aminmax(optional<int64_t> dim, bool keepdim) const {
    const TensorImpl& t = body("aminmax", *this);
    const geometry& g = *t.shape;
    if (dim) ops::wrap_dim("aminmax", *dim, g.ndim);
    if (dim && g.ndim > 0 && size(*dim) == 0) ops::refuse_empty_dims("aminmax", t);
    if ((!dim || g.ndim == 0) && g.numel == 0)
        ops::refuse_empty("aminmax", t, "checking numel() first");
    const IntArrayRef dims = dim ? IntArrayRef(*dim) : IntArrayRef();
    return {amin(dims, keepdim), amax(dims, keepdim)};
}

Tensor tensor_base::nansum(optional<ScalarType> dtype) const {
    return nansum(IntArrayRef(), false, dtype);
}
Tensor tensor_base::nansum(OptionalIntArrayRef dim, bool keepdim,
                           optional<ScalarType> dtype) const {
    ops::require_real("nansum", body("nansum", *this).dtype);
    const Tensor x = dtype && isComplexType(*dtype) ? self() : converted(*this, dtype);
    return (x.is_floating_point() ? without_nan(x) : x).sum(dim, keepdim, dtype);
}

Tensor tensor_base::nanmean(optional<ScalarType> dtype) const {
    return nanmean(IntArrayRef(), false, dtype);
}
Tensor tensor_base::nanmean(OptionalIntArrayRef dim, bool keepdim,
                            optional<ScalarType> dtype) const {
    ops::require_floating("nanmean", body("nanmean", *this).dtype);
    const Tensor own = converted(*this, dtype);
    ops::require_floating("nanmean", own.scalar_type());
    const Tensor x = ops::to_opmath(own);
    const Tensor known = (x == x).sum(dim, keepdim);  // the number of elements that are not NaN
    return (without_nan(x).sum(dim, keepdim) / known).to(own.scalar_type());
}

// ---- function forms, and pairs
binary_expr<op::maximum> tensor_base::max(const tensor_base& other) const { return maximum(other); }
binary_expr<op::minimum> tensor_base::min(const tensor_base& other) const { return minimum(other); }
Tensor max(const tensor_base& a, const tensor_base& b) { return a.maximum(b); }
Tensor min(const tensor_base& a, const tensor_base& b) { return a.minimum(b); }

Tensor any(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim) {
    return t.any(dim, keepdim);
}
Tensor all(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim) {
    return t.all(dim, keepdim);
}
Tensor count_nonzero(const tensor_base& t, optional<int64_t> dim) { return t.count_nonzero(dim); }
Tensor count_nonzero(const tensor_base& t, int64_t dim) { return t.count_nonzero(dim); }
Tensor count_nonzero(const tensor_base& t, IntArrayRef dim) { return t.count_nonzero(dim); }
std::tuple<Tensor, Tensor> aminmax(const tensor_base& t, optional<int64_t> dim, bool keepdim) {
    return t.aminmax(dim, keepdim);
}

Tensor var(const tensor_base& t, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim) {
    return t.var(dim, correction, keepdim);
}
Tensor std(const tensor_base& t, OptionalIntArrayRef dim, const optional<Scalar>& correction,
           bool keepdim) {
    return t.std(dim, correction, keepdim);
}
std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, bool unbiased) {
    return var_mean(t, IntArrayRef(), unbiased);
}
std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, int dim) {
    return var_mean(t, OptionalIntArrayRef(int64_t{dim}));
}
std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, IntArrayRef dim, bool unbiased,
                                    bool keepdim) {
    return var_mean(t, OptionalIntArrayRef(dim), Scalar(unbiased ? 1 : 0), keepdim);
}
std::tuple<Tensor, Tensor> var_mean(const tensor_base& t, OptionalIntArrayRef dim,
                                    const optional<Scalar>& correction, bool keepdim) {
    Tensor var = t.var(dim, correction, keepdim);
    return {std::move(var), t.mean(dim.value_or(IntArrayRef()), keepdim)};
}
std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, bool unbiased) {
    return std_mean(t, IntArrayRef(), unbiased);
}
std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, int dim) {
    return std_mean(t, OptionalIntArrayRef(int64_t{dim}));
}
std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, IntArrayRef dim, bool unbiased,
                                    bool keepdim) {
    return std_mean(t, OptionalIntArrayRef(dim), Scalar(unbiased ? 1 : 0), keepdim);
}
std::tuple<Tensor, Tensor> std_mean(const tensor_base& t, OptionalIntArrayRef dim,
                                    const optional<Scalar>& correction, bool keepdim) {
    Tensor deviation = t.std(dim, correction, keepdim);
    return {std::move(deviation), t.mean(dim.value_or(IntArrayRef()), keepdim)};
}

Tensor nansum(const tensor_base& t, optional<ScalarType> dtype) { return t.nansum(dtype); }
Tensor nansum(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim,
              optional<ScalarType> dtype) {
    return t.nansum(dim, keepdim, dtype);
}
Tensor nanmean(const tensor_base& t, optional<ScalarType> dtype) { return t.nanmean(dtype); }
Tensor nanmean(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim,
               optional<ScalarType> dtype) {
    return t.nanmean(dim, keepdim, dtype);
}

}  // namespace sinter::inline v1
