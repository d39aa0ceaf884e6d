// histogramdd: a search finds the bin of each coordinate, and a sum collects the weights of each
// bin.
#include "ops/autograd/function.hpp"
#include "ops/autograd/names.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/sorting.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

constexpr const char* name = "histogramdd";
using counted = std::tuple<Tensor, std::vector<Tensor>>;

/// Returns the number of coordinates of the points.
int64_t coordinates_of(const tensor_base& self) {
    const TensorImpl& t = body(name, self);
    ops::require_floating(name, t.dtype);
    ops::require_dims_from(name, t, 2, "unsqueeze(-1), which makes points of one coordinate");
    return t.shape->sizes()[t.shape->ndim - 1];
}

void require_count(const char* what, std::size_t given, int64_t expected) {
    if (static_cast<int64_t>(given) != expected)
        fail(name, text("the number of ", what, " does not match the coordinates"), text(given),
             text(expected), "size(-1) to see the number of coordinates");
}

Tensor counts_between(const tensor_base& self, const std::vector<Tensor>& edges,
                      const optional<Tensor>& weight, bool density) {
    const Tensor points = self.reshape({-1, self.size(-1)});
    const TensorOptions longs = self.options().dtype(kLong);
    std::vector<int64_t> bins;
    int64_t all = 1;
    for (const Tensor& e : edges) {
        bins.push_back(e.numel() - 1);
        if (__builtin_mul_overflow(all, bins.back(), &all))
            fail(name, "there are too many bins", text("bins ", bins), "fewer than 2^63 in all",
                 "fewer bins");
    }
    Tensor inside = ones(points.size(0), self.options().dtype(kBool));
    Tensor place = zeros(points.size(0), longs);
    for (std::size_t d = 0; d < edges.size(); ++d) {
        const Tensor x = points.select(1, static_cast<int64_t>(d)).contiguous();
        const Tensor &e = edges[d], first = e[0], last = e[-1];
        inside = inside & (x >= first) & (x <= last);
        const Tensor at = searchsorted(e, x, false, true) - 1;
        place = place * bins[d] + at.clamp(0, bins[d] - 1);
    }
    Tensor amount = ones(points.size(0), self.options());
    if (weight) {
        const Tensor& w = *weight;
        body(name, w);
        ops::require_operand_dtype(name, "the weights", w.scalar_type(), self.scalar_type());
        if (!(w.sizes() == self.sizes().slice(0, self.sizes().size() - 1)))
            fail(name, "the weights' shape does not match the points",
                 text("weights of shape ", w.sizes(), " for points of shape ", self.sizes()),
                 "one weight for each point", "expand() on the weights");
        amount = w.reshape(-1);
    }
    amount = where(inside, amount, 0);
    place = where(inside, place, 0);
    Tensor counts = zeros(all, self.options()).scatter_add(0, place, amount).view(bins);
    if (density) {
        counts = counts / counts.sum();
        for (std::size_t d = 0; d < edges.size(); ++d) {
            std::vector<int64_t> sizes(edges.size(), 1);
            sizes[d] = bins[d];
            counts = counts / edges[d].diff().view(sizes);
        }
    }
    return counts;
}

counted count(const tensor_base& self, std::vector<Tensor> edges, const optional<Tensor>& weight,
              bool density) {
    // As in PyTorch, there is no derivative.
    Tensor counts = autograd::with_rule(
        name, {&self, weight ? &*weight : nullptr}, {},
        [&] { return counts_between(self, edges, weight, density); },
        [](const autograd::rule_call&) -> autograd::variable_list {
            autograd::refuse_missing(name);
        });
    return {std::move(counts), std::move(edges)};
}

}  // namespace

counted histogramdd(const tensor_base& self, IntArrayRef bins, optional<ArrayRef<double>> range,
                    const optional<Tensor>& weight, bool density) {
    const int64_t n = coordinates_of(self);
    require_count("bins", bins.size(), n);
    if (range) require_count("numbers of a range", range->size(), 2 * n);
    const Tensor points = self.reshape({-1, n});
    std::vector<Tensor> edges;
    for (std::size_t d = 0; d < bins.size(); ++d) {
        const Tensor x = points.select(1, static_cast<int64_t>(d));
        optional<ArrayRef<double>> own;
        if (range) own = range->slice(2 * d, 2);
        edges.push_back(std::get<1>(x.histogram(bins[d], own)));
    }
    return count(self, std::move(edges), weight, density);
}
counted histogramdd(const tensor_base& self, int64_t bins, optional<ArrayRef<double>> range,
                    const optional<Tensor>& weight, bool density) {
    const std::vector<int64_t> each(static_cast<std::size_t>(coordinates_of(self)), bins);
    return histogramdd(self, IntArrayRef(each), range, weight, density);
}
counted histogramdd(const tensor_base& self, TensorList bins, optional<ArrayRef<double>> range,
                    const optional<Tensor>& weight, bool density) {
    const int64_t n = coordinates_of(self);
    require_count("lists of edges", bins.size(), n);
    if (range)
        fail(name, "a range is given together with edges",
             text(range->size(), " numbers as the range"), "no range",
             "the edges alone, or numbers of bins");
    std::vector<Tensor> edges;
    for (const Tensor& e : bins) {
        const TensorImpl& b = body(name, e);
        if (b.shape->ndim != 1 || b.shape->numel < 2)
            fail(name, "the edges are not a vector of 2 or more", ops::shape_of(b),
                 "a vector of rising edges", "a number of bins");
        ops::require_operand_dtype(name, "the edges", b.dtype, self.scalar_type());
        edges.push_back(e.clone());
    }
    return count(self, std::move(edges), weight, density);
}

}  // namespace sinter::inline v1
