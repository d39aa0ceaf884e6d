#include "jit/kernel_ir/rows/cast.hpp"

#include "jit/kernel_ir/rows/ir_number.hpp"

#include <limits>

namespace sinter::kernel_ir {

namespace {

/// Returns 2 to the power bits - 1: the smallest magnitude that exceeds the integers of that width.
template <class V, class I>
V bound() {
    return V::from(static_cast<typename V::scalar>(uint64_t{1} << (sizeof(I) * 8 - 1)));
}

/// Returns `x` truncated, or `outside` if out of range. The negative bound converts to the minimum
/// either way. The operand of the conversion is selected first, since a conversion is defined in
/// range only.
template <class I, class T>
ir<I> float_to_integer(ir<T> x, ir<I> outside) {
    using V = ir<T>;
    const ir<bool> inside = abs(x) < bound<V, I>();
    return select(inside, convert<I>(select(inside, x, V(0))), outside);
}

/// Returns the low byte of the i64 conversion. A float beyond i32 is a multiple of 256, so i32
/// suffices for f32.
template <class T>
ir<uint8_t> float_to_byte(ir<T> x) {
    using I = std::conditional_t<std::is_same_v<T, float>, int32_t, int64_t>;
    return convert<uint8_t>(float_to_integer<I>(x, ir<I>(0)));
}

template <class U, class T>
ir<U> cast_number(ir<T> x) {
    if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U> &&
                  !std::is_same_v<U, bool>) {
        if constexpr (std::is_same_v<U, uint8_t>)
            return float_to_byte(x);
        else
            return float_to_integer<U>(x, ir<U>::from(std::numeric_limits<U>::min()));
    } else {
        return convert<U>(x);
    }
}

}  // namespace

value_id cast_value(value_id v, ScalarType from, ScalarType to) {
    if (from == to) return v;
    return with_type(compute_dtype(from), [&]<computed_element T>(std::type_identity<T>) {
        return with_type(compute_dtype(to), [&]<computed_element U>(std::type_identity<U>) {
            const ir<U> x = cast_number<U>(ir<T>::at(v));
            return is_narrow(to) ? narrow(x, to).id : x.id;
        });
    });
}

}  // namespace sinter::kernel_ir
