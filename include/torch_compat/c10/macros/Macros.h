// Marks of functions and branches that programs write around their own code.
#pragma once

#define C10_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(static_cast<bool>(condition), 0))
#define C10_NOINLINE __attribute__((noinline))
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_UNUSED __attribute__((unused))
#define C10_NODISCARD [[nodiscard]]
#define C10_FALLTHROUGH [[fallthrough]]
#define C10_DEPRECATED [[deprecated]]
#define C10_DEPRECATED_MESSAGE(message) [[deprecated(message)]]
#define C10_RESTRICT __restrict__
#define C10_EXPORT __attribute__((visibility("default")))
#define C10_HIDDEN __attribute__((visibility("hidden")))
#define C10_IMPORT C10_EXPORT
#define C10_API C10_EXPORT
#define TORCH_API C10_EXPORT
#define C10_CONCATENATE_OF(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_OF(a, b)
#define C10_UID __COUNTER__
#define C10_ANONYMOUS_VARIABLE(name) C10_CONCATENATE(name, C10_UID)
#define C10_STRINGIZE_OF(text) #text
#define C10_STRINGIZE(text) C10_STRINGIZE_OF(text)

#if defined(__CUDACC__) || defined(__HIPCC__)
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_HOST_DEVICE __host__ __device__
#else
#define C10_HOST
#define C10_DEVICE
#define C10_HOST_DEVICE
#endif
