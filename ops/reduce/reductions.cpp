// Reductions: resolves dimensions and dtypes. max and min along a dimension are two nodes each.
#include "engine/run/record.hpp"
#include "ops/common/parts.hpp"
#include "ops/index/gradients.hpp"
#include "runtime/strided/sizes_list.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v1 {

using ops::body;
using runtime::text;

namespace {

/// The arguments of a reduction.
struct request {
    const char* name;
    op::reduction row;
    IntArrayRef dims;  // empty: all
    bool keepdim = false;
    optional<ScalarType> dtype = nullopt;
    double correction = 0;
};

/// The dtype to which values are converted first, and the dtype of the result.
struct types {
    ScalarType in, out;
};

types resolve(const request& r, ScalarType own) {
    if (r.dtype) runtime::require_dtype(r.name, *r.dtype);
    const ScalarType in = r.dtype.value_or(own);
    switch (op::info(r.row).result) {
        case op::reduction_result::sum: return {in, isIntegralType(in, true) ? kLong : in};
        case op::reduction_result::same: return {in, in};
        case op::reduction_result::boolean:
            return {kBool, kBool};  // Byte for Byte tensors: see
                                    // `tested`
        case op::reduction_result::index: return {in, kLong};
        case op::reduction_result::floating: break;
    }
    if (!isFloatingType(in)) runtime::refuse_integers(r.name, toString(in));
    return {in, in};
}

sizes_list result_sizes(const geometry& g, uint64_t reduced, bool keepdim) {
    sizes_list sizes;
    for (int d = 0; d < g.ndim; ++d) {
        const bool gone = reduced >> d & 1;
        if (!gone)
            sizes.push_back(g.sizes()[d]);
        else if (keepdim)
            sizes.push_back(1);
    }
    return sizes;
}

/// Returns the number of elements that are reduced to one result.
int64_t reduced_count(const geometry& g, uint64_t reduced) {
    int64_t n = 1;
    for (int d = 0; d < g.ndim; ++d)
        if (reduced >> d & 1) n *= g.sizes()[d];
    return n;
}

void require_elements(const request& r, const TensorImpl& t, uint64_t reduced) {
    const auto result = op::info(r.row).result;
    const bool none = r.row == op::reduction::amax || r.row == op::reduction::amin ||
                      result == op::reduction_result::index;
    if (!none || reduced_count(*t.shape, reduced) != 0) return;
    if (r.dims.empty() && result != op::reduction_result::index)
        ops::refuse_empty(r.name, t, "checking numel() first");
    ops::refuse_empty_dims(r.name, t);
}

Tensor reduce(const TensorImpl& t, const request& r);

/// Returns the product along dimension 0. Each round multiplies the first half by the second, until
/// one element is left. The order depends on the length only.
Tensor product_by_halves(Tensor z) {
    while (z.size(0) > 1) {
        const int64_t n = z.size(0), half = n / 2;
        Tensor pairs = z.narrow(0, 0, half) * z.narrow(0, half, half);
        z = n % 2 == 0 ? pairs : cat({pairs, z.narrow(0, n - 1, 1)});
    }
    return z;
}

Tensor complex_product(const Tensor& z, const request& r) {
    const geometry& g = *body(r.name, z).shape;
    if (g.ndim == 0) {
        ops::wrap_dims(r.name, r.dims, 0);
        return z.clone();
    }
    if (r.dims.empty()) return complex_product(z.flatten(), {r.name, r.row, 0});
    const int64_t d = ops::wrap_dim(r.name, r.dims[0], g.ndim);
    const int64_t n = g.sizes()[d];
    Tensor result = n == 0   ? Tensor(z.sum(d, true) + 1)
                    : n == 1 ? z.clone()  // z itself would be returned as a view
                             : product_by_halves(z.movedim(d, 0)).movedim(0, d);
    return r.keepdim ? result : result.squeeze(d);
}

Tensor reduce_complex(const Tensor& z, const request& r) {
    const auto part = [&r](const Tensor& x) {
        request same = r;
        same.dtype = nullopt;
        return reduce(body(r.name, x), same);
    };
    switch (r.row) {
        case op::reduction::sum:
        case op::reduction::mean: return ops::by_parts(z, part);
        case op::reduction::var: return part(real(z)) + part(imag(z));
        case op::reduction::std: {
            request square = r;
            square.row = op::reduction::var;
            const Tensor variance = reduce_complex(z, square);
            return autograd::with_rule(
                "std", {&variance}, {.results = 1, .batched = true},
                [&] { return Tensor(variance.sqrt()); },
                [](const autograd::rule_call& c) -> autograd::variable_list {
                    const Tensor none = c.result() == 0;
                    return {where(none, 0, c.grad() / (2 * where(none, 1, c.result())))};
                });
        }
        case op::reduction::any:
        case op::reduction::all: return part(z != 0);
        case op::reduction::prod: return complex_product(z, r);
        default: ops::require_real(r.name, z.scalar_type());
    }
    runtime::bug("reduce", text("the reduction ", r.name, " has no order for complex numbers"));
}

Tensor reduce(const TensorImpl& t, const request& r) {
    const ScalarType as = r.dtype.value_or(t.dtype);
    if (isComplexType(as) || isComplexType(t.dtype)) {
        runtime::require_dtype(r.name, as);
        const Tensor whole(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&t)));
        const Tensor converted = whole.to(as);
        if (!isComplexType(as)) return reduce(body(r.name, converted), r);
        request same = r;
        same.dtype = nullopt;
        return reduce_complex(converted, same);
    }
    const geometry& g = *t.shape;
    const types type = resolve(r, t.dtype);
    uint64_t reduced = ops::wrap_dims(r.name, r.dims, g.ndim);
    if (r.dims.empty()) reduced = g.ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << g.ndim) - 1;
    require_elements(r, t, reduced);
    geometry_ptr shape = make_contiguous(result_sizes(g, reduced, r.keepdim));
    const bool moments = op::info(r.row).kind == op::reduction_kind::moments;
    if (moments && reduced_count(g, reduced) == 0 && t.storage->differentiated) {
        request sums = r;
        sums.row = op::reduction::sum;
        return (reduce(t, sums) * std::numeric_limits<double>::quiet_NaN()).to(type.out);
    }
    if (moments && reduced_count(g, reduced) == 0)  // 0 / 0 for any correction
        return ops::sequence()
            .number(std::numeric_limits<double>::quiet_NaN())
            .cast(type.out)
            .pending(type.out, std::move(shape));
    leaf source = ops::read(t);
    if (g.ndim == 0) {  // treated as one dimension to reduce
        source.shape = make_geometry(1, 1, g.offset);
        reduced = 1;
    }
    Tensor result(make_pending(reduce_node(r.row, source, type.in, reduced, r.correction, type.out),
                               std::move(shape)));
    return r.dtype && *r.dtype != type.out && type.out == kLong ? result.to(*r.dtype) : result;
}

