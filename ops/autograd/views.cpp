#include "ops/autograd/views.hpp"

#include "ops/common/leading.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace sinter::inline v1::autograd {
namespace {

using ops::body;

/// Returns the dimensions that a layout repeats.
std::vector<int64_t> repeated_dims(const geometry& g) {
    std::vector<int64_t> dims;
    for (int d = 0; d < g.ndim; ++d)
        if (g.strides()[d] == 0 && g.sizes()[d] > 1) dims.push_back(d);
    return dims;
}

/// Returns the dimensions in which a layout goes backwards.
std::vector<int64_t> backward_dims(const geometry& g) {
    std::vector<int64_t> dims;
    for (int d = 0; d < g.ndim; ++d)
        if (g.strides()[d] < 0) dims.push_back(d);
    return dims;
}

/// Returns the layout in which they go forwards.
geometry_ptr turned(const geometry& g) {
    std::vector<int64_t> strides = g.strides_ref().vec();
    int64_t offset = g.offset;
    for (int d = 0; d < g.ndim; ++d) {
        int64_t& s = strides[static_cast<std::size_t>(d)];
        if (s >= 0) continue;
        offset += (g.sizes()[d] - 1) * s;
        s = -s;
    }
    return make_geometry(g.sizes_ref(), strides, offset);
}

geometry_ptr with_one_of(const geometry& g, const std::vector<int64_t>& dims) {
    std::vector<int64_t> sizes = g.sizes_ref().vec();
    for (const int64_t d : dims) sizes[static_cast<std::size_t>(d)] = 1;
    return make_geometry(sizes, g.strides_ref(), g.offset);
}

/// Returns the order of dimensions in which the layout is row-major and dense from 0 on, or nothing
/// if there is none.
std::optional<std::vector<int64_t>> row_major_order(const geometry& g) {
    std::vector<int64_t> order(static_cast<std::size_t>(g.ndim));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return std::pair(-g.strides()[a], a) < std::pair(-g.strides()[b], b);
    });
    int64_t dense = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const int64_t d = order[i];
        if (g.sizes()[d] == 1) continue;
        if (g.strides()[d] != dense) return {};
        dense *= g.sizes()[d];
    }
    if (g.offset != 0) return {};
    return order;
}

/// Adds g to zeros of the shape `of`, at the places that `map` names.
Tensor placed(Tensor g, const geometry& of, ScalarType of_dtype, geometry_ptr map,
              ScalarType dtype) {
    if (const std::vector<int64_t> dims = backward_dims(*map); !dims.empty()) {
        g = g.flip(dims);
        map = turned(*map);
    }
    if (const std::vector<int64_t> dims = repeated_dims(*map); !dims.empty()) {
        g = g.sum(dims, true);
        map = with_one_of(*map, dims);
    }
    if (map->numel == of.numel && dtype == of_dtype)
        if (const auto order = row_major_order(*map))
            return g.permute(*order).reshape(of.sizes_ref());
    const Tensor all = zeros(of.sizes_ref(), ops::beside(body("backward", g), of_dtype));
    const TensorImpl& whole = *all.unsafeGetTensorImpl();
    if (!ops::overlaps_itself(*map)) {
        Tensor(make_view(whole, map, dtype)).copy_(g);
        return all;
    }
    const Tensor overlapping(make_view(whole, map, dtype));
    const ops::shared_elements shared(*overlapping.unsafeGetTensorImpl());
    Tensor(shared.vector).index_add_(0, shared.places.flatten(), g.flatten());
    return all;
}

/// A tensor as large as the storage, with `g` where the family's tensor lies.
Tensor in_storage(const Tensor& g, const geometry& family, ScalarType dtype, int64_t elements) {
    if (family.contiguous && family.offset == 0) return g.clone(MemoryFormat::Contiguous).to(dtype);
    const Tensor all = zeros({elements}, ops::beside(body("backward", g), dtype));
    Tensor(make_view(*all.unsafeGetTensorImpl(), geometry_ptr(&family))).copy_(g);
    return all;
}

/// Reads the family's tensor out of such a tensor. Elements that share memory share its gradient
/// evenly, as in PyTorch's as_strided: the storage does not tell which of them a view reads.
Tensor out_of_storage(const Tensor& all, const geometry& family) {
    if (family.contiguous && family.offset == 0) return all.reshape(family.sizes_ref());
    const geometry_ptr own(&family);
    Tensor part(make_view(*all.unsafeGetTensorImpl(), own));
    if (!ops::overlaps_itself(family)) return part;
    const ScalarType dtype = all.scalar_type();
    const Tensor each = ones(family.sizes_ref(), all.options());
    const Tensor count = placed(each, *all.unsafeGetTensorImpl()->shape, dtype, own, dtype);
    return part / Tensor(make_view(*count.unsafeGetTensorImpl(), own));
}

geometry_ptr led(const geometry& g, optional<int64_t> leading, int64_t apart) {
    return leading ? ops::led(g, *leading, apart) : geometry_ptr(&g);
}

optional<int64_t> leading_size(const Tensor& t, bool batched) {
    return batched ? optional(t.size(0)) : nullopt;
}

/// Returns a view of memory from its first element on. The elements are row-major.
Tensor seen(const Tensor& memory, geometry_ptr shape, ScalarType dtype) {
    return Tensor(make_view(body("forward", memory), std::move(shape), dtype));
}

/// Returns the elements row-major, from the first one of their storage on.
Tensor from_the_start(const Tensor& t) {
    const geometry& g = *body("forward", t).shape;
    return g.contiguous && g.offset == 0 ? t : t.clone(MemoryFormat::Contiguous);
}

