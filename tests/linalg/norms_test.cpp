// Norms, condition numbers, traces and matrix powers: the values of PyTorch 2.15, what runs, and
// errors. tests/golden has many more values.
#include <sinter/sinter.hpp>

#include "tests/linalg/products/products_case.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool close(const Tensor& a, const Tensor& b) {
    return a.scalar_type() == b.scalar_type() && sizes(a) == sizes(b) &&
           allclose(a, b, 1e-5, 1e-6, true);
}

Tensor example() { return tensor({{1.f, -2.f, 3.f}, {4.f, 5.f, -6.f}}); }

}  // namespace

TEST_CASE("vector norms of all orders") {
    const Tensor x = example();
    const std::pair<double, double> all[] = {
        {2, 9.539392471},  {1, 21},           {0, 6},
        {inf, 6},          {-inf, 1},         {3, 7.611662864},
        {-1, 0.408163220}, {0.5, 117.328377}, {2.5, 8.297632217}};
    for (const auto& [ord, value] : all) {
        CAPTURE(ord);
        CHECK(close(linalg::vector_norm(x, ord), tensor(static_cast<float>(value))));
    }
    CHECK(std::isnan(linalg::vector_norm(x, not_a_number).item<float>()));
    CHECK(close(linalg::vector_norm(x, 3, 0), tensor({4.0207257f, 5.1044685f, 6.2402520f})));
    CHECK(sizes(linalg::vector_norm(x, 2, nullopt, true)) == list{1, 1});
    CHECK(sizes(linalg::vector_norm(x, 2, IntArrayRef{0}, true)) == list{1, 3});
    CHECK(close(linalg::vector_norm(x, 2, IntArrayRef{}), linalg::vector_norm(x)));
    CHECK(close(linalg::vector_norm(tensor(-3.f), 0), tensor(1.f)));
    // Norms of complex tensors are real.
    const Tensor z = complex(x, x);
    CHECK(close(linalg::vector_norm(z), tensor(13.4907370f)));
    CHECK(close(linalg::vector_norm(z, inf), tensor(8.4852814f)));
    CHECK((linalg::vector_norm(z, 2, nullopt, false, kComplexDouble).scalar_type() == kDouble));
    // Computed in a wider dtype, and rounded once.
    CHECK((linalg::vector_norm(x, 2, nullopt, false, kDouble).item<double>() == 9.539392014169456));
    CHECK((linalg::vector_norm(full({4096}, 1., kHalf)).item<float>() == 64));
}

TEST_CASE("vector norms of nothing") {
    const Tensor z = zeros({0, 3});
    for (double ord : {2., 1., 0., 3., 0.5}) {
        CHECK(equal(linalg::vector_norm(z, ord), tensor(0.f)));
        CHECK(equal(linalg::vector_norm(z, ord, 0), zeros({3})));
        CHECK(sizes(linalg::vector_norm(z, ord, 1)) == list{0});
    }
    for (double ord : {inf, -inf, -1.}) {
        CHECK_THROWS_AS(linalg::vector_norm(z, ord), Error);
        CHECK_THROWS_AS(linalg::vector_norm(z, ord, 0), Error);
        CHECK(sizes(linalg::vector_norm(z, ord, 1)) == list{0});
    }
}

TEST_CASE("a vector norm is one kernel, with what makes its operand") {
    const Tensor x = rand({100, 30}).eval();
    for (double ord : {2., 1., inf, 3.}) {
        reset_stats();
        linalg::vector_norm(x * 2 - 1, ord, 1).eval();
        CHECK(stats().kernels_launched == 1);
        CHECK(stats().library_calls == 0);
    }
}