/// Returns the dimension as a list, or an empty list.
IntArrayRef list(const optional<int64_t>& dim) { return dim ? IntArrayRef(*dim) : IntArrayRef(); }

double correction(bool unbiased) { return unbiased ? 1 : 0; }
double correction(const optional<Scalar>& c) { return c ? c->toDouble() : 1; }

/// any and all. The result is Bool, or Byte for a Byte tensor.
Tensor tested(const tensor_base& self, const char* name, op::reduction row, IntArrayRef dims,
              bool keepdim) {
    const TensorImpl& t = body(name, self);
    const Tensor result = reduce(t, {name, row, dims, keepdim});
    return t.dtype == kByte ? result.to(kByte) : result;
}

/// The same over a list of dimensions; an empty list reduces nothing.
Tensor tested_in(const tensor_base& self, const char* name, op::reduction row, IntArrayRef dims,
                 bool keepdim) {
    if (!dims.empty()) return tested(self, name, row, dims, keepdim);
    const Tensor truth = self.self() != 0;
    return body(name, self).dtype == kByte ? truth.to(kByte) : truth;
}

std::tuple<Tensor, Tensor> best(const TensorImpl& t, const char* name, op::reduction value,
                                op::reduction index, int64_t dim, bool keepdim) {
    const Tensor self(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&t)));
    // The whole gradient goes to the element that the index names, also if others are equal to it.
    return autograd::with_rule(
        name, {&self}, {.results = 0b10},
        [&] {
            Tensor v = reduce(t, {name, value, dim, keepdim});
            return std::tuple{std::move(v), reduce(t, {name, index, dim, keepdim})};
        },
        [&] {
            return [sizes = t.shape->sizes_ref().vec(), dim,
                    keepdim](const autograd::rule_call& c) -> autograd::variable_list {
                return {ops::gradient_of_one(c.grad(), c.result(1), sizes, dim, keepdim)};
            };
        });
}

/// amax gives NaN to all elements if one is NaN; here that one alone has a gradient.
Tensor best_of_all(const tensor_base& self, const char* name, op::reduction row) {
    const TensorImpl& t = body(name, self);
    return autograd::with_rule(
        name, {&self}, {.operands = 1, .results = 1}, [&] { return reduce(t, {name, row, {}}); },
        ops::shared_by_equals);
}

}  // namespace

