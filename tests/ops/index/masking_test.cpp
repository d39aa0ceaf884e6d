#include "tests/ops/nd_array.hpp"
#include "tests/seed.hpp"
#include "tests/support/compiler.hpp"

using namespace sinter;
using test::check;
using test::counted;
using test::nd_array;

TEST_CASE("masked_fill broadcasts and fuses") {
    test::for_each_mode([] {
        const Tensor t = counted({2, 3});
        check<float>(t.masked_fill(t > 3, -1), {2, 3}, {0, 1, 2, 3, -1, -1});
        check<float>(t.masked_fill(tensor({true, false, true}), scalar_tensor(9.f)), {2, 3},
                     {9, 1, 9, 9, 4, 9});
        check<float>(counted({3}).masked_fill(tensor({{true}, {false}}), 7), {2, 3},
                     {7, 7, 7, 0, 1, 2});
        check<int64_t>(arange(4).masked_fill(arange(4) == 2, 2.9), {4}, {0, 1, 2, 3});
        Tensor w = counted({2, 3});
        w.t().masked_fill_(tensor({{true}, {false}, {true}}), 5);
        check<float>(w, {2, 3}, {5, 1, 5, 5, 4, 5});
    });
    const Tensor x = rand({1000}), y = (x * 2).masked_fill(x > 0.5, 0) + 1;
    reset_stats();
    y.eval();
    if (test::has_compiler())
        CHECK(stats().kernels_launched + stats().interpreted <= 2);  // x, and everything else
    CHECK_ERROR(
        Error, x.masked_fill(zeros({1000}, kByte), 0),
        "[masked_fill] the mask has the wrong dtype; got Byte, expected Bool; try mask != 0");
    CHECK_ERROR(Error, x.masked_fill(x > 0, ones({1})),
                "[masked_fill] the value is not a 0-d tensor; got shape [1], expected a 0-d "
                "tensor; try where(), which broadcasts");
    CHECK_ERROR(ValueError, zeros({2}, kByte).masked_fill(tensor({true, false}), 300),
                "[masked_fill] value cannot be converted to type uint8_t without overflow; got 300 "
                "for Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(Error, zeros({3}).masked_fill_(zeros({2, 3}, kBool), 1),
                "[masked_fill_] output with shape [3] doesn't match the broadcast shape [2, 3]; "
                "got shape [3], expected shape [2, 3]; try the out-of-place form, or operands that "
                "broadcast to the tensor's shape");
}

TEST_CASE("long masks") {
    test::for_each_mode([] {
        manual_seed(test::seed());
        for (const double share : {0.0, 0.01, 0.5, 0.99, 1.0})
            for (const int64_t n : {1023, 1024, 1025, 70001}) {
                CAPTURE(share);
                CAPTURE(n);
                const Tensor mask = (rand({n}) < share).eval();
                const Tensor on_host = mask.cpu();
                std::vector<double> places;
                for (int64_t i = 0; i < n; ++i)
                    if (on_host.data_ptr<bool>()[i]) places.push_back(static_cast<double>(i));
                CHECK(nd_array(mask.nonzero()).values == places);
                for (ScalarType dtype : {kByte, kShort, kInt, kLong}) {
                    const Tensor x = arange(n, kLong).to(dtype);
                    CHECK(
                        equal(x.masked_select(mask), x.index_select(0, mask.nonzero().flatten())));
                }
                const Tensor z = arange(n, kDouble).to(kComplexDouble);
                CHECK(equal(real(z.index({mask})), arange(n, kDouble).index({mask})));
                Tensor y = zeros({n}, kLong);
                y.masked_scatter_(mask, arange(1, n + 1));
                CHECK(equal(y.index({mask}), arange(1, static_cast<int64_t>(places.size()) + 1)));
                CHECK(y.sum().item<int64_t>() ==
                      static_cast<int64_t>(places.size() * (places.size() + 1) / 2));
            }
        // Rows shorter and longer than what is looked at together, in several dimensions.
        for (const std::vector<int64_t>& sizes :
             {std::vector<int64_t>{3, 2000}, {2000, 3}, {7, 300, 5}, {2, 1, 1500}}) {
            const Tensor mask = rand(sizes) < 0.3, flat = mask.flatten().nonzero().flatten();
            const Tensor rows = mask.nonzero();
            Tensor at = zeros({rows.size(0)}, kLong);
            for (int64_t d = 0; d < mask.dim(); ++d) at = at * mask.size(d) + rows.select(1, d);
            CHECK(equal(at, flat));
        }
    });
}

