// AT_DISPATCH_*: calls a lambda with `scalar_t` as the C++ type of a dtype. The lists of types are
// libtorch's; a dtype outside of them throws NotImplementedError.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/error.hpp>

namespace sinter::torch_compat {

/// The C++ type of a dtype.
template <ScalarType>
struct cpp_type;
#define SINTER_CASE(T, name, C)         \
    template <>                         \
    struct cpp_type<ScalarType::name> { \
        using type = T;                 \
    };
SINTER_FOR_EACH_ELEMENT_TYPE(SINTER_CASE)
#undef SINTER_CASE

[[noreturn]] inline void not_dispatched(const char* name, ScalarType type) {
    throw NotImplementedError(std::string("[") + name + "] the dtype is not dispatched; got " +
                              toString(type) +
                              ", expected one of those of the AT_DISPATCH macro; "
                              "try another macro, or to(kFloat)");
}

}  // namespace sinter::torch_compat

#define AT_DISPATCH_CASE(TYPE, ...)                                                              \
    case TYPE: {                                                                                 \
        using scalar_t [[maybe_unused]] = typename ::sinter::torch_compat::cpp_type<TYPE>::type; \
        return __VA_ARGS__();                                                                    \
    }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                     \
    [&] {                                                                       \
        const ::sinter::ScalarType sinter_type = TYPE;                          \
        switch (sinter_type) {                                                  \
            __VA_ARGS__                                                         \
            default: ::sinter::torch_compat::not_dispatched(NAME, sinter_type); \
        }                                                                       \
    }()

#define SINTER_FLOATING_CASES(...)                              \
    AT_DISPATCH_CASE(::sinter::ScalarType::Double, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Float, __VA_ARGS__)
#define SINTER_INTEGRAL_CASES(...)                            \
    AT_DISPATCH_CASE(::sinter::ScalarType::Byte, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Char, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Int, __VA_ARGS__)  \
    AT_DISPATCH_CASE(::sinter::ScalarType::Long, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::Short, __VA_ARGS__)
#define SINTER_ALL_CASES(...) SINTER_INTEGRAL_CASES(__VA_ARGS__) SINTER_FLOATING_CASES(__VA_ARGS__)

#define SINTER_COMPLEX_CASES(...)                                      \
    AT_DISPATCH_CASE(::sinter::ScalarType::ComplexDouble, __VA_ARGS__) \
    AT_DISPATCH_CASE(::sinter::ScalarType::ComplexFloat, __VA_ARGS__)

#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, SINTER_COMPLEX_CASES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME,                              \
                       SINTER_FLOATING_CASES(__VA_ARGS__) SINTER_COMPLEX_CASES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, SINTER_ALL_CASES(__VA_ARGS__) SINTER_COMPLEX_CASES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, SINTER_FLOATING_CASES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
    AT_DISPATCH_FLOATING_TYPES_AND(::sinter::ScalarType::Half, TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(MORE, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME,                            \
                       SINTER_FLOATING_CASES(__VA_ARGS__) AT_DISPATCH_CASE(MORE, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(MORE1, MORE2, TYPE, NAME, ...)                         \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                             \
                       SINTER_FLOATING_CASES(__VA_ARGS__) AT_DISPATCH_CASE(MORE1, __VA_ARGS__) \
                           AT_DISPATCH_CASE(MORE2, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, SINTER_INTEGRAL_CASES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(MORE, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME,                            \
                       SINTER_INTEGRAL_CASES(__VA_ARGS__) AT_DISPATCH_CASE(MORE, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME, SINTER_ALL_CASES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(MORE, TYPE, NAME, ...) \
    AT_DISPATCH_SWITCH(TYPE, NAME,                       \
                       SINTER_ALL_CASES(__VA_ARGS__) AT_DISPATCH_CASE(MORE, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(MORE1, MORE2, TYPE, NAME, ...)                         \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                        \
                       SINTER_ALL_CASES(__VA_ARGS__) AT_DISPATCH_CASE(MORE1, __VA_ARGS__) \
                           AT_DISPATCH_CASE(MORE2, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(MORE1, MORE2, MORE3, TYPE, NAME, ...)                  \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                        \
                       SINTER_ALL_CASES(__VA_ARGS__) AT_DISPATCH_CASE(MORE1, __VA_ARGS__) \
                           AT_DISPATCH_CASE(MORE2, __VA_ARGS__)                           \
                               AT_DISPATCH_CASE(MORE3, __VA_ARGS__))
