#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("triu and tril") {
    test::for_each_mode([] {
        Tensor m = counted({3, 3}) + 1;
        check<float>(m.triu(), {3, 3}, {1, 2, 3, 0, 5, 6, 0, 0, 9});
        check<float>(triu(m, 1), {3, 3}, {0, 2, 3, 0, 0, 6, 0, 0, 0});
        check<float>(m.triu(-1), {3, 3}, {1, 2, 3, 4, 5, 6, 0, 8, 9});
        check<float>(m.tril(), {3, 3}, {1, 0, 0, 4, 5, 0, 7, 8, 9});
        check<float>(tril(m.t(), -1), {3, 3}, {0, 0, 0, 2, 0, 0, 3, 6, 0});
        check<float>(m.slice(0, 0, 2).tril(1), {2, 3}, {1, 2, 0, 4, 5, 6});
        check<float>(m.triu(9), {3, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
        check<float>(counted({2, 2, 2}).triu(), {2, 2, 2}, {0, 1, 0, 3, 4, 5, 0, 7});
        check<bool>(ones({2, 2}, kBool).tril(), {2, 2}, {true, false, true, true});
        check<uint8_t>(full({2, 2}, 200, kByte).triu(), {2, 2}, {200, 200, 0, 200});
        CHECK((zeros({2, 2}, kHalf).tril().dtype() == kHalf));
        check<float>(zeros({0, 3}).triu(), {0, 3}, {});
        check<float>((m * 2).triu() + m.tril(-1), {3, 3}, {2, 4, 6, 4, 10, 12, 7, 8, 18});
        check<float>(ones({2}).expand({2, 2}).triu(), {2, 2}, {1, 1, 0, 1});
        CHECK(m.t().triu().is_contiguous());
        const float inf = std::numeric_limits<float>::infinity();
        check<float>(full({2, 2}, -inf).triu(1), {2, 2}, {0, -inf, 0, 0});
    });
    const std::string rest =
        "the tensor has too few dimensions; got shape [3], expected at least 2 dimensions; try "
        "unsqueeze(0) first";
    CHECK_ERROR(Error, zeros({3}).triu(), "[triu] " + rest);
    CHECK_ERROR(Error, zeros({3}).tril(), "[tril] " + rest);
    CHECK_ERROR(Error, zeros({3}).triu_(), "[triu_] " + rest);
    CHECK_ERROR(Error, zeros({3}).tril_(), "[tril_] " + rest);
}

TEST_CASE("triu_ and tril_") {
    test::for_each_mode([] {
        Tensor m = counted({2, 2, 2}) + 1;
        m[0].triu_();
        CHECK(m.tril_(0).is_same(m));
        check<float>(m, {2, 2, 2}, {1, 0, 0, 4, 5, 0, 7, 8});
        Tensor w = counted({2, 3});
        w.t().tril_(-1);
        check<float>(w, {2, 3}, {0, 1, 2, 0, 0, 5});
    });
    CHECK_ERROR(Error, zeros({1, 2}).expand({2, 2}).triu_(),
                "[triu_] more than one element of the written-to tensor refers to a single memory "
                "location; got shape [2, 2] with strides [0, 1], expected a memory location for "
                "each element; try clone() first");
}

TEST_CASE("triu_indices and tril_indices") {
    test::for_each_mode([] {
        check<int64_t>(triu_indices(2, 3), {2, 5}, {0, 0, 0, 1, 1, 0, 1, 2, 1, 2});
        check<int64_t>(triu_indices(2, 3, 2), {2, 1}, {0, 2});
        check<int64_t>(triu_indices(2, 2, -5), {2, 4}, {0, 0, 1, 1, 0, 1, 0, 1});
        check<int64_t>(tril_indices(3, 2), {2, 5}, {0, 1, 1, 2, 2, 0, 0, 1, 0, 1});
        check<int32_t>(tril_indices(2, 2, -1, kInt), {2, 1}, {1, 0});
        check<int64_t>(tril_indices(2, 2, -2), {2, 0}, {});
        check<int64_t>(tril_indices(0, 3), {2, 0}, {});
        check<int64_t>(triu_indices(3, 0), {2, 0}, {});
    });
    CHECK_ERROR(Error, tril_indices(-1, 2),
                "[tril_indices] a size is negative; got -1 rows and 2 columns, expected sizes of 0 "
                "or more; try size() of the matrix to index");
    CHECK_ERROR(Error, triu_indices(1, -2),
                "[triu_indices] a size is negative; got 1 rows and -2 columns, expected sizes of 0 "
                "or more; try size() of the matrix to index");
    CHECK_ERROR(NotImplementedError, triu_indices(1, 2, 0, ScalarType::ComplexHalf),
                "[triu_indices] the dtype is not supported; got ComplexHalf, expected Byte, Char, "
                "Short, Int, Long, Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or "
                "Bool; try kFloat");
}

TEST_CASE("triu_indices and tril_indices: every small matrix, and few elements of huge ones") {
    for (int64_t rows = 0; rows < 5; ++rows)
        for (int64_t columns = 0; columns < 5; ++columns)
            for (int64_t offset = -6; offset <= 6; ++offset) {
                const Tensor ones_here = ones({rows, columns});
                CAPTURE(rows);
                CAPTURE(columns);
                CAPTURE(offset);
                CHECK(equal(tril_indices(rows, columns, offset),
                            ones_here.tril(offset).nonzero().t()));
                CHECK(equal(triu_indices(rows, columns, offset),
                            ones_here.triu(offset).nonzero().t()));
            }
    const int64_t far = int64_t{1} << 50;
    check<int64_t>(tril_indices(far, far, 1 - far), {2, 1}, {far - 1, 0});
    check<int64_t>(triu_indices(far, far, far - 1), {2, 1}, {0, far - 1});
    check<int64_t>(triu_indices(far, 2, INT64_MAX), {2, 0}, {});
    check<int64_t>(tril_indices(2, 1, INT64_MAX), {2, 2}, {0, 1, 0, 0});
    check<int64_t>(tril_indices(far, 2, INT64_MIN), {2, 0}, {});
}

TEST_CASE("triangles and matrices with a diagonal are part of their reader's kernel") {
    ModeGuard guard(Mode::lazy);
    Tensor m = (counted({3, 3}) + 1).eval();
    const auto in_one_kernel = [](const Tensor& t) {
        return explain(t).find(", 1 kernel, ") != std::string::npos;
    };
    CHECK(in_one_kernel((m * 2).triu() + 1));
    CHECK(in_one_kernel((m + 1).tril().sum(-1)));
    CHECK(in_one_kernel(m[0].diag() * m));
}
