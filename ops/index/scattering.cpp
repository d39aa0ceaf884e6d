// scatter, index_add and their kin: each describes values over a space for index_kernels::scatter.
#include "ops/common/sharing.hpp"
#include "ops/index/gradients.hpp"
#include "ops/index/indexed.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/limits.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace sinter::inline v1 {

using index_kernels::put_kind;
using ops::body;
using ops::index_space;
using ops::scattering;
using runtime::fail;
using runtime::text;

namespace {

/// The tensor to change: the operand itself for an in-place form, else the result.
struct target {
    const char* name;
    Tensor tensor;  // of one dimension or more
    bool in_place;

    target(const char* op, const tensor_base& t, bool write, bool may_share = false)
        : name(op), tensor(ops::at_least_1d(op, t)), in_place(write) {
        if (write && !(may_share && shares_elements()))
            ops::require_writable(op, *tensor.unsafeGetTensorImpl());
    }
    bool shares_elements() const {
        return ops::overlaps_itself(*tensor.unsafeGetTensorImpl()->shape);
    }
    /// Throws Error if an index or a source overlaps the written tensor.
    void require_apart(const Tensor& operand) const {
        if (in_place)
            ops::require_apart(name, *tensor.unsafeGetTensorImpl(), *operand.unsafeGetTensorImpl());
    }
    void apply(const scattering& s) {
        if (in_place)
            ops::scatter_into(name, tensor, s);
        else
            tensor = ops::scattered(name, tensor, s);
    }
    Tensor result(const tensor_base& self) const {
        return in_place ? self.self() : tensor.view(self.sizes());
    }
};

Tensor number_like(const Tensor& t, const Scalar& value) {
    return full({}, value, t.options().dtype(t.dtype()));
}

/// Returns values walked like the index. Their sizes are at least the index's.
scattering along(const target& to, int64_t dim, const Tensor& index, const Tensor& values,
                 put_kind kind) {
    const TensorImpl& v = *values.unsafeGetTensorImpl();
    std::vector<int64_t> strides = v.shape->strides_ref().vec();
    if (strides.empty()) strides.assign(index.sizes().size(), 0);
    return {kind, values, make_geometry(index.sizes(), strides, v.shape->offset),
            index_space(index.sizes(), ops::wrap_dim(to.name, dim, to.tensor.dim()), index, false)};
}

/// Returns the checked index of a scatter, with at least one dimension.
Tensor scatter_index(const target& to, int64_t dim, const tensor_base& index) {
    const Tensor i = ops::space_index(to.name, index);
    const int64_t d = ops::wrap_dim(to.name, dim, to.tensor.dim());
    const IntArrayRef sizes = to.tensor.sizes(), wanted = i.sizes();
    if (i.numel() == 0) return i;
    bool fits = sizes.size() == wanted.size();
    for (std::size_t k = 0; fits && k < sizes.size(); ++k)
        fits = static_cast<int64_t>(k) == d || wanted[k] <= sizes[k];
    if (!fits) ops::refuse_index_shape(to.name, wanted, sizes, d);
    to.require_apart(i);
    return i;
}

Tensor scatter_source(const target& to, const Tensor& index, const tensor_base& source) {
    const Tensor s = ops::at_least_1d(to.name, source);
    ops::require_source_dtype(to.name, *to.tensor.unsafeGetTensorImpl(), *s.unsafeGetTensorImpl());
    if (index.numel() == 0) return s;
    bool fits = s.dim() == index.dim();
    for (int64_t k = 0; fits && k < s.dim(); ++k) fits = index.size(k) <= s.size(k);
    if (!fits)
        fail(to.name, "the source is smaller than the index",
             text("a source of shape ", s.sizes(), " for an index of shape ", index.sizes()),
             "the same number of dimensions, and no smaller sizes",
             "expand() on the source, or narrow() on the index");
    to.require_apart(s);
    return s;
}

put_kind put_of_word(const target& to, int64_t dim, const std::string& reduce) {
    const char* op = to.name;
    ops::wrap_dim(op, dim, to.tensor.dim());
    if (reduce == "add") return put_kind::add;
    if (reduce == "multiply") return put_kind::prod;
    fail(op, "the reduction is unknown", text('"', reduce, '"'), "\"add\" or \"multiply\"",
         "scatter_reduce(), which has more reductions");
}

/// Returns true if the result is accumulated in Float and rounded once, for Half and BFloat16.
bool rounds_once(put_kind kind, ScalarType type) {
    return (kind == put_kind::add || kind == put_kind::prod) && is_narrow_float(type);
}

Tensor rounded(target to, const tensor_base& self, const Tensor& wide) {
    if (to.in_place)
        to.tensor.copy_(wide);
    else
        to.tensor = wide.to(to.tensor.dtype());
    return to.result(self);
}

Tensor scatter_values(target to, const tensor_base& self, int64_t dim, const tensor_base& index,
                      const tensor_base& source, put_kind kind) {
    const Tensor i = scatter_index(to, dim, index), s = scatter_source(to, i, source);
    if (i.numel() == 0) return to.in_place ? self.self() : self.clone();
    if (rounds_once(kind, s.dtype())) {
        target wide(to.name, to.tensor.to(kFloat), false);
        wide.apply(along(to, dim, i, s.to(kFloat), kind));
        return rounded(to, self, wide.tensor);
    }
    to.apply(along(to, dim, i, s, kind));
    return to.result(self);
}

Tensor scatter_number(target to, const tensor_base& self, int64_t dim, const tensor_base& index,
                      const Scalar& value, put_kind kind) {
    const Tensor i = scatter_index(to, dim, index);
    if (i.numel() == 0) return to.in_place ? self.self() : self.clone();
    to.apply(along(to, dim, i, number_like(to.tensor, value), kind));
    return to.result(self);
}

// ---- reductions into indexed elements

enum class reduce : uint8_t { sum, prod, mean, amax, amin };

reduce reduce_of(const char* op, const std::string& word, bool has_sum) {
    if (has_sum && word == "sum") return reduce::sum;
    if (word == "prod") return reduce::prod;
    if (word == "mean") return reduce::mean;
    if (word == "amax") return reduce::amax;
    if (word == "amin") return reduce::amin;
    fail(op, "the reduction is unknown", text('"', word, '"'),
         text(has_sum ? "\"sum\", " : "", "\"prod\", \"mean\", \"amax\" or \"amin\""),
         has_sum ? "\"sum\", which scatter_add() computes too" : "index_add() for sums");
}

/// Returns the identity element of a reduction, which replaces an element that does not take part.
Scalar neutral(reduce kind, ScalarType type) {
    const bool real = isFloatingType(type);
    switch (kind) {
        case reduce::prod: return 1;
        case reduce::amax:
            if (type == kBool) return false;
            return real ? Scalar(-std::numeric_limits<double>::infinity()) : iinfo(type).min;
        case reduce::amin:
            if (type == kBool) return true;
            return real ? Scalar(std::numeric_limits<double>::infinity()) : iinfo(type).max;
        default: return 0;
    }
}

/// `along` makes the values over the space from a tensor: the source, or a number.
template <class Along>
Tensor reduce_into(target to, const tensor_base& self, reduce kind, bool include_self,
                   const Tensor& source, const Along& along) {
    const ScalarType type = to.tensor.dtype();
    if (kind == reduce::amax || kind == reduce::amin) ops::require_real(to.name, type);
    if (kind == reduce::mean && type == kBool)
        runtime::refuse_bool(to.name, toString(type), ".to(kFloat) first");
    constexpr put_kind puts[] = {put_kind::add, put_kind::prod, put_kind::add, put_kind::amax,
                                 put_kind::amin};
    if (rounds_once(puts[static_cast<int>(kind)], type)) {
        const target wide(to.name, to.tensor.to(kFloat), false);
        return rounded(
            to, self, reduce_into(wide, wide.tensor, kind, include_self, source.to(kFloat), along));
    }
    if (!include_self)
        to.apply(along(number_like(to.tensor, neutral(kind, type)), put_kind::assign));
    to.apply(along(source, puts[static_cast<int>(kind)]));
    if (kind == reduce::mean) {
        const Tensor first = full_like(to.tensor, include_self ? 1 : 0, toRealValueType(type));
        target count(to.name, first, false);
        count.apply(along(number_like(first, 1), put_kind::add));
        const Tensor n = count.tensor.clamp_min(1);
        const Tensor mean =
            ops::is_inexact(type) ? Tensor(to.tensor / n) : Tensor(floor_divide(to.tensor, n));
        if (to.in_place)
            to.tensor.copy_(mean);
        else
            to.tensor = mean;
    }
    return to.result(self);
}

Tensor scatter_reduce_values(const target& to, const tensor_base& self, int64_t dim,
                             const tensor_base& index, const tensor_base& source,
                             const std::string& word, bool include_self) {
    ops::wrap_dim(to.name, dim, to.tensor.dim());
    const reduce kind = reduce_of(to.name, word, true);
    const Tensor i = scatter_index(to, dim, index), s = scatter_source(to, i, source);
    if (i.numel() == 0) return to.in_place ? self.self() : self.clone();
    return reduce_into(to, self, kind, include_self, s, [&](const Tensor& values, put_kind p) {
        return along(to, dim, i, values, p);
    });
}

// ---- slices of a dimension

/// Returns values for the slices that a vector of indices names. A number applies to all of them.
scattering slices(const target& to, int64_t dim, const Tensor& index, const Tensor& values,
                  put_kind kind, bool wraps) {
    const TensorImpl& v = *values.unsafeGetTensorImpl();
    std::vector<int64_t> sizes = to.tensor.sizes().vec(), strides = v.shape->strides_ref().vec();
    sizes[static_cast<std::size_t>(dim)] = index.numel();
    if (strides.empty()) strides.assign(sizes.size(), 0);
    return {kind, values, make_geometry(sizes, strides, v.shape->offset),
            index_space(sizes, dim, index, wraps)};
}

Tensor slice_source(const target& to, int64_t dim, const Tensor& index, const tensor_base& source,
                    bool copies = false) {
    const Tensor s = ops::at_least_1d(to.name, source);
    ops::require_source_dtype(to.name, *to.tensor.unsafeGetTensorImpl(), *s.unsafeGetTensorImpl());
    std::vector<int64_t> sizes = to.tensor.sizes().vec();
    sizes[static_cast<std::size_t>(dim)] = index.numel();
    to.require_apart(index);
    to.require_apart(s);
    if (s.sizes() == IntArrayRef(sizes)) return s;
    const auto refuse = [&]<class E>(const E&) {
        fail<E>(to.name, "the source's shape does not match the indexed slices",
                text("a source of shape ", s.sizes(), " for ", index.numel(),
                     " indices into dimension ", dim, " of shape ", to.tensor.sizes()),
                text("shape ", IntArrayRef(sizes)), "expand() or narrow() on the source");
    };
    // As in PyTorch: an IndexError for an index that does not fit, an Error for slices that do not.
    const bool fits = s.dim() == to.tensor.dim() && s.size(dim) == index.numel();
    if (copies && !fits) refuse(IndexError(""));
    refuse(Error(""));
    return s;
}

Tensor put_slices(target to, const tensor_base& self, int64_t dim, const tensor_base& index,
                  const tensor_base& source, put_kind kind, const Scalar& alpha = 1) {
    const int64_t d = ops::wrap_dim(to.name, dim, to.tensor.dim());
    const bool copies = kind == put_kind::assign;  // true for index_copy
    const Tensor i = ops::index_vector(to.name, index, !copies);
    Tensor s = slice_source(to, d, i, source, copies);
    if (!runtime::same_value(alpha, 1)) s = (s * number_like(s, alpha));
    if (i.numel() == 0) return to.in_place ? self.self() : self.clone();
    to.apply(slices(to, d, i, s, kind, false));
    return to.result(self);
}

Tensor fill_slices(target to, const tensor_base& self, int64_t dim, const tensor_base& index,
                   const Tensor& value) {
    const int64_t d = ops::wrap_dim(to.name, dim, to.tensor.dim());
    const Tensor i = ops::at_least_1d(to.name, index);
    if (i.numel() == 0) return to.in_place ? self.self() : self.clone();
    to.require_apart(i);
    if (to.in_place && to.shares_elements()) {
        ops::warn_of_overlap(to.name);
        const ops::shared_elements all(*to.tensor.unsafeGetTensorImpl());
        std::vector<TensorIndex> slices(static_cast<std::size_t>(d), Slice());
        slices.emplace_back(i);
        all.vector.index_fill_(0, all.places.index(slices).flatten(), value);
        return self.self();
    }
    to.apply(slices(to, d, i, value, put_kind::assign, true));
    return to.result(self);
}

/// Checks the index of index_fill. As in PyTorch, this comes before the checks of the value.
void check_fill_index(const target& to, const tensor_base& index) {
    const TensorImpl& i = body(to.name, index);
    if (i.dtype != kLong) ops::refuse_index_dtype<IndexError>(to.name, i.dtype, "Long");
    ops::require_index_vector(to.name, i);
}

Tensor fill_number(const target& to, const Scalar& value) {
    if (value.isComplex() && !isComplexType(to.tensor.dtype()))
        fail(to.name, "a complex value does not fit the dtype",
             text(runtime::to_text(value), " for ", to.tensor.dtype()), "a real value",
             "a complex tensor, or the value's real part");
    return number_like(to.tensor, value);
}

Tensor fill_value(const target& to, const tensor_base& value) {
    const TensorImpl& v = body(to.name, value);
    ops::require_0d(to.name, v, "the value", "index_put_(), which broadcasts");
    if (isComplexType(v.dtype) && !isComplexType(to.tensor.dtype()))
        fail(to.name, "a complex value does not fit the dtype",
             text(v.dtype, " for ", to.tensor.dtype()), "a real value",
             "a complex tensor, or real() on the value");
    return ops::value_as(to.name, value, to.tensor.dtype());
}

Tensor reduce_slices(const target& to, const tensor_base& self, int64_t dim,
                     const tensor_base& index, const tensor_base& source, const std::string& word,
                     bool include_self) {
    const reduce kind = reduce_of(to.name, word, false);
    const int64_t d = ops::wrap_dim(to.name, dim, to.tensor.dim());
    const Tensor i = ops::index_vector(to.name, index), s = slice_source(to, d, i, source);
    if (i.numel() == 0) return to.in_place ? self.self() : self.clone();
    return reduce_into(to, self, kind, include_self, s, [&](const Tensor& values, put_kind p) {
        return slices(to, d, i, values, p, false);
    });
}

// ---- positions

Tensor put_positions(const char* name, bool in_place, const tensor_base& self,
                     const tensor_base& index, const tensor_base& source, bool accumulate) {
    const TensorImpl &t = body(name, self), &s = body(name, source);
    const Tensor i = ops::index_tensor(name, index, false);
    ops::require_source_dtype(name, t, s);
    if (i.numel() != source.numel())
        fail<IndexError>(name, "index and source have different numbers of elements",
                         text(i.numel(), " and ", source.numel()),
                         "a source element for each index", "expand_as() on the source");
    if (in_place) {
        ops::require_writable(name, t);
        ops::require_apart(name, t, *i.unsafeGetTensorImpl());
        ops::require_apart(name, t, s);
    }
    if (i.numel() == 0) return in_place ? self.self() : self.clone();
    if (t.shape->numel == 0) ops::refuse_empty<IndexError>(name, t, "an empty index");
    const bool dense = t.shape->contiguous;
    Tensor to = dense ? self.view({-1}) : self.contiguous().view({-1});
    const Tensor values = source.flatten();
    const scattering put{accumulate ? put_kind::add : put_kind::assign, values,
                         values.unsafeGetTensorImpl()->shape,
                         index_space(IntArrayRef{i.numel()}, 0, i.flatten(), true)};
    if (in_place && dense) {
        ops::scatter_into(name, to, put);
        return self.self();
    }
    to = ops::scattered(name, to, put).view(t.shape->sizes_ref());
    return in_place ? self.copy_(to) : to;
}

}  // namespace

