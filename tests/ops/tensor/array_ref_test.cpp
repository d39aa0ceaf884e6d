#include "tests/ops/check.hpp"

#include <array>
#include <string>

using namespace sinter;

TEST_CASE("a list sees what it is made from") {
    const std::vector<int64_t> v{1, 2, 3};
    const std::array<int64_t, 2> a{4, 5};
    const int64_t c[] = {6, 7, 8};
    auto sum = [](IntArrayRef list) {
        int64_t s = 0;
        for (int64_t x : list) s += x;
        return s;
    };
    CHECK((sum(v) == 6 && sum(a) == 9 && sum(c) == 21 && sum({1, 2}) == 3 && sum(5) == 5));
    CHECK((sum({}) == 0 && sum({0, 0}) == 0));
    const IntArrayRef list(v);
    CHECK(list.data() == v.data());
    CHECK((list.front() == 1 && list.back() == 3 && list.at(1) == 2));
    CHECK((std::vector<int64_t>(list.rbegin(), list.rend()) == std::vector<int64_t>{3, 2, 1}));
    CHECK((list == v && list.equals(v) && list != a && list.vec() == v));
    CHECK((list.slice(1) == IntArrayRef(std::array<int64_t, 2>{2, 3})));
    CHECK((list.slice(0, 1) == IntArrayRef(std::array<int64_t, 1>{1}) && list.slice(3).empty()));
    const ArrayRef<double> doubles(std::vector<double>{});
    CHECK((doubles.empty() && doubles.begin() == doubles.end()));
}

TEST_CASE("what lies outside a list") {
    const std::vector<int64_t> v{1, 2, 3};
    const IntArrayRef list(v);
    CHECK_ERROR(IndexError, list.at(3),
                "[at] the index is out of range; got 3 for a list of 3 elements, expected at most "
                "3; try checking size() first");
    CHECK_ERROR(IndexError, list.slice(2, 2),
                "[slice] the index is out of range; got 4 for a list of 3 elements, expected at "
                "most 3; try checking size() first");
    CHECK_ERROR(IndexError, IntArrayRef().front(),
                "[front] the index is out of range; got 0 for a list of 0 elements, expected a "
                "list with elements; try checking size() first");
}

TEST_CASE("OptionalIntArrayRef holds a list or none") {
    const auto list = [](OptionalIntArrayRef l) {
        return l ? (*l).vec() : std::vector<int64_t>{-1};
    };
    CHECK(list(nullopt) == std::vector<int64_t>{-1});
    CHECK(list({}) == std::vector<int64_t>{-1});
    CHECK(list(3) == std::vector<int64_t>{3});
    CHECK(list({3, 4}) == std::vector<int64_t>{3, 4});
    CHECK(list(std::vector<int64_t>{5}) == std::vector<int64_t>{5});
    CHECK(list(optional<int64_t>(6)) == std::vector<int64_t>{6});
    CHECK(list(optional<int64_t>()) == std::vector<int64_t>{-1});
    CHECK(list(optional<IntArrayRef>()) == std::vector<int64_t>{-1});
    CHECK(list(IntArrayRef()).empty());
    CHECK(OptionalIntArrayRef().value_or(IntArrayRef{7}).vec() == std::vector<int64_t>{7});
    CHECK_FALSE(OptionalIntArrayRef().has_value());
}

TEST_CASE("lists of anything print, and what libtorch asks of them") {
    const std::vector<double> numbers{1.5, 2};
    std::ostringstream out;
    out << makeArrayRef(numbers) << IntArrayRef({1, 2}) << ArrayRef<double>();
    CHECK(out.str() == "[1.5, 2][1, 2][]");
    CHECK(makeArrayRef(numbers).allMatch([](double v) { return v > 1; }));
    CHECK_FALSE(makeArrayRef(numbers).allMatch([](double v) { return v > 1.7; }));
    const std::vector<int64_t> dims{1, 2};
    const OptionalIntArrayRef some = dims, none;
    CHECK(some->size() == 2);
    CHECK(some.value().vec() == dims);
    CHECK_THROWS_AS(none.value(), std::bad_optional_access);
    CHECK(tensor(makeArrayRef(numbers)).dtype() == kFloat);
    CHECK(tensor(ArrayRef<int>({1, 2}), kFloat).dtype() == kFloat);
}

TEST_CASE("a vector has the elements of a list, of whatever type") {
    const bool truth[] = {true, false, true};
    const ArrayRef<bool> list(truth);
    CHECK((list.vec() == std::vector<bool>{true, false, true}));
    test::check<bool>(tensor(list), {3}, {true, false, true});
    const std::string words[] = {"a", "b"};
    CHECK((ArrayRef<std::string>(words).vec() == std::vector<std::string>{"a", "b"}));
    const char letters[] = {'a', 'b'};
    CHECK((ArrayRef<char>(letters).vec() == std::vector<char>{'a', 'b'}));
    const std::size_t sizes[] = {2, 7};
    CHECK((ArrayRef<std::size_t>(sizes).vec() == std::vector<std::size_t>{2, 7}));
    const void* const pointers[] = {sizes, nullptr};
    CHECK(ArrayRef<const void*>(pointers).vec().size() == 2);
    CHECK((ArrayRef<int64_t>().vec().empty()));
}
