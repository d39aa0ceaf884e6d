#include "jit/kernel_ir/rows/cast.hpp"

#include "jit/kernel_ir/rows/ir_number.hpp"

#include <sinter/error.hpp>

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

template <class T>
value_id cast_from(ir<T> x, ScalarType to) {
    switch (to) {
        case kBool: return cast_number<bool>(x).id;
        case kByte: return cast_number<uint8_t>(x).id;
        case kChar:
        case kShort: return narrow(cast_number<int32_t>(x), to).id;
        case kInt: return cast_number<int32_t>(x).id;
        case kLong: return cast_number<int64_t>(x).id;
        case kHalf:
        case kBFloat16: return narrow(cast_number<float>(x), to).id;
        case kFloat: return cast_number<float>(x).id;
        case kDouble: return cast_number<double>(x).id;
        default: throw InternalError("[kernel_ir] cast to an unsupported type");
    }
}

}  // namespace

value_id cast_value(value_id v, ScalarType from, ScalarType to) {
    if (from == to) return v;
    switch (compute_type(from)) {
        case mtype::b1: return cast_from(ir<bool>::at(v), to);
        case mtype::u8: return cast_from(ir<uint8_t>::at(v), to);
        case mtype::i32: return cast_from(ir<int32_t>::at(v), to);
        case mtype::i64: return cast_from(ir<int64_t>::at(v), to);
        case mtype::f32: return cast_from(ir<float>::at(v), to);
        case mtype::f64: return cast_from(ir<double>::at(v), to);
    }
    throw InternalError("[kernel_ir] cast from an unsupported type");
}

}  // namespace sinter::kernel_ir
