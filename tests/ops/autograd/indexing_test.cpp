// Gradients of gather, scatter and their kin, masks included.
#include "tests/ops/autograd/checking.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <sinter/functions/gathering.hpp>

#include <random>

using namespace sinter;
using autograd::variable_list;
using test::apart;
using test::check_gradients;
using test::some;

namespace {

const ScalarType real_and_complex[] = {kDouble, kComplexDouble};

Tensor longs(const std::vector<int64_t>& v, IntArrayRef sizes) {
    return tensor(v, kLong).reshape(sizes);
}

}  // namespace

TEST_CASE("autograd: functions that read elements at indices") {
    manual_seed(1);
    const Tensor rows = longs({2, 0, 2, 1}, 4);
    const Tensor index = longs({2, 0, 1, 1, 0, 0}, {3, 2});
    for (const ScalarType dtype : real_and_complex) {
        CAPTURE(static_cast<int>(dtype));
        const auto check = [&](const char* name, const auto& f, IntArrayRef sizes = {3, 4}) {
            check_gradients(name,
                            [&](const variable_list& x) -> variable_list { return {f(x[0])}; },
                            {some(sizes, dtype)});
        };
        check("index_select", [&](const Tensor& x) { return x.index_select(0, rows); });
        check("index_select of a view",
              [&](const Tensor& x) { return x.t().slice(1, 0, 3, 2).index_select(0, rows); });
        check("index_select of 0-d",
              [&](const Tensor& x) { return x.index_select(0, longs({0}, 1)); }, {});
        check("gather", [&](const Tensor& x) { return x.gather(1, index); });
        check("gather of 0-d", [&](const Tensor& x) { return x.gather(0, longs({0}, {})); }, {});
        check("gather by nothing",
              [&](const Tensor& x) { return x.gather(1, zeros({3, 0}, kLong)); });
        check("take", [&](const Tensor& x) { return x.take(longs({-1, 5, 5, 0}, {2, 2})); });
        check("take of a view", [&](const Tensor& x) { return x.t().take(rows); });
        check("take_along_dim", [&](const Tensor& x) { return x.take_along_dim(index, 1); });
        check("take_along_dim, broadcast",
              [&](const Tensor& x) { return x.narrow(0, 0, 1).take_along_dim(index, 1); });
        check("take_along_dim, flat", [&](const Tensor& x) { return x.take_along_dim(rows); });
        check("repeat_interleave",
              [&](const Tensor& x) { return x.repeat_interleave(longs({2, 0, 3}, 3), 0); });
        check("index", [&](const Tensor& x) { return x.index({rows}); });
        check("index twice", [&](const Tensor& x) {
            return x.index({longs({0, -1}, {2, 1}), longs({1, 1, 3}, 3)});
        });
        check("index apart", [&](const Tensor& x) {
            return x.reshape({2, 3, 2}).index({longs({0, 1, 1}, 3), Slice(1), longs({1, 0, 0}, 3)});
        });
        check("index by a 0-d tensor", [&](const Tensor& x) { return x.index({longs({1}, {})}); });
        check("index with None",
              [&](const Tensor& x) { return x.index({None, rows, Slice(0, 3, 2)}); });
        check("index by a mask of rows",
              [&](const Tensor& x) { return x.index({tensor({true, false, true})}); });
        check("index by a mask", [&](const Tensor& x) {
            return x.index({longs({0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0}, {3, 4}).to(kBool)});
        });
        check("masked_select",
              [&](const Tensor& x) { return x.masked_select(tensor({true, false, true, true})); });
        check("masked_select of nothing",
              [&](const Tensor& x) { return x.masked_select(zeros({3, 4}, kBool)).sum(); });
        check("masked_select of 0-d",
              [&](const Tensor& x) { return x.masked_select(tensor({true, true})); }, {});
    }
}

