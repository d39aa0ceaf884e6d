// index({...}) and index_put_({...}) with tensors and masks as indices.
#include "tests/ops/nd_array.hpp"
#include "tests/seed.hpp"

using namespace sinter;
using test::check;
using test::check_array;
using test::counted;
using test::nd_array;

TEST_CASE("tensors of integers") {
    test::for_each_mode([] {
        const Tensor t = counted({3, 4}), rows = tensor({2, 0}), columns = tensor({-1, 1});
        check<float>(t.index({rows}), {2, 4}, {8, 9, 10, 11, 0, 1, 2, 3});
        check<float>(t.index({rows, columns}), {2}, {11, 1});
        check<float>(t.index({rows.unsqueeze(1), columns}), {2, 2}, {11, 9, 3, 1});
        check<float>(t.index({Slice(), columns}), {3, 2}, {3, 1, 7, 5, 11, 9});
        check<float>(t.index({Slice(1, None), columns}), {2, 2}, {7, 5, 11, 9});
        check<float>(t.index({1, columns}), {2}, {7, 5});
        check<float>(t.index({Ellipsis, columns}), {3, 2}, {3, 1, 7, 5, 11, 9});
        check<float>(t.index({tensor({{0, 1}, {2, 2}}, kInt), 0}), {2, 2}, {0, 4, 8, 8});
        check<float>(t.index({tensor(int64_t{1})}), {4}, {4, 5, 6, 7});  // a number: a view
        CHECK(t.index({tensor(int64_t{1})}).is_alias_of(t));
        CHECK(t.index({empty({0}, kLong)}).sizes() == IntArrayRef({0, 4}));
        CHECK(t.index({rows + 0 * rows}).sizes() == IntArrayRef({2, 4}));  // an expression
    });
}

TEST_CASE("where the indexed dimensions go") {
    const Tensor t = counted({2, 3, 4, 5}), i = zeros({7}, kLong), j = zeros({6, 1}, kLong);
    CHECK(t.index({Slice(), i, Slice()}).sizes() == IntArrayRef({2, 7, 4, 5}));
    CHECK(t.index({Slice(), i, i}).sizes() == IntArrayRef({2, 7, 5}));
    CHECK(t.index({Slice(), i, j}).sizes() == IntArrayRef({2, 6, 7, 5}));
    CHECK(t.index({i, Slice(), i}).sizes() == IntArrayRef({7, 3, 5}));
    CHECK(t.index({Slice(), i, Slice(), i}).sizes() == IntArrayRef({7, 2, 4}));
    CHECK(t.index({Slice(), i, None, i}).sizes() == IntArrayRef({7, 2, 1, 5}));
    CHECK(t.index({None, i, i}).sizes() == IntArrayRef({1, 7, 4, 5}));
    // An integer selects and does not broadcast as an index: unlike NumPy, as in PyTorch.
    CHECK(t.index({0, Slice(), i}).sizes() == IntArrayRef({3, 7, 5}));
    CHECK(t.index({i, 0, i}).sizes() == IntArrayRef({7, 5}));
    CHECK(t.index({Slice(), true, i}).sizes() == IntArrayRef({2, 7, 4, 5}));
    CHECK(t.index({false}).sizes() == IntArrayRef({0, 2, 3, 4, 5}));
    CHECK(t.index({true}).sizes() == IntArrayRef({1, 2, 3, 4, 5}));
    CHECK(t.index({Ellipsis, ones({4, 5}, kBool)}).sizes() == IntArrayRef({2, 3, 20}));
}

