// index({...}) and index_put_({...}): a view for the basic indices, then a gather or scatter for
// the index tensors.
#include "kernels/index/gather.hpp"
#include "ops/common/sharing.hpp"
#include "ops/index/gradients.hpp"
#include "ops/index/indexed.hpp"
#include "ops/index/slicing.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/warning.hpp>

#include <algorithm>
#include <cstring>
#include <ostream>

namespace sinter::inline v1 {

using ops::body;
using ops::dims;
using runtime::fail;
using runtime::text;

TensorIndex::TensorIndex(const char* text) : kind_(kind::ellipsis) {
    if (std::strcmp(text, "...") != 0)
        fail<ValueError>("index", "the string is not an index", runtime::text('"', text, '"'),
                         "\"...\"", "Ellipsis, Slice() or an integer");
}

std::ostream& operator<<(std::ostream& out, const Slice& s) {
    return out << s.start() << ':' << s.stop() << ':' << s.step();
}

std::ostream& operator<<(std::ostream& out, const TensorIndex& i) {
    switch (i.which()) {
        case TensorIndex::kind::none: return out << "None";
        case TensorIndex::kind::ellipsis: return out << "...";
        case TensorIndex::kind::integer: return out << i.integer();
        case TensorIndex::kind::boolean: return out << (i.boolean() ? "true" : "false");
        case TensorIndex::kind::slice: return out << i.slice();
        case TensorIndex::kind::tensor: break;
    }
    return out << i.tensor();
}

std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
    out << '(';
    for (std::size_t i = 0; i < indices.size(); ++i) out << (i ? ", " : "") << indices[i];
    return out << ')';
}

namespace {

/// Builds a view, dimension by dimension from the left.
struct cursor {
    const geometry& source;
    dims d;
    int64_t offset;
    int64_t at = 0;      // dimension of the result
    int64_t origin = 0;  // dimension of the source

    explicit cursor(const geometry& g) : source(g), d(g), offset(g.offset) {}

    void take(int64_t index) {
        const auto i = static_cast<std::size_t>(at);
        offset += ops::wrap_index("index", index, origin++, source, d.sizes[i]) * d.strides[i];
        d.erase(at);
    }
    void take(const Slice& s) {
        const auto i = static_cast<std::size_t>(at);
        if (s.step() <= 0)
            fail<ValueError>("index", "the step is not positive", text("step ", s.step()),
                             "1 or more", "flip() to reverse the dimension");
        const ops::slice_part p = ops::clamp_slice(d.sizes[i], s.start(), s.stop(), s.step());
        offset += p.start * d.strides[i];
        d.sizes[i] = p.length;
        d.strides[i] *= s.step();
        skip(1);
    }
    void skip(int64_t n) {
        at += n;
        origin += n;
    }
    void add_dimension() {
        const auto i = static_cast<std::size_t>(at);
        const int64_t stride = i < d.sizes.size() ? d.sizes[i] * d.strides[i] : 1;
        d.insert(at++, 1, stride);
    }
};

/// Index tensors for some dimensions of a view.
struct selection {
    Tensor view;
    std::vector<std::pair<int64_t, Tensor>> placed;  // dimension of the view, indices (Long)
};

bool is_mask(ScalarType type) { return type == kBool || type == kByte; }

/// Returns the number of the tensor's dimensions that an item consumes.
int64_t dims_named(const TensorIndex& i) {
    switch (i.which()) {
        case TensorIndex::kind::integer:
        case TensorIndex::kind::slice: return 1;
        case TensorIndex::kind::tensor:
            return is_mask(body("index", i.tensor()).dtype) ? i.tensor().dim() : 1;
        default: return 0;
    }
}

/// Adds the indices of a mask: one column for each of its dimensions.
void place_mask(selection& s, const cursor& c, int64_t at, const Tensor& mask) {
    const IntArrayRef sizes = mask.sizes();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::size_t k = static_cast<std::size_t>(at) + d;
        if (c.d.sizes[k] != sizes[d])
            fail<IndexError>(
                "index",
                text("The shape of the mask ", sizes, " at index ", d,
                     " does not match the shape of the indexed tensor ", c.source.sizes_ref(),
                     " at index ", c.origin + static_cast<int64_t>(d)),
                text("size ", sizes[d]), text("size ", c.d.sizes[k]),
                "a mask computed from the tensor, such as x > 0");
    }
    const Tensor rows = mask.nonzero();
    for (int64_t d = 0; d < mask.dim(); ++d) s.placed.emplace_back(at + d, rows.select(1, d));
}

