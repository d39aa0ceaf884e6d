// Products of many matrices, and powers.
#include "tests/linalg/products/products_case.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace sinter;
using namespace sinter::test;

TEST_CASE("multi_dot of vectors and matrices") {
    const Tensor v = numbers({3}, kDouble), m = numbers({3, 4}, kDouble),
                 n = numbers({4, 2}, kDouble, 3), w = numbers({2}, kDouble, 1);
    CHECK(equal(linalg_multi_dot({v, m}), v.matmul(m)));
    CHECK(equal(linalg_multi_dot({m, n}), m.mm(n)));
    CHECK(equal(linalg_multi_dot({v, v}), v.dot(v)));
    CHECK(equal(linalg_multi_dot({v, m, n}), v.matmul(m).matmul(n)));
    CHECK(equal(linalg::multi_dot({m, n, w}), m.mv(n.mv(w))));
    CHECK(equal(linalg_multi_dot({v, m, n, w}), v.dot(m.mv(n.mv(w)))));
    CHECK((sizes(linalg_multi_dot({v, m, n, w})).empty()));
    CHECK((sizes(linalg_multi_dot({zeros({3, 0}), zeros({0, 2})})) == list{3, 2}));
    CHECK(equal(chain_matmul({m, n, n.t()}), m.mm(n).mm(n.t())));
    CHECK(equal(chain_matmul({m}), m));
    CHECK_FALSE(chain_matmul({m}).is_same(m));
}

TEST_CASE("any number of matrices, in the cheapest order") {
    std::mt19937_64 random(seed());
    for (int i = 0; i < cases(40); ++i) {
        const std::size_t n = 2 + random() % 7;
        list s(n + 1);
        for (int64_t& x : s) x = 1 + static_cast<int64_t>(random() % 9);
        std::vector<Tensor> all;
        Tensor expected;
        for (std::size_t m = 0; m < n; ++m) {
            all.push_back(numbers({s[m], s[m + 1]}, kDouble, static_cast<int64_t>(random() % 7))
                              .remainder(2));
            expected = m == 0 ? all[0] : expected.mm(all[m]);
        }
        CHECK(equal(linalg_multi_dot(all), expected));
        ModeGuard guard(Mode::eager);
        CHECK(equal(linalg_multi_dot(all), expected));
    }
}

TEST_CASE("the order is the one that costs least, which roundings show") {
    manual_seed(seed());
    const auto draw = [](const list& s) {
        std::vector<Tensor> all;
        for (std::size_t i = 0; i + 1 < s.size(); ++i)
            all.push_back(Tensor(rand({s[i], s[i + 1]}) - 0.5).eval());
        return all;
    };
    const std::vector<Tensor> left = draw({40, 60, 30, 70}), right = draw({70, 30, 60, 40}),
                              even = draw({50, 50, 50, 50}), four = draw({64, 40, 72, 33, 80}),
                              even4 = draw({50, 50, 50, 50, 50}),
                              five = draw({70, 70, 70, 70, 70, 33});
    const auto check = [](const std::vector<Tensor>& m, const Tensor& by_hand,
                          const Tensor& other) {
        CHECK(equal(linalg_multi_dot(m), by_hand));
        CHECK(equal(chain_matmul(m), by_hand));
        CHECK_FALSE(equal(by_hand, other));  // otherwise the test would show nothing
    };
    check(left, left[0].mm(left[1]).mm(left[2]), left[0].mm(left[1].mm(left[2])));
    check(right, right[0].mm(right[1].mm(right[2])), right[0].mm(right[1]).mm(right[2]));
    // For equal costs, the order is PyTorch's.
    check(even, even[0].mm(even[1]).mm(even[2]), even[0].mm(even[1].mm(even[2])));
    check(even4, even4[0].mm(even4[1].mm(even4[2].mm(even4[3]))),
          even4[0].mm(even4[1]).mm(even4[2].mm(even4[3])));
    check(four, four[0].mm(four[1].mm(four[2])).mm(four[3]),
          four[0].mm(four[1]).mm(four[2].mm(four[3])));
    check(five, five[0].mm(five[1].mm(five[2].mm(five[3].mm(five[4])))),
          five[0].mm(five[1]).mm(five[2].mm(five[3].mm(five[4]))));
}

