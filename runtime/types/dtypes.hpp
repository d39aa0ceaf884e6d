// What the library knows of every dtype beside what programs see: the columns of
// sinter/core/dtype.def, and the only dispatch from a dtype to its C++ type.
#pragma once

#include "runtime/base/fail.hpp"

#include <sinter/dtype.hpp>
#include <sinter/error.hpp>
#include <sinter/limits.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace sinter {

/// The size of arrays that are indexed by a dtype that tensors can have.
inline constexpr int tensor_dtypes = std::bit_width(detail::supported_dtypes);

/// The dtype of the largest number.
inline constexpr ScalarType last_dtype = std::max({
#define SINTER_OTHER_DTYPE(name, ...) ScalarType::name,
#define SINTER_DTYPE(type, computed, ...) SINTER_OTHER_DTYPE(__VA_ARGS__)
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
});

/// The columns of that name. Dtypes that no tensor has have names only.
struct dtype_info {
    const char *name = "Unknown", *cpp = "nullptr (uninitialized)", *error = cpp, *python = "";
    const char* gpu = nullptr;
    int cuda = -1, rocblas = -1;
};

/// Returns the information on a dtype, or on an unknown one if it is outside the enumeration.
inline const dtype_info& info_of(ScalarType dtype) {
    static constexpr auto known = [] {
        std::array<dtype_info, static_cast<std::size_t>(last_dtype) + 2> all;
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, dlpack, ...) \
    all[number] = {#name, __VA_ARGS__};
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#define SINTER_OTHER_DTYPE(name, number, kind, cpp, python) all[number] = {#name, cpp, cpp, python};
#include <sinter/core/dtype.def>
        return all;
    }();
    return known[std::min(static_cast<std::size_t>(static_cast<uint8_t>(dtype)), known.size() - 1)];
}

/// Returns the dtype whose C++ type kernels compute in: Int for Char, Float for Half, Double for
/// Double. Returns complex dtypes unchanged.
constexpr ScalarType compute_dtype(ScalarType dtype) {
    switch (dtype) {
#define SINTER_DTYPE(type, computed, name, ...) \
    case ScalarType::name: return scalar_type_v<computed>;
#include <sinter/core/dtype.def>
        default: return dtype;
    }
}

/// Returns true for floating dtypes that are computed in a wider one: Half and BFloat16.
constexpr bool is_narrow_float(ScalarType dtype) {
    return isFloatingType(dtype) && compute_dtype(dtype) != dtype;
}

/// The C++ type that elements of a C++ type are computed in; of complex ones the type of a part.
template <class T>
using computed_of = typename detail::cpp_types<scalar_type_of<T>::value>::computed;

/// The C++ types of elements, for constraints of what `with_type` calls.
///@{
template <class T>
concept complex_element = isComplexType(scalar_type_of<T>::value);
template <class T>
concept real_element = !isComplexType(scalar_type_of<T>::value);
template <class T>
concept floating_element = isFloatingType(scalar_type_of<T>::value);
template <class T>
concept narrow_float = is_narrow_float(scalar_type_of<T>::value);
template <class T>
concept computed_element =
    real_element<T> && compute_dtype(scalar_type_of<T>::value) == scalar_type_of<T>::value;
/// What BLAS and LAPACK compute with: float, double and complex numbers of them.
template <class T>
concept lapack_element = complex_element<T> || (floating_element<T> && computed_element<T>);
/// Integers, but not bool.
template <class T>
concept integer_element = isIntegralType(scalar_type_of<T>::value);
///@}

/// Calls f(std::type_identity<T>()) with the C++ type of the dtype and returns its result. Throws
/// InternalError if f is constrained not to take that type.
template <class F>
auto with_type(ScalarType dtype, const F& f) {
    switch (dtype) {
#define SINTER_DTYPE(type, computed, name, ...)                         \
    case ScalarType::name:                                              \
        if constexpr (std::is_invocable_v<F, std::type_identity<type>>) \
            return f(std::type_identity<type>());                       \
        break;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
        default: break;
    }
    runtime::bug("kernel", "a dtype has no case");
}

/// Returns true if `To` represents every number of `From`. Both are real.
template <class To, class From>
constexpr bool holds_all() {
    using to = std::numeric_limits<To>;
    using from = std::numeric_limits<From>;
    if (std::is_same_v<To, From> || std::is_same_v<From, bool>) return true;
    if (from::is_integer) return from::digits <= to::digits && (to::is_signed || !from::is_signed);
    return !to::is_integer && from::digits <= to::digits &&
           from::max_exponent <= to::max_exponent && from::min_exponent >= to::min_exponent;
}

}  // namespace sinter