TEST_CASE("masks" * doctest::test_suite("at the line")) {
    test::for_each_mode([] {
        const Tensor t = counted({3, 4});
        check<float>(t.index({t > 8}), {3}, {9, 10, 11});
        check<float>(t.index({tensor({true, false, true})}), {2, 4}, {0, 1, 2, 3, 8, 9, 10, 11});
        check<float>(t.index({Slice(), tensor({false, true, false, true})}), {3, 2},
                     {1, 3, 5, 7, 9, 11});
        check<float>(t.index({tensor({true, false, true}), tensor({1, 2})}), {2}, {1, 10});
        check<float>(t.index({tensor({1, 0, 1}, kByte)}), {2, 4}, {0, 1, 2, 3, 8, 9, 10, 11});
        check<float>(scalar_tensor(4.f).index({tensor(true)}), {1}, {4});
    });
    CHECK_ERROR(IndexError, counted({3, 4}).index({ones({4}, kBool)}),
                "[index] The shape of the mask [4] at index 0 does not match the shape of the "
                "indexed tensor [3, 4] at index 0; got size 4, expected size 3; try a mask "
                "computed from the tensor, such as x > 0");
    CHECK_ERROR(IndexError, counted({3, 4}).index({tensor({0, 1}), tensor({0, 1, 2})}),
                "[index] shape mismatch: indexing tensors could not be broadcast together with "
                "shapes [2], [3]; got 2 index tensors, expected sizes that are equal or 1; try "
                "unsqueeze() on one of them");
    CHECK_ERROR(IndexError, counted({3}).index({tensor({0.5})}),
                "[index] the index has the wrong dtype; got Float, expected Long, Int, Byte or "
                "Bool; try .to(kLong) on the index");
    CHECK_ERROR(IndexError, counted({3}).index({tensor({3})}).eval(),
                "[index] index 3 is out of bounds for dimension 0 with size 3; got index 3 into "
                "shape [3], expected -3 to 2; try -1 for the last element");
    CHECK_ERROR(IndexError, counted({3}).index({tensor({0}), tensor({0})}),
                "[index] too many indices for tensor of dimension 1; got 2 indices for shape [3], "
                "expected at most 1; try unsqueeze() to add dimensions, or fewer indices");
}

TEST_CASE("writing through tensors and masks") {
    test::for_each_mode([] {
        Tensor t = zeros({3, 4});
        t.index_put_({tensor({0, 2}), tensor({1, -1})}, tensor({5.f, 6.f}));
        check<float>(t, {3, 4}, {0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6});
        t.index_put_({t > 5}, -1);
        check<float>(t, {3, 4}, {0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1});
        t.index_put_({tensor({0, 0, 0}), tensor({0, 0, 1})}, ones({}), true);
        check<float>(t, {3, 4}, {2, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1});
        t.index_put_({Slice(1, None), tensor({3, 0})}, counted({2, 2}));
        check<float>(t, {3, 4}, {2, 6, 0, 0, 1, 0, 0, 0, 3, 0, 0, 2});
        t.index_put_({1}, ones({1, 1, 4}));
        check<float>(t, {3, 4}, {2, 6, 0, 0, 1, 1, 1, 1, 3, 0, 0, 2});
        t.index_put_({tensor({true, false, false})}, counted({1, 4}));
        check<float>(t, {3, 4}, {0, 1, 2, 3, 1, 1, 1, 1, 3, 0, 0, 2});
        t.t().index_put_({tensor({0})}, 9);
        check<float>(t, {3, 4}, {9, 1, 2, 3, 9, 1, 1, 1, 9, 0, 0, 2});
        const Tensor copy = t.index_put({tensor({2})}, zeros({4}));
        check<float>(copy.slice(0, 2), {1, 4}, {0, 0, 0, 0});
        check<float>(t.slice(0, 2), {1, 4}, {9, 0, 0, 2});
        t.index_put_({tensor({true, false, true}), Slice(None, 2)}, -2);
        check<float>(t, {3, 4}, {-2, -2, 2, 3, 9, 1, 1, 1, -2, -2, 0, 2});
        t[1].index_put_({tensor({0, 3})}, counted({2}) + 20);
        check<float>(t[1], {4}, {20, 1, 1, 21});
    });
    Tensor t = zeros({2, 2});
    CHECK_ERROR(Error, t.index_put_({tensor({0})}, ones({1, 2}, kLong)),
                "[index_put_] the operands' dtypes differ; got Float and Long, expected the same "
                "dtype; try .to(kFloat) on the source");
    CHECK_ERROR(Error, t.index_put_({tensor({0})}, ones({3})),
                "[index_put_] shape mismatch: value tensor of shape [3] cannot be broadcast to "
                "indexing result of shape [1, 2]; got 3 values, expected sizes that are equal or "
                "1, counted from the last dimension; try reshape() on the values");
    CHECK_ERROR(Error, t.index_put_({tensor({0})}, ones({3, 1, 2})),
                "[index_put_] shape mismatch: value tensor of shape [3, 1, 2] cannot be broadcast "
                "to indexing result of shape [1, 2]; got 6 values, expected sizes that are equal "
                "or 1, counted from the last dimension; try reshape() on the values");
    CHECK_ERROR(ValueError, zeros({2}, kChar).index_put_({tensor({0})}, 1000),
                "[index_put_] value cannot be converted to type int8_t without overflow; got 1000 "
                "for Char, expected a value that Char can hold; try kLong, a wider dtype");
}

