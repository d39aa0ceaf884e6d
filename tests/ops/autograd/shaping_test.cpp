// Gradients of functions that join, move, repeat and pad elements, and of copies.
#include "tests/ops/autograd/checking.hpp"
#include "tests/ops/check.hpp"

#include <sinter/functions/gathering.hpp>
#include <sinter/functions/random.hpp>

using namespace sinter;
using autograd::variable_list;
using test::check_gradients;
using test::some;
namespace F = nn::functional;

namespace {

using T = const Tensor&;

/// Joins two tensors and a constant.
template <class Join>
void check_joined(const char* name, const Join& join, IntArrayRef a, IntArrayRef b) {
    for (const ScalarType dtype : {kDouble, kComplexDouble}) {
        CAPTURE(static_cast<int>(dtype));
        check_gradients(
            name,
            [&](const variable_list& v) -> variable_list {
                return {join(std::vector<Tensor>{v[0], v[1], ones_like(v[1].detach()), v[0]})};
            },
            {some(a, dtype), some(b, dtype)});
    }
}

}  // namespace

TEST_CASE("autograd: joins") {
    manual_seed(21);
    using L = const std::vector<Tensor>&;
    check_joined("cat", [](L t) { return cat(t, 1); }, {2, 3}, {2, 1});
    check_joined("cat, 0 elements", [](L t) { return cat(t, 0); }, {2, 3}, {0, 3});
    check_joined("cat, left out", [](L t) { return cat({t[0], t[1], empty(0, kDouble)}, 0); },
                 {2, 3}, {1, 3});
    check_joined("cat of views", [](L t) { return cat({t[0].t(), t[1].flip(0)}, -2); }, {3, 2},
                 {1, 3});
    check_joined("stack", [](L t) { return stack(t, 1); }, {2, 2}, {2, 2});
    check_joined("stack of numbers", [](L t) { return stack(t); }, {}, {});
    check_joined("hstack", [](L t) { return hstack(t); }, {2, 2}, {2, 1});
    check_joined("hstack of numbers", [](L t) { return hstack(t); }, {}, {3});
    check_joined("vstack", [](L t) { return vstack(t); }, 2, {1, 2});
    check_joined("row_stack", [](L t) { return row_stack(t); }, 2, {1, 2});
    check_joined("dstack", [](L t) { return dstack(t); }, {2, 2}, {2, 2});
    check_joined("column_stack", [](L t) { return column_stack(t); }, 2, {2, 2});
    check_joined("block_diag", [](L t) { return block_diag(t); }, {2, 1}, 2);
    check_joined("cartesian_prod", [](L t) { return cartesian_prod({t[0], t[1]}); }, 2, 3);
    check_joined(
        "meshgrid",
        [](L t) {
            const std::vector<Tensor> g = meshgrid({t[0], t[1]}, "xy");
            return g[0] * g[1];
        },
        2, 3);
}

TEST_CASE("autograd: joined tensors of several dtypes get gradients of their own") {
    const Tensor a = ones(2).requires_grad_(), b = ones(2, kDouble).requires_grad_(),
                 c = ones(1, kComplexDouble).requires_grad_(), i = ones(1, kLong);
    const Tensor y = cat({a, b, c, i});
    CHECK((y.scalar_type() == kComplexDouble));
    CHECK(y.grad_fn()->name() == "CatBackward0");
    const Tensor g = tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, kDouble);
    y.backward(complex(g, g));
    test::check<float>(a.grad(), 2, {1, 2});
    test::check<double>(b.grad(), 2, {3, 4});
    CHECK(c.grad().item<complex<double>>() == complex<double>(5, 5));
    const Tensor none = empty(0).requires_grad_();
    cat({none, none}).sum().backward();
    CHECK(none.grad().numel() == 0);
    // Gradients are memory of their own.
    const Tensor d = ones(2).requires_grad_(), e = ones(2).requires_grad_();
    stack({d, e}).sum().backward();
    d.mutable_grad().zero_();
    test::check<float>(e.grad(), 2, {1, 1});
}

TEST_CASE("autograd: a join costs each part a view of the gradient, not a copy of the whole") {
    const Tensor x = ones(3).requires_grad_();
    std::vector<Tensor> parts;
    for (int i = 0; i < 200; ++i) parts.push_back(x * i);
    const Tensor y = cat(parts);
    CHECK(y.grad_fn()->next_edges().size() == 200);
    y.sum().backward();
    test::check<float>(x.grad(), 3, {19900, 19900, 19900});
}

