// Build-wide macros of the public headers.
#pragma once

// Older ones fail somewhere in the standard library, without saying why.
#if defined(__clang__)
#if __clang_major__ < 15
#error "Sinter needs clang 15 or newer, or g++ 12 or newer; this clang is older"
#endif
#elif defined(__GNUC__) && __GNUC__ < 12
#error "Sinter needs g++ 12 or newer, or clang 15 or newer; this g++ is older"
#endif
#if __cplusplus < 202002L
#error "Sinter needs C++20; compile with -std=c++20 or newer"
#endif

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0

#if defined(SINTER_STATIC)
#define SINTER_API
#else
#define SINTER_API __attribute__((visibility("default")))
#endif

// SINTER_DEPRECATED("use x") makes every use of the name that it declares a warning with that text.
// The name may go in the next minor version. The macro may stand before or after SINTER_API.
#define SINTER_DEPRECATED(instead) __attribute__((deprecated(instead)))
