// Element operations: every public row and alias, with the error bounds of the rows.
#include "tests/golden/table.hpp"

#include <sinter/op/rows.hpp>

#include <type_traits>

namespace sinter::golden {
namespace {

template <class F>
results binary(const arguments& a, const F& f) {
    if (!a.is_tensor(0)) return f(a.s(0), a.t(1));
    if (!a.is_tensor(1)) return f(a.t(0), a.s(1));
    return f(a.t(0), a.t(1));
}

}  // namespace

void add_rows(function_table& table) {
#define SINTER_UNARY(name, row)                                                                \
    table[#name] = {[](const arguments& a) { return give(name(a.t(0))); }, rows::row::ulp_f32, \
                    rows::row::ulp_f64};                                                       \
    table[#name "_"] = {[](const arguments& a) { return give(a.t(0).name##_()); },             \
                        rows::row::ulp_f32, rows::row::ulp_f64};
#define SINTER_BINARY(name, row)                                                               \
    table[#name] = {[](const arguments& a) {                                                   \
                        return binary(                                                         \
                            a, [](const auto& x, const auto& y) { return give(name(x, y)); }); \
                    },                                                                         \
                    rows::row::ulp_f32, rows::row::ulp_f64};                                   \
    table[#name "_"] = {                                                                       \
        [](const arguments& a) {                                                               \
            return give(a.is_tensor(1) ? a.t(0).name##_(a.t(1)) : a.t(0).name##_(a.s(1)));     \
        },                                                                                     \
        rows::row::ulp_f32, rows::row::ulp_f64};
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

    table["pow"] = {[](const arguments& a) {
                        return binary(a,
                                      [](const auto& x, const auto& y) { return give(pow(x, y)); });
                    },
                    rows::pow::ulp_f32, rows::pow::ulp_f64};
    table["pow_"] = {[](const arguments& a) {
                         return give(a.is_tensor(1) ? a.t(0).pow_(a.t(1)) : a.t(0).pow_(a.s(1)));
                     },
                     rows::pow::ulp_f32, rows::pow::ulp_f64};
    // The output comes first, as in PyTorch's keyword order.
#define SINTER_OUT(name)                                                                     \
    table[#name].call = [](const arguments& a) -> results {                                  \
        Tensor out = a.t(0);                                                                 \
        return give(a.is_tensor(2) ? name(out, a.t(1), a.t(2)) : name(out, a.t(1), a.s(2))); \
    };
#define SINTER_OUT_OF_ONE(name)                             \
    table[#name].call = [](const arguments& a) -> results { \
        Tensor out = a.t(0);                                \
        return give(name(out, a.t(1)));                     \
    };
    SINTER_OUT(bitwise_and_out)
    SINTER_OUT(eq_out)
    SINTER_OUT(fmod_out)
    SINTER_OUT(pow_out)
    SINTER_OUT_OF_ONE(abs_out)
    SINTER_OUT_OF_ONE(floor_out)
    SINTER_OUT_OF_ONE(isposinf_out)
    SINTER_OUT_OF_ONE(neg_out)
    SINTER_OUT_OF_ONE(sqrt_out)
    SINTER_OUT_OF_ONE(square_out)
#undef SINTER_OUT
#undef SINTER_OUT_OF_ONE
    table["heaviside_out"].call = [](const arguments& a) -> results {
        Tensor out = a.t(0);
        return give(heaviside_out(out, a.t(1), a.t(2)));
    };
    SINTER_CALL(promote_types, promote_types(*a.dtype(0), *a.dtype(1)));
    SINTER_CALL(can_cast, can_cast(*a.dtype(0), *a.dtype(1)));
    SINTER_CALL(rsub_scaled,
                a.is_tensor(1) ? rsub(a.t(0), a.t(1), a.s(2)) : rsub(a.t(0), a.s(1), a.s(2)));
    SINTER_CALL(type_as, a.t(0).type_as(a.t(1)));
    SINTER_CALL(zero_, a.t(0).zero_());
    SINTER_CALL(add_scaled, a.t(0).add(a.t(1), a.s(2)));
    SINTER_CALL(sub_scaled, a.t(0).sub(a.t(1), a.s(2)));
    SINTER_CALL(add_scaled_, a.t(0).add_(a.t(1), a.s(2)));
    SINTER_CALL(sub_scaled_, a.t(0).sub_(a.t(1), a.s(2)));
    SINTER_CALL(clamp, clamp(a.t(0), a.os(1), a.os(2)));
    SINTER_CALL(clamp_, a.t(0).clamp_(a.os(1), a.os(2)));
    SINTER_CALL(clip, clip(a.t(0), a.os(1), a.os(2)));
    table["where"].call = [](const arguments& a) -> results {
        if (a.size() == 1) return where(a.t(0));
        if (!a.is_tensor(1) && !a.is_tensor(2)) return give(where(a.t(0), a.s(1), a.s(2)));
        if (!a.is_tensor(1)) return give(where(a.t(0), a.s(1), a.t(2)));
        if (!a.is_tensor(2)) return give(where(a.t(0), a.t(1), a.s(2)));
        return give(where(a.t(0), a.t(1), a.t(2)));
    };
    SINTER_CALL(to, a.t(0).to(*a.dtype(1)));
    SINTER_CALL(copy_, a.t(0).copy_(a.t(1)));
    SINTER_CALL(fill_, a.t(0).fill_(a.s(1)));
    SINTER_CALL(equal, equal(a.t(0), a.t(1)));
    SINTER_CALL(allclose,
                allclose(a.t(0), a.t(1), a.s(2).toDouble(), a.s(3).toDouble(), a.flag(4)));
    SINTER_CALL(result_type, a.is_tensor(0) && a.is_tensor(1) ? result_type(a.t(0), a.t(1))
                             : a.is_tensor(0)                 ? result_type(a.t(0), a.s(1))
                             : a.is_tensor(1)                 ? result_type(a.s(0), a.t(1))
                                                              : result_type(a.s(0), a.s(1)));
}

}  // namespace sinter::golden