TEST_CASE("matrix norms of all orders") {
    const Tensor x = example(), z = complex(x, x);
    CHECK(close(linalg::matrix_norm(x), tensor(9.539392f)));
    CHECK(close(linalg::matrix_norm(x, "nuc"), tensor(11.653785f)));
    CHECK(close(linalg::matrix_norm(x, 1), tensor(9.f)));
    CHECK(close(linalg::matrix_norm(x, -1), tensor(5.f)));
    CHECK(close(linalg::matrix_norm(x, inf), tensor(15.f)));
    CHECK(close(linalg::matrix_norm(x, -inf), tensor(6.f)));
    CHECK(close(linalg::matrix_norm(x, 2), tensor(9.225027f)));
    CHECK(close(linalg::matrix_norm(x, -2), tensor(2.4287577f)));
    CHECK(close(linalg::matrix_norm(z, 2), tensor(13.046158f)));
    CHECK(close(linalg::matrix_norm(z, -inf), tensor(8.485281f)));
    CHECK(close(linalg::matrix_norm(x, 1, {1, 0}), tensor(15.f)));
    const Tensor y = arange(24.f).reshape({2, 3, 4});
    CHECK(
        close(linalg::matrix_norm(y, "fro", {0, 2}), tensor({27.349588f, 36.823906f, 47.116875f})));
    CHECK(close(linalg::matrix_norm(y, 1, {0, 2}), tensor({18.f, 26.f, 34.f})));
    CHECK(close(linalg::matrix_norm(y, 2, {0, 2}, true),
                tensor({27.278738f, 36.795010f, 47.103107f}).reshape({1, 3, 1})));
    CHECK(close(linalg::matrix_norm(y, 1, {2, 0}, true),
                tensor({54.f, 70.f, 86.f}).reshape({1, 3, 1})));
    CHECK((linalg::matrix_norm(x, 1, {-2, -1}, false, kDouble).scalar_type() == kDouble));
    CHECK((linalg::matrix_norm(x.to(kHalf), 1).scalar_type() == kHalf));
}

TEST_CASE("matrix norms of nothing") {
    const Tensor wide = zeros({0, 3}), tall = zeros({3, 0}), none = zeros({0, 0});
    for (const Tensor& t : {wide, tall, none}) {
        CHECK(equal(linalg::matrix_norm(t), tensor(0.f)));
        CHECK(equal(linalg::matrix_norm(t, "nuc"), tensor(0.f)));
        for (double ord : {1., inf, 2.}) CHECK(equal(linalg::matrix_norm(t, ord), tensor(0.f)));
        CHECK_THROWS_AS(linalg::matrix_norm(t, -2), IndexError);
    }
    CHECK(equal(linalg::matrix_norm(wide, -1), tensor(0.f)));
    CHECK_THROWS_AS(linalg::matrix_norm(tall, -1), IndexError);
    CHECK_THROWS_AS(linalg::matrix_norm(wide, -inf), IndexError);
    CHECK(equal(linalg::matrix_norm(tall, -inf), tensor(0.f)));
    CHECK(sizes(linalg::matrix_norm(zeros({0, 2, 3}), -2)) == list{0});
    CHECK(equal(linalg::matrix_norm(zeros({2, 0, 3}), 2), zeros({2})));
}

TEST_CASE("a norm by sums is fused, one by singular values runs at its line") {
    const Tensor x = rand({4, 30, 20}).eval();
    reset_stats();
    const Tensor n = linalg::matrix_norm(x * 2, inf);
    CHECK(stats().kernels_launched == 0);
    n.eval();
    CHECK(stats().library_calls == 0);
    linalg::matrix_norm(x, 2);
    CHECK(stats().library_calls == 1);
}

TEST_CASE("norms choose between vectors and matrices") {
    const Tensor x = example(), y = arange(24.f).reshape({2, 3, 4}), v = tensor({3.f, -4.f});
    CHECK(close(linalg::norm(y), tensor(65.757126f)));
    CHECK(close(linalg::norm(x, 2), tensor(9.225027f)));
    CHECK(close(linalg::norm(v, 2), tensor(5.f)));
    CHECK(close(linalg::norm(v, 0.0), tensor(2.f)));
    CHECK(close(linalg::norm(x, "nuc"), tensor(11.653785f)));
    CHECK(
        close(linalg::norm(y, 1, 1), tensor({{12.f, 15.f, 18.f, 21.f}, {48.f, 51.f, 54.f, 57.f}})));
    CHECK(close(linalg::norm(y, 1, IntArrayRef{1, 2}), tensor({21.f, 57.f})));
    CHECK(close(linalg::norm(y, nullopt, IntArrayRef{0, 1}),
                tensor({29.664793f, 31.717503f, 33.823071f, 35.972210f})));
    CHECK(sizes(linalg::norm(y, nullopt, nullopt, true)) == list{1, 1, 1});
    CHECK_THROWS_AS(linalg::norm(y, 2), Error);
    CHECK_THROWS_AS(linalg::norm(y, "fro"), Error);
    CHECK_THROWS_AS(linalg::norm(v, "fro"), Error);
    CHECK_THROWS_AS(linalg::norm(tensor(3.f), 2), Error);
    CHECK_THROWS_AS(linalg::norm(y, nullopt, IntArrayRef{0, 1, 2}), Error);
    CHECK_THROWS_AS(linalg::norm(y, "fro", IntArrayRef{1}), Error);
    CHECK_THROWS_AS(linalg::norm(x, 0.0), Error);
}