TEST_CASE("autograd: moved, repeated and padded elements") {
    manual_seed(22);
    for (const ScalarType dtype : {kDouble, kComplexDouble}) {
        CAPTURE(static_cast<int>(dtype));
        const auto check = [&](const char* name, const auto& f, IntArrayRef sizes = {3, 4}) {
            check_gradients(
                name, [&](const variable_list& v) -> variable_list { return {f(v[0])}; },
                {some(sizes, dtype)}, dtype == kDouble);
            if (dtype != kDouble) return;
            check_gradients(
                name,
                [&](const variable_list& v) -> variable_list { return {f(v[0].transpose(0, -1))}; },
                {some(sizes, dtype)}, false);
        };
        check("roll", [](T x) { return x.roll({1, -2}, {0, 1}); });
        check("roll, flat", [](T x) { return x.roll(5); });
        check("roll by nothing", [](T x) { return x.roll(3, 0); }, {3, 3});
        check("flip", [](T x) { return x.flip({0, 1}); });
        check("rot90", [](T x) { return x.rot90(1, {0, 1}) * x.t().rot90(2, {1, 0}); }, {3, 3});
        check("fliplr", [](T x) { return x.fliplr().flipud(); });
        check("repeat", [](T x) { return x.repeat({2, 1, 3}); }, {2, 2});
        check("tile", [](T x) { return x.tile(2); });
        check("expand", [](T x) { return x.narrow(0, 0, 1).expand({2, 3, -1}); }, {3, 3});
        check("repeat_interleave", [](T x) { return x.repeat_interleave(2, 1); });
        check("repeat_interleave, flat", [](T x) { return x.repeat_interleave(2); });
        check("diag_embed", [](T x) { return x.diag_embed(); });
        check("diag_embed, offset", [](T x) { return x.diag_embed(-1, 0, 2); });
        check("diag", [](T x) { return x.diag(1); });
        check("diagflat", [](T x) { return x.diagflat(1); });
        check("diagonal", [](T x) { return x.diagonal(-1); });
        check("tril", [](T x) { return x.tril(-1) * x.triu(-1); });
        check("tril_", [](T x) { return (x * 1).tril_(); });
        check("unfold", [](T x) { return x.unfold(1, 2, 1); }, {3, 3});
        check("constant_pad_nd", [](T x) { return constant_pad_nd(x, {1, -1, 0, 2}, 3); });
        check("pad, constant", [](T x) { return F::pad(x, F::PadFuncOptions({1, 2})); });
        check("pad, reflect",
              [](T x) { return F::pad(x, F::PadFuncOptions({1, 2}).mode(kReflect)); });
        check("pad, replicate",
              [](T x) { return F::pad(x, F::PadFuncOptions({1, 2}).mode(kReplicate)); });
        check("pad, circular",
              [](T x) { return F::pad(x, F::PadFuncOptions({1, 2}).mode(kCircular)); });
        check("combinations", [](T x) { return combinations(x.flatten(), 2); }, {2, 2});
        check("vander", [](T x) { return vander(x.flatten(), 4); }, {2, 2});
        check("vander of none", [](T x) { return vander(x.flatten(), 0).sum() * x.sum(); }, {2, 2});
        check("split", [](T x) { return x.split(2, 1)[0] * x.tensor_split(2, 1)[1]; });
        check("chunk", [](T x) { return x.chunk(2, 1)[1]; });
        check("unbind", [](T x) { return x.unbind(0)[1] * x.unbind(0)[0]; });
        check("fill_diagonal_", [](T x) { return (x * 1).fill_diagonal_(2); });
        check("broadcast_tensors",
              [](T x) { return broadcast_tensors({x, x.narrow(0, 0, 1)})[1]; });
        check("atleast_3d",
              [](T x) { return atleast_3d(x) * atleast_2d(x[0]).unsqueeze(2).narrow(1, 0, 1); });
        check("contiguous", [](T x) { return x.t().contiguous() * x.t().clone(); });
        check("take a format", [](T x) {
            return x.unsqueeze(0).unsqueeze(0).contiguous(MemoryFormat::ChannelsLast) * 2;
        });
        check("reshape_as", [](T x) { return x.t().reshape(-1); });
        check("movedim", [](T x) { return x.movedim(0, 1); });
    }
}