void place(selection& s, cursor& c, const Tensor& index) {
    const ScalarType type = index.dtype();
    // A 0-d index is a number and may have any integer width.
    const bool indexes = index.dim() == 0 ? isIntegralType(type, true)
                                          : is_mask(type) || type == kLong || type == kInt;
    if (!indexes) ops::refuse_index_dtype<IndexError>("index", type, "Long, Int, Byte or Bool");
    if (type == kByte)
        warn(
            Warning("[index] indexing with dtype torch.uint8 is now deprecated, please use a dtype "
                    "torch.bool instead"));
    if (index.dim() > 0) {
        const int64_t at = c.at;
        if (is_mask(type)) {
            place_mask(s, c, at, index);
            c.skip(index.dim());
        } else {
            s.placed.emplace_back(at, index.to(kLong));
            c.skip(1);
        }
    } else if (is_mask(type)) {
        s.placed.emplace_back(c.at, arange(index.item<bool>() ? 1 : 0, ops::beside(index, kLong)));
        c.add_dimension();
    } else {
        c.take(index.item<int64_t>());
    }
}

selection selected(const char* op, const tensor_base& self, ArrayRef<TensorIndex> indices) {
    if (indices.empty())
        fail(op, text("Passing an empty index list to Tensor::", op, "() is not valid syntax"),
             "{}", "one index or more", "Ellipsis, which takes the whole tensor");
    const TensorImpl& t = body("index", self);
    const geometry& g = *t.shape;
    using kind = TensorIndex::kind;
    int64_t named = 0, ellipses = 0;
    for (const TensorIndex& i : indices) {
        named += dims_named(i);
        ellipses += i.which() == kind::ellipsis;
    }
    if (named > 0) ops::require_dimensions("index", g);
    if (named > g.ndim)
        fail<IndexError>("index", text("too many indices for tensor of dimension ", g.ndim),
                         text(named, " indices for shape ", g.sizes_ref()),
                         text("at most ", g.ndim),
                         "unsqueeze() to add dimensions, or fewer indices");
    if (ellipses > 1)
        fail<IndexError>("index", "there is more than one Ellipsis", text(ellipses), "at most one",
                         "Slice() in place of the others");
    cursor c(g);
    selection s;
    for (const TensorIndex& i : indices) {
        switch (i.which()) {
            case kind::none: c.add_dimension(); break;
            case kind::ellipsis: c.skip(g.ndim - named); break;
            case kind::integer: c.take(i.integer()); break;
            case kind::slice: c.take(i.slice()); break;
            case kind::tensor: place(s, c, i.tensor()); break;
            case kind::boolean:
                s.placed.emplace_back(c.at, arange(i.boolean() ? 1 : 0));
                c.add_dimension();
                break;
        }
    }
    s.view = ops::view_of(t, c.d.sizes, c.d.strides, c.offset);
    return s;
}

/// Returns the broadcast sizes of all indices.
std::vector<int64_t> common_sizes(const selection& s) {
    std::vector<int64_t> sizes;
    for (const auto& [dim, index] : s.placed) {
        try {
            sizes = broadcast_shapes("index", sizes, index.sizes());
        } catch (const Error&) {
            std::string all;
            for (const auto& p : s.placed) all += text(all.empty() ? "" : ", ", p.second.sizes());
            fail<IndexError>(
                "index",
                "shape mismatch: indexing tensors could not be broadcast together with shapes " +
                    all,
                text(s.placed.size(), " index tensors"), "sizes that are equal or 1",
                "unsqueeze() on one of them");
        }
    }
    return sizes;
}