TEST_CASE("matrix_power") {
    const Tensor a = numbers({3, 3}, kDouble);
    Tensor e = eye(3, kDouble);
    for (int64_t n = 0; n < 9; ++n) {
        CHECK(equal(matrix_power(a, n), e));
        CHECK(equal(linalg_matrix_power(a, n), e));
        CHECK(equal(a.matrix_power(n), e));
        e = e.mm(a);
    }
    CHECK(equal(linalg::matrix_power(numbers({2, 3, 3}, kLong), 2).select(0, 1),
                numbers({2, 3, 3}, kLong).select(0, 1).matrix_power(2)));
    CHECK(equal(matrix_power(a > 0, 0), eye(3, kBool)));
    CHECK((sizes(matrix_power(zeros({4, 0, 0}), 2)) == list{4, 0, 0}));
    CHECK((sizes(matrix_power(zeros({4, 2, 2}), 0)) == list{4, 2, 2}));
    CHECK_FALSE(matrix_power(a, 1).is_same(a));
    const Tensor twice = eye(3, kDouble) * 2;
    CHECK(allclose(matrix_power(twice, -3), eye(3, kDouble) * 0.125));
    CHECK(error_of([&] { matrix_power(zeros({2, 3}), 2); }) ==
          "[matrix_power] the matrix is not square; got shape [2, 3], expected shape [..., n, n]; "
          "try A.mT().matmul(A), which is square");
    CHECK(error_of([&] {
              linalg_matrix_power(zeros({3}), 0);
          }).rfind("[linalg_matrix_power] ", 0) == 0);
    CHECK(error_of<NotImplementedError>([&] { matrix_power(a > 0, 2); }) ==
          "[matrix_power] booleans are not supported; got Bool and Bool, expected a numeric dtype; "
          "try .to(kLong) first, or & and any()");
}

TEST_CASE("errors of chains") {
    const Tensor m = zeros({2, 3}), n = zeros({3, 4}), v = zeros({3});
    CHECK(error_of([&] { linalg_multi_dot({m}); }) ==
          "[linalg_multi_dot] the list has too few tensors; got 1 tensors, expected 2 or more; try "
          "clone() for a copy of one tensor");
    CHECK(error_of([&] { linalg_multi_dot({m, v, n}); }) ==
          "[linalg_multi_dot] a tensor has the wrong number of dimensions; got shape [3] at "
          "position 1, expected 2 dimensions in the tensors between the first and the last; try "
          "matmul(), which takes any");
    CHECK(error_of([&] { linalg_multi_dot({zeros({1, 2, 3}), n}); }) ==
          "[linalg_multi_dot] a tensor has the wrong number of dimensions; got shape [1, 2, 3] at "
          "position 0, expected 1 or 2 dimensions in the first and the last tensor; try matmul(), "
          "which takes any");
    CHECK(error_of([&] { linalg_multi_dot({m, n, m}); }) ==
          "[linalg_multi_dot] the inner dimensions of matrices 1 and 2 do not match; got shapes "
          "[3, 4] and [2, 3], expected 4 rows in the second; try t() on one of them");
    CHECK(error_of<Error>([&] { linalg_multi_dot({m, n, n.t().to(kDouble)}); }) ==
          "[linalg_multi_dot] the operands' dtypes differ; got Float and Double, expected the same "
          "dtype; try .to(kDouble) on the first");
    CHECK(error_of([&] { chain_matmul({}); }) ==
          "[chain_matmul] the list of matrices is empty; got {}, expected one matrix or more; try "
          "eye(n), the empty product");
    CHECK(error_of([&] { chain_matmul({v, n}); }) ==
          "[chain_matmul] a tensor is not a matrix; got shape [3] at position 0, expected 2 "
          "dimensions; try linalg_multi_dot(), whose first and last tensors may be vectors");
}
