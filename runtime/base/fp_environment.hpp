// The floating-point environment that kernels assume: round to nearest, keep subnormals, no traps.
// A caller may have changed it on its thread, or a library linked with -ffast-math on all threads.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace sinter::runtime {

/// Sets the default environment for its lifetime, then restores the old one, including exception
/// flags.
class fp_environment {
public:
#if defined(__x86_64__)
    fp_environment() : saved_(_mm_getcsr()) {
        // The six exception flags are ignored: clearing them would cost a register write.
        if ((saved_ & ~flags) != defaults) _mm_setcsr(defaults);
    }
    ~fp_environment() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
    fp_environment() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        asm volatile("mrs %0, fpsr" : "=r"(flags_));
        if (saved_ != 0) asm volatile("msr fpcr, %0" : : "r"(uint64_t{0}) : "memory");
    }
    ~fp_environment() {
        if (saved_ != 0) asm volatile("msr fpcr, %0" : : "r"(saved_) : "memory");
        asm volatile("msr fpsr, %0" : : "r"(flags_) : "memory");
    }
#else
    fp_environment() {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~fp_environment() { std::fesetenv(&saved_); }
#endif
    fp_environment(const fp_environment&) = delete;
    fp_environment& operator=(const fp_environment&) = delete;

private:
#if defined(__x86_64__)
    static constexpr unsigned defaults = 0x1F80;  // all exceptions masked, nearest, no FTZ, no DAZ
    static constexpr unsigned flags = 0x3F;
    unsigned saved_;
#elif defined(__aarch64__)
    uint64_t saved_, flags_;
#else
    std::fenv_t saved_;
#endif
};

/// The same for calls of other libraries: on x86 also the control word of x87, in which OpenBLAS
/// computes norms.
class library_environment {
public:
#if defined(__x86_64__)
    library_environment() {
        asm volatile("fnstcw %0" : "=m"(saved_));
        if (saved_ != defaults) load(defaults);
    }
    ~library_environment() {
        if (saved_ != defaults) load(saved_);
    }
    library_environment(const library_environment&) = delete;

private:
    static void load(uint16_t word) { asm volatile("fldcw %0" : : "m"(word)); }
    static constexpr uint16_t defaults = 0x37F;  // all exceptions masked, 64 bits, nearest
    uint16_t saved_ = 0;
#endif
    [[maybe_unused]] fp_environment environment_;
};

/// Returns f(numbers...) computed in the default environment. Compilers may move arithmetic past
/// the switch of the environment, so volatile objects hold the numbers and the result.
template <class F, class... T>
auto in_fp_environment(F f, T... numbers) {
    const fp_environment environment;
    const auto hold = [](auto number) {
        volatile auto held = number;
        return static_cast<decltype(number)>(held);
    };
    return hold(f(hold(numbers)...));
}

}  // namespace sinter::runtime
