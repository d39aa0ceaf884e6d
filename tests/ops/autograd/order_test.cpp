// Gradients of scans, sorts and order statistics.
#include "tests/ops/autograd/checking.hpp"
#include "tests/ops/check.hpp"

#include <sinter/functions/scans.hpp>
#include <sinter/functions/sorting.hpp>

using namespace sinter;
using autograd::variable_list;
using test::apart;
using test::check_gradients;
using test::some;

namespace {

using T = const Tensor&;

template <class F>
void check_one(const char* name, const F& f, const Tensor& x) {
    check_gradients(name, [&](const variable_list& v) -> variable_list { return {f(v[0])}; }, {x});
}
Tensor values_of(const std::tuple<Tensor, Tensor>& pair) { return std::get<0>(pair); }

}  // namespace

TEST_CASE("autograd: scans") {
    manual_seed(11);
    for (const ScalarType dtype : {kDouble, kComplexDouble}) {
        CAPTURE(static_cast<int>(dtype));
        for (const int64_t dim : {0, 1}) {
            CAPTURE(dim);
            check_one("cumsum", [&](T x) { return x.cumsum(dim); }, some({2, 4}, dtype));
            check_one("cumprod", [&](T x) { return x.cumprod(dim); }, some({2, 4}, dtype));
            check_one(
                "logcumsumexp", [&](T x) { return x.logcumsumexp(dim); }, some({2, 4}, dtype));
        }
        check_one("cumsum of a view", [&](T x) { return x.t().cumsum(0); }, some({3, 2}, dtype));
        check_one("cumsum of 0-d", [&](T x) { return x.cumsum(0); }, some({}, dtype));
        check_one("cumprod of 0-d", [&](T x) { return x.cumprod(0); }, some({}, dtype));
        check_one("cumprod of one", [&](T x) { return x.cumprod(1); }, some({3, 1}, dtype));
        check_one("cumsum_", [&](T x) { return (x * 1).cumsum_(0); }, some({3, 2}, dtype));
        check_one("cumprod_", [&](T x) { return (x * 1).cumprod_(0); }, some({3, 2}, dtype));
    }
    check_one("cumsum in another dtype", [&](T x) { return x.cumsum(0, kComplexDouble); }, some(3));
    check_one("cummax", [&](T x) { return values_of(x.cummax(1)); }, apart({2, 6}));
    check_one("cummin", [&](T x) { return values_of(x.cummin(0)); }, apart({5, 2}));
    check_one("cummax of 0-d", [&](T x) { return values_of(x.cummax(0)); }, some({}));
    check_one("logcumsumexp of 0-d", [&](T x) { return x.logcumsumexp(0); }, some({}));
}

TEST_CASE("autograd: products of zeros") {
    manual_seed(12);
    const auto with_zeros = [](const std::vector<double>& v) {
        return tensor(v, kDouble).requires_grad_();
    };
    for (const auto& v : std::vector<std::vector<double>>{
             {2, 3, 0, 5, 7}, {0, 3, 2, 5, 7}, {2, 0, 3, 0, 7}, {0, 0, 0}, {2, 3, 0}}) {
        check_one("cumprod", [](T x) { return x.cumprod(0); }, with_zeros(v));
        check_one("prod", [](T x) { return x.prod(); }, with_zeros(v));
    }
    // The quick formula and the one that has derivatives agree.
    const Tensor x = some({4, 9}), zeroed = x.detach().masked_fill(x.detach() > 1, 0);
    const Tensor y = zeroed.requires_grad_();
    const Tensor g = randn({4, 9}, kDouble);
    const Tensor quick = autograd::grad({y.cumprod(1)}, {y}, {g})[0];
    const Tensor exact = autograd::grad({y.cumprod(1)}, {y}, {g}, true, true)[0];
    CHECK(quick.allclose(exact, 1e-10, 1e-12));
}