/// Returns tensors as large as the storage, one for each leading index, with the tangent where the
/// family's tensor lies. It is a copy.
Tensor tangent_in_storage(const Tensor& t, const geometry& family, ScalarType dtype,
                          int64_t elements, optional<int64_t> leading) {
    if (family.contiguous && family.offset == 0 && family.numel == elements)
        return t.clone(MemoryFormat::Contiguous).to(dtype);
    const Tensor all =
        zeros({leading.value_or(1) * elements}, ops::beside(body("forward", t), dtype));
    seen(all, led(family, leading, elements), dtype).copy_(t);
    return all;
}

class view_gradient final : public Node {
public:
    view_gradient(const gradient_view& v, const gradient_family& family, Edge next)
        : of_(v.of),
          of_dtype_(v.of_dtype),
          map_(v.map),
          shape_(v.shape),
          dtype_(v.dtype),
          family_(family.shape),
          elements_(v.storage_elements) {
        next_edges_.push_back(std::move(next));
        describe_result(*this, shape_, dtype_, family.device);
    }
    std::string name() const override { return map_ ? "ViewBackward0" : "AsStridedBackward0"; }
    variable_list apply(variable_list&& grads) override {
        if (!grads[0].defined()) return {Tensor()};
        if (map_) return {placed(grads[0], *of_, of_dtype_, map_, dtype_)};
        const geometry_ptr all = make_contiguous({&elements_, 1});
        return {out_of_storage(placed(grads[0], *all, of_dtype_, shape_, dtype_), *family_)};
    }
    std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched) override {
        const auto leading = leading_size(tangents[0], batched);
        const Tensor memory =
            map_ ? from_the_start(tangents[0])
                 : tangent_in_storage(tangents[0], *family_, of_dtype_, elements_, leading);
        const int64_t apart = ops::counted_in(dtype_, map_ ? of_->numel : elements_, of_dtype_);
        return variable_list{seen(memory, led(map_ ? *map_ : *shape_, leading, apart), dtype_)};
    }

private:
    geometry_ptr of_;
    ScalarType of_dtype_;
    geometry_ptr map_, shape_;
    ScalarType dtype_;
    geometry_ptr family_;
    int64_t elements_;
};

class partial_write_gradient final : public Node {
public:
    partial_write_gradient(const TensorImpl& part, const gradient_family& family, Edge old,
                           Edge source)
        : part_(part.shape),
          part_dtype_(part.dtype),
          family_(family.shape),
          dtype_(family.dtype),
          elements_(elements_in(*part.storage, family.dtype)),
          old_(old.is_valid()),
          source_(source.is_valid()) {
        if (old_) next_edges_.push_back(std::move(old));
        if (source_) next_edges_.push_back(std::move(source));
        describe_result(*this, family_, dtype_, family.device);
    }
    std::string name() const override { return "CopySlices"; }
    variable_list apply(variable_list&& grads) override {
        variable_list gradients;
        if (!grads[0].defined()) return variable_list(next_edges_.size());
        const Tensor all = in_storage(grads[0], *family_, dtype_, elements_);
        const Tensor part(make_view(*all.unsafeGetTensorImpl(), part_, part_dtype_));
        Tensor of_source;
        if (source_) of_source = part.clone(MemoryFormat::Contiguous);
        if (old_) {
            part.zero_();
            gradients.push_back(out_of_storage(all, *family_));
        }
        if (source_) gradients.push_back(of_source);
        return gradients;
    }
    std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched) override {
        const Tensor old = old_ ? tangents[0] : Tensor(),
                     source = source_ ? tangents.back() : Tensor();
        const Tensor& any = old.defined() ? old : source;
        const auto leading = leading_size(any, batched);
        const Tensor all = old.defined()
                               ? tangent_in_storage(old, *family_, dtype_, elements_, leading)
                               : zeros({leading.value_or(1) * elements_},
                                       ops::beside(body("forward", any), dtype_));
        const Tensor part =
            seen(all, led(*part_, leading, ops::counted_in(part_dtype_, elements_, dtype_)),
                 part_dtype_);
        if (source.defined())
            part.copy_(source);
        else
            part.zero_();
        return variable_list{seen(all, led(*family_, leading, elements_), dtype_)};
    }

private:
    geometry_ptr part_;
    ScalarType part_dtype_;
    geometry_ptr family_;
    ScalarType dtype_;
    int64_t elements_;
    bool old_, source_;
};

class overwritten_gradient final : public Node {
public:
    overwritten_gradient(const gradient_family& family, Edge old) {
        next_edges_.push_back(std::move(old));
        describe_result(*this, family.shape, family.dtype, family.device);
    }
    std::string name() const override { return "FillBackward0"; }
    variable_list apply(variable_list&& grads) override {
        return {grads[0].defined() ? zeros_like(grads[0]) : Tensor()};
    }
    std::optional<variable_list> apply_forward(variable_list&&, bool) override {
        return variable_list(1);
    }
};

}  // namespace

intrusive_ptr<Node> make_view_gradient(const gradient_view& v, const gradient_family& family,
                                       Edge next) {
    return make_intrusive<view_gradient>(v, family, std::move(next));
}

intrusive_ptr<Node> make_partial_write_gradient(const TensorImpl& part,
                                                const gradient_family& family, Edge old,
                                                Edge source) {
    return make_intrusive<partial_write_gradient>(part, family, std::move(old), std::move(source));
}

intrusive_ptr<Node> make_overwritten_gradient(const gradient_family& family, Edge old) {
    return make_intrusive<overwritten_gradient>(family, std::move(old));
}

}  // namespace sinter::inline v1::autograd