TEST_CASE("masked_select and nonzero are loops") {
    for (int i = 0; i < test::cases(40); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        CAPTURE(seed);
        test::for_each_mode([&] {
            test::random_arrays random(seed);
            const std::vector<int64_t> sizes = random.sizes(random.pick(0, 4), 0, 5);
            const Tensor t = random.tensor(sizes, random.one_of({kFloat, kInt, kBFloat16}), -2, 2);
            const nd_array a(t);
            std::vector<double> selected, rows;
            int64_t count = 0;
            for (int64_t e = 0; e < a.count(); ++e) {
                const std::vector<int64_t> p = a.position(e);
                if (a[p] == 0) continue;
                selected.push_back(a[p]);
                rows.insert(rows.end(), p.begin(), p.end());
                ++count;
            }
            const Tensor taken = t.masked_select(t != 0);
            CHECK((taken.dtype() == t.dtype()));
            CHECK(nd_array(taken).values == selected);
            const Tensor where_ = t.nonzero();
            CHECK((where_.dtype() == kLong));
            REQUIRE(where_.sizes() == IntArrayRef({count, t.dim()}));
            CHECK(nd_array(where_).values == rows);
            CHECK(equal(t.argwhere(), where_));
            if (t.dim() > 0) {
                const std::vector<Tensor> columns = where(t != 0);
                REQUIRE(columns.size() == static_cast<std::size_t>(t.dim()));
                CHECK(equal(stack(columns, 1), where_));
                CHECK(equal(t.index({t != 0}), taken));
            }
        });
    }
}

TEST_CASE("where without values has one vector for a tensor without dimensions") {
    CHECK(where(scalar_tensor(3.f)).size() == 1);
    CHECK(nonzero_numpy(ones({2, 2})).size() == 2);
    check<int64_t>(where(scalar_tensor(3.f))[0], {1}, {0});
    check<int64_t>(where(scalar_tensor(0.f))[0], {0}, {});
    CHECK(scalar_tensor(3.f).nonzero().sizes() == IntArrayRef({1, 0}));
}

TEST_CASE("large masks, on several threads") {
    const Tensor t = arange(300000), third = t % 3 == 0;
    CHECK(equal(t.masked_select(third), arange(100000) * 3));
    CHECK(equal(third.nonzero().view({-1}), arange(100000) * 3));
    CHECK(equal(zeros({300000}, kLong).masked_scatter(third, arange(100000)).masked_select(third),
                arange(100000)));
}

