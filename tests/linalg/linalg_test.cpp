// Products and systems through tensors: shapes, dtypes, laziness, and the text of every error.
#include <sinter/sinter.hpp>

#include "tests/seed.hpp"

#include "tests/linalg/products/products_case.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::test;

TEST_CASE("mm in every dtype and with every transpose") {
    for (ScalarType t : {kFloat, kDouble, kHalf, kInt, kLong}) {
        const Tensor a = numbers({4, 6}, t), b = numbers({6, 5}, t, 3);
        const Tensor expected = by_hand(a, b);
        CHECK((a.mm(b).scalar_type() == t));
        CHECK(equal(a.mm(b).to(kDouble), expected));
        const Tensor at = a.t().contiguous().t(), bt = b.t().contiguous().t();
        CHECK(equal(at.mm(b).to(kDouble), expected));
        CHECK(equal(a.mm(bt).to(kDouble), expected));
        CHECK(equal(at.mm(bt).to(kDouble), expected));
        CHECK(equal(b.t().mm(a.t()).to(kDouble), expected.t()));
    }
    const Tensor bytes = tensor({{200, 100}, {3, 4}}, kByte);
    CHECK(equal(bytes.mm(bytes), tensor({{(200 * 200 + 300) % 256, (200 * 100 + 400) % 256},
                                         {(600 + 12) % 256, (300 + 16) % 256}},
                                        kByte)));
}

TEST_CASE("matmul takes vectors, matrices and batches as PyTorch does") {
    auto shape = [](IntArrayRef a, IntArrayRef b) { return sizes(zeros(a).matmul(zeros(b))); };
    using list = std::vector<int64_t>;
    CHECK((shape({3}, {3}).empty()));
    CHECK((shape({3}, {3, 4}) == list{4}));
    CHECK((shape({2, 3}, {3}) == list{2}));
    CHECK((shape({2, 3}, {3, 4}) == list{2, 4}));
    CHECK((shape({5, 2, 3}, {3}) == list{5, 2}));
    CHECK((shape({3}, {5, 3, 4}) == list{5, 4}));
    CHECK((shape({5, 2, 3}, {3, 4}) == list{5, 2, 4}));
    CHECK((shape({6, 1, 2, 3}, {5, 3, 4}) == list{6, 5, 2, 4}));
    CHECK((shape({0, 2, 3}, {3, 4}) == list{0, 2, 4}));
    CHECK((shape({2, 0}, {0, 3}) == list{2, 3}));

    const Tensor a = numbers({6, 1, 2, 3}, kFloat), b = numbers({5, 3, 4}, kFloat);
    CHECK(equal(a.matmul(b).to(kDouble), by_hand(a, b)));
    const Tensor v = numbers({3}, kFloat);
    CHECK(equal(a.matmul(v), a.matmul(v.unsqueeze(1)).squeeze(-1)));
    CHECK(equal(v.matmul(b), v.unsqueeze(0).matmul(b).squeeze(-2)));
    CHECK(a.select(0, 0).select(0, 0).select(0, 0).dot(v).item<float>() ==
          (a.select(0, 0).select(0, 0).select(0, 0) * v).sum().item<float>());
    const Tensor m = numbers({4, 3}, kDouble);
    CHECK(equal(m.mv(v.to(kDouble)), m.matmul(v.to(kDouble))));
    const Tensor x = numbers({5, 2, 3}, kInt), y = numbers({5, 3, 2}, kInt);
    CHECK(equal(x.bmm(y), x.matmul(y)));
    CHECK(equal(zeros({2, 0}).mm(zeros({0, 3})), zeros({2, 3})));
}

TEST_CASE("views go in as they are: slices, steps, expanded and diagonal ones") {
    const Tensor base = numbers({9, 11}, kDouble);
    const Tensor a = base.slice(0, 1, 8, 2).slice(1, 2, 10, 2);
    const Tensor b = base.slice(1, 3, 7).narrow(0, 4, 4);
    CHECK(equal(a.mm(b), by_hand(a, b)));
    const Tensor row = base.select(0, 2).unsqueeze(0).expand({5, 11});
    CHECK(equal(row.mm(base.t()), by_hand(row, base.t())));
    CHECK(
        equal(base.select(1, 0).dot(base.diagonal()), (base.select(1, 0) * base.diagonal()).sum()));
    const Tensor windows = base.select(0, 0).unfold(0, 4, 1);
    CHECK(equal(windows.t().mm(windows), by_hand(windows.t(), windows)));
}

TEST_CASE("a product is pending, reads its operands as they were, and fuses with nothing") {
    reset_stats();
    Tensor a = ones({3, 3}), b = ones({3, 3});
    Tensor c = (a * 2).mm(b + 1);
    CHECK(stats().library_calls == 0);
    a.add_(100);
    b.zero_();
    Tensor d = c + 1;
    CHECK(equal(d, full({3, 3}, 13.0)));
    CHECK(stats().library_calls == 1);
    Tensor e = a.mm(a);
    e.add_(1);
    CHECK(e.select(0, 0).select(0, 0).item<float>() == 3 * 101 * 101 + 1);
}

TEST_CASE("lazy and eager products have equal bits") {
    const Tensor a = rand({70, 90}), b = rand({90, 80});
    auto f = [&] { return ((a - 0.5).mm(b.cos()) * 3 + a.mv(b.select(1, 4)).unsqueeze(1)).eval(); };
    const Tensor lazy = f();
    ModeGuard guard(Mode::eager);
    CHECK(equal(lazy, f()));
}

