// Gradients of reductions, norms and distances.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace testing {

using namespace sinter;

namespace {

using dims = std::vector<int64_t>;
constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<gradient_row> reduction_rows() {
    return {
        GRADIENT_ROW("sum", complex_too, sum(a), {{2, 3}}),
        GRADIENT_ROW("sum/along", complex_too, sum(a, 1), {{2, 3}}),
        GRADIENT_ROW("sum/along two", complex_too, sum(a, dims{0, 2}, true), {{2, 3, 2}}),
        GRADIENT_ROW("sum/as", complex_too, a.sum(0, false, kComplexDouble), {{2, 3}}),
        GRADIENT_ROW("nansum", real, nansum(a), {{2, 3}}),
        GRADIENT_ROW("nansum/along", real, nansum(a, 1, true), {{2, 3}}),
        GRADIENT_ROW("mean", complex_too, mean(a), {{2, 3}}),
        GRADIENT_ROW("mean/along", complex_too, mean(a, 1), {{2, 3}}),
        GRADIENT_ROW("nanmean", real, nanmean(a), {{2, 3}}),
        GRADIENT_ROW("nanmean/along", real, nanmean(a, 1, true), {{2, 3}}),
        GRADIENT_ROW("prod", complex_too, prod(a), {{2, 3}}),
        GRADIENT_ROW("prod/along", complex_too, prod(a, 1), {{2, 3}}),
        GRADIENT_ROW("prod/kept", complex_too, prod(a, 0, true), {{3, 2}}),
        GRADIENT_ROW("prod/of a zero", complex_too, prod(a * tensor({1, 0, 1}), 1), {{2, 3}}),
        GRADIENT_ROW("prod/of zeros", complex_too, prod(a * tensor({0, 0, 1}), 1), {{2, 3}}),
        GRADIENT_ROW("prod/of one", complex_too, prod(a, 1), {{2, 1}}),
        GRADIENT_ROW("amax", real, amax(a), {{2, 3}}),
        GRADIENT_ROW("amax/along", real, amax(a, 1, true), {{2, 3}}),
        GRADIENT_ROW("amin", real, amin(a), {{2, 3}}),
        GRADIENT_ROW("amin/along", real, amin(a, 1, true), {{2, 3}}),
        GRADIENT_ROW("aminmax", real, aminmax(a), {{2, 3}}),
        GRADIENT_ROW("aminmax/along", real, aminmax(a, 1, true), {{2, 3}}),
        GRADIENT_ROW("max", real, max(a), {{2, 3}}),
        GRADIENT_ROW("max/along", real, max(a, 1), {{2, 3}}),
        GRADIENT_ROW("min", real, min(a), {{2, 3}}),
        GRADIENT_ROW("min/along", real, min(a, 0, true), {{2, 3}}),
        GRADIENT_ROW("var", complex_too, var(a), {{2, 3}}),
        GRADIENT_ROW("var/along", complex_too, var(a, dims{1}, false, true), {{2, 3}}),
        GRADIENT_ROW("var/corrected", complex_too, a.var(dims{0}, Scalar(0.5)), {{3, 2}}),
        GRADIENT_ROW("std", complex_too, sinter::std(a), {{2, 3}}),
        GRADIENT_ROW("std/along", complex_too, sinter::std(a, dims{1}, false, true), {{2, 3}}),
        GRADIENT_ROW("std/corrected", complex_too, a.std(dims{0}, Scalar(0.5)), {{3, 2}}),
        GRADIENT_ROW("var_mean", complex_too, var_mean(a), {{2, 3}}),
        GRADIENT_ROW("var_mean/along", complex_too, var_mean(a, dims{1}, true), {{2, 3}}),
        GRADIENT_ROW("std_mean", complex_too, std_mean(a), {{2, 3}}),
        GRADIENT_ROW("std_mean/along", complex_too, std_mean(a, dims{1}, true), {{2, 3}}),
        GRADIENT_ROW("logsumexp", complex_too, logsumexp(a, 1), {{2, 3}}),
        GRADIENT_ROW("logsumexp/along two", real, logsumexp(a, dims{0, 1}, true), {{2, 3}}),
        GRADIENT_ROW("softmax", real, softmax(a, 1), {{2, 3}}),
        GRADIENT_ROW("softmax/along the first", real, a.softmax(0), {{2, 3}}),
        GRADIENT_ROW("log_softmax", real, log_softmax(a, 1), {{2, 3}}),
        GRADIENT_ROW("log_softmax/along the first", real, a.log_softmax(0), {{2, 3}}),
        GRADIENT_ROW("cov", complex_too, cov(a), {{2, 4}}),
        GRADIENT_ROW("cov/of a vector", complex_too, cov(a), {{4}}),
        GRADIENT_ROW("cov/counted", complex_too, cov(a, 1, tensor({1, 2, 1, 3})), {{2, 4}}),
        GRADIENT_ROW("cov/weighted", real, cov(a, 1, nullopt, b), {{2, 4}}, {{4}, 0.5, 1}),
        GRADIENT_ROW("cov/weighted without correction", real, cov(a, 0, nullopt, b), {{2, 4}},
                     {{4}, 0.5, 1}),
        GRADIENT_ROW("cov/counted and weighted", real, cov(a, 1, tensor({1, 2, 1, 3}), b), {{2, 4}},
                     {{4}, 0.5, 1}),
        GRADIENT_ROW("corrcoef", real, corrcoef(a), {{3, 4}}),
        GRADIENT_ROW("diff", complex_too, diff(a), {{2, 3}}),
        GRADIENT_ROW("diff/with ends", complex_too, diff(a, 2, 1, b, c), {{2, 3}}, {{2, 1}},
                     {{2, 2}}),
        GRADIENT_ROW("diff/not at all", complex_too, diff(a, 0), {{2, 3}}),
        GRADIENT_ROW("gradient", complex_too, gradient(a), {{3, 3}}),
        GRADIENT_ROW("gradient/of order 2", complex_too, gradient(a, 0.5, 1, 2), {{2, 4}}),
        GRADIENT_ROW("gradient/uneven", real, gradient(a, TensorList({b.cumsum(0)}), 1, 2),
                     {{2, 4}}, {{4}, 0.5, 1}),
        GRADIENT_ROW("trapezoid", complex_too, trapezoid(a, 0.5), {{2, 3}}),
        GRADIENT_ROW("trapezoid/uneven", complex_too, trapezoid(a, b), {{2, 3}}, {{3}}),
        GRADIENT_ROW("trapz", complex_too, trapz(a, 0.5), {{2, 3}}),
        GRADIENT_ROW("trapz/uneven", complex_too, trapz(a, b), {{2, 3}}, {{3}}),
        GRADIENT_ROW("cumulative_trapezoid", complex_too, cumulative_trapezoid(a, 0.5), {{2, 3}}),
        GRADIENT_ROW("cumulative_trapezoid/uneven", complex_too, cumulative_trapezoid(a, b),
                     {{2, 3}}, {{3}}),
        GRADIENT_ROW("sum_to_size", complex_too, sum_to_size(a, {1, 3}), {{2, 3}}),
        GRADIENT_ROW("trace", complex_too, trace(a), {{3, 3}}),
    };
}

std::vector<gradient_row> distance_rows() {
    std::vector<gradient_row> all = {
        GRADIENT_ROW("frobenius_norm", complex_too, frobenius_norm(a), {{2, 3}}),
        GRADIENT_ROW("frobenius_norm/along", complex_too, frobenius_norm(a, 1, true), {{2, 3}}),
        GRADIENT_ROW("linalg_vector_norm", complex_too, linalg_vector_norm(a, 3), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("norm/as", real, norm(a, 2, kDouble), {{2, 3}}),
        GRADIENT_ROW("cosine_similarity", real, cosine_similarity(a, b), {{2, 3}, 0.2, 1},
                     {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("cosine_similarity/broadcast", real, cosine_similarity(a, b, 0), {{2, 3}},
                     {{2, 1}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::cosine_similarity", real,
                     nn::functional::cosine_similarity(a, b), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("nn::functional::pairwise_distance", real,
                     nn::functional::pairwise_distance(a, b), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("renorm", complex_too, renorm(a, 2, 0, 0.5), {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("renorm/of short ones", complex_too, renorm(a, 2, 0, 50), {{2, 3}}),
        GRADIENT_ROW("renorm/by another norm", complex_too, renorm(a, 1.5, 1, 0.5),
                     {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("renorm/in place", complex_too, a.clone().renorm_(2, 0, 0.5),
                     {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("dist/broadcast", complex_too, dist(a, b, 3), {{2, 3}, 0.2, 1},
                     {{3}, -1, -0.2}),
        GRADIENT_ROW("cdist/of batches", real, cdist(a, b, 2), {{2, 2, 3}}, {{3, 3}}),
        GRADIENT_ROW("nn::functional::normalize", complex_too, nn::functional::normalize(a),
                     {{2, 3}, 0.2, 1}),
        GRADIENT_ROW(
            "nn::functional::normalize/by another norm", real,
            nn::functional::normalize(a, nn::functional::NormalizeFuncOptions().p(1.5).dim(0)),
            {{2, 3}, 0.2, 1}),
    };
    const auto add = [&all](const char* name, double p, std::vector<random_operand> operands,
                            auto f, numbers of) {
        all.push_back({name + ("/" + std::to_string(p)), std::move(operands),
                       [f, p](const variable_list& v) { return listed(Tensor(f(v, p))); }, of});
    };
    const random_operand at{{2, 3}, 0.2, 1}, other{{2, 3}, -1, -0.2};
    for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, inf, -inf, -1.0}) {
        add(
            "norm", p, {at}, [](const variable_list& v, double q) { return norm(v[0], q); },
            numbers::complex_too);
        add(
            "norm/along", p, {at},
            [](const variable_list& v, double q) { return v[0].norm(Scalar(q), 1, true); },
            numbers::complex_too);
        add(
            "dist", p, {at, other},
            [](const variable_list& v, double q) { return dist(v[0], v[1], q); },
            numbers::complex_too);
        add(
            "pairwise_distance", p, {at, other},
            [](const variable_list& v, double q) { return pairwise_distance(v[0], v[1], q); },
            numbers::real);
        if (p < 0) continue;
        add(
            "cdist", p, {{{2, 3}}, {{3, 3}}},
            [](const variable_list& v, double q) { return cdist(v[0], v[1], q); }, numbers::real);
        add(
            "nn::functional::pdist", p, {{{4, 3}}},
            [](const variable_list& v, double q) { return nn::functional::pdist(v[0], q); },
            numbers::real);
    }
    return all;
}

TEST_CASE("gradients of reductions" * doctest::test_suite("host")) {
    for (const gradient_row& r : reduction_rows()) check_gradients(r);
}

TEST_CASE("gradients of norms and distances" * doctest::test_suite("host")) {
    for (const gradient_row& r : distance_rows()) check_gradients(r);
}

TEST_CASE("a product that has zeros has all derivatives") {
    const autograd::checked_function whole = [](const variable_list& v) {
        return variable_list{v[0].prod()};
    };
    const autograd::checked_function rows = [](const variable_list& v) {
        return variable_list{v[0].prod(1)};
    };
    for (const auto& values :
         {std::vector{2.0, 3.0, 0.5, -1.5}, std::vector{0.0, 3.0, 0.5, -1.5},
          std::vector{0.0, 3.0, 0.0, -1.5}, std::vector{0.0, 0.0, 0.0, -1.5}}) {
        const Tensor x = tensor(values, kDouble).requires_grad_();
        CHECK(autograd::gradcheck(whole, {x}, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK(autograd::gradgradcheck(whole, {x}));
        const Tensor m = tensor(values, kDouble).reshape({2, 2}).detach().requires_grad_();
        CHECK(autograd::gradcheck(rows, {m}, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK(autograd::gradgradcheck(rows, {m}));
    }
}

TEST_CASE("equal elements share the gradient of amax, and the first has that of max") {
    const Tensor x = tensor({2.0, 1.0, 2.0}, kDouble).requires_grad_();
    CHECK(autograd::grad({x.amax()}, {x})[0].equal(tensor({0.5, 0.0, 0.5}, kDouble)));
    CHECK(autograd::grad({std::get<0>(x.max(0))}, {x})[0].equal(tensor({1.0, 0.0, 0.0}, kDouble)));
}

TEST_CASE("gradients of reductions of one element and of numbers") {
    const auto whole = [](const auto& f) {
        return gradient_row{"one", {{{1}, 0.2, 1}}, [f](const variable_list& v) {
                                return listed(Tensor(f(v[0])));
                            }};
    };
    const std::vector<gradient_row> all{
        whole([](const Tensor& x) { return x.sum(); }),
        whole([](const Tensor& x) { return x.mean(); }),
        whole([](const Tensor& x) { return x.prod(); }),
        whole([](const Tensor& x) { return x.amax(); }),
        whole([](const Tensor& x) { return x.max(); }),
        whole([](const Tensor& x) { return x.nansum(); }),
        whole([](const Tensor& x) { return x.nanmean(); }),
        whole([](const Tensor& x) { return x.norm(); }),
        whole([](const Tensor& x) { return x.norm(3); }),
        whole([](const Tensor& x) { return x.softmax(0); }),
        whole([](const Tensor& x) { return x.log_softmax(0); }),
        whole([](const Tensor& x) { return x.logsumexp(0); }),
        whole([](const Tensor& x) { return x.var(false); }),
    };
    for (const gradient_row& r : all) {
        check_gradients(r, {{1}});
        check_gradients(r, {{}});
    }
    manual_seed(1);
    const Tensor z = rand({}, kComplexDouble).detach().requires_grad_();
    for (const auto& f : std::vector<autograd::checked_function>{
             [](const variable_list& v) { return variable_list{v[0].sum()}; },
             [](const variable_list& v) { return variable_list{v[0].mean()}; },
             [](const variable_list& v) { return variable_list{v[0].prod()}; },
             [](const variable_list& v) { return variable_list{v[0].norm()}; }})
        CHECK(autograd::gradcheck(f, {z}, 1e-6, 1e-5, 1e-3, true, true, true));
}

TEST_CASE("reductions of nothing pass no gradient, and keep the graph") {
    const auto gradient_of = [](const auto& f) {
        const Tensor x = zeros({0, 3}, kDouble).requires_grad_();
        const Tensor y = f(x);
        CHECK(y.requires_grad());
        if (!y.requires_grad()) return false;
        const Tensor g = autograd::grad({y}, {x}, {ones_like(y.detach())})[0];
        return g.sizes() == x.sizes();
    };
    CHECK(gradient_of([](const Tensor& x) { return x.sum(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.sum(0); }));
    CHECK(gradient_of([](const Tensor& x) { return x.mean(0); }));
    CHECK(gradient_of([](const Tensor& x) { return x.prod(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.prod(0); }));
    CHECK(gradient_of([](const Tensor& x) { return x.amax(1); }));
    CHECK(gradient_of([](const Tensor& x) { return x.var(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.std(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.norm(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.nansum(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.nanmean(); }));
    CHECK(gradient_of([](const Tensor& x) { return x.softmax(1); }));
    CHECK(gradient_of([](const Tensor& x) { return x.log_softmax(1); }));
    CHECK(gradient_of([](const Tensor& x) { return x.logsumexp(1); }));
    CHECK(gradient_of([](const Tensor& x) { return x.logsumexp(0); }));
    CHECK(gradient_of([](const Tensor& x) { return x.cumsum(0); }));
    CHECK(gradient_of([](const Tensor& x) { return trapezoid(x, 1, 0); }));
    CHECK(gradient_of([](const Tensor& x) { return cdist(x, ones({2, 3}, kDouble)); }));
    CHECK(gradient_of([](const Tensor& x) { return cdist(x.t(), ones({2, 0}, kDouble)); }));
    CHECK(gradient_of([](const Tensor& x) { return nn::functional::pdist(x); }));
    CHECK(gradient_of([](const Tensor& x) { return x.renorm(2, 0, 1); }));
    CHECK(gradient_of([](const Tensor& x) { return x.diff(); }));
    CHECK(gradient_of([](const Tensor& x) { return nn::functional::normalize(x); }));
}

}  // namespace testing
