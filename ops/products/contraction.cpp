#include "ops/products/contraction.hpp"

#include "ops/common/opmath.hpp"
#include "ops/products/products.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>

#include <algorithm>
#include <optional>
#include <span>

namespace sinter::ops {
namespace {

/// One dimension, or several that are contiguous with each other.
struct axis {
    int64_t size, stride;
};

axis axis_of(const labelled& t, uint8_t label) {
    const std::size_t at = t.labels.find(label);
    if (at == t.labels.size()) return {1, 0};
    const geometry& g = *t.value.unsafeGetTensorImpl()->shape;
    return {g.sizes()[at], g.strides()[at]};
}

int64_t size_in(const labelled& a, const labelled& b, uint8_t label) {
    const int64_t size = axis_of(a, label).size;
    return size == 1 ? axis_of(b, label).size : size;
}

/// Returns the dimensions merged in this order, if that is a view.
std::optional<axis> merged(const labelled& t, std::span<const uint8_t> order) {
    axis all{1, 1};
    for (std::size_t i = order.size(); i-- > 0;) {
        const axis next = axis_of(t, order[i]);
        if (i + 1 == order.size())
            all.stride = next.stride;
        else if (next.stride != all.size * all.stride)
            return std::nullopt;
        all.size *= next.size;
    }
    return all;
}

void sort_by_stride(label_list& labels, const labelled& t) {
    labels.sort_by([&](uint8_t l) { return -axis_of(t, l).stride; });
}

/// Sorts by the order of `target`; labels it lacks come last.
void sort_by_target(label_list& labels, const label_list& target) {
    labels.sort_by([&](uint8_t l) { return target.find(l); });
}

Tensor seen(const labelled& t, const extent_list& sizes, const extent_list& strides) {
    const TensorImpl& impl = *t.value.unsafeGetTensorImpl();
    return view_of(impl, ref(sizes), ref(strides), impl.shape->offset);
}

/// The sizes and strides of a tensor in the given order of dimensions. Missing dimensions have size
/// 1.
struct extents {
    extent_list sizes, strides;

    extents(const labelled& t, const label_list& order) {
        for (uint8_t l : order) {
            const axis a = axis_of(t, l);
            sizes.push_back(a.size);
            strides.push_back(a.stride);
        }
    }
};

Tensor aligned(const labelled& t, const label_list& order) {
    if (t.labels == order) return t.value;
    const extents e(t, order);
    return seen(t, e.sizes, e.strides);
}

label_list joined(std::initializer_list<label_list> lists) {
    label_list all;
    for (const label_list& l : lists) all.append(l);
    return all;
}

/// The labels of two operands, by their role in the contraction.
struct roles {
    label_list batch, summed, left, right;