TEST_CASE("autograd: gradients of random lists of indices go where the elements came from") {
    std::mt19937_64 random(test::seed());
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % uint64_t(n)); };
    manual_seed(6);
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        const std::vector<int64_t> sizes{2 + below(2), 3, 2 + below(3)};
        const Tensor x = some(sizes);
        const Tensor place = arange(x.numel()).reshape(sizes);
        const int64_t common = 1 + below(4);
        std::vector<TensorIndex> list;
        for (std::size_t d = 0; d < sizes.size();) {
            const int64_t n = sizes[d];
            switch (below(7)) {
                case 0: list.emplace_back(None); continue;
                case 1: list.emplace_back(below(n) - below(2) * n); break;
                case 2: list.emplace_back(Slice(below(n), None, 1 + below(2))); break;
                case 3: list.emplace_back(Slice()); break;
                case 4: list.emplace_back(full({}, below(n), kLong)); break;
                case 5: list.emplace_back(randint(-n, n, {common})); break;
                case 6: list.emplace_back(randint(0, n, {2, 1})); break;
            }
            if (list.size() > 8) break;
            ++d;
        }
        if (below(3) == 0) list.emplace_back(Ellipsis);
        const Tensor y = x.index(list), from = place.index(list);
        REQUIRE(y.equal(x.detach().take(from)));
        const Tensor g = randn(y.sizes(), kDouble);
        const Tensor expected = zeros(x.numel(), kDouble).put_(from, g, true).reshape(x.sizes());
        CHECK(autograd::grad({y}, {x}, {g})[0].allclose(expected, 0, 1e-14));
        // What is put there cuts the gradient of the old elements, and gets its own.
        const Tensor v = some(y.sizes()), z = x * 1;
        z.index_put_(list, v, true);
        const Tensor gz = randn(x.sizes(), kDouble);
        const variable_list added = autograd::grad({z}, {x, v}, {gz});
        CHECK(added[0].equal(gz));
        CHECK(added[1].equal(gz.take(from)));
        const Tensor w = x * 1;
        w.index_put_(list, v);
        const variable_list put = autograd::grad({w}, {x, v}, {gz});
        CHECK(put[0].equal(gz.put(from, zeros(from.sizes(), kDouble))));
        CHECK(put[1].equal(gz.take(from)));
    }
}