TEST_CASE("autograd: copies with a part replaced") {
    manual_seed(23);
    const auto check = [](const char* name, IntArrayRef part, const auto& f) {
        for (const ScalarType dtype : {kDouble, kComplexDouble})
            check_gradients(
                name, [&](const variable_list& v) -> variable_list { return {f(v[0], v[1])}; },
                {some({3, 4}, dtype), some(part, dtype)});
    };
    check("select_scatter", 4, [](T t, T v) { return t.select_scatter(v, 0, 1); });
    check("slice_scatter", {3, 2}, [](T t, T v) { return t.slice_scatter(v, 1, 0, 4, 2); });
    check("diagonal_scatter", 3, [](T t, T v) { return t.diagonal_scatter(v, 1); });
    check("as_strided_scatter", {2, 2},
          [](T t, T v) { return t.as_strided_scatter(v, {2, 2}, {5, 1}, 1); });
    check("as_strided_scatter of a view", {2, 2},
          [](T t, T v) { return t.t().as_strided_scatter(v, {2, 2}, {5, 1}, 1); });
}

TEST_CASE("autograd: conversions of dtype give the gradient back in the operand's") {
    const Tensor x = ones(2).requires_grad_();
    x.to(kDouble).mul(3).sum().backward();
    test::check<float>(x.grad(), 2, {3, 3});
    CHECK(!x.to(kLong).requires_grad());
    const Tensor z = x.to(kComplexDouble);
    x.mutable_grad().zero_();
    z.backward(complex(tensor({1.0, 2.0}, kDouble), tensor({5.0, 6.0}, kDouble)));
    test::check<float>(x.grad(), 2, {1, 2});
    CHECK(x.to(kFloat).is_same(x));
}

TEST_CASE("autograd: random writes cut the gradient") {
    manual_seed(24);
    const auto writes = std::vector<void (*)(T)>{[](T t) { t.normal_(); },
                                                 [](T t) { t.uniform_(); },
                                                 [](T t) { t.bernoulli_(0.5); },
                                                 [](T t) { t.exponential_(); },
                                                 [](T t) { t.cauchy_(); },
                                                 [](T t) { t.log_normal_(); },
                                                 [](T t) { t.geometric_(0.5); },
                                                 [](T t) { t.random_(); },
                                                 [](T t) { t.bernoulli_(full({1}, 0.5)); },
                                                 [](T t) { t.zero_(); },
                                                 [](T t) { t.fill_(3); }};
    for (const Rng rng : {Rng::philox, Rng::mt19937}) {
        CAPTURE(static_cast<int>(rng));
        set_default_rng(rng);
        for (std::size_t i = 0; i < writes.size(); ++i) {
            CAPTURE(i);
            const Tensor x = ones(3).requires_grad_();
            const Tensor y = x * 2;
            writes[i](y);
            y.sum().backward();
            test::check<float>(x.grad(), 3, {0, 0, 0});
            const Tensor z = x * 2;
            writes[i](z.narrow(0, 1, 1));
            z.sum().backward();
            test::check<float>(x.grad(), 3, {2, 0, 2});
            CHECK_THROWS_AS(writes[i](x), Error);
        }
    }
    set_default_rng(Rng::philox);
}

TEST_CASE("autograd: ranges between tensors") {
    manual_seed(26);
    for (const int64_t steps : {0, 1, 2, 5})
        check_gradients("linspace",
                        [&](const variable_list& v) -> variable_list {
                            return {linspace(v[0], v[1], steps, kDouble) * 1,
                                    linspace(v[0], 3.0, steps, kDouble),
                                    linspace(2.0, v[1], steps, kDouble),
                                    logspace(v[0], v[1], steps, 3.0, kDouble),
                                    logspace(v[0], 1.0, steps, 3.0, kDouble)};
                        },
                        {some({}), some({})});
    CHECK(!linspace(ones({}).requires_grad_(), 4, 3, kLong).requires_grad());
}

TEST_CASE("autograd: draws depend on no parameter") {
    manual_seed(25);
    const Tensor p = full({4}, 0.5).requires_grad_();
    CHECK(!multinomial(p, 2).requires_grad());
    const Tensor b = bernoulli(p);
    Tensor(b + p * 2).sum().backward();
    test::check<float>(p.grad(), 4, {2, 2, 2, 2});
    p.mutable_grad().zero_();
    Tensor(normal(p, 1.0) + normal(0.0, p) + normal(p, p) + p).sum().backward();
    test::check<float>(p.grad(), 4, {1, 1, 1, 1});
    CHECK(!randn_like(p).requires_grad());
}