TEST_CASE("norms into given tensors") {
    const Tensor x = example();
    Tensor out = empty({0}), wide = empty({0}, kDouble), whole = empty({0}, kLong);
    CHECK(close(linalg::vector_norm_out(out, x), tensor(9.539392f)));
    CHECK(close(linalg::matrix_norm_out(out, x, 1), tensor(9.f)));
    CHECK(close(linalg::matrix_norm_out(wide, x), tensor(9.539392f).to(kDouble)));
    CHECK(close(linalg::norm_out(out, x, "nuc"), tensor(11.653785f)));
    Tensor columns = empty({0});
    CHECK(
        close(linalg::norm_out(columns, x, nullopt, IntArrayRef{0}), linalg::norm(x, nullopt, 0)));
    CHECK_THROWS_AS(linalg::norm_out(whole, x), Error);
}

TEST_CASE("condition numbers") {
    const Tensor a = tensor({{1, 2}, {3, 4}}, kDouble),
                 singular = tensor({{1, 2}, {2, 4}}, kDouble);
    const auto is = [](const Tensor& t, double value) {
        return std::abs(t.item<double>() - value) <= 1e-7 * value;
    };
    CHECK(is(linalg::cond(a), 14.933034373659268));
    CHECK(is(linalg::cond(a, -2), 1 / 14.933034373659268));
    CHECK(is(linalg::cond(a, 1), 21));
    CHECK(is(linalg::cond(a, -1), 6));
    CHECK(is(linalg::cond(a, inf), 21));
    CHECK(is(linalg::cond(a, "fro"), 15));
    CHECK(is(linalg::cond(a, "nuc"), 17));
    for (double p : {1., -1., inf, -inf}) CHECK(linalg::cond(singular, p).item<double>() == inf);
    CHECK(linalg::cond(singular, "fro").item<double>() == inf);
    CHECK(linalg::cond(zeros({2, 2}), 1).item<float>() == inf);
    CHECK(linalg::cond(full({2, 2}, not_a_number), 1).item<float>() == inf);
    CHECK(std::isnan(linalg::cond(zeros({2, 2})).item<float>()));
    CHECK_THROWS_AS(linalg::cond(full({2, 2}, not_a_number)), LinAlgError);
    CHECK(equal(linalg::cond(stack({a, singular}), 1) == inf, tensor({false, true})));
    CHECK(is(linalg::cond(example().to(kDouble)), 3.7982494));
    CHECK(equal(linalg::cond(zeros({0, 0})), tensor(0.f)));
    CHECK(equal(linalg::cond(zeros({2, 0, 0}, kComplexFloat), "fro"), zeros({2})));
    CHECK(equal(linalg::cond(zeros({0, 3}), 1), tensor(0.f)));
    CHECK_THROWS_AS(linalg::cond(zeros({0, 3}), "fro"), Error);
    Tensor out = empty({0}, kDouble);
    CHECK(is(linalg::cond_out(out, a, "nuc"), 17));
    CHECK_THROWS_AS(linalg::cond(a, 3), ValueError);
    CHECK(error_of([&] { linalg::cond(a, "wrong"); }) ==
          "[linalg_cond] the order is unknown; got \"wrong\", expected \"fro\", \"nuc\", 1, -1, 2, "
          "-2, inf or -inf; try 2, the default");
    CHECK_THROWS_AS(linalg::cond(ones({2, 2}, kInt)), NotImplementedError);
    CHECK_THROWS_AS(linalg::cond(zeros({2, 3}), 1), Error);
    CHECK_THROWS_AS(linalg::cond(zeros({2})), Error);
}

TEST_CASE("traces and diagonals") {
    const Tensor x = example();
    CHECK(equal(x.trace(), tensor(6.f)));
    CHECK(equal(trace(x.to(kInt)), tensor(6)));
    CHECK((trace(x.to(kByte)).scalar_type() == kLong));
    CHECK(equal(trace(zeros({0, 3})), tensor(0.f)));
    CHECK_THROWS_AS(trace(x > 0), NotImplementedError);
    CHECK(error_of([] { trace(zeros({3})); }) ==
          "[trace] the tensor is not a matrix; got shape [3], expected 2 dimensions; try "
          "diagonal(0, -2, -1).sum(-1)");
    Tensor y = arange(24.f).reshape({2, 3, 4});
    CHECK(equal(linalg::diagonal(y), y.diagonal(0, 1, 2)));
    CHECK(equal(linalg::diagonal(y, 1, 0, 2), y.diagonal(1, 0, 2)));
    CHECK(linalg::diagonal(y).data_ptr<float>() == y.data_ptr<float>());
    CHECK_THROWS_AS(linalg::diagonal(zeros({3})), IndexError);
}

