// The operation tables, expanded: one type for each row, and Hana tuples of them. Private to the
// library: sinter.hpp never includes this, so a user's program compiles no formula. Derivatives are
// in ops/autograd.
//
//   rows::<name>        id name arity rule domain ulp_f32 ulp_f64 ulp_above
//                       value(x) | value(a, b) | value(a, b, c); of rule random: value<R>(a, b)
//   reductions::<name>  id name kind result
//                       fold: identity<V>() combine(a, b) finish(y, n); arg: better(a, b);
//                       moments: finish(m, s, n, k)
#pragma once

#include <sinter/math/math.hpp>
#include <sinter/op/op.hpp>

#include <boost/hana/tuple.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace sinter::op {

/// Where a row is defined and its ULP bound is tested: of its first operand, of its second.
struct domain {
    double lo, hi;
    double lo2 = -std::numeric_limits<double>::infinity();
    double hi2 = std::numeric_limits<double>::infinity();
};

/// Whether this row is ever computed in T; a random draw: whether it can be a T.
template <class T>
constexpr bool computes_in(id row) {
    constexpr bool real = std::is_floating_point_v<T>;
    constexpr bool boolean = std::is_same_v<T, bool>;
    switch (info(row).rule) {
        case dtype_rule::any:
        case dtype_rule::matched:
        case dtype_rule::test:
        case dtype_rule::choice: return true;
        case dtype_rule::numeric:
        case dtype_rule::power: return !boolean;
        case dtype_rule::floating:
        case dtype_rule::real:
        case dtype_rule::wide: return real;
        case dtype_rule::logical: return boolean;
        case dtype_rule::bitwise: return !real;
        case dtype_rule::shift:
        case dtype_rule::whole: return !real && !boolean;
        case dtype_rule::random: return row == philox_bits ? std::is_same_v<T, int64_t> : real;
    }
    return false;
}

}  // namespace sinter::op

// ---- formulas: functions, in a namespace without the rows' types, whose names would hide those of
// the algebra (sqrt, floor, ...)

#define INF std::numeric_limits<double>::infinity()
#define DOMAIN(lo, hi) {lo, hi}
#define DOMAIN2(lo, hi, lo2, hi2) {lo, hi, lo2, hi2}
#define ULP(f32, f64) {f32, f64, 0}
#define ULP_ABOVE(size, f32, f64) {f32, f64, size}
#define VALUE(...) __VA_ARGS__

namespace sinter::formulas {

#define SINTER_UNUSED [[maybe_unused]]
#define ROW1(name, rule, domain, ulp, value, ...) \
    template <class V>                            \
    auto value_##name(V x) {                      \
        return value;                             \
    }
#define ROW2(name, rule, domain, ulp, value, ...) \
    template <class R, class V>                   \
    auto value_##name(V a, V b) {                 \
        return value;                             \
    }
// The first operand has a type of its own: the condition of `where` is a mask.
#define ROW3(name, rule, domain, ulp, value, ...) \
    template <class A, class V>                   \
    auto value_##name(A a, V b, V c) {            \
        return value;                             \
    }

#include <sinter/op/elementwise.def>

#undef ROW1
#undef ROW2
#undef ROW3

#define FOLD(name, result, identity, combine, finish) \
    template <class V>                                \
    V identity_##name() {                             \
        return identity;                              \
    }                                                 \
    template <class V>                                \
    V combine_##name(V a, V b) {                      \
        return combine;                               \
    }                                                 \
    template <class V>                                \
    V finish_##name(V y, SINTER_UNUSED V n) {         \
        return finish;                                \
    }
#define ARG(name, better)                      \
    template <class V>                         \
    typename V::mask better_##name(V a, V b) { \
        return better;                         \
    }
#define MOMENTS(name, finish)                           \
    template <class V>                                  \
    V finish_##name(SINTER_UNUSED V m, V s, V n, V k) { \
        return finish;                                  \
    }

#include <sinter/op/reduce.def>

#undef FOLD
#undef ARG
#undef MOMENTS

}  // namespace sinter::formulas

// ---- rows