TEST_CASE("errors of products") {
    const Tensor m = zeros({2, 3}), v = zeros({3}), s = zeros({}), l = zeros({2, 3}, kLong);
    CHECK(error_of([&] { m.mm(m); }) ==
          "[mm] the inner dimensions do not match; got shapes [2, 3] and [2, 3], expected 3 rows "
          "in the second; try transpose(-2, -1) on one of them");
    CHECK(error_of([&] { m.mv(zeros({2})); }) ==
          "[mv] the inner dimensions do not match; got shapes [2, 3] and [2], expected 3 elements "
          "in the second; try narrow() on the longer one");
    CHECK(error_of([&] { m.mm(v); }) ==
          "[mm] an operand has the wrong number of dimensions; got shapes [2, 3] and [3], expected "
          "2 and 2 dimensions; try matmul(), which takes any");
    CHECK(error_of([&] { v.dot(m); }) ==
          "[dot] an operand has the wrong number of dimensions; got shapes [3] and [2, 3], "
          "expected 1 and 1 dimensions; try matmul(), which takes any");
    CHECK(error_of([&] { v.dot(zeros({4})); }) ==
          "[dot] the inner dimensions do not match; got shapes [3] and [4], expected 3 elements in "
          "the second; try narrow() on the longer one");
    CHECK(error_of([&] { m.matmul(s); }) ==
          "[matmul] an operand has too few dimensions; got shapes [2, 3] and [], expected at least "
          "1 dimension in each; try mul() for a product with a number");
    CHECK(error_of([&] { zeros({4, 2, 3}).bmm(zeros({5, 3, 2})); }) ==
          "[bmm] the batch sizes differ; got shapes [4, 2, 3] and [5, 3, 2], expected 4 matrices "
          "in the second; try matmul(), which broadcasts");
    CHECK(error_of([&] { zeros({4, 2, 3}).matmul(zeros({5, 3, 2})); }) ==
          "[matmul] The size of tensor a (4) must match the size of tensor b (5) at non-singleton "
          "dimension 0; got shapes [4] and [5], expected sizes that are equal or 1, counted from "
          "the last dimension; try unsqueeze() or reshape() to line up the dimensions");
    CHECK(error_of([&] { l.mm(m.t()); }) ==
          "[mm] the operands' dtypes differ; got Long and Float, expected the same dtype; try "
          ".to(kFloat) on the first");
    CHECK(error_of([&] { (m > 0).mm((m > 0).t()); }) ==
          "[mm] booleans are not supported; got Bool and Bool, expected a numeric dtype; try "
          ".to(kLong) first, or & and any()");
    CHECK_THROWS_AS(l.mm(m.t()), Error);
    CHECK_THROWS_AS((m > 0).mm((m > 0).t()), NotImplementedError);
    CHECK_THROWS_AS(Tensor().mm(m), Error);
}

TEST_CASE("linalg_solve: vectors, matrices and batches") {
    const Tensor a = tensor({{4.0, 1.0, 0.0}, {1.0, 3.0, 1.0}, {0.0, 1.0, 2.0}}, kDouble);
    const Tensor x = tensor({1.0, -2.0, 3.0}, kDouble);
    CHECK(allclose(linalg_solve(a, a.mv(x)), x, 1e-13, 1e-13));
    CHECK(allclose(linalg::solve(a.t(), a.t().mv(x)), x, 1e-13, 1e-13));
    const Tensor xs = numbers({3, 2}, kDouble);
    CHECK(allclose(linalg_solve(a, a.mm(xs)), xs, 1e-13, 1e-13));
    using list = std::vector<int64_t>;
    const Tensor batch = a.unsqueeze(0) * tensor({1.0, 2.0, 4.0, 8.0}, kDouble).reshape({4, 1, 1});
    CHECK((sizes(linalg_solve(batch, xs)) == list{4, 3, 2}));
    CHECK((sizes(linalg_solve(batch, zeros({4, 3}, kDouble))) == list{4, 3}));
    CHECK((sizes(linalg_solve(batch, x)) == list{4, 3}));
    CHECK((sizes(linalg_solve(a, zeros({4, 3, 2}, kDouble))) == list{4, 3, 2}));
    CHECK((sizes(linalg_solve(zeros({0, 0}), zeros({0, 3}))) == list{0, 3}));
    const Tensor solved = linalg_solve(batch, x);
    for (int64_t i = 0; i < 4; ++i)
        CHECK(allclose(batch.select(0, i).mv(solved.select(0, i)), x, 1e-13, 1e-13));
    CHECK((linalg_solve(a.to(kFloat), x.to(kFloat)).scalar_type() == kFloat));
}

TEST_CASE("linalg_solve runs at its line, and its errors are caught there") {
    Tensor a = eye(2, kDouble) * 1.0, b = ones({2}, kDouble) + 0;
    reset_stats();
    Tensor x = linalg_solve(a, b);
    CHECK(stats().library_calls == 2);  // the factors, and the solution
    a.zero_();
    CHECK(equal(x, ones({2}, kDouble)));
    CHECK_THROWS_AS(linalg_solve(a, b), LinAlgError);
    CHECK(equal(b, ones({2}, kDouble)));  // the operands stay usable
}
