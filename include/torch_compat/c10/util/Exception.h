// TORCH_CHECK and its kin: conditions that a program states about its input. The text is what the
// program gives, or the condition.
#pragma once

#include <sinter/error.hpp>
#include <sinter/warning.hpp>

#include <iostream>
#include <sstream>

namespace sinter::torch_compat {

template <class... P>
std::string join(const char* condition, const P&... parts) {
    if constexpr (sizeof...(P) == 0) {
        return std::string("Expected ") + condition + " to be true, but got false.";
    } else {
        std::ostringstream out;
        (out << ... << parts);
        return out.str();
    }
}

}  // namespace sinter::torch_compat

#define SINTER_CHECK_AS(E, condition, ...)                                            \
    do {                                                                              \
        if (!(condition))                                                             \
            throw ::sinter::E(                                                        \
                ::sinter::torch_compat::join(#condition __VA_OPT__(, ) __VA_ARGS__)); \
    } while (false)

#define TORCH_CHECK(condition, ...) SINTER_CHECK_AS(Error, condition, __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) SINTER_CHECK_AS(IndexError, condition, __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) SINTER_CHECK_AS(ValueError, condition, __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) SINTER_CHECK_AS(TypeError, condition, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
    SINTER_CHECK_AS(NotImplementedError, condition, __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...) SINTER_CHECK_AS(Error, condition, __VA_ARGS__)
#define AT_ERROR(...) SINTER_CHECK_AS(Error, false, __VA_ARGS__)
#define AT_ASSERT(condition) SINTER_CHECK_AS(Error, condition)

#define TORCH_WARN(...) \
    ::sinter::warn(::sinter::Warning(::sinter::torch_compat::join("" __VA_OPT__(, ) __VA_ARGS__)))
#define TORCH_WARN_ONCE(...) \
    ::sinter::warn_once(     \
        ::sinter::Warning(::sinter::torch_compat::join("" __VA_OPT__(, ) __VA_ARGS__)))