/// Returns the space of the result. If the indices are neighbours, their dimensions replace them;
/// otherwise they come first.
ops::index_space space_of(const selection& s) {
    const std::vector<int64_t> common = common_sizes(s);
    const std::vector<int64_t> sizes = s.view.sizes().vec();
    const int64_t first = s.placed.front().first;
    const bool neighbours =
        s.placed.back().first - first + 1 == static_cast<int64_t>(s.placed.size());
    const int64_t at = neighbours ? first : 0;

    ops::index_space space(true);
    std::vector<bool> is_placed(sizes.size(), false);
    for (const auto& p : s.placed) {
        is_placed[static_cast<std::size_t>(p.first)] = true;
        space.how.placed.push_back(p.first);
    }
    const auto put_common = [&] {
        space.sizes.insert(space.sizes.end(), common.begin(), common.end());
        space.how.walked.insert(space.how.walked.end(), common.size(), -1);
    };
    std::size_t common_at = 0;
    for (std::size_t d = 0; d <= sizes.size(); ++d) {
        if (static_cast<int64_t>(d) == at) {
            common_at = space.sizes.size();
            put_common();
        }
        if (d == sizes.size() || is_placed[d]) continue;
        space.sizes.push_back(sizes[d]);
        space.how.walked.push_back(static_cast<int64_t>(d));
    }
    for (const auto& p : s.placed) {
        const Tensor index = p.second.expand(common);
        const geometry& g = *index.unsafeGetTensorImpl()->shape;
        std::vector<int64_t> strides(space.sizes.size(), 0);
        std::copy_n(g.strides(), g.ndim, strides.begin() + static_cast<int64_t>(common_at));
        space.indices.push_back(
            ops::read(*index.unsafeGetTensorImpl(), make_geometry(space.sizes, strides, g.offset)));
    }
    return space;
}

/// Drops leading dimensions of size 1 that the result lacks, as in an assignment.
Tensor without_leading_ones(const tensor_base& values, std::size_t dims) {
    Tensor v = values.self();
    while (v.dim() > static_cast<int64_t>(dims) && v.size(0) == 1) v = v.select(0, 0);
    return v;
}

bool broadcasts_to(IntArrayRef from, const std::vector<int64_t>& to) {
    try {
        return broadcast_shapes("index_put_", to, from) == to;
    } catch (const Error&) {
        return false;
    }
}

ops::scattering scattering_of(const char* op, const selection& s, const tensor_base& values,
                              bool accumulate) {
    ops::require_source_dtype(op, body(op, s.view), body(op, values));
    ops::index_space space = space_of(s);
    const Tensor v = without_leading_ones(values, space.sizes.size());
    if (!broadcasts_to(v.sizes(), space.sizes))
        fail(op,
             text("shape mismatch: value tensor of shape ", values.sizes(),
                  " cannot be broadcast to indexing result of shape ", IntArrayRef(space.sizes)),
             text(v.numel(), " values"),
             "sizes that are equal or 1, counted from the last dimension",
             "reshape() on the values");
    geometry_ptr shape = expand_to(*v.unsafeGetTensorImpl()->shape, space.sizes);
    return {accumulate ? index_kernels::put_kind::add : index_kernels::put_kind::assign, v,
            std::move(shape), std::move(space)};
}

// ---- gradients. Operands: 0 the view, 1 the values or null, then the indices.

std::vector<const tensor_base*> operands_of(const selection& s, const tensor_base* values) {
    std::vector<const tensor_base*> all{&s.view, values};
    for (const auto& p : s.placed) all.push_back(&p.second);
    return all;
}

bool is_recorded(const selection& s, const tensor_base* values) {
    const tensor_base* const both[] = {&s.view, values};
    return autograd::is_recorded(both);
}

/// What a rule knows of a selection: the view's sizes, and which of its dimensions have an index.
struct selected_dims {
    std::vector<int64_t> sizes, placed;

    explicit selected_dims(const selection& s) : sizes(s.view.sizes().vec()) {
        for (const auto& p : s.placed) placed.push_back(p.first);
    }
    /// Returns the indices that select the same elements of a tensor like the view.
    std::vector<TensorIndex> indices(const autograd::rule_call& c) const {
        std::vector<TensorIndex> all(sizes.size(), Slice());
        for (std::size_t i = 0; i < placed.size(); ++i)
            all[static_cast<std::size_t>(placed[i])] = c.operand(i + 2);
        return all;
    }
    static constexpr autograd::saves saved{.operands = ~uint64_t{0b11}};
};