TEST_CASE("random mixtures of indices are the loop") {
    for (int i = 0; i < test::cases(150); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        CAPTURE(seed);
        test::for_each_mode([&] {
            test::random_arrays random(seed);
            const std::vector<int64_t> sizes = random.sizes(random.pick(1, 4), 1, 4);
            const Tensor t = random.tensor(sizes, kLong, 0, 99);
            const nd_array from(t);
            // One item for each dimension; tensors are (n) or (m, n), all broadcast to (m, n).
            const int64_t n = random.pick(1, 3), m = random.pick(1, 3);
            std::vector<TensorIndex> items;
            std::vector<int> kind;  // 0 slice, 1 tensor, 2 integer
            std::vector<int64_t> start(sizes.size(), 0), length(sizes.size(), 0);
            std::vector<nd_array> tables;
            bool deep = false;
            for (std::size_t d = 0; d < sizes.size(); ++d) {
                kind.push_back(static_cast<int>(random.pick(0, 2)));
                tables.emplace_back(std::vector<int64_t>{});
                if (kind[d] == 0) {
                    start[d] = random.pick(0, sizes[d] - 1);
                    length[d] = random.pick(1, sizes[d] - start[d]);
                    items.emplace_back(Slice(start[d], start[d] + length[d]));
                } else if (kind[d] == 1) {
                    const bool matrix = random.pick(0, 1) == 1;
                    deep = deep || matrix;
                    const Tensor index =
                        random.tensor(matrix ? std::vector<int64_t>{m, n} : std::vector<int64_t>{n},
                                      kLong, -sizes[d], sizes[d] - 1);
                    tables[d] = nd_array(index.expand({m, n}).clone());
                    items.emplace_back(index);
                } else {
                    start[d] = random.pick(-sizes[d], sizes[d] - 1);
                    items.emplace_back(start[d]);
                }
            }
            // The expected sizes and, for each dimension of the result, its source.
            int first = -1, last = -1, tensors = 0, kept_before = 0;
            std::vector<int> view;  // dimensions that remain after integers
            for (std::size_t d = 0; d < sizes.size(); ++d)
                if (kind[d] != 2) view.push_back(static_cast<int>(d));
            for (std::size_t v = 0; v < view.size(); ++v) {
                if (kind[static_cast<std::size_t>(view[v])] != 1) continue;
                if (first < 0) first = static_cast<int>(v);
                last = static_cast<int>(v);
                ++tensors;
            }
            const bool neighbours = tensors == 0 || last - first + 1 == tensors;
            for (int v = 0; v < first; ++v)
                kept_before +=
                    kind[static_cast<std::size_t>(view[static_cast<std::size_t>(v)])] == 0;
            const int at = neighbours ? kept_before : 0;
            std::vector<int> stands;  // source dimension, or -1 for m, -2 for n
            for (int v : view)
                if (kind[static_cast<std::size_t>(v)] == 0) stands.push_back(v);
            if (tensors > 0) {
                stands.insert(stands.begin() + at, -2);
                if (deep) stands.insert(stands.begin() + at, -1);
            }
            std::vector<int64_t> result;
            for (int s : stands)
                result.push_back(s == -1 ? m : s == -2 ? n : length[static_cast<std::size_t>(s)]);
            const auto source = [&](const std::vector<int64_t>& p) {
                std::vector<int64_t> q(sizes.size());
                int64_t row = 0, column = 0;
                for (std::size_t k = 0; k < stands.size(); ++k) {
                    if (stands[k] == -1) row = p[k];
                    if (stands[k] == -2) column = p[k];
                    if (stands[k] >= 0) {
                        const auto d = static_cast<std::size_t>(stands[k]);
                        q[d] = start[d] + p[k];
                    }
                }
                for (std::size_t d = 0; d < sizes.size(); ++d) {
                    if (kind[d] == 1) q[d] = static_cast<int64_t>(tables[d][{row, column}]);
                    if (kind[d] == 2) q[d] = start[d];
                    if (q[d] < 0) q[d] += sizes[d];
                }
                return q;
            };
            nd_array expected(result);
            for (int64_t e = 0; e < expected.count(); ++e)
                expected[expected.position(e)] = from[source(expected.position(e))];
            check_array(t.index(ArrayRef<TensorIndex>(items)), expected);

            const Tensor values = random.tensor(result, kLong, 100, 199);
            const bool accumulate = random.pick(0, 1) == 1;
            const nd_array v(values);
            nd_array written = from;
            for (int64_t e = 0; e < v.count(); ++e) {
                double& x = written[source(v.position(e))];
                x = v[v.position(e)] + (accumulate ? x : 0);
            }
            t.index_put_(ArrayRef<TensorIndex>(items), values, accumulate);
            check_array(t, written);
        });
    }
}