    roles(const labelled& a, const labelled& b, const label_set& kept) {
        const label_set of_a(a.labels), of_b(b.labels);
        for (uint8_t l : a.labels) (of_b.has(l) ? kept.has(l) ? batch : summed : left).push_back(l);
        for (uint8_t l : b.labels)
            if (!of_a.has(l)) right.push_back(l);
    }
};

labelled pointwise(const labelled& a, const labelled& b, const roles& r, const label_list& target) {
    label_list order = joined({a.labels, r.right});
    if (!target.empty()) sort_by_target(order, target);
    const Tensor x = aligned(a, order), y = aligned(b, order);
    return {x * y, order};
}

/// Every label is in both operands, so there is no matrix product; one fused kernel does
/// everything.
labelled reduced(const labelled& a, const labelled& b, roles r, const label_list& target) {
    sort_by_target(r.batch, target);
    sort_by_stride(r.summed, a);
    const label_list order = joined({r.batch, r.summed});
    extent_list dims;
    for (std::size_t d = r.batch.size(); d < order.size(); ++d)
        dims.push_back(static_cast<int64_t>(d));
    const ScalarType type = a.value.scalar_type(), wide = opmath_type(type);
    const Tensor x = aligned(a, order), y = aligned(b, order);
    return {(x.to(wide) * y.to(wide)).sum(ref(dims), false, wide).to(type), r.batch};
}

/// The sum over an empty dimension: zeros. It is a sum of no products, so it has gradients.
labelled nothing(const labelled& a, const labelled& b, const roles& r) {
    const label_list kept = joined({r.batch, r.left, r.right}), order = joined({kept, r.summed});
    extent_list dims;
    for (std::size_t d = kept.size(); d < order.size(); ++d)
        dims.push_back(static_cast<int64_t>(d));
    const Tensor x = aligned(a, order), y = aligned(b, order);
    return {Tensor(x * y).sum(ref(dims), false, a.value.scalar_type()), kept};
}

/// The two operands as matrices, and the labels of their product.
class matrices {
public:
    matrices(const labelled& a, const labelled& b, roles r, const label_list& target)
        : a_(a), b_(b), r_(std::move(r)), target_(target) {
        // The last dimension of the target must be a column of the product.
        bool swapped = false;
        for (uint8_t l : target) {
            if (r_.left.has(l)) swapped = true;
            if (r_.right.has(l)) swapped = false;
        }
        if (swapped) {
            std::swap(a_, b_);
            std::swap(r_.left, r_.right);
        }
        if (target.empty())
            sort_by_stride(r_.batch, a_);
        else
            sort_by_target(r_.batch, target);
        order_sums();
        split(a_, r_.left, apart_left_);
        split(b_, r_.right, apart_right_);
    }

    labelled product() const {
        const label_list batch = joined({r_.batch, apart_left_, apart_right_});
        extent_list sizes, left, right;
        for (uint8_t l : batch) {
            const axis x = axis_of(a_, l), y = axis_of(b_, l);
            const int64_t size = size_in(a_, b_, l);
            if (!sizes.empty() && left.back() == size * x.stride &&
                right.back() == size * y.stride) {
                sizes.back() *= size;
                left.back() = x.stride;
                right.back() = y.stride;
                continue;
            }
            sizes.push_back(size);
            left.push_back(x.stride);
            right.push_back(y.stride);
        }
        const axis rows = *merged(a_, r_.left), columns = *merged(b_, r_.right);
        const Tensor c = matrix(a_, sizes, left, rows, *merged(a_, r_.summed))
                             .matmul(matrix(b_, sizes, right, *merged(b_, r_.summed), columns));
        label_list order = joined({batch, r_.left, r_.right});
        extent_list apart;
        for (uint8_t l : order) apart.push_back(size_in(a_, b_, l));
        return {c.sizes() == ref(apart) ? c : c.view(ref(apart)), order};
    }

private:
    // With fewer rows per matrix, a library call for each costs more than a copy.
    static constexpr int64_t least_rows = 32;

    /// Finds an order of the summed dimensions in which both operands see them as one dimension. If
    /// there is none, copies the smaller operand.
    void order_sums() {
        sort_by_stride(r_.summed, a_);
        if (r_.summed.size() < 2) return;
        label_list other = r_.summed;
        sort_by_stride(other, b_);
        const bool both = fits(a_, r_.summed) && fits(b_, r_.summed);
        if (both) return;
        if (fits(a_, other) && fits(b_, other)) {
            r_.summed = other;
            return;
        }
        const bool keeps_a = fits(a_, r_.summed), keeps_b = fits(b_, other);
        if (keeps_b && (!keeps_a || a_.value.numel() < b_.value.numel())) r_.summed = other;
        if (!fits(a_, r_.summed)) copy(a_, r_.left);
        if (!fits(b_, r_.summed)) copy(b_, r_.right);
    }

    static bool fits(const labelled& t, const label_list& order) {
        return merged(t, order).has_value();
    }

    void copy(labelled& t, label_list& own) {
        if (!target_.empty()) sort_by_target(own, target_);
        label_list order = joined({r_.batch, own, r_.summed});
        t.value = aligned(t, order).contiguous();
        t.labels = order;
    }