TEST_CASE("matrices of powers") {
    const Tensor v = tensor({3., -4., 0.});
    CHECK(equal(linalg::vander(v), tensor({{1., 3., 9.}, {1., -4., 16.}, {1., 0., 0.}})));
    CHECK(equal(linalg::vander(v, 4),
                tensor({{1., 3., 9., 27.}, {1., -4., 16., -64.}, {1., 0., 0., 0.}})));
    CHECK(equal(linalg::vander(tensor({3, 252}, kByte)), tensor({{1, 3}, {1, 252}})));
    CHECK((linalg::vander(tensor({3, 4}, kByte)).scalar_type() == kLong));
    CHECK(sizes(linalg::vander(zeros({0, 3}))) == list{0, 3, 3});
    CHECK(sizes(linalg::vander(zeros({2, 0}), 2)) == list{2, 0, 2});
    CHECK(equal(linalg::vander(tensor(2.), 3), tensor({{1., 2., 4.}})));
    const Tensor z = complex(tensor({1., 0.}), tensor({1., 2.}));
    const Tensor p = linalg::vander(z, 3);
    CHECK(equal(real(p), tensor({{1., 1., 0.}, {1., 0., -4.}})));
    CHECK(equal(imag(p), tensor({{0., 1., 2.}, {0., 2., 0.}})));
    for (int64_t n : {-1, 0, 1}) CHECK_THROWS_AS(linalg::vander(v, n), Error);
    CHECK_THROWS_AS(linalg::vander(tensor({2.})), Error);
    CHECK_THROWS_AS(linalg::vander(v.to(kHalf), 3), NotImplementedError);
    CHECK_THROWS_AS(linalg::vander(v > 0, 3), NotImplementedError);
}

TEST_CASE("errors of norms") {
    const Tensor x = example(), z = complex(x, x);
    CHECK(error_of([&] { linalg::vector_norm(x.to(kInt)); }) ==
          "[linalg_vector_norm] integers and booleans are not supported; got Int, expected a "
          "floating-point or complex dtype; try .to(kFloat) first");
    CHECK_THROWS_AS(linalg::vector_norm(x.to(kInt), 2, nullopt, false, kFloat),
                    NotImplementedError);
    CHECK(error_of([&] { linalg::vector_norm(x.to(kDouble), 2, nullopt, false, kFloat); }) ==
          "[linalg_vector_norm] the dtype cannot hold the tensor's elements; got dtype Float for a "
          "Double tensor, expected a floating-point dtype that is at least as wide; try "
          ".to(kFloat) on the result");
    CHECK_THROWS_AS(linalg::vector_norm(x, 2, nullopt, false, kComplexFloat), Error);
    CHECK_THROWS_AS(linalg::vector_norm(z, 2, nullopt, false, kFloat), Error);
    CHECK_THROWS_AS(linalg::vector_norm(x, 2, nullopt, false, kInt), Error);
    CHECK_THROWS_AS(linalg::vector_norm(x, complex<double>(0, 1)), Error);
    CHECK_THROWS_AS(linalg::vector_norm(x, 2, 2), IndexError);
    CHECK_THROWS_AS(linalg::vector_norm(x, 2, IntArrayRef{0, 0}), Error);
    CHECK(error_of([&] { linalg::matrix_norm(x, 3); }) ==
          "[linalg_matrix_norm] the order is unknown; got 3, expected \"fro\", \"nuc\", 1, -1, 2, "
          "-2, inf or -inf; try linalg_vector_norm(), which takes any number");
    CHECK_THROWS_AS(linalg::matrix_norm(x, 0.0), Error);
    CHECK_THROWS_AS(linalg::matrix_norm(x, "wrong"), Error);
    CHECK_THROWS_AS(linalg::matrix_norm(zeros({3})), Error);
    CHECK_THROWS_AS(linalg::matrix_norm(x, 1, {0}), Error);
    CHECK_THROWS_AS(linalg::matrix_norm(x, 1, {0, -2}), Error);
    CHECK_THROWS_AS(linalg::matrix_norm(x, 1, {0, 5}), IndexError);
    CHECK_THROWS_AS(linalg::matrix_norm(x.to(kHalf), 2), NotImplementedError);
}
