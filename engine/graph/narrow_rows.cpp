#include "engine/graph/narrow_rows.hpp"

#include <sinter/limits.hpp>

namespace sinter::inline v1 {

// `a` plus or minus 5/8 of its ulp rounds to the neighbour of `a`. This also holds just below a
// power of two, where the neighbour is half an ulp away.
int32_t narrow_nextafter(parts_builder& to, ScalarType type, int32_t a, int32_t b) {
    const finfo limits(type);
    const double place_of_one = limits.eps, smallest = limits.tiny * limits.eps;
    const auto number = [&](double value) { return to.constant(value); };
    const auto cast = [&](int32_t x, ScalarType from, ScalarType into) {
        return to.add({typed_op::kind::cast, 0, from, into, {x, -1, -1}, 0});
    };
    const auto row = [&](op::id id, int32_t x, int32_t y = -1, int32_t z = -1) {
        return to.add({typed_op::kind::row, id, kFloat, kFloat, {x, y, z}, 0});
    };
    const auto test = [&](op::id id, int32_t x, int32_t y = -1) {
        return to.add({typed_op::kind::row, id, kFloat, kBool, {x, y, -1}, 0});
    };
    const int32_t from = cast(a, type, kFloat), toward = cast(b, type, kFloat);
    const int32_t size = row(op::abs, from);
    // A number divided by its frexp mantissa, which is below 1, is twice the power of two below it.
    const int32_t place =
        row(op::div, row(op::mul, size, number(place_of_one / 2)), row(op::frexp_mantissa, size));
    const int32_t step = row(op::mul,
                             row(op::where, test(op::eq, from, number(0)), number(smallest),
                                 row(op::maximum, place, number(smallest))),
                             number(0.625));
    int32_t next = row(op::where, test(op::lt, from, toward), row(op::add, from, step),
                       row(op::sub, from, step));
    next = row(op::where, test(op::isinf, from), row(op::copysign, number(limits.max), from), next);
    const int32_t same = test(op::eq, from, toward), unknown = test(op::isnan, toward);
    next = row(op::where, same, toward, row(op::where, unknown, toward, next));
    return cast(next, kFloat, type);
}

}  // namespace sinter::inline v1
