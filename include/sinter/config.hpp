// Build-wide macros of the public headers.
#pragma once

#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0

#if defined(SINTER_STATIC)
#define SINTER_API
#else
#define SINTER_API __attribute__((visibility("default")))
#endif