TEST_CASE("autograd: logcumsumexp of large and infinite numbers") {
    const double inf = test::inf64;
    const Tensor x = tensor({-inf, -800.0, 0.0, 800.0}, kDouble).requires_grad_();
    x.logcumsumexp(0).slice(0, 1).sum().backward();
    test::check<double>(x.grad(), 4, {0, 1, 1, 1});
}

TEST_CASE("autograd: sorts and order statistics") {
    manual_seed(13);
    for (const int64_t dim : {0, 1}) {
        CAPTURE(dim);
        const auto pick = [&](const char* name, const auto& f) {
            check_one(name, f, apart({3, 4}));
        };
        pick("sort", [&](T x) { return values_of(x.sort(dim)); });
        pick("sort, descending", [&](T x) { return values_of(x.sort(dim, true)); });
        pick("topk", [&](T x) { return values_of(x.topk(2, dim)); });
        pick("kthvalue", [&](T x) { return values_of(x.kthvalue(3, dim)); });
        pick("kthvalue, keepdim", [&](T x) { return values_of(x.kthvalue(3, dim, true)); });
        pick("median", [&](T x) { return values_of(x.median(dim)); });
        pick("nanmedian, keepdim", [&](T x) { return values_of(x.nanmedian(dim, true)); });
        pick("mode", [&](T x) { return values_of(x.mode(dim)); });
        pick("max", [&](T x) { return values_of(x.max(dim)); });
        pick("min, keepdim", [&](T x) { return values_of(x.min(dim, true)); });
        pick("aminmax", [&](T x) {
            const auto [least, most] = x.aminmax(dim);
            return least * most;
        });
        pick("logsumexp", [&](T x) { return x.logsumexp(dim); });
        for (const char* how : {"linear", "lower", "higher", "midpoint", "nearest"}) {
            pick(how, [&](T x) { return x.quantile(0.37, dim, false, how); });
            pick(how,
                 [&](T x) { return x.nanquantile(tensor({0.1, 0.6}, kDouble), dim, true, how); });
        }
    }
    check_one("msort", [](T x) { return x.msort(); }, apart({4, 2}));
    check_one("median", [](T x) { return x.median(); }, apart({3, 3}));
    check_one("nanmedian", [](T x) { return x.nanmedian(); }, apart({3, 3}));
    check_one("max", [](T x) { return x.max(); }, apart({3, 3}));
    check_one("quantile of all", [](T x) { return x.quantile(0.3); }, apart({3, 3}));
    for (const auto f :
         {+[](T x) { return values_of(x.sort(0)); }, +[](T x) { return values_of(x.topk(1, 0)); },
          +[](T x) { return values_of(x.topk(0, 0)); },
          +[](T x) { return values_of(x.kthvalue(1, 0)); },
          +[](T x) { return values_of(x.median(0)); }, +[](T x) { return values_of(x.mode(0)); },
          +[](T x) { return values_of(x.max(0)); }, +[](T x) { return x.median(); },
          +[](T x) { return x.quantile(0.5); }})
        check_one("of 0-d", f, some({}));
}

TEST_CASE("autograd: quantiles have gradients themselves") {
    manual_seed(14);
    check_gradients("quantile in q",
                    [](const variable_list& v) -> variable_list {
                        return {v[0].quantile(v[1], 0), v[0].quantile(v[1], 1, true),
                                v[0].quantile(v[1][0])};
                    },
                    {apart({4, 4}), tensor({0.15, 0.5, 0.83}, kDouble).requires_grad_()});
}

TEST_CASE("autograd: quantiles of rows with NaN") {
    const double nan = test::nan64;
    const Tensor x =
        tensor({1.0, nan, 3.0, 2.0, 4.0, 8.0}, kDouble).reshape({2, 3}).requires_grad_();
    x.nanquantile(0.25, 1).sum().backward();
    test::check<double>(x.grad(), {2, 3}, {0.75, 0, 0.25, 0.5, 0.5, 0});
    x.mutable_grad().zero_();
    x.quantile(0.25, 1).sum().backward();
    test::check<double>(x.grad(), {2, 3}, {0, 1, 0, 0.5, 0.5, 0});
}