Tensor selected_values(const selection& s) {
    const auto compute = [&] {
        return ops::gathered(index_kernels::index_op, s.view, space_of(s));
    };
    if (!is_recorded(s, nullptr)) return compute();
    const selected_dims dims(s);
    const std::vector<const tensor_base*> operands = operands_of(s, nullptr);
    Tensor result = [&] {
        NoGradGuard unrecorded;
        return compute();
    }();
    Tensor* const results[] = {&result};
    autograd::set_rule(
        "index", operands, selected_dims::saved, results,
        [dims](const autograd::rule_call& c) -> autograd::variable_list {
            return {
                ops::zeros_for(c.grad(), dims.sizes).index_put_(dims.indices(c), c.grad(), true)};
        });
    return result;
}

autograd::rule index_put_rule(const selection& s, bool accumulate) {
    return [dims = selected_dims(s),
            accumulate](const autograd::rule_call& c) -> autograd::variable_list {
        const Tensor& g = c.grad();
        const std::vector<TensorIndex> indices = dims.indices(c);
        Tensor of_view = g;
        if (!accumulate && c.needs(0))
            of_view = sinter::index_put(g, indices, ops::zeros_for(g, {}), false);
        return {of_view, c.needs(1) ? g.index(indices) : Tensor()};
    };
}

/// Returns the elements of `places` that the same indices select.
Tensor selected_places(const selection& s, const Tensor& places) {
    selection same = s;
    same.view = places;
    return ops::gathered(index_kernels::index_op, places, space_of(same));
}

/// Puts values into the view.
void put_selected(const char* op, const selection& s, const tensor_base& values, bool accumulate) {
    const auto write = [&](const tensor_base& v) {
        ops::scatter_into(op, s.view, scattering_of(op, s, v, accumulate));
    };
    if (!is_recorded(s, &values)) return write(values);
    // A rule's gradient has the shape of the selection, without leading ones.
    const Tensor v = without_leading_ones(values, space_of(s).sizes.size());
    std::vector<const tensor_base*> others = operands_of(s, &v);
    others.erase(others.begin());
    autograd::write_with_rule(
        op, s.view, others, selected_dims::saved, [&] { write(v); }, index_put_rule(s, accumulate));
}

/// Returns the mask if it is the only index, which needs no list of places; else null.
const Tensor* only_mask(ArrayRef<TensorIndex> indices) {
    return indices.size() == 1 && indices[0].is_tensor() && indices[0].tensor().defined() &&
                   indices[0].tensor().dtype() == kBool && indices[0].tensor().dim() > 0
               ? &indices[0].tensor()
               : nullptr;
}

/// Fills where a mask over the leading dimensions is true. This is a pointwise node and reads no
/// values at the call.
bool fill_by_mask(const tensor_base& self, ArrayRef<TensorIndex> indices,
                  const tensor_base& value) {
    const Tensor* mask = only_mask(indices);
    if (!mask || value.dim() != 0 || mask->dim() > self.dim()) return false;
    for (int64_t d = 0; d < mask->dim(); ++d)
        if (mask->size(d) != self.size(d)) return false;
    Tensor m = *mask;
    while (m.dim() < self.dim()) m = m.unsqueeze(-1);
    self.masked_fill_(m, value);
    return true;
}

/// Writes one value for each element that a mask chooses, without a list of their places.
bool put_by_mask(const tensor_base& self, ArrayRef<TensorIndex> indices,
                 const tensor_base& values) {
    const Tensor* mask = only_mask(indices);
    if (!mask || values.dim() != 1 || values.dtype() != self.dtype() ||
        mask->sizes() != self.sizes() || mask->device() != self.device() ||
        ops::overlaps_itself(*self.self().unsafeGetTensorImpl()->shape) ||
        may_overlap(body("index_put_", self), body("index_put_", *mask)) ||
        may_overlap(body("index_put_", self), body("index_put_", values)) ||
        mask->sum(kLong).item<int64_t>() != values.size(0))
        return false;  // to where errors are found
    self.masked_scatter_(*mask, values);
    return true;
}

}  // namespace

Tensor tensor_base::index(ArrayRef<TensorIndex> indices) const {
    // Elements that a mask chooses need no list of their places.
    if (const Tensor* mask = only_mask(indices);
        mask && mask->sizes() == body("index", *this).shape->sizes_ref())
        return masked_select(*mask);
    const selection s = selected("index", *this, indices);
    return s.placed.empty() ? s.view : selected_values(s);
}
Tensor tensor_base::index(std::initializer_list<TensorIndex> indices) const {
    return index(ArrayRef<TensorIndex>(indices));
}

