// Names of dtypes, promotion, and limits.
#include "runtime/base/fail.hpp"
#include "runtime/types/dtypes.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/limits.hpp>

#include <atomic>
#include <cmath>
#include <ostream>

namespace sinter::inline v1 {

const char* toString(ScalarType type) { return info_of(type).name; }

std::ostream& operator<<(std::ostream& out, Half value) { return out << static_cast<float>(value); }
std::ostream& operator<<(std::ostream& out, BFloat16 value) {
    return out << static_cast<float>(value);
}

std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << toString(type); }

namespace {

/// Returns the narrowest dtype of their kind that holds all numbers of both: of two dtypes of one
/// size, neither of which holds the other's, it is wider.
template <class A, class B>
constexpr ScalarType join() {
    if (std::is_same_v<A, bool>) return scalar_type_v<B>;
    if (std::is_same_v<B, bool>) return scalar_type_v<A>;
    if (floating_element<A> != floating_element<B>)
        return scalar_type_v<std::conditional_t<floating_element<A>, A, B>>;
    ScalarType found = ScalarType::Undefined;
    std::size_t size = SIZE_MAX;
#define SINTER_DTYPE(type, computed, name, ...)                                  \
    if (floating_element<type> == floating_element<A> && holds_all<type, A>() && \
        holds_all<type, B>() && sizeof(type) < size)                             \
        found = ScalarType::name, size = sizeof(type);
#include <sinter/core/dtype.def>
    return found;
}

using promotions = std::array<std::array<ScalarType, tensor_dtypes>, tensor_dtypes>;

template <class A>
constexpr void join_all(promotions& table) {
#define SINTER_DTYPE(type, computed, name, number, ...) \
    table[static_cast<std::size_t>(scalar_type_v<A>)][number] = join<A, type>();
#include <sinter/core/dtype.def>
}

/// Of real dtypes.
constexpr promotions promoted = [] {
    promotions table{};
#define SINTER_DTYPE(type, ...) join_all<type>(table);
#include <sinter/core/dtype.def>
    return table;
}();

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b) {
    runtime::require_dtype("promote_types", a);
    runtime::require_dtype("promote_types", b);
    const ScalarType real = promoted[static_cast<std::size_t>(toRealValueType(a))]
                                    [static_cast<std::size_t>(toRealValueType(b))];
    return isComplexType(a) || isComplexType(b) ? toComplexType(real) : real;
}

namespace {
/// Atomic, because any thread may set it while others read it.
std::atomic<ScalarType> default_dtype{kFloat};
}  // namespace

const char* TypeMeta::name() const { return info_of(type_).cpp; }

std::ostream& operator<<(std::ostream& out, TypeMeta type) { return out << type.name(); }

TypeMeta get_default_dtype() { return TypeMeta(default_dtype.load(std::memory_order_relaxed)); }

void set_default_dtype(ScalarType dtype) {
    runtime::require_dtype("set_default_dtype", dtype);
    default_dtype.store(dtype, std::memory_order_relaxed);
}

// ---- limits

finfo::finfo() : finfo(get_default_dtype()) {}
finfo::finfo(ScalarType type) : dtype(type) {
    if (!isFloatingType(type))
        runtime::fail<TypeError>("finfo", "the dtype is not a floating-point dtype", toString(type),
                                 "Half, BFloat16, Float or Double", "iinfo for integers");
    with_type(type, [this]<floating_element T>(std::type_identity<T>) {
        using limits = std::numeric_limits<T>;
        bits = 8 * sizeof(T);
        eps = static_cast<double>(limits::epsilon());
        max = static_cast<double>(limits::max());
        min = -max;
        tiny = smallest_normal = static_cast<double>(limits::min());
        resolution = 1 / std::pow(10., limits::digits10);
    });
}

iinfo::iinfo(ScalarType type) : dtype(type) {
    if (!is_supported(type) || !isIntegralType(type, false))
        runtime::fail<TypeError>("iinfo", "the dtype is not an integral dtype", toString(type),
                                 "Byte, Char, Short, Int or Long",
                                 "finfo for floating-point dtypes");
    bits = static_cast<int>(elementSize(type)) * 8;
    const bool sign = isSignedType(type);
    // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): an integer has at least one byte
    max = static_cast<int64_t>((uint64_t{1} << (bits - (sign ? 1 : 0))) - 1);
    min = sign ? -max - 1 : 0;
}

}  // namespace sinter::inline v1
