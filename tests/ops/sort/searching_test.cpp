#include "tests/ops/cases.hpp"
#include "tests/support/element_types.hpp"

#include <sinter/functions/sorting.hpp>

using namespace sinter;
using test::check;
using test::plain;

namespace {

/// Returns how many elements of a sorted row come before a value, by looking at all of them.
double place(const std::vector<double>& row, double value, bool right) {
    double n = 0;
    for (double x : row) n += right ? !(x > value) : !(x >= value);
    return n;
}

}  // namespace

TEST_CASE("places in a sorted vector") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types)
            for (bool right : {false, true})
                test::for_each_layout(dtype, false, [&](const Tensor& t) {
                    const Tensor sorted = std::get<0>(test::some_values({6}, dtype, 3).sort());
                    const plain x(t), row(sorted);
                    plain expected(x.sizes);
                    for (std::size_t i = 0; i < x.values.size(); ++i)
                        expected.values[i] = place(row.values, x.values[i], right);
                    test::check_near(searchsorted(sorted, t, false, right), expected, 0);
                    const Tensor small = bucketize(t, sorted, true, right);
                    CHECK((small.scalar_type() == kInt));
                    test::check_near(small, expected, 0);
                });
        const double quiet = std::numeric_limits<double>::quiet_NaN();
        const double inf = std::numeric_limits<double>::infinity();
        const Tensor row = tensor({1.0, 3.0, 3.0, 5.0});
        check<int64_t>(searchsorted(row, tensor({quiet, inf, -inf, 3.0})), {4}, {4, 4, 0, 1});
        check<int64_t>(searchsorted(row, 3.0), {}, {1});
        check<int64_t>(searchsorted(row, 3, false, true), {}, {3});
        check<int64_t>(searchsorted(row, 3, false, false, std::string("right")), {}, {3});
        check<int64_t>(searchsorted(tensor({1, 3}), 2.5), {}, {1});
        check<int64_t>(searchsorted(tensor({1, 3}), tensor({2.5, 0.5})), {2}, {1, 0});
        check<int64_t>(bucketize(tensor({3, 4}, kInt), row), {2}, {1, 3});
        check<int32_t>(bucketize(4, row, true), {}, {3});
        check<int64_t>(searchsorted(zeros({0}), tensor({1.0})), {1}, {0});
        check<int64_t>(searchsorted(row, zeros({2, 0})), {2, 0}, {});
        check<int64_t>(searchsorted(row.slice(0, 0, 4, 2), tensor({2.0, 4.0})), {2}, {1, 2});
    });
}

TEST_CASE("places in sorted rows") {
    test::for_each_mode([] {
        const Tensor rows = tensor({{1, 3, 5, 7, 9}, {2, 4, 6, 8, 10}});
        const Tensor values = tensor({{3, 6, 9}, {3, 6, 9}});
        check<int64_t>(searchsorted(rows, values), {2, 3}, {1, 3, 4, 1, 2, 4});
        check<int64_t>(searchsorted(rows, values, false, true), {2, 3}, {2, 3, 5, 1, 3, 4});
        check<int64_t>(searchsorted(rows.t().contiguous().t(), values.t().contiguous().t()), {2, 3},
                       {1, 3, 4, 1, 2, 4});
        const Tensor mixed = rows.flip({1});
        check<int64_t>(searchsorted(mixed, values, false, false, nullopt, mixed.argsort(-1)),
                       {2, 3}, {1, 3, 4, 1, 2, 4});
        const Tensor row = tensor({5, 1, 3});
        check<int64_t>(
            searchsorted(row, tensor({{2, 4}, {1, 9}}), false, true, nullopt, row.argsort()),
            {2, 2}, {1, 2, 1, 3});
        // A wrong sorter fails when the result is read, or at the line.
        std::string got;
        try {
            searchsorted(row, row, false, false, nullopt, tensor({0, 1, 3})).eval();
        } catch (const IndexError& e) {
            got = e.what();
        }
        CHECK(got ==
              "[searchsorted] an index of the sorter is out of range; got 3 for rows of 3 "
              "elements, expected 0 to 2; try argsort() of the sequence");
    });
    const Tensor row = zeros({3});
    CHECK_ERROR(Error, searchsorted(zeros({2, 3}), zeros({3, 3})),
                "[searchsorted] the values do not match the sorted sequence; got a sequence of [2, "
                "3] and values of [3, 3], expected a vector as the sequence, or equal sizes apart "
                "from the last dimension; try expand() on the sequence");
    CHECK_ERROR(
        Error, searchsorted(zeros({}), row),
        "[searchsorted] the sorted sequence has too few dimensions; got a sequence of [] and "
        "values of [3], expected at least 1 dimension; try unsqueeze(0) on the sequence");
    CHECK_ERROR(Error, searchsorted(row, row, false, true, std::string("left")),
                "[searchsorted] side and right contradict each other; got side = \"left\" and "
                "right = true, expected one of them; try passing side alone");
    CHECK_ERROR(Error, searchsorted(row, row, false, false, std::string("up")),
                "[searchsorted] the side is unknown; got \"up\", expected \"left\" or \"right\"; "
                "try \"left\", the default");
    CHECK_ERROR(Error, searchsorted(row, row, false, false, nullopt, row),
                "[searchsorted] the sorter has the wrong dtype; got Float, expected Long; try "
                "argsort() of the sequence");
    CHECK_ERROR(
        Error, searchsorted(row, row, false, false, nullopt, zeros({2}, kLong)),
        "[searchsorted] the sorter does not match the sequence; got a sorter of shape [2] for a "
        "sequence of shape [3], expected equal shapes; try argsort() of the sequence");
    CHECK_ERROR(Error, bucketize(row, zeros({2, 2})),
                "[bucketize] the tensor of boundaries is not a vector; got shape [2, 2], expected "
                "1 dimension; try searchsorted(), which takes rows of boundaries");
}
