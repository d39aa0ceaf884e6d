// Errors of linear algebra for wrong shapes and unsuitable matrices: full texts.
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace sinter;

namespace {

struct failure {
    std::string text, kind;
};

template <class F>
failure failure_of(F&& f) {
    try {
        f();
    } catch (const LinAlgError& e) {
        return {e.what(), "LinAlgError"};
    } catch (const NotImplementedError& e) {
        return {e.what(), "NotImplementedError"};
    } catch (const Error& e) {
        return {e.what(), "Error"};
    }
    return {"no error", ""};
}

#define CHECK_LINALG(call, message)                                                     \
    do {                                                                                \
        const failure f = failure_of([&] { static_cast<void>(call); });                 \
        const std::string place = "; at failures_test.cpp:" + std::to_string(__LINE__); \
        CHECK(f.kind == "LinAlgError");                                                 \
        CHECK(f.text == message + place);                                               \
    } while (false)

#define CHECK_SHAPE(call, message)                                      \
    do {                                                                \
        const failure f = failure_of([&] { static_cast<void>(call); }); \
        CHECK(f.kind == "Error");                                       \
        CHECK(f.text == message);                                       \
    } while (false)

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a singular matrix: routine, batch index, pivot and line") {
    const Tensor one = ones({3, 3}), batch = stack({eye(3), eye(3), ones({3, 3}), zeros({3, 3})});
    CHECK_LINALG(linalg_solve(one, ones(3)),
                 "[linalg_solve] the matrix is singular; got a zero pivot at index 1 (getrf), "
                 "expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(
        linalg::solve(batch, ones(3)),
        "[linalg_solve] the matrix is singular; got a zero pivot at index 1 in matrix 2 of the "
        "batch (getrf), expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(
        linalg::inv(batch),
        "[linalg_inv] the matrix is singular; got a zero pivot at index 1 in matrix 2 of the batch "
        "(getri), expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(one.inverse(),
                 "[linalg_inv] the matrix is singular; got a zero pivot at index 1 (getri), "
                 "expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(linalg::lu_factor(zeros({2, 2})),
                 "[linalg_lu_factor] the matrix is singular; got a zero pivot at index 0 (getrf), "
                 "expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(linalg::ldl_factor(zeros({2, 2})),
                 "[linalg_ldl_factor] the matrix is singular; got a zero block of D at index 0 "
                 "(sytrf), expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(
        cholesky_inverse(zeros({2, 2})),
        "[cholesky_inverse] the factor is singular; got a zero on the diagonal at index 0 (potri), "
        "expected an invertible factor; try linalg_cholesky() of a positive definite matrix");
    CHECK_LINALG(
        linalg::lstsq(tensor({{1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}), ones({3, 1}), nullopt, "gels"),
        "[linalg_lstsq] the matrix does not have full rank; got a zero on the diagonal of the "
        "triangular factor at index 1 (gels), expected full rank; try the driver \"gelsd\"");
}

TEST_CASE("not positive definite") {
    CHECK_LINALG(linalg::cholesky(tensor({{1.0, 2.0}, {2.0, 1.0}})),
                 "[linalg_cholesky] the matrix is not positive definite; got a leading minor of "
                 "order 2 that is not positive (potrf), expected a Hermitian positive definite "
                 "matrix; try linalg_ldl_factor() or linalg_eigh()");
    CHECK_LINALG(stack({eye(2), -eye(2)}).cholesky(),
                 "[linalg_cholesky] the matrix is not positive definite; got a leading minor of "
                 "order 1 that is not positive in matrix 1 of the batch (potrf), expected a "
                 "Hermitian positive definite matrix; try linalg_ldl_factor() or linalg_eigh()");
}

TEST_CASE("_ex forms give info, and throw if they are asked to") {
    const Tensor batch = stack({eye(2), ones({2, 2}), zeros({2, 2})});
    CHECK(equal(std::get<1>(linalg::solve_ex(batch, ones(2))), tensor({0, 2, 1}, kInt)));
    CHECK(equal(std::get<1>(linalg::inv_ex(batch)), tensor({0, 2, 1}, kInt)));
    CHECK(equal(std::get<2>(linalg::lu_factor_ex(batch)), tensor({0, 2, 1}, kInt)));
    CHECK(equal(std::get<1>(linalg::cholesky_ex(-batch)), tensor({1, 1, 1}, kInt)));
    CHECK(equal(std::get<2>(linalg::ldl_factor_ex(batch)), tensor({0, 2, 1}, kInt)));
    CHECK_LINALG(
        linalg::inv_ex(batch, true),
        "[linalg_inv_ex] the matrix is singular; got a zero pivot at index 1 in matrix 1 of the "
        "batch (getri), expected an invertible matrix; try linalg_lstsq() or linalg_pinv()");
    CHECK_LINALG(linalg::cholesky_ex(-batch, false, true),
                 "[linalg_cholesky_ex] the matrix is not positive definite; got a leading minor of "
                 "order 1 that is not positive in matrix 0 of the batch (potrf), expected a "
                 "Hermitian positive definite matrix; try linalg_ldl_factor() or linalg_eigh()");
}

TEST_CASE("NaN and infinities: iterations refuse them, eliminations carry them on") {
    const char* const words =
        "the matrix has elements that are not finite; got infinities or NaN (";
    const char* const rest =
        "), expected finite elements; try nan_to_num(), or isfinite() to find them";
    const auto message = [&](const char* op, const char* routine) {
        return "[" + std::string(op) + "] " + words + routine + rest;
    };
    for (const double bad : {not_a_number, inf, -inf})
        for (const ScalarType t : {kFloat, kComplexDouble}) {
            Tensor a = eye(5, t);
            a[3][1] = bad;
            CHECK_LINALG(linalg::svd(a), message("linalg_svd", "gesdd"));
            CHECK_LINALG(linalg::svdvals(a), message("linalg_svdvals", "gesdd"));
            CHECK_LINALG(linalg::eig(a), message("linalg_eig", "geev"));
            CHECK_LINALG(linalg::eigvals(a), message("linalg_eigvals", "geev"));
            CHECK_LINALG(linalg::eigh(a), message("linalg_eigh", "syevd"));
            CHECK_LINALG(linalg::eigvalsh(a), message("linalg_eigvalsh", "syevd"));
            CHECK_LINALG(linalg::lstsq(a, a), message("linalg_lstsq", "gels"));
            // The other triangle is not read.
            CHECK(linalg::eigvalsh(a, "U").defined());
            linalg::inv_ex(a);
            CHECK(linalg::det(a).defined());
            CHECK(std::get<0>(linalg::qr(a)).eval().defined());
        }
    // cuSOLVER takes a pivot that is NaN for 0, in PyTorch, too.
    const Tensor unknown = linalg::det(full({3, 3}, not_a_number));
    CHECK((unknown.is_cuda() || unknown.isnan().item<bool>()));
}

TEST_CASE("shapes and dtypes are refused at the call") {
    const Tensor a = eye(3);
    CHECK_SHAPE(linalg::inv(ones({2, 3})),
                "[linalg_inv] the matrix is not square; got shape [2, 3], expected shape [..., n, "
                "n]; try linalg_lstsq() or linalg_pinv(), which take any matrix");
    CHECK_SHAPE(linalg::cholesky(ones(3)),
                "[linalg_cholesky] the tensor has too few dimensions; got shape [3], expected at "
                "least 2 dimensions; try unsqueeze(-1), which makes a vector a column");
    CHECK_SHAPE(linalg::solve(a, ones({2, 2})),
                "[linalg_solve] the right-hand side does not match the matrix; got shapes [3, 3] "
                "and [2, 2], expected 3 rows in the second; try transpose(-2, -1) on one of them");
    CHECK_SHAPE(linalg::solve(a, ones(3), false),
                "[linalg_solve] a vector as the right-hand side needs left = true; got shapes [3, "
                "3] and [3], expected a matrix; try unsqueeze(-2), which makes the vector a row");
    CHECK_SHAPE(linalg::solve(a, ones({}, kFloat)),
                "[linalg_solve] the right-hand side has too few dimensions; got shapes [3, 3] and "
                "[], expected a vector or a matrix; try unsqueeze(0), which makes it a vector");
    CHECK_SHAPE(linalg::solve(a, ones({3}, kDouble)),
                "[linalg_solve] the operands' dtypes differ; got Float and Double, expected the "
                "same dtype; try .to(kDouble) on the first");
    CHECK_SHAPE(linalg::qr(a, "half"),
                "[linalg_qr] the mode is unknown; got \"half\", expected \"reduced\", \"complete\" "
                "or \"r\"; try \"reduced\", the default");
    CHECK_SHAPE(linalg::eigh(a, "X"),
                "[linalg_eigh] the triangle is unknown; got \"X\", expected \"L\" or \"U\"; try "
                "\"L\", the default");
    CHECK_SHAPE(linalg::svd(a, true, "gesvdj"),
                "[linalg_svd] the driver is unknown; got \"gesvdj\", expected \"gesdd\" or "
                "\"gesvd\"; try \"gesdd\", the default");
    CHECK_SHAPE(linalg::lu(a, false),
                "[linalg_lu] LU without pivoting is not supported on the CPU; got pivot = false, "
                "expected pivot = true; try a tensor on a GPU, or leaving pivot out");
    CHECK_SHAPE(linalg::lu_solve(a, ones({3}, kLong), a),
                "[linalg_lu_solve] the pivots have the wrong dtype; got Long, expected Int; try "
                ".to(kInt) on the pivots");
    CHECK_SHAPE(linalg::householder_product(ones({2, 3}), ones(2)),
                "[linalg_householder_product] the matrix has more columns than rows; got shape [2, "
                "3], expected at least as many rows as columns; try narrow(-1, 0, 2)");
    const failure f = failure_of([&] { linalg::inv(eye(2, kLong)); });
    CHECK(f.kind == "NotImplementedError");
    CHECK(f.text ==
          "[linalg_inv] the dtype is not supported; got Long, expected Float, Double, ComplexFloat "
          "or ComplexDouble; try .to(kDouble) first");
    CHECK_THROWS_WITH_AS(linalg::solve(ones({2, 3, 3}), ones({4, 3, 1})),
                         doctest::Contains("[linalg_solve]"), Error);
}

TEST_CASE("more than LAPACK's 32 bits count") {
    const Tensor tall = zeros({1, 1}).expand({3'000'000'000, 1});
    CHECK_SHAPE(linalg::svdvals(tall),
                "[linalg_svdvals] a matrix is too large for LAPACK; got a dimension of size "
                "3000000000, expected at most 2147483647; try blocks of the matrix");
    CHECK_SHAPE(linalg::qr(tall),
                "[linalg_qr] a matrix is too large for LAPACK; got a dimension of size 3000000000, "
                "expected at most 2147483647; try blocks of the matrix");
}

TEST_CASE("what failed leaves operands and outputs as they were") {
    const Tensor a = ones({2, 2}), before = a.clone();
    Tensor out = full({2, 2}, 7);
    CHECK_THROWS_AS(linalg_inv_out(out, a), LinAlgError);
    CHECK(equal(a, before));
    CHECK(equal(out, full({2, 2}, 7)));
    Tensor whole = empty({2, 2}, kLong);
    CHECK_THROWS_WITH_AS(linalg_inv_out(whole, eye(2)), doctest::Contains("can't be cast"), Error);
}

TEST_CASE("numbers and nothing as orders and tolerances") {
    const Tensor v = tensor({3.0, 0.0, 4.0}), m = eye(2);
    CHECK(linalg::norm(v, 0).item<float>() == 2);
    CHECK(linalg::norm(v, 2).item<float>() == 5);
    CHECK(linalg::vector_norm(v, 0).item<float>() == 2);
    CHECK(linalg::matrix_norm(m, "nuc").item<float>() == 2);
    CHECK(linalg::cond(m, std::string("fro")).item<float>() == doctest::Approx(2));
    CHECK(linalg::matrix_rank(m, nullopt, nullopt, true).item<int64_t>() == 2);
    CHECK(equal(linalg::pinv(m, nullopt, nullopt, true), m));
}
