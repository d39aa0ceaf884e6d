// Element types: names, sizes, promotion, and the C++ types of elements.
#pragma once

#include <sinter/complex.hpp>
#include <sinter/config.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

namespace sinter::inline v1 {

/// An element type, numbered as libtorch numbers them. Only some have a C++ type and kernels
/// (`is_supported`); using another throws NotImplementedError.
enum class ScalarType : int8_t {
#define SINTER_DTYPE(type, computed, name, number, ...) name = number,
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#define SINTER_OTHER_DTYPE(name, number, ...) name = number,
#include <sinter/core/dtype.def>
};

/// libtorch's other name.
using Dtype = ScalarType;

/// libtorch's names of the dtypes.
///@{
inline constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte;
inline constexpr ScalarType kChar = ScalarType::Char, kInt8 = kChar;
inline constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort;
inline constexpr ScalarType kInt = ScalarType::Int, kInt32 = kInt;
inline constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong;
inline constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = kHalf;
inline constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat;
inline constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = kDouble;
inline constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat, kComplex64 = kComplexFloat;
inline constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble,
                            kComplex128 = kComplexDouble;
inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
///@}

/// IEEE binary16. Arithmetic is done in float and rounded to nearest, ties to even. libtorch:
/// c10::Half.
struct Half {
    union {
        uint16_t bits = 0;  ///< The number's bits.
        uint16_t x;         ///< libtorch's name of the bits.
    };
    /// The tag of a constructor from bits.
    struct from_bits_t {};

    /// Zero, a number of these bits, or a float, rounded; converts back exactly.
    ///@{
    Half() = default;
    Half(uint16_t pattern, from_bits_t) : bits(pattern) {}
    Half(float value) : bits(from_float(value)) {}     // NOLINT: implicit, as in libtorch
    operator float() const { return to_float(bits); }  // NOLINT
    ///@}

    /// Returns the bits of a rounded float, or the float of these bits.
    ///@{
    static SINTER_API uint16_t from_float(float value);
    static SINTER_API float to_float(uint16_t bits);
    ///@}
    /// Returns the tag, or the number of these bits.
    ///@{
    static constexpr from_bits_t from_bits() { return {}; }
    static Half from_bits(uint16_t bits) {
        Half h;
        h.bits = bits;
        return h;
    }
    ///@}
};

/// The upper half of a float: its range, with 8 bits of precision. Arithmetic is done in float and
/// rounded to nearest, ties to even. libtorch: c10::BFloat16.
struct BFloat16 {
    union {
        uint16_t bits = 0;  ///< The number's bits.
        uint16_t x;         ///< libtorch's name of the bits.
    };
    /// The tag of a constructor from bits.
    struct from_bits_t {};

    /// Zero, a number of these bits, or a float, rounded; converts back exactly.
    ///@{
    BFloat16() = default;
    BFloat16(uint16_t pattern, from_bits_t) : bits(pattern) {}
    BFloat16(float value) : bits(from_float(value)) {}  // NOLINT: implicit, as in libtorch
    operator float() const { return to_float(bits); }   // NOLINT
    ///@}