Tensor index(const tensor_base& t, ArrayRef<TensorIndex> indices) { return t.index(indices); }
Tensor index(const tensor_base& t, std::initializer_list<TensorIndex> indices) {
    return t.index(indices);
}
Tensor& index_put_(const tensor_base& t, ArrayRef<TensorIndex> indices, const tensor_base& values,
                   bool accumulate) {
    return t.index_put_(indices, values, accumulate);
}
Tensor& index_put_(const tensor_base& t, std::initializer_list<TensorIndex> indices,
                   const tensor_base& values, bool accumulate) {
    return t.index_put_(indices, values, accumulate);
}

Tensor& tensor_base::index_put_(ArrayRef<TensorIndex> indices, const tensor_base& values,
                                bool accumulate) const {
    const char* op = "index_put_";
    if (!accumulate &&
        (fill_by_mask(*this, indices, values) || put_by_mask(*this, indices, values)))
        return self();
    const selection s = selected("index_put_", *this, indices);
    for (const auto& p : s.placed) ops::require_apart(op, body(op, *this), body(op, p.second));
    if (!s.placed.empty()) ops::require_apart(op, body(op, s.view), body(op, values));
    if (!s.placed.empty() && ops::overlaps_itself(*s.view.unsafeGetTensorImpl()->shape)) {
        ops::warn_of_overlap(op);
        const ops::shared_elements all(*s.view.unsafeGetTensorImpl());
        const Tensor places = selected_places(s, all.places);
        const Tensor v = without_leading_ones(values, places.sizes().size());
        all.vector.index_put_({places}, v.expand(places.sizes()), accumulate);
        return self();
    }
    if (s.placed.empty()) {
        const Tensor v = without_leading_ones(values, s.view.sizes().size());
        ops::require_same_shape(op, body(op, s.view),
                                broadcast_shapes(op, s.view.sizes(), v.sizes()));
        if (accumulate)
            s.view.add_(v);
        else
            s.view.copy_(v);
    } else {
        put_selected(op, s, values, accumulate);
    }
    return self();
}

Tensor& tensor_base::index_put_(ArrayRef<TensorIndex> indices, const Scalar& value,
                                bool accumulate) const {
    const TensorImpl& t = body("index_put_", *this);
    runtime::require_fits("index_put_", value, t.dtype);
    const auto selects = [](const TensorIndex& i) {
        if (!i.is_tensor()) return i.is_boolean();
        const Tensor& t = i.tensor();
        return !t.defined() || t.dim() > 0 || is_mask(t.scalar_type());
    };
    if (!accumulate && !indices.empty() && std::none_of(indices.begin(), indices.end(), selects)) {
        index(indices).fill_(value);
        return self();
    }
    return index_put_(indices, full({}, value, ops::beside(t, t.dtype)), accumulate);
}

Tensor& tensor_base::index_put_(std::initializer_list<TensorIndex> indices,
                                const tensor_base& values, bool accumulate) const {
    return index_put_(ArrayRef<TensorIndex>(indices), values, accumulate);
}
Tensor& tensor_base::index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value,
                                bool accumulate) const {
    return index_put_(ArrayRef<TensorIndex>(indices), value, accumulate);
}

Tensor tensor_base::index_put(std::initializer_list<TensorIndex> indices, const tensor_base& values,
                              bool accumulate) const {
    return sinter::index_put(*this, ArrayRef<TensorIndex>(indices), values, accumulate);
}

Tensor index_put(const tensor_base& t, ArrayRef<TensorIndex> indices, const tensor_base& values,
                 bool accumulate) {
    const selection s = selected("index_put_", t, indices);
    const bool whole = s.view.sizes() == t.sizes() && s.view.strides() == t.strides();
    if (s.placed.empty() || !whole) return t.clone().index_put_(indices, values, accumulate);
    if (is_recorded(s, &values)) return t.clone().index_put_(indices, values, accumulate);
    return ops::scattered("index_put", s.view, scattering_of("index_put", s, values, accumulate));
}

}  // namespace sinter::inline v1