// `values` points to the tensor of values, or is null; `kept` and `rule` are for gradients
// (ops/index/gradients.hpp).
#define SINTER_BOTH(name, parameters, values, kept, rule, ...) \
    Tensor tensor_base::name parameters const {                \
        return ops::put_with_rule(                             \
            #name, false, *this, index, values, kept,          \
            [&] {                                              \
                const target to(#name, *this, false);          \
                return __VA_ARGS__;                            \
            },                                                 \
            [&] { return rule; });                             \
    }                                                          \
    Tensor& tensor_base::name##_ parameters const {            \
        ops::put_with_rule(                                    \
            #name "_", true, *this, index, values, kept,       \
            [&] {                                              \
                const target to(#name "_", *this, true);       \
                return __VA_ARGS__;                            \
            },                                                 \
            [&] { return rule; });                             \
        return self();                                         \
    }
#define SINTER_PLACE int64_t dim, const tensor_base &index

SINTER_BOTH(scatter, (SINTER_PLACE, const tensor_base& source), &source, ops::saves_index,
            ops::assigned_rule({dim, false}, source.sizes()),
            scatter_values(to, *this, dim, index, source, put_kind::assign))
SINTER_BOTH(scatter, (SINTER_PLACE, const Scalar& value), nullptr, ops::saves_index,
            ops::assigned_rule({dim, false}, {}),
            scatter_number(to, *this, dim, index, value, put_kind::assign))
SINTER_BOTH(scatter, (SINTER_PLACE, const tensor_base& source, const std::string& reduce), &source,
            ops::reduced_saves(ops::reducing_of(reduce)),
            ops::reduced_rule({dim, false}, ops::reducing_of(reduce), source.sizes()),
            scatter_values(to, *this, dim, index, source, put_of_word(to, dim, reduce)))
SINTER_BOTH(scatter, (SINTER_PLACE, const Scalar& value, const std::string& reduce), nullptr,
            ops::saves_index,
            reduce == "add" ? ops::added_rule({dim, false}, {})
                            : ops::multiplied_rule({dim, false}, value),
            scatter_number(to, *this, dim, index, value, put_of_word(to, dim, reduce)))
SINTER_BOTH(scatter_add, (SINTER_PLACE, const tensor_base& source), &source, ops::saves_index,
            ops::added_rule({dim, false}, source.sizes()),
            scatter_values(to, *this, dim, index, source, put_kind::add))
SINTER_BOTH(scatter_reduce,
            (SINTER_PLACE, const tensor_base& source, const std::string& reduce, bool include_self),
            &source, ops::reduced_saves({reduce, include_self}),
            ops::reduced_rule({dim, false}, {reduce, include_self}, source.sizes()),
            scatter_reduce_values(to, *this, dim, index, source, reduce, include_self))
SINTER_BOTH(index_add, (SINTER_PLACE, const tensor_base& source, const Scalar& alpha), &source,
            ops::saves_index, ops::added_rule({dim, true}, source.sizes(), alpha),
            put_slices(to, *this, dim, index, source, put_kind::add, alpha))
SINTER_BOTH(index_copy, (SINTER_PLACE, const tensor_base& source), &source, ops::saves_index,
            ops::assigned_rule({dim, true}, source.sizes()),
            put_slices(to, *this, dim, index, source, put_kind::assign))
SINTER_BOTH(index_reduce,
            (SINTER_PLACE, const tensor_base& source, const std::string& reduce, bool include_self),
            &source, ops::reduced_saves({reduce, include_self}),
            ops::reduced_rule({dim, true}, {reduce, include_self}, source.sizes()),
            reduce_slices(to, *this, dim, index, source, reduce, include_self))
#undef SINTER_BOTH

namespace {

/// `value_of` returns the value as a tensor of the target's dtype.
template <class ValueOf>
Tensor fill_checked(const char* name, bool in_place, const tensor_base& self, int64_t dim,
                    const tensor_base& index, const tensor_base* value, const ValueOf& value_of) {
    const auto compute = [&] {
        const target to(name, self, in_place, true);
        check_fill_index(to, index);
        return fill_slices(to, self, dim, index, value_of(to));
    };
    // A tensor that overlaps itself is filled through a vector, which has the rule.
    if (in_place && ops::overlaps_itself(*body(name, self).shape)) return compute();
    return ops::put_with_rule(name, in_place, self, index, value, ops::saves_index, compute,
                              [&] { return ops::filled_rule({dim, true}); });
}

}  // namespace

Tensor tensor_base::index_fill(SINTER_PLACE, const Scalar& value) const {
    return fill_checked("index_fill", false, *this, dim, index, nullptr,
                        [&](const target& to) { return fill_number(to, value); });
}
Tensor tensor_base::index_fill(SINTER_PLACE, const tensor_base& value) const {
    return fill_checked("index_fill", false, *this, dim, index, &value,
                        [&](const target& to) { return fill_value(to, value); });
}
Tensor& tensor_base::index_fill_(SINTER_PLACE, const Scalar& value) const {
    fill_checked("index_fill_", true, *this, dim, index, nullptr,
                 [&](const target& to) { return fill_number(to, value); });
    return self();
}
Tensor& tensor_base::index_fill_(SINTER_PLACE, const tensor_base& value) const {
    fill_checked("index_fill_", true, *this, dim, index, &value,
                 [&](const target& to) { return fill_value(to, value); });
    return self();
}

Tensor tensor_base::put(const tensor_base& index, const tensor_base& source,
                        bool accumulate) const {
    return ops::put_with_rule(
        "put", false, *this, index, &source, ops::saves_index,
        [&] { return put_positions("put", false, *this, index, source, accumulate); },
        [&] { return ops::put_rule(accumulate); });
}
Tensor& tensor_base::put_(const tensor_base& index, const tensor_base& source,
                          bool accumulate) const {
    ops::put_with_rule(
        "put_", true, *this, index, &source, ops::saves_index,
        [&] { return put_positions("put_", true, *this, index, source, accumulate); },
        [&] { return ops::put_rule(accumulate); });
    return self();
}

#define SINTER_FREE(name, parameters, ...)                                    \
    Tensor name(const tensor_base& t, SINTER_PLACE, SINTER_LIST parameters) { \
        return t.name(dim, index, __VA_ARGS__);                               \
    }
#define SINTER_LIST(...) __VA_ARGS__
SINTER_FREE(scatter, (const tensor_base& source), source)
SINTER_FREE(scatter, (const Scalar& value), value)
SINTER_FREE(scatter, (const tensor_base& source, const std::string& reduce), source, reduce)
SINTER_FREE(scatter, (const Scalar& value, const std::string& reduce), value, reduce)
SINTER_FREE(scatter_add, (const tensor_base& source), source)
SINTER_FREE(scatter_reduce,
            (const tensor_base& source, const std::string& reduce, bool include_self), source,
            reduce, include_self)
SINTER_FREE(index_add, (const tensor_base& source, const Scalar& alpha), source, alpha)
SINTER_FREE(index_copy, (const tensor_base& source), source)
SINTER_FREE(index_fill, (const Scalar& value), value)
SINTER_FREE(index_fill, (const tensor_base& value), value)
SINTER_FREE(index_reduce, (const tensor_base& source, const std::string& reduce, bool include_self),
            source, reduce, include_self)
#undef SINTER_LIST
#undef SINTER_FREE
#undef SINTER_PLACE

Tensor put(const tensor_base& t, const tensor_base& index, const tensor_base& source,
           bool accumulate) {
    return t.put(index, source, accumulate);
}

}  // namespace sinter::inline v1
