// Draws indices in proportion to weights.
//
// With replacement, a uniform number is looked up in the running sums. Without, each weight is
// divided by an exponential number, and the largest quotients win (Efraimidis, Spirakis 2006).
#include "ops/common/devices.hpp"
#include "ops/random/draw.hpp"

#include "runtime/base/fp_environment.hpp"

#include <sinter/functions/random.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinter::inline v1 {
namespace {

using ops::distribution;
using runtime::fail;
using runtime::text;

/// Throws Error if no index can be drawn.
template <class T>
void require_row(const T* row, int64_t n) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (!(row[i] >= 0) || !std::isfinite(row[i]))
            fail("multinomial", "a weight is negative, infinite or NaN", text(row[i]),
                 "finite weights of 0 or more", "clamp_min(0) or nan_to_num() first");
        sum += row[i];
    }
    if (!(sum > 0))
        fail("multinomial", "the weights of a row do not have a positive sum",
             text("a sum of ", sum), "a positive sum in each row",
             "adding a small number to the weights");
}

template <class T>
void with_replacement(const T* row, int64_t n, const double* uniform, int64_t* out,
                      int64_t samples) {
    std::vector<T> sums(static_cast<std::size_t>(n));
    std::partial_sum(row, row + n, sums.begin());
    const T whole = sums.back();
    for (T& s : sums) s /= whole;
    sums.back() = 1;
    for (int64_t i = 0; i < samples; ++i)
        out[i] = std::lower_bound(sums.begin(), sums.end(), uniform[i],
                                  [](T s, double u) { return static_cast<double>(s) < u; }) -
                 sums.begin();
}

template <class T>
void without_replacement(const T* row, int64_t n, const T* exponential, int64_t* out,
                         int64_t samples) {
    std::vector<T> quotient(static_cast<std::size_t>(n));
    std::vector<int64_t> order(quotient.size());
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = 0; i < n; ++i)
        // As in PyTorch, zero weights come last: they are drawn only if too few others are left.
        quotient[static_cast<std::size_t>(i)] = row[i] > 0 ? row[i] / exponential[i] : T(0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return quotient[static_cast<std::size_t>(a)] > quotient[static_cast<std::size_t>(b)];
    });
    std::copy(order.begin(), order.begin() + samples, out);
}

template <class T>
void sample(const Tensor& weights, int64_t* out, int64_t samples, bool replacement,
            const optional_generator& generator) {
    const int64_t n = weights.size(-1), rows = weights.dim() > 1 ? weights.size(0) : 1;
    const auto* w = weights.const_data_ptr<T>();
    {
        const runtime::fp_environment environment;
        for (int64_t r = 0; r < rows; ++r) require_row(w + r * n, n);
    }
    const bool sums = replacement && samples > 1;  // the same choice as PyTorch, because it decides
                                                   // the words drawn
    const Tensor numbers =
        sums ? ops::drawn({}, kDouble, make_contiguous({rows, samples}), generator)
             : ops::drawn({distribution::kind::exponential, 1}, scalar_type_v<T>,
                          make_contiguous({rows, n}), generator);
    numbers.eval();
    const runtime::fp_environment environment;
    for (int64_t r = 0; r < rows; ++r) {
        if (sums)
            with_replacement(w + r * n, n, numbers.const_data_ptr<double>() + r * samples,
                             out + r * samples, samples);
        else
            without_replacement(w + r * n, n, numbers.const_data_ptr<T>() + r * n,
                                out + r * samples, samples);
    }
}

}  // namespace

Tensor multinomial(const tensor_base& weights, int64_t num_samples, bool replacement,
                   const optional_generator& generator) {
    return weights.multinomial(num_samples, replacement, generator);
}

Tensor tensor_base::multinomial(int64_t num_samples, bool replacement,
                                const optional_generator& generator) const {
    const TensorImpl& t = ops::body("multinomial", *this);
    const geometry& g = *t.shape;
    if (g.ndim != 1 && g.ndim != 2)
        fail("multinomial", "the weights are neither a vector nor a matrix", ops::shape_of(t),
             "1 or 2 dimensions", "reshape() to a matrix with one row for each distribution");
    if (!isFloatingType(t.dtype))
        fail("multinomial", "the weights have the wrong dtype", text(t.dtype),
             "Half, BFloat16, Float or Double", ".to(kFloat) first");
    const int64_t categories = g.sizes()[g.ndim - 1];
    if (num_samples <= 0 || (!replacement && num_samples > categories))
        fail("multinomial", "num_samples is out of range",
             text(num_samples, " of ", categories, " weights"),
             replacement ? "1 or more" : text("1 to ", categories),
             replacement ? "1 for a single sample"
                         : "replacement = true for more samples than weights");
    std::vector<int64_t> sizes = g.sizes_ref().vec();
    sizes.back() = num_samples;
    Tensor result(make_empty(kLong, make_contiguous(sizes), runtime::main_memory));
    if (result.numel() == 0) return result;
    if (categories == 0)
        fail("multinomial", "the rows of weights are empty", ops::shape_of(t),
             "at least 1 weight in each row", "checking size(-1) first");
    auto* out = reinterpret_cast<int64_t*>(ops::fresh(*result.unsafeGetTensorImpl()));
    const Tensor dense = ops::on_host(*this).to(t.dtype == kDouble ? kDouble : kFloat).contiguous();
    const ops::creation_scope here(runtime::main_memory);
    if (t.dtype == kDouble)
        sample<double>(dense, out, num_samples, replacement, generator);
    else
        sample<float>(dense, out, num_samples, replacement, generator);
    return ops::moved(result, t.device);
}

}  // namespace sinter::inline v1
