// AT_DISPATCH_*: calls a lambda with `scalar_t` as the C++ type of a dtype. The lists of types are
// libtorch's; a dtype outside of them throws NotImplementedError.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/error.hpp>

namespace sinter::torch_compat {

[[noreturn]] inline void not_dispatched(const char* name, ScalarType type) {
    throw NotImplementedError(std::string("[") + name + "] \"" + name +
                              "\" not implemented for '" + toString(type) + "'; got " +
                              toString(type) +
                              ", expected a dtype of the AT_DISPATCH macro; try a macro with more "
                              "dtypes, or .to(kFloat) first");
}

}  // namespace sinter::torch_compat

#define AT_DISPATCH_CASE(TYPE, ...)                                                         \
    case TYPE: {                                                                            \
        using scalar_t [[maybe_unused]] = typename ::sinter::detail::cpp_types<TYPE>::type; \
        return __VA_ARGS__();                                                               \
    }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                     \
    [&] {                                                                       \
        const ::sinter::ScalarType sinter_type = TYPE;                          \
        switch (sinter_type) {                                                  \
            __VA_ARGS__                                                         \
            default: ::sinter::torch_compat::not_dispatched(NAME, sinter_type); \
        }                                                                       \
    }()

// The cases of a family of types, for AT_DISPATCH_SWITCH too.
#define AT_DISPATCH_CASE_FLOATING_TYPES(...)                    \
    AT_DISPATCH_CASE(::sinter::ScalarType::Double, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                  \
    AT_DISPATCH_CASE(::sinter::ScalarType::Byte, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Char, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Int, __VA_ARGS__)  \
    AT_DISPATCH_CASE(::sinter::ScalarType::Long, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                            \
    AT_DISPATCH_CASE(::sinter::ScalarType::ComplexDouble, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) \
    AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...) \
    AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)

// Families with up to three more types.
#define SINTER_DISPATCH(FAMILY, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_##FAMILY(__VA_ARGS__))
#define SINTER_DISPATCH1(FAMILY, MORE, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME,                      \
                       AT_DISPATCH_CASE_##FAMILY(__VA_ARGS__) AT_DISPATCH_CASE(MORE, __VA_ARGS__))
#define SINTER_DISPATCH2(FAMILY, MORE1, MORE2, TYPE, NAME, ...)                                    \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                 \
                       AT_DISPATCH_CASE_##FAMILY(__VA_ARGS__) AT_DISPATCH_CASE(MORE1, __VA_ARGS__) \
                           AT_DISPATCH_CASE(MORE2, __VA_ARGS__))
#define SINTER_DISPATCH3(FAMILY, MORE1, MORE2, MORE3, TYPE, NAME, ...)                             \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                 \
                       AT_DISPATCH_CASE_##FAMILY(__VA_ARGS__) AT_DISPATCH_CASE(MORE1, __VA_ARGS__) \
                           AT_DISPATCH_CASE(MORE2, __VA_ARGS__)                                    \
                               AT_DISPATCH_CASE(MORE3, __VA_ARGS__))

#define AT_DISPATCH_FLOATING_TYPES(...) SINTER_DISPATCH(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(...) SINTER_DISPATCH1(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(...) SINTER_DISPATCH2(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(...) SINTER_DISPATCH3(FLOATING_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(...) \
    AT_DISPATCH_FLOATING_TYPES_AND(::sinter::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(...) SINTER_DISPATCH(INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(...) SINTER_DISPATCH1(INTEGRAL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES(...) SINTER_DISPATCH(COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND(...) SINTER_DISPATCH1(COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(...) \
    SINTER_DISPATCH(FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(...) \
    SINTER_DISPATCH1(FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(...) \
    SINTER_DISPATCH2(FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(...) \
    SINTER_DISPATCH3(FLOATING_AND_COMPLEX_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(...) SINTER_DISPATCH(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(...) SINTER_DISPATCH1(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(...) SINTER_DISPATCH2(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(...) SINTER_DISPATCH3(ALL_TYPES, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(...) SINTER_DISPATCH(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(...) \
    SINTER_DISPATCH1(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(...) \
    SINTER_DISPATCH2(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(...) \
    SINTER_DISPATCH3(ALL_TYPES_AND_COMPLEX, __VA_ARGS__)

/// `index_t` is the C++ type of Int or Long.
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                    \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                  \
                       SINTER_INDEX_CASE(Int, int32_t, __VA_ARGS__) \
                           SINTER_INDEX_CASE(Long, int64_t, __VA_ARGS__))
#define SINTER_INDEX_CASE(NAME, T, ...)     \
    case ::sinter::ScalarType::NAME: {      \
        using index_t [[maybe_unused]] = T; \
        return __VA_ARGS__();               \
    }