TEST_CASE("masked_scatter takes the source in order") {
    test::for_each_mode([] {
        const Tensor mask = tensor({{true, false, true}, {false, true, false}});
        const Tensor source = counted({2, 2}) + 10;
        check<float>(zeros({2, 3}).masked_scatter(mask, source), {2, 3}, {10, 0, 11, 0, 12, 0});
        check<float>(zeros({1, 3}).masked_scatter(mask, source.t()), {2, 3}, {10, 0, 12, 0, 11, 0});
        Tensor t = zeros({3, 2});
        t.t().masked_scatter_(mask, source);
        check<float>(t, {3, 2}, {10, 0, 0, 12, 11, 0});
        const Tensor row = zeros({2, 3});
        row[1].masked_scatter_(tensor({true, false, true}), tensor({1.f, 2.f}));
        check<float>(row, {2, 3}, {0, 0, 0, 1, 0, 2});
    });
    Tensor t = ones({3});
    const char* message =
        "[masked_scatter_] the source has too few elements; got 1 elements for a mask with 2 true "
        "elements, "
        "expected 2 elements or more; try where(), whose source has the mask's shape";
    const Tensor seen = t + 0;
    t.masked_scatter_(tensor({true, true, false}), tensor({5.f}));
    CHECK_ERROR(Error, t.eval(), message);
    check<float>(seen, {3}, {1, 1, 1});
    ModeGuard eager(Mode::eager);
    Tensor u = ones({3});
    CHECK_THROWS_AS(u.masked_scatter_(tensor({true, true, false}), tensor({5.f})), Error);
    check<float>(u, {3}, {1, 1, 1});  // a write that fails at its line changes nothing
    CHECK_ERROR(Error, u.masked_scatter_(tensor({true, true, false}), tensor({5, 6})),
                "[masked_scatter_] the operands' dtypes differ; got Float and Long, expected the "
                "same dtype; try .to(kFloat) on the source");
}

TEST_CASE("a value that the dtype cannot hold is refused, in a tensor as well") {
    test::for_each_mode([] {
        const Tensor x = tensor({1, 2, 3}, kLong), some = tensor({true, false, false});
        const Tensor none = zeros({3}, kBool);
        const Tensor i = full({}, sinter::complex<double>(1, 1), kComplexDouble);
        CHECK_ERROR(ValueError, x.masked_fill(some, i),
                    "[masked_fill] value cannot be converted to type int64_t without overflow; got "
                    "1+1i for Long, expected a value that Long can hold; try a complex dtype");
        CHECK_THROWS_AS(x.clone().masked_fill_(some, i), ValueError);
        CHECK_THROWS_AS(x.clone().masked_fill_(none, i), ValueError);
        CHECK_THROWS_AS(x.clone().index_put_({some}, i), ValueError);
        CHECK_THROWS_AS(x.to(kFloat).masked_fill(some, i), ValueError);
        CHECK_THROWS_AS(x.masked_fill(some, full({}, NAN)), ValueError);
        CHECK_THROWS_AS(x.to(kChar).masked_fill(none, full({}, 300, kLong)), ValueError);
        CHECK_THROWS_AS(x.to(kHalf).masked_fill(none, full({}, 1e9)), ValueError);
        CHECK_THROWS_AS(x.to(kFloat).masked_fill(none, full({}, 1e300, kDouble)), ValueError);
        check<int64_t>(x.masked_fill(some, full({}, sinter::complex<double>(7, 0), kComplexDouble)),
                       {3}, {7, 2, 3});
        check<int64_t>(x.masked_fill(some, full({}, 7.9)), {3}, {7, 2, 3});
        check<bool>(none.masked_fill(some, i), {3}, {true, false, false});
        check<float>(x.to(kFloat).masked_fill(some, full({}, 7, kLong)), {3}, {7, 2, 3});
        // index_fill refuses a complex number, whatever its value.
        const Tensor at = zeros({1}, kLong);
        const Tensor seven = full({}, sinter::complex<double>(7, 0), kComplexDouble);
        CHECK_ERROR(
            Error, x.index_fill(0, at, seven),
            "[index_fill] a complex value does not fit the dtype; got ComplexDouble for long int, "
            "expected a real value; try a complex tensor, or real() on the value");
        CHECK_THROWS_AS(x.to(kChar).index_fill(0, at, full({}, 300, kLong)), ValueError);
        check<int64_t>(x.index_fill(0, at, full({}, 7.9)), {3}, {7, 2, 3});
    });
}

TEST_CASE("a value that every dtype can hold stays pending") {
    const Tensor x = ones({3}).eval(), mask = tensor({true, false, false});
    const auto flushes = stats().flushes;
    const Tensor mean = x.mean();
    Tensor y = x.masked_fill(mask, mean);
    y = x.to(kDouble).masked_fill(mask, mean);
    y.masked_fill_(mask, full({}, 2, kLong));
    CHECK((stats().flushes == flushes));
}