TEST_CASE("autograd: functions that put values at indices") {
    manual_seed(2);
    const Tensor rows = longs({2, 0}, 2);
    const Tensor index = longs({2, 0, 1, 1, 3, 0}, {3, 2});
    for (const ScalarType dtype : real_and_complex) {
        CAPTURE(static_cast<int>(dtype));
        const auto check = [&](const char* name, IntArrayRef values, const auto& f) {
            check_gradients(
                name, [&](const variable_list& x) -> variable_list { return {f(x[0], x[1])}; },
                {some({3, 4}, dtype), some(values, dtype)});
            // One of the two alone, the other a constant.
            check_gradients(
                name,
                [&, v = some(values, dtype).detach()](const variable_list& x) -> variable_list {
                    return {f(x[0], v)};
                },
                {some({3, 4}, dtype)}, false);
            check_gradients(
                name,
                [&, t = some({3, 4}, dtype).detach()](const variable_list& x) -> variable_list {
                    return {f(t, x[0])};
                },
                {some(values, dtype)}, false);
        };
        using T = const Tensor&;
        check("scatter", {3, 2},
              [&](T t, T v) { return t.scatter(1, longs({2, 0, 1, 3, 3, 0}, {3, 2}), v); });
        check("scatter of more", {4, 3},
              [&](T t, T v) { return t.scatter(1, longs({2, 0, 1, 3, 3, 0}, {3, 2}), v); });
        check("scatter_add", {3, 2}, [&](T t, T v) { return t.scatter_add(1, index, v); });
        check("scatter_add of more", {5, 2}, [&](T t, T v) { return t.scatter_add(1, index, v); });
        check("scatter_add of nothing", {3, 2},
              [&](T t, T v) { return t.scatter_add(1, zeros({0}, kLong), v) + v.sum(); });
        check("scatter, add", {3, 2}, [&](T t, T v) { return t.scatter(1, index, v, "add"); });
        check("scatter, multiply", {3, 2},
              [&](T t, T v) { return t.scatter(1, index, v, "multiply"); });
        check("index_add", {2, 4},
              [&](T t, T v) { return t.index_add(0, longs({1, 1}, 2), v, 3); });
        check("index_copy", {2, 4}, [&](T t, T v) { return t.index_copy(0, rows, v); });
        check("index_fill", {}, [&](T t, T v) { return t.index_fill(1, longs({1, -1, 1}, 3), v); });
        check("put", {2, 2}, [&](T t, T v) { return t.put(longs({1, 3, -1, 5}, {2, 2}), v); });
        check("put, accumulate", {4},
              [&](T t, T v) { return t.put(longs({1, 3, -1, 3}, 4), v, true); });
        check("put into a view", {4},
              [&](T t, T v) { return t.t().put(longs({1, 3, -1, 3}, 4), v, true); });
        check("index_put", {2, 4}, [&](T t, T v) { return t.index_put({rows}, v); });
        check("index_put, broadcast", {1, 1, 4}, [&](T t, T v) { return t.index_put({rows}, v); });
        check("index_put, accumulate", {4},
              [&](T t, T v) { return t.index_put({longs({1, 1}, 2)}, v, true); });
        check("index_put, apart", {2, 1}, [&](T t, T v) {
            return t.reshape({2, 3, 2}).index_put({rows.remainder(2), Slice(), rows.clamp_max(1)},
                                                  v, true);
        });
        check("index_put of a slice", {4},
              [&](T t, T v) { return sinter::index_put(t, {Slice(1)}, v, false); });
        check("index_put by a mask", {2}, [&](T t, T v) {
            return t.index_put({longs({0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {3, 4}).to(kBool)}, v);
        });
        check("index_put by a mask, one", {},
              [&](T t, T v) { return t.index_put({tensor({true, false, true})}, v); });
        check("masked_fill", {},
              [&](T t, T v) { return t.masked_fill(tensor({true, false, false, true}), v); });
        check("masked_scatter", {3, 3},
              [&](T t, T v) { return t.masked_scatter(tensor({true, false, false, true}), v); });
        for (const bool include_self : {true, false}) {
            CAPTURE(include_self);
            check("scatter_reduce, sum", {3, 2},
                  [&](T t, T v) { return t.scatter_reduce(1, index, v, "sum", include_self); });
            check("scatter_reduce, mean", {3, 3},
                  [&](T t, T v) { return t.scatter_reduce(1, index, v, "mean", include_self); });
            check("scatter_reduce, prod", {3, 2},
                  [&](T t, T v) { return t.scatter_reduce(1, index, v, "prod", include_self); });
            check("index_reduce, mean", {2, 4}, [&](T t, T v) {
                return t.index_reduce(0, longs({1, 1}, 2), v, "mean", include_self);
            });
            check("index_reduce, prod", {2, 4}, [&](T t, T v) {
                return t.index_reduce(0, longs({1, 1}, 2), v, "prod", include_self);
            });
            if (dtype != kDouble) continue;
            check("scatter_reduce, amax", {4, 2},
                  [&](T t, T v) { return t.scatter_reduce(1, index, v, "amax", include_self); });
            check("index_reduce, amin", {2, 4}, [&](T t, T v) {
                return t.index_reduce(0, longs({1, 1}, 2), v, "amin", include_self);
            });
        }
    }
}

TEST_CASE("autograd: nothing is put, and the values get zeros") {
    const Tensor t = ones({3, 4}).requires_grad_(), v = ones({3, 2}).requires_grad_();
    const Tensor none = zeros(0, kLong);
    for (const Tensor& y :
         {t.scatter(1, none, v), t.scatter_add(1, none, v), t.scatter_reduce(1, none, v, "prod"),
          t.index_fill(0, none, v[0][0]), t.index_put({none}, v[0][0])}) {
        const variable_list g = autograd::grad({y.sum()}, {t, v});
        CHECK(g[0].equal(ones({3, 4})));
        CHECK(g[1].equal(zeros({3, 2})));
    }
}

TEST_CASE("autograd: numbers put at indices") {
    manual_seed(3);
    const Tensor index = longs({2, 0, 1, 1, 3, 0}, {3, 2});
    const auto check = [&](const char* name, const auto& f) {
        check_gradients(name, [&](const variable_list& x) -> variable_list { return {f(x[0])}; },
                        {some({3, 4})});
    };
    check("scatter", [&](const Tensor& x) { return x.scatter(1, index, 2.5); });
    check("scatter, add", [&](const Tensor& x) { return x.scatter(1, index, 2.5, "add"); });
    check("scatter, multiply",
          [&](const Tensor& x) { return x.scatter(1, index, 2.5, "multiply"); });
    check("index_fill", [&](const Tensor& x) { return x.index_fill(1, longs({0, 2}, 2), 2.5); });
    check("masked_fill", [&](const Tensor& x) { return x.masked_fill(x > 0.1, 2.5); });
    check("index_fill of 0-d",
          [&](const Tensor& x) { return x[0][0].index_fill(0, longs({0}, 1), 2.5) + x; });
}

TEST_CASE("autograd: in-place writes at indices, to tensors and to views") {
    manual_seed(4);
    const Tensor rows = longs({2, 0}, 2);
    const Tensor index = longs({2, 0, 1, 1, 2, 0}, {3, 2});
    const Tensor mask = longs({0, 1, 0, 0, 0, 1, 0, 0, 0}, {3, 3}).to(kBool);
    const auto check = [&](const char* name, IntArrayRef values, const auto& f) {
        check_gradients(
            name,
            [&](const variable_list& x) -> variable_list {
                const Tensor y = x[0] * 1;
                f(y, x[1]);
                const Tensor z = x[0] * 2;
                f(z.narrow(1, 1, 3), x[1]);
                const Tensor fresh = zeros({3, 3}, kDouble);  // without a gradient before
                f(fresh, x[1]);
                return {y.narrow(1, 0, 3) * z.narrow(1, 1, 3) + z.narrow(1, 0, 3) + fresh * fresh};
            },
            {some({3, 4}), some(values)});
    };
    using T = const Tensor&;
    check("index_add_", {2, 3}, [&](T t, T v) {
        (t.size(1) > 3 ? t.narrow(1, 0, 3) : t).index_add_(0, longs({1, 1}, 2), v, -2);
    });
    check("index_copy_", {2, 3},
          [&](T t, T v) { (t.size(1) > 3 ? t.narrow(1, 0, 3) : t).index_copy_(0, rows, v); });
    check("scatter_", {3, 2},
          [&](T t, T v) { t.scatter_(1, longs({2, 0, 1, 0, 2, 0}, {3, 2}), v); });
    check("scatter_add_", {3, 2}, [&](T t, T v) { t.scatter_add_(1, index, v); });
    check("scatter_reduce_", {3, 2}, [&](T t, T v) { t.scatter_reduce_(1, index, v, "prod"); });
    check("index_reduce_", {2, 3}, [&](T t, T v) {
        (t.size(1) > 3 ? t.narrow(1, 0, 3) : t).index_reduce_(0, longs({1, 1}, 2), v, "mean");
    });
    check("index_fill_", {}, [&](T t, T v) { t.index_fill_(0, rows, v); });
    check("put_", {4}, [&](T t, T v) { t.put_(longs({1, 3, -1, 5}, 4), v); });
    check("index_put_", {2}, [&](T t, T v) { t.index_put_({rows, longs({0, 1}, 2)}, v); });
    check("index_put_, accumulate", {2},
          [&](T t, T v) { t.index_put_({longs({2, 2}, 2), longs({1, 1}, 2)}, v, true); });
    check("masked_scatter_", {2}, [&](T t, T v) { t.narrow(1, 0, 3).masked_scatter_(mask, v); });
    check("index_put_ by a mask", {2}, [&](T t, T v) { t.narrow(1, 0, 3).index_put_({mask}, v); });
    check("masked_fill_", {}, [&](T t, T v) { t.narrow(1, 0, 3).masked_fill_(mask, v); });
    check("index_put_ of a slice", {3}, [&](T t, T v) { t.narrow(1, 0, 3).index_put_({1}, v); });
}

TEST_CASE("autograd: writes at indices to the parts of complex numbers, and to conjugates") {
    manual_seed(7);
    const Tensor index = longs({0, 2}, 2), mask = tensor({true, false, true});
    const auto check = [&](const char* name, const auto& f) {
        check_gradients(name,
                        [&](const variable_list& v) -> variable_list {
                            const Tensor y = v[0] * 1;
                            f(y, v[1]);
                            return {y * y};
                        },
                        {some(3, kComplexDouble), some(2)});
    };
    using T = const Tensor&;
    check("index_put_", [&](T z, T x) { view_as_real(z).select(1, 0).index_put_({index}, x); });
    check("index_fill_", [&](T z, T x) { imag(z).index_fill_(0, index, x[0]); });
    check("scatter_add_", [&](T z, T x) { real(z).scatter_add_(0, index, x); });
    check("masked_fill_", [&](T z, T x) { z.masked_fill_(mask, x[0]); });
    check("masked_fill_ of windows",
          [&](T z, T x) { z.as_strided({2, 2}, {1, 1}).masked_fill_(mask.narrow(0, 0, 2), x[0]); });
    check("index of a conjugate", [&](T z, T x) {
        z.copy_(z.conj().index_select(0, z.numel() + longs({-1, -3, -3}, 3)) * x[0]);
    });
}

TEST_CASE("autograd: products of indexed elements with zeros") {
    const Tensor index = longs({0, 0, 1, 1, 1, 2}, 6);
    const Tensor t = tensor({2.0, 3.0, 0.0}, kDouble).requires_grad_();
    const Tensor v = tensor({0.0, 5.0, 0.0, 7.0, 0.0, 11.0}, kDouble).requires_grad_();
    t.scatter_reduce(0, index, v, "prod").sum().backward();
    test::check<double>(t.grad(), 3, {0, 0, 11});
    test::check<double>(v.grad(), 6, {10, 0, 0, 0, 0, 0});
    check_gradients("scatter_reduce, prod",
                    [&](const variable_list& x) -> variable_list {
                        return {x[0].scatter_reduce(0, index, x[1], "prod")};
                    },
                    {tensor({2.0, 3.0, 0.0}, kDouble).requires_grad_(),
                     tensor({0.0, 5.0, 2.0, 7.0, 0.0, 11.0}, kDouble).requires_grad_()});
}

TEST_CASE("autograd: equal extremes at indices share the gradient") {
    const Tensor t = tensor({4.0, 1.0}).requires_grad_(),
                 v = tensor({4.0, 4.0, 3.0, 3.0}).requires_grad_();
    t.scatter_reduce(0, longs({0, 0, 1, 1}, 4), v, "amax").mul(tensor({3.0, 4.0})).sum().backward();
    test::check<float>(t.grad(), 2, {1, 0});
    test::check<float>(v.grad(), 4, {1, 1, 2, 2});
}

TEST_CASE("autograd: writes of indices in tensors that overlap themselves") {
    manual_seed(5);
    check_gradients("overlapping index_fill_ and index_put_",
                    [&](const variable_list& x) -> variable_list {
                        const Tensor y = x[0] * 1;
                        const Tensor windows = y.as_strided({3, 3}, {1, 1});
                        windows.index_fill_(0, longs({1}, 1), x[1]);
                        windows.index_put_({longs({2}, 1), longs({2}, 1)}, x[1] * x[1]);
                        return {y * y};
                    },
                    {some(5), some({})});
    check_gradients("gradient of a view that overlaps itself",
                    [&](const variable_list& x) -> variable_list {
                        return {x[0].as_strided({3, 3}, {1, 1}).sin(), x[0].unfold(0, 3, 1) * 2};
                    },
                    {some(5)});
}

TEST_CASE("autograd: an index that is overwritten is an error, as in PyTorch") {
    const Tensor x = ones(3).requires_grad_();
    const Tensor index = longs({0, 1}, 2);
    const Tensor y = x.index_select(0, index);
    index.add_(1);
    CHECK_THROWS_AS(y.sum().backward(), Error);
    // The values that are put are not kept.
    const Tensor values = ones(2);
    const Tensor z = x.index_put({longs({0, 1}, 2)}, values);
    values.add_(1);
    z.sum().backward();
    test::check<float>(x.grad(), 3, {0, 0, 1});
}

TEST_CASE("autograd: dtypes of values that are put are converted back") {
    const Tensor x = ones(3).requires_grad_();
    const Tensor value = full({}, 2.0, kDouble).requires_grad_();
    x.masked_fill(tensor({true, true, false}), value).sum().backward();
    CHECK((value.grad().scalar_type() == kDouble));
    test::check<double>(value.grad(), {}, {2});
    test::check<float>(x.grad(), 3, {0, 0, 1});
    value.mutable_grad().zero_();
    x.index_fill(0, longs({1}, 1), value).sum().backward();
    test::check<double>(value.grad(), {}, {1});
    const Tensor half = ones(3, kHalf).requires_grad_(), source = ones(4, kHalf).requires_grad_();
    half.scatter_add(0, longs({0, 0, 2, 2}, 4), source).sum().backward();
    CHECK((source.grad().scalar_type() == kHalf));
    CHECK(source.grad().sum().item<float>() == 4);
}

TEST_CASE("autograd: writes at indices to a leaf are refused") {
    const Tensor x = ones(3).requires_grad_();
    CHECK_THROWS_AS(x.index_fill_(0, longs({0}, 1), 2), Error);
    CHECK_THROWS_AS(x.index_put_({longs({0}, 1)}, ones(1)), Error);
    CHECK_THROWS_AS(x.narrow(0, 0, 2).scatter_(0, longs({0}, 1), 2), Error);
    test::check<float>(x, 3, {1, 1, 1});
}
