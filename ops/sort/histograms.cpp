// histc, histogram, and bincount, which reads its operand at the call.
#include "engine/run/record.hpp"
#include "kernels/histogram/histogram.hpp"

#include "ops/common/devices.hpp"
#include "ops/common/opmath.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/sorting.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

using pair = std::tuple<Tensor, Tensor>;

// ---- histograms
void require_bins(const char* op, int64_t bins) {
    if (bins <= 0)
        fail(op, "the number of bins is not positive", text(bins), "1 or more", "100, the default");
}

Tensor node_of(const kernel_op& op, std::span<const leaf> inputs, ScalarType dtype, int64_t size,
               attributes_ptr attributes = {}) {
    geometry_ptr shape = make_contiguous(size);
    std::unique_ptr<Node> node = library_node(&op, inputs, dtype, shape, std::move(attributes));
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

pair histogram_at(const TensorImpl& t, Tensor edges, const optional<Tensor>& weight, bool density) {
    std::vector<leaf> inputs{ops::read(t), ops::read(body("histogram", edges))};
    if (weight) {
        const TensorImpl& w = body("histogram", *weight);
        ops::require_operand_dtype("histogram", "the weights", w.dtype, t.dtype);
        if (!(w.shape->sizes_ref() == t.shape->sizes_ref()))
            fail("histogram", "the weights' shape does not match the tensor", ops::shapes(w, t),
                 "equal shapes", "expand() on the weights");
        inputs.push_back(ops::read(w));
    }
    Tensor counts = node_of(ordering::histogram_op, inputs, t.dtype, edges.numel() - 1);
    if (density) counts = counts / counts.sum() / (edges.slice(0, 1) - edges.slice(0, 0, -1));
    return {std::move(counts), std::move(edges)};
}

}  // namespace

Tensor tensor_base::bincount() const { return bincount(nullopt); }
Tensor tensor_base::bincount(const optional<Tensor>& weights, int64_t minlength) const {
    const TensorImpl& t = body("bincount", *this);
    ops::require_vector("bincount", t);
    if (!isIntegralType(t.dtype, false))
        runtime::refuse_dtype("bincount", sinter::toString(t.dtype), "an integral dtype",
                              ".to(kLong) first");
    if (minlength < 0)
        fail("bincount", "minlength is negative", text(minlength), "0 or more", "0, the default");
    if (weights && !(body("bincount", *weights).shape->sizes_ref() == t.shape->sizes_ref()))
        fail("bincount", "the weights' shape does not match the tensor",
             ops::shapes(body("bincount", *weights), t), "equal shapes", "expand() on the weights");
    const Tensor at = to(kLong);
    int64_t size = minlength;
    if (at.numel() > 0) {
        const auto [least, largest] = at.aminmax();
        if (least.item<int64_t>() < 0)
            fail("bincount", "an element is negative",
                 text(at.masked_select(at < 0)[0].item<int64_t>()), "0 or more",
                 "clamp_min(0) first");
        size = std::max(size, largest.item<int64_t>() + 1);
    }
    std::vector<leaf> inputs{ops::read(body("bincount", at))};
    if (!weights) return node_of(ordering::bincount_op, inputs, kLong, size);
    const Tensor w = weights->scalar_type() == kFloat ? weights->self() : weights->to(kDouble);
    inputs.push_back(ops::read(body("bincount", w)));
    return node_of(ordering::bincount_op, inputs, w.scalar_type(), size);
}

Tensor tensor_base::histc(int64_t bins, const Scalar& min, const Scalar& max) const {
    const TensorImpl& t = body("histc", *this);
    ops::require_floating("histc", t.dtype);
    require_bins("histc", bins);
    const double low = min.toDouble(), high = max.toDouble();
    if (!std::isfinite(low) || !std::isfinite(high))
        fail("histc", "the range is not finite",
             text(runtime::to_text(min), " to ", runtime::to_text(max)), "finite bounds",
             "0 and 0, which take the range of the elements");
    if (low > high)
        fail("histc", "min is greater than max",
             text(runtime::to_text(min), " to ", runtime::to_text(max)), "min <= max",
             "swapping them");
    const leaf input = ops::read(t);
    return node_of(ordering::histc_op, {&input, 1}, t.dtype, bins,
                   make_attributes(ordering::histogram_range{low, high, low == high}));
}

pair tensor_base::histogram(int64_t bins, optional<ArrayRef<double>> range) const {
    return histogram(bins, range, nullopt, false);
}
pair tensor_base::histogram(int64_t bins, optional<ArrayRef<double>> range,
                            const optional<Tensor>& weight, bool density) const {
    const TensorImpl& t = body("histogram", *this);
    ops::require_floating("histogram", t.dtype);
    require_bins("histogram", bins);
    ordering::histogram_range edges{.of_elements = !range.has_value()};
    if (range) {
        if (range->size() != 2)
            fail("histogram", "the range does not have two bounds", text(range->size(), " numbers"),
                 "a lower and an upper bound", "leaving the range out");
        const double low = (*range)[0], high = (*range)[1];
        if (!std::isfinite(low) || !std::isfinite(high) || low > high)
            fail("histogram", "the range is not finite and rising", text(low, " to ", high),
                 "finite bounds, the lower one first", "leaving the range out");
        edges.low = low;
        edges.high = high;
    }
    const leaf input = ops::read(t);
    return histogram_at(
        t, node_of(ordering::edges_op, {&input, 1}, t.dtype, bins + 1, make_attributes(edges)),
        weight, density);
}
pair tensor_base::histogram(const tensor_base& bins) const {
    return histogram(bins, nullopt, false);
}
pair tensor_base::histogram(const tensor_base& bins, const optional<Tensor>& weight,
                            bool density) const {
    const TensorImpl &t = body("histogram", *this), &edges = body("histogram", bins);
    ops::require_floating("histogram", t.dtype);
    if (edges.shape->ndim != 1 || edges.shape->numel < 2)
        fail("histogram", "the edges are not a vector of 2 or more", ops::shape_of(edges),
             "a vector of rising edges", "a number of bins");
    ops::require_operand_dtype("histogram", "the edges", edges.dtype, t.dtype);
    return histogram_at(t, bins.clone(), weight, density);
}

// ---- function forms
Tensor bincount(const tensor_base& t, const optional<Tensor>& weights, int64_t minlength) {
    return t.bincount(weights, minlength);
}
Tensor histc(const tensor_base& t, int64_t bins, const Scalar& min, const Scalar& max) {
    return t.histc(bins, min, max);
}
pair histogram(const tensor_base& t, int64_t bins, optional<ArrayRef<double>> range,
               const optional<Tensor>& weight, bool density) {
    return t.histogram(bins, range, weight, density);
}
pair histogram(const tensor_base& t, const tensor_base& bins, const optional<Tensor>& weight,
               bool density) {
    return t.histogram(bins, weight, density);
}

}  // namespace sinter::inline v1