TEST_CASE("TensorIndex says what it is, and prints") {
    const std::vector<TensorIndex> i = {None,          "...", Ellipsis, 0, true, Slice(1, None, 2),
                                        tensor({1, 2})};
    CHECK(i[0].is_none());
    CHECK(i[1].is_ellipsis());
    CHECK(i[2].is_ellipsis());
    CHECK(i[3].is_integer());
    CHECK(i[3].integer() == 0);
    CHECK(i[4].is_boolean());
    CHECK(i[4].boolean());
    CHECK(i[5].is_slice());
    CHECK(i[5].slice().start() == 1);
    CHECK(i[5].slice().stop() == indexing::INDEX_MAX);
    CHECK(i[5].slice().step() == 2);
    CHECK(i[6].is_tensor());
    CHECK(equal(i[6].tensor(), tensor({1, 2})));
    std::ostringstream out;
    out << i;
    CHECK(out.str() ==
          "(None, ..., ..., 0, true, 1:4611686018427387903:2, " + test::text(tensor({1, 2})) + ")");
    std::ostringstream slices;
    slices << Slice(1, 2, 3) << ' ' << Slice() << ' ' << indexing::Slice(None, None, -1);
    CHECK(slices.str() ==
          "1:2:3 0:4611686018427387903:1 4611686018427387903:-4611686018427387904:-1");
}

TEST_CASE("an index without dimensions is a number of any integer dtype") {
    test::for_each_mode([] {
        const Tensor x = counted({3, 2});
        for (ScalarType type : {kLong, kInt, kShort, kChar}) {
            const std::string dtype = sinter::toString(type);
            CAPTURE(dtype);
            check<float>(x.index({full({}, 1, type)}), {2}, {2, 3});
            check<float>(x.index({Slice(), full({}, -1, type)}), {3}, {1, 3, 5});
            Tensor y = x.clone();
            y.index_put_({full({}, 2, type)}, 9);
            check<float>(y, {3, 2}, {0, 1, 2, 3, 9, 9});
            CHECK_THROWS_AS(x.index({full({}, 3, type)}), IndexError);
        }
        // A Byte tensor is a mask, like a Bool tensor.
        check<float>(x.index({full({}, 1, kByte)}), {1, 3, 2}, {0, 1, 2, 3, 4, 5});
        CHECK_THROWS_AS(x.index({full({}, 1.0)}), IndexError);
        CHECK_THROWS_AS(x.index({full({1}, 1, kShort)}), IndexError);
    });
}

TEST_CASE("a vector is written through a mask") {
    test::for_each_mode([] {
        const Tensor mask = tensor({{1, 0, 1}, {0, 1, 1}}, kBool);
        Tensor x = test::counted({2, 3});
        x.index_put_({mask}, tensor({10, 20, 30, 40}, kFloat));
        check<float>(x, {2, 3}, {10, 1, 20, 3, 30, 40});
        // Into a view, from values that are not dense, and from the tensor itself.
        Tensor y = test::counted({3, 2});
        y.t().index_put_({mask}, tensor({1, -1, 2, -2, 3, -3, 4, -4}, kFloat).slice(0, 0, {}, 2));
        check<float>(y, {3, 2}, {1, 1, 2, 3, 2, 4});
        y.index_put_({y > 1}, y.index({y > 1}) * 2);
        check<float>(y, {3, 2}, {1, 1, 4, 6, 4, 8});
        Tensor z = complex(test::counted({4}), ones({4}));
        const Tensor large = real(z.clone()) > 1;
        z.index_put_({large}, z.index({large}) * z.index({large}));
        check<float>(view_as_real(z), {4, 2}, {0, 1, 1, 1, 3, 4, 8, 6});
        // One value for all, and added values.
        x.index_put_({mask}, tensor({7}, kFloat));
        check<float>(x, {2, 3}, {7, 1, 7, 3, 7, 7});
        x.index_put_({mask}, tensor({1, 2, 3, 4}, kFloat), true);
        check<float>(x, {2, 3}, {8, 1, 9, 3, 10, 11});
        Tensor none = test::counted({2, 3});
        none.index_put_({mask & false}, zeros({0}));
        check<float>(none, {2, 3}, {0, 1, 2, 3, 4, 5});
        CHECK_THROWS_WITH_AS(x.index_put_({mask}, tensor({1, 2, 3}, kFloat)),
                             doctest::Contains("[index_put_]"), Error);
        CHECK_THROWS_WITH_AS(x.index_put_({mask}, tensor({1, 2, 3, 4}, kDouble)),
                             doctest::Contains("[index_put_]"), Error);
        check<float>(x, {2, 3}, {8, 1, 9, 3, 10, 11});
    });
}