namespace sinter::rows {

#define SINTER_ROW(row, arity_, rule_, domain_, ulp_)     \
    static constexpr op::id id = op::row;                 \
    static constexpr const char* name = #row;             \
    static constexpr int arity = arity_;                  \
    static constexpr dtype_rule rule = dtype_rule::rule_; \
    static constexpr op::domain domain = domain_;         \
    static constexpr double ulps[3] = ulp_;               \
    static constexpr double ulp_f32 = ulps[0], ulp_f64 = ulps[1], ulp_above = ulps[2];

#define ROW1(row, rule_, domain_, ulp_, ...)                                 \
    struct row {                                                             \
        SINTER_ROW(row, 1, rule_, SINTER_GROUP(domain_), SINTER_GROUP(ulp_)) \
        template <class V>                                                   \
        static auto value(V x) {                                             \
            return formulas::value_##row(x);                                 \
        }                                                                    \
    };

#define ROW2(row, rule_, domain_, ulp_, ...)                                 \
    struct row {                                                             \
        SINTER_ROW(row, 2, rule_, SINTER_GROUP(domain_), SINTER_GROUP(ulp_)) \
        template <class V>                                                   \
            requires(rule != dtype_rule::random)                             \
        static auto value(V a, V b) {                                        \
            return formulas::value_##row<V>(a, b);                           \
        }                                                                    \
        template <class R, class V>                                          \
            requires(rule == dtype_rule::random)                             \
        static auto value(V a, V b) {                                        \
            return formulas::value_##row<R>(a, b);                           \
        }                                                                    \
    };

#define ROW3(row, rule_, domain_, ulp_, ...)                                 \
    struct row {                                                             \
        SINTER_ROW(row, 3, rule_, SINTER_GROUP(domain_), SINTER_GROUP(ulp_)) \
        template <class A, class V>                                          \
        static auto value(A a, V b, V c) {                                   \
            return formulas::value_##row(a, b, c);                           \
        }                                                                    \
    };

#define SINTER_GROUP(...) __VA_ARGS__
#include <sinter/op/elementwise.def>

#undef ROW1
#undef ROW2
#undef ROW3
#undef SINTER_ROW
#undef SINTER_GROUP

}  // namespace sinter::rows

// ---- reductions

namespace sinter::reductions {

#define FOLD(row, result_, identity_formula, combine_formula, finish_formula)         \
    struct row {                                                                      \
        static constexpr op::reduction id = op::reduction::row;                       \
        static constexpr const char* name = #row;                                     \
        static constexpr op::reduction_kind kind = op::reduction_kind::fold;          \
        static constexpr op::reduction_result result = op::reduction_result::result_; \
        template <class V>                                                            \
        static V identity() {                                                         \
            return formulas::identity_##row<V>();                                     \
        }                                                                             \
        template <class V>                                                            \
        static V combine(V a, V b) {                                                  \
            return formulas::combine_##row(a, b);                                     \
        }                                                                             \
        template <class V>                                                            \
        static V finish(V y, V n) {                                                   \
            return formulas::finish_##row(y, n);                                      \
        }                                                                             \
    };

// `better` is strict, so a scan in rising order keeps the first of equals; NaN is better than any
// number.
#define ARG(row, better_formula)                                                    \
    struct row {                                                                    \
        static constexpr op::reduction id = op::reduction::row;                     \
        static constexpr const char* name = #row;                                   \
        static constexpr op::reduction_kind kind = op::reduction_kind::arg;         \
        static constexpr op::reduction_result result = op::reduction_result::index; \
        template <class V>                                                          \
        static typename V::mask better(V a, V b) {                                  \
            return formulas::better_##row(a, b) | ((a != a) & (b == b));            \
        }                                                                           \
    };

#define MOMENTS(row, finish_formula)                                                   \
    struct row {                                                                       \
        static constexpr op::reduction id = op::reduction::row;                        \
        static constexpr const char* name = #row;                                      \
        static constexpr op::reduction_kind kind = op::reduction_kind::moments;        \
        static constexpr op::reduction_result result = op::reduction_result::floating; \
        template <class V>                                                             \
        static V finish(V m, V s, V n, V k) {                                          \
            return formulas::finish_##row(m, s, n, k);                                 \
        }                                                                              \
    };

#include <sinter/op/reduce.def>

#undef FOLD
#undef ARG
#undef MOMENTS

}  // namespace sinter::reductions

#undef INF
#undef DOMAIN
#undef DOMAIN2
#undef ULP
#undef ULP_ABOVE
#undef VALUE
#undef SINTER_UNUSED

// ---- all of them, in table order

namespace sinter::op::detail {
template <class First, class... Rows>
struct rest {
    using type = boost::hana::tuple<Rows...>;
};
}  // namespace sinter::op::detail

namespace sinter::rows {
/// A tuple of empty objects: hana::for_each(rows::all, [](auto row) { ... decltype(row)::id ... }).
inline constexpr typename op::detail::rest<void
#define ROW1(row, ...) , row
#define ROW2(row, ...) , row
#define ROW3(row, ...) , row
#include <sinter/op/elementwise.def>
#undef ROW1
#undef ROW2
#undef ROW3
                                           >::type all{};
}  // namespace sinter::rows

namespace sinter::reductions {
inline constexpr typename op::detail::rest<void
#define FOLD(row, ...) , row
#define ARG(row, ...) , row
#define MOMENTS(row, ...) , row
#include <sinter/op/reduce.def>
#undef FOLD
#undef ARG
#undef MOMENTS
                                           >::type every{};  // `all` is a reduction
}  // namespace sinter::reductions
