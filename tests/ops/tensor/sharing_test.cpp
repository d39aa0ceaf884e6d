// Writes to elements that share memory: with an operand, and with each other.
#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

namespace {

constexpr const char* several =
    "more than one element of the written-to tensor refers to a single memory location";
constexpr const char* overlap =
    "some elements of the input tensor and the written-to tensor refer to a single memory location";

template <class F>
std::string thrown(const F& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing";
}
#define CHECK_THROWN(part, ...) CHECK(thrown([&] { __VA_ARGS__; }).find(part) != std::string::npos)

Tensor table() { return counted({3, 4}).eval(); }
Tensor places(std::initializer_list<int64_t> list) { return tensor(IntArrayRef(list), kLong); }

}  // namespace

TEST_CASE("an operand that is dense and overlaps the target in part is refused") {
    test::for_each_mode([] {
        Tensor x = table(), row = table().slice(0, 0, 1), y = ones({3}), one = ones({1});
        CHECK_THROWN(overlap, x.sub_(x[0]));
        CHECK_THROWN(overlap, x.slice(0, 1) += x.slice(0, 0, -1));
        CHECK_THROWN(overlap, x.slice(0, 1).copy_(x.slice(0, 0, -1)));
        CHECK_THROWN(overlap, x.slice(0, 0, 1) += x[0]);
        CHECK_THROWN(overlap, row += row[0]);
        CHECK_THROWN("[copy_]", y.copy_(y.view({1, -1})));
        CHECK_THROWN(overlap, y += y[0]);
        CHECK_THROWN(overlap, one += one[0]);
        const Tensor square = counted({3, 3}).eval();
        CHECK_THROWN(overlap, square.add_(square.t()));
        check<float>(x, {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    });
}

// PyTorch does not check these and reads elements that it has already written. Here an operand has
// the values from before the write.
TEST_CASE("an operand with gaps is read before the target is written") {
    test::for_each_mode([] {
        Tensor x = table();
        x -= x.slice(1, 0, 1);
        check<float>(x, {3, 4}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
        x = table();
        x.slice(1, 1) += x.slice(1, 0, -1);
        check<float>(x, {3, 4}, {0, 1, 3, 5, 4, 9, 11, 13, 8, 17, 19, 21});
        x = table();
        x.slice(1, 1).copy_(x.slice(1, 0, -1));
        check<float>(x, {3, 4}, {0, 0, 1, 2, 4, 4, 5, 6, 8, 8, 9, 10});
        x = table();
        Tensor part = x.slice(1, 0, 3);
        part += part.t();
        check<float>(x, {3, 4}, {0, 5, 10, 3, 5, 10, 15, 7, 10, 15, 20, 11});
        x = table();
        x.slice(1, 0, 4, 2) += x.slice(1, 1, 4, 2);  // interleaved: no common elements
        check<float>(x, {3, 4}, {1, 1, 5, 3, 9, 5, 13, 7, 17, 9, 21, 11});
        x = table();
        x.add_(x.as_strided({3, 4}, {0, 1}));
        check<float>(x, {3, 4}, {0, 2, 4, 6, 4, 6, 8, 10, 8, 10, 12, 14});
        x = table();
        add_out(x, x, x.slice(1, 0, 1));
        check<float>(x, {3, 4}, {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19});
        x = table();
        x.scatter_(0, zeros({1, 1}, kLong), x.slice(0, 1).slice(1, 0, 1));
        check<float>(x, {3, 4}, {4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
        x = table();
        x.slice(1, 1).index_copy_(0, places({0, 1, 2}), x.slice(1, 0, 3));
        check<float>(x, {3, 4}, {0, 0, 1, 2, 4, 4, 5, 6, 8, 8, 9, 10});
        x = table();
        x.masked_scatter_(x > 5, x);
        check<float>(x, {3, 4}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
    });
}

TEST_CASE("indices and sources that lie in the target are refused for every dtype") {
    test::for_each_mode([] {
        for (ScalarType type : {kHalf, kBFloat16, kFloat, kDouble, kLong, kInt, kByte}) {
            const std::string dtype = sinter::toString(type);
            CAPTURE(dtype);
            Tensor x = ones({3}, type);
            const Tensor at = zeros({3}, kLong);
            CHECK_THROWN(overlap, x.scatter_(0, at, x));
            CHECK_THROWN(overlap, x.scatter_(0, at, x, "add"));
            CHECK_THROWN(overlap, x.scatter_(0, at, x.view({3}), "multiply"));
            CHECK_THROWN(overlap, x.scatter_add_(0, at, x));
            CHECK_THROWN(overlap, x.scatter_add_(0, at.slice(0, 1), x.slice(0, 1)));
            for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"}) {
                CHECK_THROWN(overlap, x.scatter_reduce_(0, at, x, reduce));
                if (*reduce != 's') CHECK_THROWN(overlap, x.index_reduce_(0, at, x, reduce));
            }
            CHECK_THROWN(overlap, x.index_add_(0, at, x));
            CHECK_THROWN(overlap, x.index_copy_(0, at, x));
            CHECK_THROWN(overlap, x.put_(at, x));
            CHECK_THROWN(overlap, x.put_(at, x, true));
            CHECK_THROWN(overlap, x.index_put_({at}, x));
            CHECK_THROWN(overlap, x.index_put_({at.unsqueeze(0)}, x));
            check<float>(x.to(kFloat), {3}, {1, 1, 1});
        }
        Tensor i = zeros({3}, kLong);
        CHECK_THROWN(overlap, i.scatter_(0, i, i + 1));
        CHECK_THROWN(overlap, i.index_fill_(0, i, 1));
        CHECK_THROWN(overlap, i.index_add_(0, i, i + 1));
        CHECK_THROWN(overlap, i.put_(i, i + 1));
        CHECK_THROWN(overlap, i.index_put_({i}, i + 1));
        check<int64_t>(i, {3}, {0, 0, 0});
    });
}

TEST_CASE("numbers are written to elements that share an address") {
    test::for_each_mode([] {
        const Tensor mask = eye(3, 4).to(kBool);
        const auto written = [](const auto& write) {
            Tensor base = zeros({4});
            write(base.expand({3, 4}));
            return base;
        };
        using T = const Tensor&;
        const auto is = [](const Tensor& t, const std::vector<float>& values) {
            check<float>(t, {static_cast<int64_t>(values.size())}, values);
        };
        is(written([](T x) { x.fill_(2); }), {2, 2, 2, 2});
        is(written([](T x) { ones({4}).copy_(x[0]), x.zero_(); }), {0, 0, 0, 0});
        is(written([&](T x) { x.masked_fill_(mask, 5); }), {5, 5, 5, 0});
        is(written([&](T x) { x.masked_fill_(mask, full({}, 5)); }), {5, 5, 5, 0});
        is(written([&](T x) { x.masked_fill_(mask[0], 5); }), {5, 0, 0, 0});
        is(written([](T x) { x.index_fill_(0, places({1}), 5); }), {5, 5, 5, 5});
        is(written([](T x) { x.index_fill_(1, places({1}), 5); }), {0, 5, 0, 0});
        is(written([](T x) { x.index_fill_(1, places({-1}), full({}, 5)); }), {0, 0, 0, 5});
        is(written([](T x) { x.slice(0, 1) = 2; }), {2, 2, 2, 2});
        is(written([](T x) { x.index({Slice(1)}) = 2; }), {2, 2, 2, 2});
        is(written([](T x) { x.index_put_({Slice(1)}, 2); }), {2, 2, 2, 2});
        is(written([](T x) { x.index_put_({Slice(), 1}, 3); }), {0, 3, 0, 0});
        is(written([](T x) { x[1] = tensor({1, 2, 3, 4}); }), {1, 2, 3, 4});
        is(written([](T x) { x.index_put_({places({1})}, 3); }), {3, 3, 3, 3});
        is(written([&](T x) { x.index_put_({mask}, 3); }), {3, 3, 3, 0});
        is(written([&](T x) { x.index_put_({mask}, tensor({1.f, 2.f, 3.f})); }), {1, 2, 3, 0});
        is(written([](T x) { x.index_put_({places({1}), places({2})}, 3); }), {0, 0, 3, 0});
        is(written([](T x) { x.index_put_({places({1})}, full({}, 1.f), true); }), {1, 1, 1, 1});
        // Several values for one element: the last one wins.
        is(written([](T x) {
               x.index_put_({places({0, 1})},
                            tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}).view({2, 4}));
           }),
           {5, 6, 7, 8});
        is(written([](T x) { x.fill_diagonal_(3); }), {3, 3, 3, 0});

        const auto windows = [](const auto& write) {
            Tensor base = zeros({5});
            write(base.unfold(0, 3, 1));
            return base;
        };
        is(windows([](T x) { x.fill_(1); }), {1, 1, 1, 1, 1});
        is(windows([](T x) { x.slice(0, 1) = 2; }), {0, 2, 2, 2, 2});
        is(windows([](T x) { x.masked_fill_(eye(3).to(kBool), 1); }), {1, 0, 1, 0, 1});
        is(windows([](T x) { x.index_fill_(0, places({1}), 1); }), {0, 1, 1, 1, 0});

        Tensor number = zeros({});
        number.expand({3}).index_put_({tensor({true, false, false})}, 1);
        check<float>(number, {}, {1});
        Tensor none = zeros({});
        none.expand({0}) += 1;
        check<float>(none, {}, {0});
    });
}

TEST_CASE("a tensor is copied to itself, whatever its elements share") {
    test::for_each_mode([] {
        Tensor x = counted({1, 3}).eval().expand({2, 3});
        x.copy_(x);
        check<float>(x, {2, 3}, {0, 1, 2, 0, 1, 2});
        CHECK_THROWN(several, x.copy_(x.view({2, 3})));
    });
}

TEST_CASE("results are not written to elements that share an address") {
    test::for_each_mode([] {
        const Tensor base = zeros({4}), x = base.expand({3, 4}), at = zeros({1, 4}, kLong);
        CHECK_THROWN(several, x.add_(1));
        CHECK_THROWN(several, x.copy_(ones({4})));
        CHECK_THROWN(several, x.copy_(ones({})));
        CHECK_THROWN(several, x.index_put_({Slice(1)}, full({}, 2.f)));
        CHECK_THROWN(several, x.uniform_());
        CHECK_THROWN(several, x.scatter_(0, at, 1));
        CHECK_THROWN(several, x.scatter_(0, at, ones({1, 4})));
        CHECK_THROWN(several, x.index_add_(0, places({0}), ones({1, 4})));
        CHECK_THROWN(several, x.index_copy_(0, places({0}), ones({1, 4})));
        CHECK_THROWN(several, x.put_(places({0}), ones({1})));
        CHECK_THROWN(several, x.masked_scatter_(ones({3, 4}, kBool), ones({12})));
        CHECK_THROWN(several, x.cumsum_(0));
        CHECK_THROWN(several, x.relu_());
        CHECK_THROWN(several, add_out(const_cast<Tensor&>(x), x, x));
        check<float>(base, {4}, {0, 0, 0, 0});
    });
}

TEST_CASE("as_strided_scatter counts from the storage") {
    test::for_each_mode([] {
        const Tensor whole = counted({6}), view = whole.slice(0, 2, 5);
        // The view is elements 2, 3, 4; the part is elements 1 and 3.
        const Tensor put = view.as_strided_scatter(full({2}, 9.f), {2}, {2}, 1);
        check<float>(put, {3}, {2, 9, 4});
        check<float>(put.as_strided({6}, {1}, 0), {6}, {0, 9, 2, 9, 4, 5});
        CHECK(put.storage_offset() == 2);
        // Without an offset, it starts at the view's.
        check<float>(view.as_strided_scatter(full({2}, 9.f), {2}, {1}), {3}, {9, 9, 4});
        check<float>(view.as_strided_scatter(full({1}, 9.f), {1}, {1}, 0), {3}, {2, 3, 4});
        const Tensor turned = counted({2, 3}).t();
        const Tensor first = turned.as_strided_scatter(full({3}, 9.f), {3}, {1});
        check<float>(first, {3, 2}, {9, 3, 9, 4, 9, 5});
        CHECK(first.strides() == turned.strides());
        const Tensor same = ones({1}).expand({3});
        check<float>(same.as_strided_scatter(full({2}, 9.f), {2}, {1}), {3}, {9, 9, 1});
        // For parts of complex numbers the offset counts floats.
        const Tensor parts = view_as_real(tensor({1.f, 2.f}).to(kComplexFloat)).select(1, 0);
        check<float>(parts.as_strided_scatter(full({2}, 9.f), {2}, {2}, 0), {2}, {9, 9});
        check<float>(whole, {6}, {0, 1, 2, 3, 4, 5});
    });
}