TEST_CASE("autograd: ties share a gradient of all elements, and none of a row") {
    const Tensor x = tensor({2.0, 5.0, 5.0, 1.0}).requires_grad_();
    const auto gradient = [&](T y) { return autograd::grad({y}, {x})[0]; };
    test::check<float>(gradient(x.max()), 4, {0, 0.5F, 0.5F, 0});
    const auto [value, index] = x.max(0);
    CHECK(index.item<int64_t>() == 1);
    test::check<float>(gradient(value), 4, {0, 1, 0, 0});
    test::check<float>(gradient(x.amax(0)), 4, {0, 0.5F, 0.5F, 0});
    const Tensor y = tensor({5.0, 5.0, 1.0}).requires_grad_();
    test::check<float>(autograd::grad({y.median()}, {y})[0], 3, {0.5F, 0.5F, 0});
    const Tensor z = tensor({1.0F, test::nan32, 3.0F}).requires_grad_();
    test::check<float>(autograd::grad({z.max()}, {z})[0], 3, {0, 1, 0});
    test::check<float>(autograd::grad({values_of(z.min(0))}, {z})[0], 3, {0, 1, 0});
    test::check<float>(autograd::grad({z.median()}, {z})[0], 3, {0, 1, 0});
}

TEST_CASE("autograd: differences, integrals and slopes") {
    manual_seed(15);
    check_one("diff", [](T x) { return x.diff(2, 0); }, some({5, 2}));
    check_one(
        "diff, prepend", [](T x) { return x.diff(1, 0, x.narrow(0, 0, 1), x); }, some({3, 2}));
    check_one("trapezoid", [](T x) { return trapezoid(x, 0.5, 1); }, some({2, 4}));
    check_one(
        "cumulative_trapezoid", [](T x) { return cumulative_trapezoid(x, 0.5, 0); }, some({4, 2}));
    const auto pair = [](const char* name, const auto& f) {
        check_gradients(name,
                        [&](const variable_list& v) -> variable_list { return {f(v[0], v[1])}; },
                        {some({2, 4}), apart(4)});
    };
    pair("trapezoid", [](T y, T x) { return trapezoid(y, x, 1); });
    pair("cumulative_trapezoid", [](T y, T x) { return cumulative_trapezoid(y, x, 1); });
    pair("gradient",
         [](T y, T x) { return sinter::gradient(y, TensorList({x}), IntArrayRef(1), 2)[0]; });
    check_one(
        "gradient", [](T x) { return sinter::gradient(x, 0.5, IntArrayRef(0), 1)[0]; },
        some({4, 2}));
}

TEST_CASE("autograd: functions of order without a derivative") {
    const Tensor x = tensor({3.0, 1.0, 3.0}).requires_grad_();
    CHECK_THROWS_AS(std::get<0>(unique(x)).sum().backward(), NotImplementedError);
    CHECK_THROWS_AS(std::get<0>(unique_consecutive(x)).sum().backward(), NotImplementedError);
    CHECK_THROWS_AS(std::get<0>(unique_dim(x, 0)).sum().backward(), NotImplementedError);
    CHECK_THROWS_AS(x.histc(4, 0, 4).sum().backward(), NotImplementedError);
    const Tensor points = ones({3, 2}).requires_grad_();
    CHECK_THROWS_AS(std::get<0>(histogramdd(points, 2)).sum().backward(), NotImplementedError);
    CHECK_THROWS_AS(std::get<0>(x.histogram(2, std::nullopt, x, false)).sum().backward(),
                    NotImplementedError);
    CHECK_THROWS_AS(bincount(tensor({0, 1, 1}).to(kLong), x).sum().backward(), NotImplementedError);
    CHECK(!x.argsort().requires_grad());
    CHECK(!std::get<1>(x.sort()).requires_grad());
    CHECK(!std::get<1>(x.max(0)).requires_grad());
    CHECK(!searchsorted(x, x).requires_grad());
    CHECK(!bucketize(x, x).requires_grad());
}