    /// The dimensions of one operand alone become its rows. If only some of them merge, those
    /// become the rows and the others batch dimensions.
    void split(labelled& t, label_list& own, label_list& apart) {
        sort_by_stride(own, t);
        if (own.empty() || fits(t, own)) return;
        std::size_t first = 0, count = 0;
        int64_t longest = 0;
        // One dimension of a matrix must have stride 1.
        const bool dense = merged(t, r_.summed)->stride == 1;
        for (std::size_t begin = 0, end = 0; begin < own.size(); begin = end) {
            end = begin + 1;
            while (end < own.size() && merged(t, {&own[begin], end + 1 - begin})) ++end;
            const axis run = *merged(t, {&own[begin], end - begin});
            if ((!dense && run.stride != 1) || run.size <= longest) continue;
            longest = run.size;
            first = begin;
            count = end - begin;
        }
        if (longest < least_rows) return copy(t, own);
        label_list rows;
        for (std::size_t i = 0; i < own.size(); ++i)
            (i >= first && i < first + count ? rows : apart).push_back(own[i]);
        own = rows;
    }

    static Tensor matrix(const labelled& t, extent_list sizes, extent_list strides,
                         const axis& rows, const axis& columns) {
        sizes.push_back(rows.size);
        sizes.push_back(columns.size);
        strides.push_back(rows.stride);
        strides.push_back(columns.stride);
        return seen(t, sizes, strides);
    }

    labelled a_, b_;
    roles r_;
    const label_list& target_;
    label_list apart_left_, apart_right_;
};

}  // namespace

labelled label(const char* op, const Tensor& t, const label_list& labels) {
    const TensorImpl& impl = body(op, t);
    const geometry& g = *impl.shape;
    labelled result{t, {}};
    extent_list sizes, strides;
    for (std::size_t d = 0; d < labels.size(); ++d) {
        if (g.sizes()[d] == 1) continue;
        const std::size_t at = result.labels.find(labels[d]);
        if (at < result.labels.size()) {
            strides[at] += g.strides()[d];
            continue;
        }
        result.labels.push_back(labels[d]);
        sizes.push_back(g.sizes()[d]);
        strides.push_back(g.strides()[d]);
    }
    if (sizes.size() != labels.size())
        result.value = view_of(impl, ref(sizes), ref(strides), g.offset);
    return result;
}

labelled sum_over(const labelled& t, const label_set& summed, optional<ScalarType> dtype) {
    labelled result;
    extent_list dims;
    for (std::size_t d = 0; d < t.labels.size(); ++d) {
        if (summed.has(t.labels[d]))
            dims.push_back(static_cast<int64_t>(d));
        else
            result.labels.push_back(t.labels[d]);
    }
    result.value = dims.empty() ? t.value : t.value.sum(ref(dims), false, dtype);
    return result;
}

labelled contract(const char* op, const labelled& a, const labelled& b, const label_set& kept,
                  const label_list& target) {
    roles r(a, b, kept);
    if (r.summed.empty()) return pointwise(a, b, r, target);
    product_dtype(op, *a.value.unsafeGetTensorImpl(), *b.value.unsafeGetTensorImpl());
    if (a.value.numel() == 0 || b.value.numel() == 0) return nothing(a, b, r);
    if (r.left.empty() && r.right.empty()) return reduced(a, b, std::move(r), target);
    return matrices(a, b, std::move(r), target).product();
}

Tensor arranged(const labelled& t, const label_list& order) {
    if (t.labels == order) return t.value;
    extents e(t, order);
    // Dimensions of size 1 get the strides of a dense tensor.
    int64_t next = 1;
    for (std::size_t d = order.size(); d-- > 0;) {
        if (e.sizes[d] == 1) e.strides[d] = next;
        next = e.strides[d] * e.sizes[d];
    }
    return seen(t, e.sizes, e.strides);
}

}  // namespace sinter::ops
