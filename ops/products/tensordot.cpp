// tensordot: a pair of dimensions becomes a label that both operands have.
#include "ops/common/out.hpp"
#include "ops/products/contraction.hpp"
#include "ops/products/products.hpp"

#include <sinter/functions/products.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::inline v1 {
namespace {

using ops::body;
using ops::label_list;
using ops::label_set;
using ops::labelled;
using runtime::fail;
using runtime::text;

constexpr const char* name = "tensordot";

/// The first label for the second operand's unpaired dimensions.
constexpr int second = ops::label_max / 2;

/// Returns the dimensions counted from 0. Throws if one appears twice.
label_list wrapped(IntArrayRef dims, const TensorImpl& t) {
    ops::wrap_dims(name, dims, t.shape->ndim);
    label_list list;
    for (int64_t d : dims)
        list.push_back(static_cast<uint8_t>(ops::wrap_dim(name, d, t.shape->ndim)));
    return list;
}

/// Returns the paired labels that only one operand has: the other's dimension has size 1.
label_set alone(const labelled& a, const labelled& b, const label_list& pairs) {
    const label_set of_a(a.labels), of_b(b.labels);
    return ((of_a - of_b) | (of_b - of_a)) & label_set(pairs);
}

}  // namespace

Tensor tensordot(const tensor_base& a, const tensor_base& b, IntArrayRef dims_a,
                 IntArrayRef dims_b) {
    const TensorImpl &x = body(name, a), &y = body(name, b);
    ops::product_dtype(name, x, y);
    if (dims_a.size() != dims_b.size())
        fail(name, "the lists of dimensions have different lengths", text(dims_a, " and ", dims_b),
             "a dimension of the second operand for each of the first",
             "a number, which contracts that many dimensions");
    const label_list pairs = wrapped(dims_a, x), others = wrapped(dims_b, y);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const int64_t m = x.shape->sizes()[pairs[i]], n = y.shape->sizes()[others[i]];
        if (m != n && m != 1 && n != 1)
            ops::refuse_inner(
                name, x, y,
                text("one size in dimension ", int{pairs[i]}, " of the first and dimension ",
                     int{others[i]}, " of the second"),
                "other dimensions, or narrow() on the longer one");
    }
    label_list first, then, result;
    for (int32_t d = 0; d < x.shape->ndim; ++d) {
        first.push_back(static_cast<uint8_t>(d));
        if (!pairs.has(first.back())) result.push_back(first.back());
    }
    for (int32_t d = 0; d < y.shape->ndim; ++d) {
        const std::size_t pair = others.find(static_cast<uint8_t>(d));
        then.push_back(pair < pairs.size() ? pairs[pair] : static_cast<uint8_t>(second + d));
        if (pair == pairs.size()) result.push_back(then.back());
    }

    labelled left = ops::label(name, a.self(), first), right = ops::label(name, b.self(), then);
    const label_set summed = alone(left, right, pairs);
    left = sum_over(left, summed, x.dtype);
    right = sum_over(right, summed, x.dtype);
    return ops::arranged(ops::contract(name, left, right, label_set(result), result), result)
        .contiguous();
}

Tensor tensordot(const tensor_base& a, const tensor_base& b, int64_t dims) {
    const int64_t m = body(name, a).shape->ndim, n = body(name, b).shape->ndim;
    if (dims < 0 || dims > std::min(m, n))
        fail(name, "the number of dimensions is out of range", text(dims),
             text("0 to ", std::min(m, n), ", the dimensions that both operands have"),
             "lists of dimensions");
    std::vector<int64_t> last(static_cast<std::size_t>(dims)), first = last;
    std::iota(last.begin(), last.end(), m - dims);
    std::iota(first.begin(), first.end(), int64_t{0});
    return tensordot(a, b, last, first);
}

Tensor& tensordot_out(Tensor& out, const Tensor& a, const Tensor& b, IntArrayRef dims_a,
                      IntArrayRef dims_b) {
    return ops::store("tensordot_out", out, tensordot(a, b, dims_a, dims_b));
}

}  // namespace sinter::inline v1
