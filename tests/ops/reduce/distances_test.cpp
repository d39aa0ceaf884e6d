#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/reductions.hpp>
#include <sinter/functions/sorting.hpp>

using namespace sinter;

TEST_CASE("frobenius_norm and nuclear_norm are norms of linalg") {
    const Tensor x = test::counted({2, 3}).to(kDouble);
    test::check_near(frobenius_norm(x), kDouble, {}, {std::sqrt(55.0)}, 4);
    test::check_near(frobenius_norm(x, {0}, true), kDouble, {1, 3},
                     {3, std::sqrt(17.0), std::sqrt(29.0)}, 4);
    // of rank 2: the sum of the roots of the eigenvalues of x x^T
    test::check_near(nuclear_norm(x), kDouble, {},
                     {std::sqrt(55 + 2 * std::sqrt(5.0 * 50 - 14 * 14))}, 40);
    test::check_near(nuclear_norm(x.unsqueeze(0), {1, 2}, true), kDouble, {1, 1, 1},
                     {std::sqrt(55 + 2 * std::sqrt(5.0 * 50 - 14 * 14))}, 40);
    CHECK_ERROR(Error, frobenius_norm(ones({2, 2, 2}), {0, 1, 2}),
                "[frobenius_norm] dim has more than two dimensions; got [0, 1, 2], expected at "
                "most two; try linalg_vector_norm(), which takes any number of them");
    CHECK_ERROR(Error, nuclear_norm(ones({2})),
                "[nuclear_norm] the tensor is not a matrix; got shape [2], expected 2 dimensions; "
                "try passing the two dimensions of the matrices as dim");
}

TEST_CASE("cosine_similarity and pairwise_distance, fused") {
    test::for_each_mode([] {
        const Tensor a = tensor({{3.0, 4.0}, {0.0, 0.0}}, kDouble), b = tensor({4.0, 3.0}, kDouble);
        test::check_near(cosine_similarity(a, b), kDouble, {2}, {0.96, 0}, 4);
        test::check_near(cosine_similarity(a, b.expand({2, 2}), 0), kDouble, {2},
                         {M_SQRT1_2, M_SQRT1_2}, 8);
        test::check_near(pairwise_distance(a, b, 1, 0), kDouble, {2}, {2, 7}, 4);
        test::check_near(pairwise_distance(a, b, 2, 0, true), kDouble, {2, 1}, {std::sqrt(2.0), 5},
                         4);
    });
    CHECK_ERROR(Error, cosine_similarity(tensor({1}), tensor({1})),
                "[cosine_similarity] integers and booleans are not supported; got Long and Long, "
                "expected a floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("histogramdd: points in boxes, the last ones with their upper edges") {
    test::for_each_mode([] {
        const Tensor points = tensor({{0.0, 1.0}, {1.0, 0.0}, {2.0, 0.0}, {2.0, 2.0}, {3.0, 1.0}});
        const std::vector<double> range{0, 2, 0, 2};
        const auto [counts, edges] = histogramdd(points, {2, 2}, ArrayRef<double>(range));
        test::check<float>(counts, {2, 2}, {0, 1, 2, 1});
        test::check<float>(edges[0], {3}, {0, 1, 2});
        const auto [weighed, same] = histogramdd(points, TensorList(edges), nullopt,
                                                 tensor({1.0, 2.0, 4.0, 8.0, 16.0}), true);
        test::check<float>(weighed * 15, {2, 2}, {0, 1, 6, 8});
        CHECK(equal(same[1], edges[1]));
    });
    CHECK_ERROR(Error, histogramdd(ones({3, 2}), {2, 2, 2}),
                "[histogramdd] the number of bins does not match the coordinates; got 3, expected "
                "2; try size(-1) to see the number of coordinates");
    CHECK_ERROR(
        Error, histogramdd(ones({3, 2}), 2, nullopt, ones({2})),
        "[histogramdd] the weights' shape does not match the points; got weights of shape [2] for "
        "points of shape [3, 2], expected one weight for each point; try expand() on the weights");
}
