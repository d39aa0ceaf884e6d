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
#define TORCH_CHECK_LINALG(condition, ...) SINTER_CHECK_AS(LinAlgError, condition, __VA_ARGS__)
#define TORCH_CHECK_WITH(error, condition, ...) SINTER_CHECK_AS(error, condition, __VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b), "Check failed: " #a " == " #b)
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b), "Check failed: " #a " != " #b)
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b), "Check failed: " #a " <= " #b)
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b), "Check failed: " #a " < " #b)
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b), "Check failed: " #a " >= " #b)
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b), "Check failed: " #a " > " #b)
#define C10_THROW_ERROR(error, message) SINTER_CHECK_AS(error, false, message)
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) static_cast<void>(0)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif
#define TORCH_INTERNAL_ASSERT(condition, ...) SINTER_CHECK_AS(Error, condition, __VA_ARGS__)
/// Throws a caught error again, with what the program was about.
#define TORCH_RETHROW(error, ...)                                                                \
    do {                                                                                         \
        (error).add_context(::sinter::torch_compat::join("nothing" __VA_OPT__(, ) __VA_ARGS__)); \
        throw;                                                                                   \
    } while (false)
#define AT_ERROR(...) SINTER_CHECK_AS(Error, false, __VA_ARGS__)
#define AT_ASSERT(condition) SINTER_CHECK_AS(Error, condition)

#define TORCH_WARN(...) \
    ::sinter::warn(::sinter::Warning(::sinter::torch_compat::join("" __VA_OPT__(, ) __VA_ARGS__)))
#define TORCH_WARN_ONCE(...) \
    ::sinter::warn_once(     \
        ::sinter::Warning(::sinter::torch_compat::join("" __VA_OPT__(, ) __VA_ARGS__)))
