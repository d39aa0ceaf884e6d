#include "tests/ops/check.hpp"

#include <sinter/functions/linalg.hpp>
#include <sinter/functions/out.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/print.hpp>
#include <sinter/functions/products.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/scans.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/functions/sorting.hpp>
#include <sinter/functions/special.hpp>

#include <doctest/doctest.h>

#include <functional>

using namespace sinter;

namespace {

Tensor matrix() { return tensor({1., 2., 3., 4., 5., 6., 7., 8., 10.}).view({3, 3}); }
Tensor other() { return tensor({2., 1., 0., 1., 3., 1., 0., 1., 4.}).view({3, 3}); }

/// Checks that `out` is the returned tensor and holds `expected` in its dtype.
void check_out(const char* call, const Tensor& out, const Tensor& back, const Tensor& expected) {
    CAPTURE(std::string(call));
    CHECK(back.is_same(out));
    CHECK((out.scalar_type() == expected.scalar_type()));
    CHECK(repr(out) == repr(expected));
    CHECK(out.equal(expected));
}

#define INTO(dtype, call, expected)                      \
    {                                                    \
        Tensor r = empty({0}, dtype);                    \
        const Tensor& back = call;                       \
        check_out(#call, r, back, (expected).to(dtype)); \
    }

template <class F>
void throws_text(F f, const std::string& text) {
    CHECK_THROWS_WITH_AS(f(), text.c_str(), Error);
}

}  // namespace

TEST_CASE("an output of as many elements keeps its sizes") {
    test::for_each_mode([] {
        const Tensor expected = tensor({{0., 1., 2.}, {3., 4., 5.}});
        Tensor r = empty({2, 3});
        CHECK(equal(linspace_out(r, 0, 5, 6), expected));
        CHECK(equal(arange_out(r, 6), expected));
        CHECK(equal(arange_out(r, 1, 7, 1), expected + 1));
        CHECK(logspace_out(r, 0, 5, 6).sizes() == IntArrayRef({2, 3}));
        Tensor turned = empty({3, 2}).t();
        CHECK(equal(linspace_out(turned, 0, 5, 6), expected));
        CHECK(turned.strides() == IntArrayRef({1, 2}));
        Tensor number = empty({}), none = empty({0, 3});
        CHECK(arange_out(number, 1).dim() == 0);
        CHECK(linspace_out(none, 2, 5, 0).sizes() == IntArrayRef({0, 3}));
        CHECK(linspace_out(r, 0, 3, 4).sizes() == IntArrayRef({4}));
    });
}

TEST_CASE("indexing into a given tensor") {
    test::for_each_mode([] {
        const Tensor a = arange(6, kFloat).view({2, 3}), at = tensor({1}), columns = tensor({2, 0});
        Tensor r = empty({0});
        CHECK(equal(index_out(r, a, {at, columns}), tensor({5., 3.})));
        CHECK(equal(index_out(r, a, {Slice(), columns}), tensor({{2., 0.}, {5., 3.}})));
        CHECK(equal(index_put_out(r, a, {at}, tensor(7.)), tensor({{0., 1., 2.}, {7., 7., 7.}})));
        CHECK(equal(index_put_out(r, a, {at}, tensor(1.), true), a + tensor({{0.}, {1.}})));
        Tensor wide = empty({0}, kDouble), own = a.clone();
        throws_text([&] { index_out(wide, a, {at}); },
                    "[index_out] the output has the wrong dtype; got Double, expected Float, the "
                    "result's dtype; try empty({0}, kFloat) as the output");
        throws_text([&] { index_out(own, own, {at}); },
                    "[index_out] some elements of the input tensor and the written-to tensor refer "
                    "to a single memory location; got one storage for both, expected separate "
                    "memory; try clone() on the input first");
    });
}

TEST_CASE("functions that are no rows have a form that writes into a given tensor") {
    test::for_each_mode([] {
        const Tensor f = matrix(), g = other(), v = tensor({3., 1., 2.});
        const Tensor at = tensor({2, 0}), l = tensor({0, 2, 1, 1, 0, 2, 2, 1, 0}).view({3, 3});
        const Tensor b = f > 3, sorted = tensor({1., 2., 3.}), whole = tensor({3, 1, 2}, kInt);
        // reductions
        INTO(kBool, all_out(r, b), b.all());
        INTO(kBool, all_out(r, b, 0), b.all(0));
        INTO(kByte, any_out(r, b, {0, 1}, true), b.any({0, 1}, true));
        INTO(kFloat, amax_out(r, f), f.amax());
        INTO(kFloat, amin_out(r, f, 1, true), f.amin(1, true));
        INTO(kLong, argmax_out(r, f, 0), f.argmax(0));
        INTO(kLong, argmin_out(r, f), f.argmin());
        INTO(kLong, count_nonzero_out(r, g), count_nonzero(g));
        INTO(kFloat, dist_out(r, f, g, 3), dist(f, g, 3));
        INTO(kFloat, logsumexp_out(r, f, {0}), logsumexp(f, {0}));
        INTO(kDouble, special::logsumexp_out(r, f, 0), logsumexp(f, 0));
        INTO(kDouble, max_out(r, f), f.max());
        INTO(kFloat, max_out(r, f, g), sinter::max(f, g));
        INTO(kFloat, mean_out(r, f), f.mean());
        INTO(kDouble, mean_out(r, f, {0, 1}), f.mean({0, 1}, false, kDouble));
        INTO(kFloat, mean_out(r, whole, 0), whole.mean(0, false, kFloat));
        INTO(kFloat, nanmean_out(r, f, 0), nanmean(f, 0));
        INTO(kFloat, nansum_out(r, f), nansum(f));
        INTO(kFloat, norm_out(r, f), norm(f));
        INTO(kFloat, norm_out(r, f, 1, {0}, true), norm(f, 1, {0}, true));
        INTO(kFloat, prod_out(r, f), f.prod());
        INTO(kLong, prod_out(r, f, 0), f.prod(0, false, kLong));
        INTO(kFloat, std_out(r, f), f.std());
        INTO(kFloat, std_out(r, f, {0}, false, true), f.std({0}, false, true));
        INTO(kDouble, var_out(r, f, {0}, true), var(f, {0}, true));
        INTO(kFloat, sum_out(r, f), f.sum());
        INTO(kLong, sum_out(r, b), b.sum());
        INTO(kDouble, sum_out(r, f, 0), f.sum(0, false, kDouble));
        INTO(kInt, sum_out(r, f, {0, 1}), f.sum({0, 1}, false, kInt));
        INTO(kFloat, softmax_out(r, f, 1), f.softmax(1));
        INTO(kFloat, renorm_out(r, f, 2, 0, 1.), renorm(f, 2, 0, 1.));
        INTO(kFloat, trace_out(r, f), trace(f));
        // scans, order
        INTO(kLong, cumsum_out(r, f, 0), f.cumsum(0, kLong));
        INTO(kDouble, cumprod_out(r, f, -1), f.cumprod(-1, kDouble));
        INTO(kFloat, logcumsumexp_out(r, f, 0), logcumsumexp(f, 0));
        INTO(kFloat, diff_out(r, v), diff(v));
        INTO(kLong, argsort_out(r, f, true), f.argsort(true));
        INTO(kLong, bincount_out(r, l.view(-1)), bincount(l.view(-1)));
        INTO(kLong, bucketize_out(r, f, sorted), bucketize(f, sorted));
        INTO(kInt, searchsorted_out(r, sorted, 2, true, true), searchsorted(sorted, 2, true, true));
        INTO(kFloat, histc_out(r, f, 4), histc(f, 4));
        INTO(kBool, isin_out(r, f, v), isin(f, v));
        INTO(kFloat, msort_out(r, v), msort(v));
        INTO(kFloat, median_out(r, f), f.median());
        INTO(kFloat, quantile_out(r, f, 0.5, 0), quantile(f, 0.5, 0));
        INTO(kFloat, nanquantile_out(r, f, tensor({0.25, 0.75}), 1, true, "lower"),
             nanquantile(f, tensor({0.25, 0.75}), 1, true, "lower"));
        // shapes
        INTO(kFloat, cat_out(r, {f, g}), cat({f, g}));
        INTO(kDouble, cat_out(r, {whole, v}), cat({whole, v}));
        INTO(kFloat, stack_out(r, {f, g}, -1), stack({f, g}, -1));
        INTO(kFloat, hstack_out(r, {f, g}), hstack({f, g}));
        INTO(kFloat, block_diag_out(r, {f, g}), block_diag({f, g}));
        INTO(kFloat, diag_out(r, v), diag(v));
        INTO(kFloat, flip_out(r, f, {0, 1}), f.flip({0, 1}));
        INTO(kFloat, roll_out(r, f, 1, 0), f.roll(1, 0));
        INTO(kFloat, rot90_out(r, f), rot90(f));
        INTO(kFloat, tril_out(r, f), f.tril());
        INTO(kFloat, triu_out(r, f, 1), f.triu(1));
        INTO(kFloat, clone_out(r, f), f);
        // through indices
        INTO(kFloat, gather_out(r, f, 0, l), f.gather(0, l));
        INTO(kFloat, index_select_out(r, f, 0, at), f.index_select(0, at));
        INTO(kFloat, index_add_out(r, f, 0, at, f.narrow(0, 0, 2), 2),
             f.index_add(0, at, f.narrow(0, 0, 2), 2));
        INTO(kFloat, masked_fill_out(r, f, b, 2), f.masked_fill(b, 2));
        INTO(kFloat, masked_select_out(r, f, b), f.masked_select(b));
        INTO(kLong, nonzero_out(r, g), g.nonzero());
        INTO(kFloat, scatter_out(r, f, 0, l, 2), f.scatter(0, l, 2));
        INTO(kFloat, scatter_out(r, f, 0, l, g, "add"), f.scatter(0, l, g, "add"));
        INTO(kFloat, scatter_reduce_out(r, f, 0, l, g, "amax", false),
             f.scatter_reduce(0, l, g, "amax", false));
        INTO(kFloat, select_scatter_out(r, f, v, 0, 1), select_scatter(f, v, 0, 1));
        INTO(kFloat, take_out(r, f, at), f.take(at));
        INTO(kFloat, take_along_dim_out(r, f, l, 0), take_along_dim(f, l, 0));
        // the rest
        INTO(kComplexFloat, sinter::complex_out(r, f, g), sinter::complex(f, g));
        INTO(kFloat, celu_out(r, f - 4), celu(f - 4));
        INTO(kDouble, special_xlogy_out(r, 2, f), xlogy(2, f));
        INTO(kFloat, special::gammaln_out(r, f), lgamma(f));
        INTO(kInt, bitwise_left_shift_out(r, 1, whole), bitwise_left_shift(1, whole));
    });
}

TEST_CASE("a factory writes into a given tensor in its dtype") {
    test::for_each_mode([] {
        INTO(kHalf, zeros_out(r, {2, 3}), zeros({2, 3}));
        INTO(kInt, ones_out(r, 2), ones({2}));
        INTO(kComplexFloat, full_out(r, {2}, 2.5), full({2}, 2.5));
        INTO(kBool, eye_out(r, 2, 3), eye(2, 3));
        INTO(kDouble, arange_out(r, 0, 5, 1.5), arange(0, 5, 1.5));
        INTO(kLong, arange_out(r, 0, 5, 1.5), tensor({0, 1, 2, 3}));
        INTO(kFloat, linspace_out(r, 0, 5, 4), linspace(0, 5, 4));
        INTO(kDouble, logspace_out(r, 0, 3, 4, 2), logspace(0, 3, 4, 2));
        INTO(kInt, tril_indices_out(r, 3, 3), tril_indices(3, 3));
        INTO(kShort, full_like_out(r, matrix(), 3), full({3, 3}, 3));
        Tensor r = empty({0}, kDouble);
        manual_seed(5);
        randn_out(r, {2, 3});
        manual_seed(5);
        CHECK(r.equal(randn({2, 3}, kDouble)));
        CHECK((empty_out(r, {4, 2}).sizes() == IntArrayRef({4, 2})));
    });
}

TEST_CASE("several results go into several tensors") {
    test::for_each_mode([] {
        const Tensor f = matrix();
        Tensor values = empty({0}), indices = empty({0}, kLong), third = empty({0}, kLong);
        const auto both = [&](const char* call, const std::tuple<Tensor&, Tensor&>& back,
                              const std::tuple<Tensor, Tensor>& expected) {
            check_out(call, values, std::get<0>(back), std::get<0>(expected));
            check_out(call, indices, std::get<1>(back), std::get<1>(expected));
            values.resize_({0});
            indices.resize_({0});
        };
        both("max", max_out(values, indices, f, 0), f.max(0));
        both("min", min_out(values, indices, f, 1, true), f.min(1, true));
        both("median", median_out(values, indices, f, 0), f.median(0));
        both("mode", mode_out(values, indices, f), mode(f));
        both("sort", sort_out(values, indices, f, 0, true), f.sort(0, true));
        both("stable sort", sort_out(values, indices, f, true), f.sort(true));
        both("topk", topk_out(values, indices, f, 2), f.topk(2));
        both("kthvalue", kthvalue_out(values, indices, f, 2), kthvalue(f, 2));
        both("cummax", cummax_out(values, indices, f, 0), cummax(f, 0));
        Tensor low = empty({0}), high = empty({0});
        aminmax_out(low, high, f, 0);
        CHECK(low.equal(f.amin(0)));
        CHECK(high.equal(f.amax(0)));
        unique_dim_out(values, indices, third, f, 0, true, true, true);
        CHECK(third.equal(ones({3}, kLong)));
    });
}

TEST_CASE("an output of another dtype is refused where libtorch refuses it") {
    const Tensor f = matrix();
    Tensor d = empty({0}, kDouble), i = empty({0}, kLong);
    throws_text([&] { amax_out(d, f); },
                "[amax_out] the output has the wrong dtype; got Double, expected Float, the "
                "result's dtype; try empty({0}, kFloat) as the output");
    throws_text([&] { all_out(d, f); },
                "[all_out] the output has the wrong dtype; got Double, expected Bool or Byte; try "
                "empty({0}, kBool) as the output");
    throws_text([&] { sum_out(d, f, 0, false, kFloat); },
                "[sum_out] the output has the wrong dtype; got Double, expected Float, the "
                "result's dtype; try empty({0}, kFloat) as the output");
    CHECK_THROWS_WITH_AS(
        cat_out(i, {f, f}),
        "[cat_out] result type Float can't be cast to the desired output type Long; got a Float "
        "result for a Long tensor, expected a Float tensor; try empty({0}, kFloat) as the output",
        TypeError);
    CHECK_THROWS_AS(stack_out(i, {f, f}), TypeError);
    CHECK_THROWS_AS(hstack_out(i, {f, f}), TypeError);
    CHECK(d.numel() == 0);
    Tensor undefined;
    CHECK_THROWS_AS(sum_out(undefined, f, 0), Error);
    CHECK_THROWS_AS(cat_out(undefined, {f, f}), Error);
}

TEST_CASE("an output that shares memory with an operand") {
    test::for_each_mode([] {
        Tensor a = matrix();
        const char* apart =
            "[cat_out] some elements of the input tensor and the written-to tensor refer to a "
            "single memory location; got one storage for both, expected separate memory; try "
            "clone() on the input first";
        throws_text([&] { cat_out(a, {a, a}); }, apart);
        Tensor row = a[0];
        CHECK_THROWS_AS(take_out(row, a, tensor({1, 2, 3})), Error);
        // Sums read everything before they write.
        const Tensor expected = a.clone().sum(0);
        sum_out(row, a, 0);
        CHECK(a[0].equal(expected));
        Tensor spread = zeros({1}).expand({3});
        CHECK_THROWS_AS(sum_out(spread, a, 0), Error);
    });
}
