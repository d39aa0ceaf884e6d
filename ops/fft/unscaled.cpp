#include "ops/fft/unscaled.hpp"

#include "engine/run/record.hpp"
#include "kernels/fft/fft.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/shape.hpp>

namespace sinter::ops {
namespace {

/// Returns dimensions as counted from the end, which a leading one more does not change.
std::vector<int64_t> from_the_end(const std::vector<int64_t>& dims, int64_t ndim) {
    std::vector<int64_t> d = dims;
    for (int64_t& i : d)
        if (i >= 0) i -= ndim;
    return d;
}

Tensor computed(const kernel_op& op, const Tensor& x, const std::vector<int64_t>& dims,
                bool inverse, ScalarType dtype, const std::vector<int64_t>& sizes) {
    fourier::fft_attributes along{dims, inverse};
    for (int64_t& d : along.dims)
        if (d < 0) d += x.dim();
    const leaf input = read(body(op.name, x));
    geometry_ptr shape = make_contiguous(sizes);
    std::unique_ptr<Node> node =
        library_node(&op, {&input, 1}, dtype, shape, make_attributes(std::move(along)));
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

/// Returns 1, 2, ..., 2 along a dimension of `half` elements that stand for `n`, with a 1 at the
/// end if n is even: how many of the n elements each of them stands for.
Tensor multiplicities(const Tensor& like, int64_t dim, int64_t half, int64_t n) {
    std::vector<int64_t> sizes(static_cast<std::size_t>(-dim), 1);
    sizes[0] = half;
    const Tensor k = arange(half, beside(like, kLong)).view(sizes);
    return where((k == 0) | (k * 2 == n), 1, 2);
}

}  // namespace

Tensor fft_c2c(const Tensor& x, const std::vector<int64_t>& dims, bool inverse) {
    const std::vector<int64_t> d = from_the_end(dims, x.dim());
    return autograd::with_rule(
        fourier::c2c_op.name, {&x}, {.batched = true},
        [&] { return computed(fourier::c2c_op, x, d, inverse, x.scalar_type(), x.sizes().vec()); },
        [d, inverse](const autograd::rule_call& c) -> autograd::variable_list {
            return {fft_c2c(c.grad(), d, !inverse)};
        });
}

Tensor fft_r2c(const Tensor& x, const std::vector<int64_t>& dims) {
    const std::vector<int64_t> d = from_the_end(dims, x.dim());
    const int64_t last = d.back(), n = x.size(last);
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[sizes.size() - static_cast<std::size_t>(-last)] = n / 2 + 1;
    return autograd::with_rule(
        fourier::r2c_op.name, {&x}, {.batched = true},
        [&] {
            return computed(fourier::r2c_op, x, d, false, toComplexType(x.scalar_type()), sizes);
        },
        // What was left out has no gradient.
        [d, last, n](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor& g = c.grad();
            std::vector<int64_t> pad(static_cast<std::size_t>(-2 * last), 0);
            pad.back() = n - g.size(last);
            return {Tensor(sinter::real(fft_c2c(constant_pad_nd(g, pad), d, true)))};
        });
}

Tensor fft_c2r(const Tensor& x, int64_t dim, int64_t n) {
    const int64_t d = from_the_end({dim}, x.dim())[0], half = x.size(d);
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[sizes.size() - static_cast<std::size_t>(-d)] = n;
    return autograd::with_rule(
        fourier::c2r_op.name, {&x}, {.batched = true},
        [&] {
            return computed(fourier::c2r_op, x, {d}, true, toRealValueType(x.scalar_type()), sizes);
        },
        [d, half, n](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor g = fft_r2c(c.grad(), {d});
            return {Tensor(g * multiplicities(g, d, half, n))};
        });
}

}  // namespace sinter::ops