    /// Returns the bits of a rounded float, or the float of these bits.
    ///@{
    static SINTER_API uint16_t from_float(float value);
    static SINTER_API float to_float(uint16_t bits);
    ///@}
    /// Returns the tag, or the number of these bits.
    ///@{
    static constexpr from_bits_t from_bits() { return {}; }
    static BFloat16 from_bits(uint16_t bits) {
        BFloat16 b;
        b.bits = bits;
        return b;
    }
    ///@}
};

namespace detail {
template <class T>
concept integer_number = std::is_integral_v<T>;
template <class T>
concept wide_number = std::is_floating_point_v<T>;
}  // namespace detail

// As libtorch's: two narrow numbers, or one and an integer, make a narrow number; one and a wider
// floating number make that. Comparisons convert to float.
#define SINTER_NARROW_OPERATOR(T, symbol)                          \
    inline T operator symbol(const T& a, const T& b) {             \
        return static_cast<float>(a) symbol static_cast<float>(b); \
    }                                                              \
    template <detail::integer_number I>                            \
    T operator symbol(const T& a, I b) {                           \
        return a symbol T(static_cast<float>(b));                  \
    }                                                              \
    template <detail::integer_number I>                            \
    T operator symbol(I a, const T& b) {                           \
        return T(static_cast<float>(a)) symbol b;                  \
    }                                                              \
    template <detail::wide_number F>                               \
    F operator symbol(const T& a, F b) {                           \
        return static_cast<float>(a) symbol b;                     \
    }                                                              \
    template <detail::wide_number F>                               \
    F operator symbol(F a, const T& b) {                           \
        return a symbol static_cast<float>(b);                     \
    }                                                              \
    inline T& operator symbol##=(T & a, const T & b) { return a = a symbol b; }
#define SINTER_NARROW_OPERATORS(T) \
    SINTER_NARROW_OPERATOR(T, +)   \
    SINTER_NARROW_OPERATOR(T, -)   \
    SINTER_NARROW_OPERATOR(T, *)   \
    SINTER_NARROW_OPERATOR(T, /)   \
    inline T operator-(const T& a) { return -static_cast<float>(a); }
/// Arithmetic, rounded to the narrow type; beside a float or double, in that type.
///@{
SINTER_NARROW_OPERATORS(Half)
SINTER_NARROW_OPERATORS(BFloat16)
///@}
#undef SINTER_NARROW_OPERATORS
#undef SINTER_NARROW_OPERATOR
/// Prints as a float.
///@{
SINTER_API std::ostream& operator<<(std::ostream& out, Half value);
SINTER_API std::ostream& operator<<(std::ostream& out, BFloat16 value);
///@}

namespace detail {

enum class dtype_kind : uint8_t {
    boolean,
    unsigned_integer,
    signed_integer,
    floating,
    complex,
    other
};

/// A set of dtypes: bit n stands for the dtype of number n.
constexpr bool contains(uint64_t dtypes, ScalarType t) { return dtypes >> static_cast<int>(t) & 1; }
constexpr uint64_t dtypes_of(dtype_kind of) {
    uint64_t dtypes = 0;
#define SINTER_OTHER_DTYPE(name, number, kind, ...) \
    if (of == dtype_kind::kind) dtypes |= uint64_t{1} << number;
#define SINTER_DTYPE(type, computed, ...) SINTER_OTHER_DTYPE(__VA_ARGS__)
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    return dtypes;
}
inline constexpr uint64_t unsigned_dtypes = dtypes_of(dtype_kind::unsigned_integer);
inline constexpr uint64_t integral_dtypes = unsigned_dtypes | dtypes_of(dtype_kind::signed_integer);
inline constexpr uint64_t floating_dtypes = dtypes_of(dtype_kind::floating);
inline constexpr uint64_t complex_dtypes = dtypes_of(dtype_kind::complex);
inline constexpr uint64_t supported_dtypes = 0
#define SINTER_DTYPE(type, computed, name, number, ...) | uint64_t{1} << number
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    ;

/// Returns the complex dtype with such parts, or the dtype of the parts.
constexpr ScalarType pair_of(ScalarType type) {
    switch (type) {
#define SINTER_DTYPE(type, computed, name, number, kind, pair, ...) \
    case ScalarType::name: return ScalarType::pair;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
        default: return type;
    }
}

}  // namespace detail

/// Returns true if tensors can have this dtype.
constexpr bool is_supported(ScalarType type) {
    return detail::contains(detail::supported_dtypes, type);
}

/// Returns the bytes of an element; 0 for an unsupported type.
constexpr std::size_t elementSize(ScalarType type) {
    switch (type) {
#define SINTER_DTYPE(type, computed, name, ...) \
    case ScalarType::name: return sizeof(type);
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
        default: return 0;
    }
}

/// Returns true for a floating, or a complex dtype.
///@{
constexpr bool isFloatingType(ScalarType t) { return detail::contains(detail::floating_dtypes, t); }
constexpr bool isComplexType(ScalarType t) { return detail::contains(detail::complex_dtypes, t); }
///@}
/// Returns the dtype of a complex dtype's parts; a real dtype itself.
constexpr ScalarType toRealValueType(ScalarType t) {
    return isComplexType(t) ? detail::pair_of(t) : t;
}
/// Returns the complex dtype whose parts have this floating dtype (ComplexFloat for BFloat16);
/// other dtypes themselves.
constexpr ScalarType toComplexType(ScalarType t) {
    return isFloatingType(t) ? detail::pair_of(t) : t;
}
/// Returns true for integer dtypes, and for Bool if `include_bool`.
constexpr bool isIntegralType(ScalarType t, bool include_bool = false) {
    return detail::contains(detail::integral_dtypes, t) || (include_bool && t == kBool);
}

/// Returns or prints libtorch's name: Float, Long, ... libtorch: c10::toString.
///@{
SINTER_API const char* toString(ScalarType type);
SINTER_API std::ostream& operator<<(std::ostream& out, ScalarType type);
///@}

/// A dtype as `t.dtype()` returns it: a ScalarType that prints as its C++ type, `float` or `long
/// int`. libtorch: caffe2::TypeMeta.
class TypeMeta {
public:
    /// Undefined, or this dtype.
    ///@{
    constexpr TypeMeta() = default;
    constexpr explicit TypeMeta(ScalarType type) : type_(type) {}
    ///@}
    /// Returns the dtype.
    ///@{
    constexpr operator ScalarType() const { return type_; }  // NOLINT
    constexpr ScalarType toScalarType() const { return type_; }
    ///@}
    /// Returns the bytes of an element.
    constexpr std::size_t itemsize() const { return elementSize(type_); }
    /// Returns the dtype of a C++ type: `TypeMeta::Make<float>()`.
    template <class T>
    static constexpr TypeMeta Make();
    /// Returns the name of the C++ type.
    SINTER_API const char* name() const;

private:
    ScalarType type_ = ScalarType::Undefined;
};
/// Prints the name of the C++ type.
SINTER_API std::ostream& operator<<(std::ostream& out, TypeMeta type);

/// Returns the common dtype of two operands with dimensions. Throws NotImplementedError for
/// unsupported types. PyTorch: torch.promote_types.
SINTER_API ScalarType promote_types(ScalarType a, ScalarType b);

/// Returns or sets the dtype of floating results of integer operands, of `tensor({1.0})`, and of
/// tensors that are created without a dtype. Process-wide; Float at first. If it is not floating,
/// factories use it, and floating results are Float. PyTorch: torch.get_default_dtype,
/// torch.set_default_dtype.
///@{
SINTER_API TypeMeta get_default_dtype();
SINTER_API void set_default_dtype(ScalarType dtype);
inline ScalarType get_default_dtype_as_scalartype() { return get_default_dtype(); }
///@}

/// Returns true if a result of type `from` may be written to a tensor of type `to`: a conversion
/// may lose range, but neither a fraction nor an imaginary part, and nothing but Bool converts to
/// Bool. PyTorch: torch.can_cast.
constexpr bool can_cast(ScalarType from, ScalarType to) {
    if (isComplexType(from) && !isComplexType(to)) return false;
    if (isFloatingType(from) && isIntegralType(to, false)) return false;
    return from == kBool || to != kBool;
}
/// libtorch's names of can_cast(), promote_types(), and conversions between dtypes and TypeMeta.
/// libtorch: c10::canCast, c10::promoteTypes.
///@{
constexpr bool canCast(ScalarType from, ScalarType to) { return can_cast(from, to); }
inline ScalarType promoteTypes(ScalarType a, ScalarType b) { return promote_types(a, b); }
constexpr TypeMeta scalarTypeToTypeMeta(ScalarType t) { return TypeMeta(t); }
constexpr ScalarType typeMetaToScalarType(TypeMeta t) { return t; }
///@}
/// Returns true unless the dtype is Bool or of unsigned integers.
constexpr bool isSignedType(ScalarType t) {
    return t != kBool && !detail::contains(detail::unsigned_dtypes, t);
}

/// `value` is the dtype of a C++ type.
template <class T>
struct scalar_type_of;
namespace detail {
/// The C++ type of a dtype, and the one that it is computed in.
template <ScalarType>
struct cpp_types;
}  // namespace detail
#define SINTER_DTYPE(stored, compute, name, ...)              \
    template <>                                               \
    struct scalar_type_of<stored> {                           \
        static constexpr ScalarType value = ScalarType::name; \
    };                                                        \
    template <>                                               \
    struct detail::cpp_types<ScalarType::name> {              \
        using type = stored;                                  \
        using computed = compute;                             \
    };
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>

/// The dtype of a C++ type.
template <class T>
inline constexpr ScalarType scalar_type_v = scalar_type_of<T>::value;
/// libtorch's name of the same.
template <class T>
using CppTypeToScalarType = scalar_type_of<T>;
template <class T>
constexpr TypeMeta TypeMeta::Make() {
    return TypeMeta(scalar_type_v<T>);
}

}  // namespace sinter::inline v1
