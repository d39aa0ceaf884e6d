// Every row that computes in integers or bool, compared with __int128 arithmetic wrapped to the
// type.
#include "tests/op/reference.hpp"
#include "tests/seed.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>
#include <doctest/doctest.h>

#include <string>

#include <limits>

using namespace sinter;
using sinter::test::wide;

namespace {

template <class T>
using number = math::host<T>;

template <class T>
constexpr int bits_of = std::is_same_v<T, bool> ? 1 : static_cast<int>(sizeof(T)) * 8;

template <class T>
std::vector<T> samples(std::mt19937_64& random) {
    if constexpr (std::is_same_v<T, bool>) {
        return {false, true};
    } else {
        using limits = std::numeric_limits<T>;
        std::vector<T> values{limits::min(), limits::max(), T(limits::min() + 1),
                              T(limits::max() - 1)};
        for (int small : {0, 1, 2, 3, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100}) {
            values.push_back(static_cast<T>(small));
            values.push_back(static_cast<T>(-small));
        }
        for (int i = 0; i < 40; ++i)
            values.push_back(static_cast<T>(static_cast<int64_t>(random()) >> random() % 64));
        return values;
    }
}

template <class T>
T wrap(wide value) {
    if constexpr (std::is_same_v<T, bool>)
        return value != 0;
    else
        return static_cast<T>(static_cast<unsigned __int128>(value));
}

template <class Row>
constexpr bool divides =
    Row::id == op::floor_divide || Row::id == op::remainder || Row::id == op::fmod;

template <class Row, class T>
void check_row(std::mt19937_64& random) {
    using V = number<T>;
    auto expected = test::reference_of(Row::id).in_integers;
    bool has_reference = expected != nullptr;
    REQUIRE(has_reference);
    auto values = samples<T>(random);
    int wrong = 0;
    wide at[3] = {};
    auto point = [&](T a, T b, T c) {
        math::take_host_status();
        auto got = [&] {
            if constexpr (Row::arity == 1)
                return Row::value(V::from(a)).v;
            else if constexpr (Row::arity == 2)
                return Row::value(V::from(a), V::from(b)).v;
            else
                return Row::value(V::from(a), V::from(b), V::from(c)).v;
        }();
        bool failed = math::take_host_status() != 0;
        bool right = failed == (divides<Row> && b == T(0));
        if (!failed) right &= got == wrap<decltype(got)>(expected(a, b, c, bits_of<T>));
        if (!right && wrong++ == 0) {
            at[0] = a;
            at[1] = b;
            at[2] = c;
        }
    };
    for (T a : values) {
        if constexpr (Row::arity == 1) {
            point(a, T(0), T(0));
        } else {
            for (T b : values) point(a, b, values[random() % values.size()]);
        }
    }
    INFO(std::string(Row::name) << " of " << bits_of<T> << " bits, first at "
                                << static_cast<int64_t>(at[0]) << " " << static_cast<int64_t>(at[1])
                                << " " << static_cast<int64_t>(at[2]));
    CHECK(wrong == 0);
}

template <class T, class Row>
void check_if_computed(std::mt19937_64& random) {
    if constexpr (op::computes_in<T>(Row::id)) check_row<Row, T>(random);
}

}  // namespace

TEST_CASE("rows: integers and bool against wide arithmetic") {
    std::mt19937_64 random(test::seed());
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (Row::rule != dtype_rule::random && Row::id != op::where) {
            check_if_computed<bool, Row>(random);
            check_if_computed<uint8_t, Row>(random);
            check_if_computed<int32_t, Row>(random);
            check_if_computed<int64_t, Row>(random);
        }
    });
}

TEST_CASE("rows: where chooses, in every type, and weighs its gradient") {
    auto check = []<class T>(T b, T c) {
        using V = number<T>;
        CHECK(rows::where::value(number<bool>::from(true), V::from(b), V::from(c)).v == b);
        CHECK(rows::where::value(number<bool>::from(false), V::from(b), V::from(c)).v == c);
    };
    check(true, false);
    check(uint8_t{3}, uint8_t{250});
    check(-7, 12);
    check(int64_t{-7}, std::numeric_limits<int64_t>::max());
    check(1.5f, -2.0f);
    check(1.5, -2.0);
}

TEST_CASE("reductions: identities are neutral, and NaN is the best of all") {
    using V = number<double>;
    CHECK(reductions::amax::combine(reductions::amax::identity<V>(), V(-3)).v == -3);
    CHECK(reductions::amin::combine(reductions::amin::identity<V>(), V(3)).v == 3);
    CHECK(reductions::sum::combine(reductions::sum::identity<V>(), V(3)).v == 3);
    CHECK(reductions::prod::combine(reductions::prod::identity<V>(), V(3)).v == 3);
    CHECK(reductions::mean::finish(V(6), V(4)).v == 1.5);
    CHECK(reductions::std::finish(V(0), V(36), V(5), V(1)).v == 3);
    V nan = math::detail::not_a_number<V>();
    CHECK(reductions::argmax::better(nan, V(1)).v);
    CHECK(reductions::argmin::better(nan, V(1)).v);
    CHECK_FALSE(reductions::argmax::better(V(1), nan).v);
    CHECK_FALSE(reductions::argmax::better(nan, nan).v);
    CHECK_FALSE(reductions::argmax::better(V(1), V(1)).v);
    CHECK(reductions::argmax::better(V(2), V(1)).v);
    CHECK(reductions::argmin::better(V(1), V(2)).v);
    using I = number<int32_t>;
    CHECK(reductions::amax::identity<I>().v == std::numeric_limits<int32_t>::min());
    CHECK(reductions::any::combine(number<bool>::from(false), number<bool>::from(true)).v);
    CHECK_FALSE(reductions::all::combine(number<bool>::from(false), number<bool>::from(true)).v);
}
