// tensordot: PyTorch's semantics, and what runs.
#include <sinter/sinter.hpp>

#include "tests/linalg/products/products_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

/// Computes the sum over pairs of dimensions by broadcasting: all of a's dimensions, then all of
/// b's.
Tensor by_hand(Tensor a, Tensor b, list dims_a, list dims_b) {
    const int64_t m = a.dim(), n = b.dim();
    Tensor product = a.reshape([&] {
        list s = sizes(a);
        s.insert(s.end(), static_cast<std::size_t>(n), 1);
        return s;
    }()) * b;
    // Takes the diagonal of each pair; its dimension moves to the end.
    list left(static_cast<std::size_t>(m + n));
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<int64_t>(i);
    for (std::size_t p = 0; p < dims_a.size(); ++p) {
        const auto at = [&](int64_t d) {
            return std::find(left.begin(), left.end(), d) - left.begin();
        };
        const int64_t i = at(dims_a[p]), j = at(m + dims_b[p]);
        product = product.diagonal(0, i, j).sum(-1);
        std::erase_if(left, [&](int64_t d) { return d == dims_a[p] || d == m + dims_b[p]; });
    }
    return product;
}

}  // namespace

TEST_CASE("tensordot sums over pairs of dimensions") {
    for (ScalarType t : {kDouble, kFloat, kLong, kInt, kByte, kHalf, kComplexFloat}) {
        const Tensor a = numbers({2, 3, 4}, t), b = numbers({3, 4, 5}, t, 2);
        CHECK(equal(tensordot(a, b), by_hand(a, b, {1, 2}, {0, 1}).to(t)));
        CHECK((tensordot(a, b).scalar_type() == t));
        CHECK(equal(tensordot(a, b, {1}, {0}), by_hand(a, b, {1}, {0}).to(t)));
        CHECK(equal(tensordot(a, b, {-1, 1}, {-2, 0}), by_hand(a, b, {2, 1}, {1, 0}).to(t)));
        CHECK(equal(tensordot(a, b, 0), by_hand(a, b, {}, {}).to(t)));
        const Tensor c = b.permute({2, 1, 0}).slice(0, 0, 5, 2);
        CHECK(equal(tensordot(a, c, {2, 1}, {1, 2}), by_hand(a, c, {2, 1}, {1, 2}).to(t)));
        CHECK(equal(tensordot(c, a, {1, 2}, {2, 1}), by_hand(c, a, {1, 2}, {2, 1}).to(t)));
        CHECK(tensordot(c, a, {1, 2}, {2, 1}).is_contiguous());
    }
}

TEST_CASE("tensordot of numbers, of nothing, and of sizes of 1, which broadcast") {
    CHECK(equal(tensordot(tensor(2.), tensor(3.), 0), tensor(6.)));
    CHECK(equal(tensordot(numbers({2, 3}), tensor(3., kDouble), 0), numbers({2, 3}) * 3));
    CHECK(equal(tensordot(zeros({2, 0}), zeros({0, 3}), 1), zeros({2, 3})));
    CHECK(sizes(tensordot(zeros({0, 4}), zeros({4, 3}), 1)) == list{0, 3});
    CHECK(sizes(tensordot(ones({2, 1, 4}), ones({4, 1}), 1)) == list{2, 1, 1});
    const Tensor a = numbers({2, 3, 4}, kInt), b = numbers({3, 1, 5}, kInt);
    const Tensor r = tensordot(a, b);
    CHECK((r.scalar_type() == kInt));
    CHECK(equal(r, tensordot(a, b.expand({3, 4, 5}))));
    CHECK(equal(tensordot(b, a, {0, 1}, {1, 2}), r.t()));
}

TEST_CASE("tensordot is one library call on views") {
    const Tensor a = rand({6, 7, 8, 9}).eval(), b = rand({8, 9, 5}).eval();
    reset_stats();
    const Tensor r = tensordot(a, b).eval();
    CHECK(stats().library_calls == 1);
    CHECK(stats().kernels_launched == 0);
    CHECK(stats().bytes_allocated < 6 * 7 * 5 * 4 + 512);
}

TEST_CASE("tensordot_out resizes and converts") {
    const Tensor a = numbers({2, 3}, kFloat), b = numbers({3, 4}, kFloat);
    Tensor out = empty({0});
    Tensor& r = tensordot_out(out, a, b, {1}, {0});
    CHECK(&r == &out);
    CHECK(equal(out, a.mm(b)));
    Tensor integers = empty({2, 4}, kLong);
    CHECK_THROWS_AS(tensordot_out(integers, a, b, {1}, {0}), Error);
}

TEST_CASE("errors of tensordot") {
    const Tensor a = zeros({2, 3, 4}), b = zeros({3, 4, 5});
    CHECK(error_of([&] { tensordot(a, b, 1); }) ==
          "[tensordot] the inner dimensions do not match; got shapes [2, 3, 4] and [3, 4, 5], "
          "expected one size in dimension 2 of the first and dimension 0 of the second; try other "
          "dimensions, or narrow() on the longer one");
    CHECK(error_of([&] { tensordot(a, b, 4); }) ==
          "[tensordot] the number of dimensions is out of range; got 4, expected 0 to 3, the "
          "dimensions that both operands have; try lists of dimensions");
    CHECK(error_of([&] {
              tensordot(a, b, -1);
          }).starts_with("[tensordot] the number of dimensions is out of range; got -1"));
    CHECK(error_of([&] { tensordot(a, b, {1}, {0, 1}); }) ==
          "[tensordot] the lists of dimensions have different lengths; got [1] and [0, 1], "
          "expected a dimension of the second operand for each of the first; try a number, which "
          "contracts that many dimensions");
    CHECK_THROWS_AS(tensordot(a, b, {5}, {0}), IndexError);
    CHECK_THROWS_AS(tensordot(a, a, {1, 1}, {1, 2}), Error);
    CHECK_THROWS_AS(tensordot(a, b.to(kDouble)), Error);
    CHECK_THROWS_AS(tensordot(a.to(kBool), b.to(kBool)), NotImplementedError);
    CHECK_THROWS_AS(tensordot(a.to(kBool), b.to(kBool), 0), NotImplementedError);
}