using row = op::reduction;

Tensor tensor_base::sum(optional<ScalarType> dtype) const {
    return sum(IntArrayRef(), false, dtype);
}
Tensor tensor_base::sum(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
    return reduce(body("sum", *this),
                  {"sum", row::sum, dim.value_or(IntArrayRef()), keepdim, dtype});
}

Tensor tensor_base::mean(optional<ScalarType> dtype) const {
    return mean(IntArrayRef(), false, dtype);
}
Tensor tensor_base::mean(OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) const {
    return reduce(body("mean", *this),
                  {"mean", row::mean, dim.value_or(IntArrayRef()), keepdim, dtype});
}

Tensor tensor_base::prod(optional<ScalarType> dtype) const {
    return reduce(body("prod", *this), {"prod", row::prod, {}, false, dtype});
}
Tensor tensor_base::prod(int64_t dim, bool keepdim, optional<ScalarType> dtype) const {
    return reduce(body("prod", *this), {"prod", row::prod, dim, keepdim, dtype});
}

#define SINTER_FOLD(name)                                                    \
    Tensor tensor_base::name(IntArrayRef dim, bool keepdim) const {          \
        return reduce(body(#name, *this), {#name, row::name, dim, keepdim}); \
    }
#include <sinter/expr/each_fold.inc>
#undef SINTER_FOLD

Tensor tensor_base::max() const { return best_of_all(*this, "max", row::amax); }
Tensor tensor_base::min() const { return best_of_all(*this, "min", row::amin); }

std::tuple<Tensor, Tensor> tensor_base::max(int64_t dim, bool keepdim) const {
    return best(body("max", *this), "max", row::amax, row::argmax, dim, keepdim);
}
std::tuple<Tensor, Tensor> tensor_base::min(int64_t dim, bool keepdim) const {
    return best(body("min", *this), "min", row::amin, row::argmin, dim, keepdim);
}

Tensor tensor_base::argmax(optional<int64_t> dim, bool keepdim) const {
    return reduce(body("argmax", *this), {"argmax", row::argmax, list(dim), keepdim});
}
Tensor tensor_base::argmin(optional<int64_t> dim, bool keepdim) const {
    return reduce(body("argmin", *this), {"argmin", row::argmin, list(dim), keepdim});
}

Tensor tensor_base::any() const { return tested(*this, "any", row::any, {}, false); }
Tensor tensor_base::any(int64_t dim, bool keepdim) const {
    return tested(*this, "any", row::any, dim, keepdim);
}
Tensor tensor_base::any(OptionalIntArrayRef dim, bool keepdim) const {
    if (!dim) return tested(*this, "any", row::any, {}, keepdim);
    return tested_in(*this, "any", row::any, *dim, keepdim);
}
Tensor tensor_base::all() const { return tested(*this, "all", row::all, {}, false); }
Tensor tensor_base::all(int64_t dim, bool keepdim) const {
    return tested(*this, "all", row::all, dim, keepdim);
}
Tensor tensor_base::all(OptionalIntArrayRef dim, bool keepdim) const {
    if (!dim) return tested(*this, "all", row::all, {}, keepdim);
    return tested_in(*this, "all", row::all, *dim, keepdim);
}

Tensor tensor_base::var(bool unbiased) const { return var(IntArrayRef(), unbiased, false); }
Tensor tensor_base::var(int dim) const { return var(OptionalIntArrayRef(int64_t{dim})); }
Tensor tensor_base::var(IntArrayRef dim, bool unbiased, bool keepdim) const {
    return reduce(body("var", *this),
                  {"var", row::var, dim, keepdim, nullopt, correction(unbiased)});
}
Tensor tensor_base::var(OptionalIntArrayRef dim, const optional<Scalar>& c, bool keepdim) const {
    return reduce(body("var", *this),
                  {"var", row::var, dim.value_or(IntArrayRef()), keepdim, nullopt, correction(c)});
}

Tensor tensor_base::std(bool unbiased) const { return std(IntArrayRef(), unbiased, false); }
Tensor tensor_base::std(int dim) const { return std(OptionalIntArrayRef(int64_t{dim})); }
Tensor tensor_base::std(IntArrayRef dim, bool unbiased, bool keepdim) const {
    return reduce(body("std", *this),
                  {"std", row::std, dim, keepdim, nullopt, correction(unbiased)});
}
Tensor tensor_base::std(OptionalIntArrayRef dim, const optional<Scalar>& c, bool keepdim) const {
    return reduce(body("std", *this),
                  {"std", row::std, dim.value_or(IntArrayRef()), keepdim, nullopt, correction(c)});
}

}  // namespace sinter::inline v1
